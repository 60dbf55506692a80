"""Checks of a page as TeX sets it: positions of its nodes, paths and labels, and rules on them.

The modules that run TeX are loaded at first use, because the rules on a drawing do not need them.
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
