"""The page that TeX set: nodes, paths and texts of a figure with their positions, and the rules that read them.

What runs TeX is loaded at first use: the rules on a drawing need none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names
from tikzgen.lint.probe.page_data import NodeOnPage, PageData, PathOnPage, PictureOnPage, TextLine

__all__ = ["NodeOnPage", "PageData", "PathOnPage", "PictureOnPage", "TextLine"]

if TYPE_CHECKING:
    from tikzgen.lint.probe.probing import Probed as Probed
    from tikzgen.lint.probe.probing import probe as probe
else:
    __getattr__ = lazy_names(__name__, {"probing": "Probed probe"})
