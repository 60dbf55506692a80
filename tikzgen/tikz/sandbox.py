"""Templates may read and compute, and nothing else, whoever wrote them."""

from __future__ import annotations

from typing import Any

from jinja2.exceptions import SecurityError
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tikzgen.base.record import Record, fields

_BITS = 1_000_000


def _size(value: Any) -> int:
    """How much a product grows by a factor: characters and entries of texts and lists, the bits of a number."""
    if isinstance(value, (str, bytes, list, tuple)):
        return max(len(value), 1)
    return abs(value) if isinstance(value, int) and abs(value) < _BITS else _BITS if isinstance(value, int) else 1


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, with a short way to what records hold, where there is nothing to guard, and to our macros."""

    intercepted_binops = frozenset(("*", "**"))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Products and powers that no figure needs could take all time and memory in one step."""
        if operator == "**" and not (isinstance(left, (int, float)) and isinstance(right, (int, float))):
            raise SecurityError("powers are for numbers")
        if operator == "**" and isinstance(left, int) and left.bit_length() * abs(right) > _BITS:
            raise SecurityError("a number grows too large")
        if operator == "*" and _size(left) * _size(right) >= _BITS:
            raise SecurityError("a product grows too large")
        return super().call_binop(context, operator, left, right)

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
