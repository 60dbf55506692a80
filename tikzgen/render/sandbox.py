"""Templates may read and compute, and nothing else, whoever wrote them."""

from __future__ import annotations

from typing import Any

from jinja2.sandbox import ImmutableSandboxedEnvironment

from tikzgen.layout import scene

__all__ = ["Sandbox"]


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, with a short way to the fields of a scene: frozen data, where there is nothing to guard."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj).__module__ == scene.__name__ and not attribute.startswith("_"):
            try:
                return getattr(obj, attribute)
            except AttributeError:
                pass
        return super().getattr(obj, attribute)
