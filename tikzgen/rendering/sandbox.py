"""Templates may read and compute, and nothing else, whoever wrote them."""

from __future__ import annotations

from typing import Any

from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tikzgen.record import Record, fields

__all__ = ["Sandbox"]


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, with a short way to what records hold, where there is nothing to guard, and to our macros."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, Record) and attribute in fields(type(obj)):
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 (as Jinja has it)
        if type(__obj) is not Macro:
            return super().call(__context, __obj, *args, **kwargs)
        kwargs.pop("_block_vars", None)
        kwargs.pop("_loop_vars", None)
        return __obj(*args, **kwargs)
