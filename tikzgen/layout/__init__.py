"""From a figure to a scene: what stands where, in symbolic lengths.

The functions are loaded when they are used: a spec is read with the shapes of `layout/topology/shapes` alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tikzgen.layout.lay_out_figure import choose_form, layout

__all__ = ["choose_form", "layout"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("tikzgen.layout.lay_out_figure"), name)
