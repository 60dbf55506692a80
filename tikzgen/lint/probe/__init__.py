"""What TeX really set: every node, path and text of a figure with its place on the page, and rules that look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tikzgen.lint.probe.page_data import NodeOnPage, PageData, PathOnPage, PictureOnPage, TextLine

if TYPE_CHECKING:
    from tikzgen.lint.probe.probing import Probed, probe

__all__ = ["NodeOnPage", "PageData", "PathOnPage", "PictureOnPage", "Probed", "TextLine", "probe"]


def __getattr__(name: str) -> Any:
    """What runs TeX is loaded when it is first used: who looks at a drawing needs none of it."""
    if name not in ("Probed", "probe"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tikzgen.lint.probe import probing

    return getattr(probing, name)
