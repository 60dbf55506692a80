"""Font metrics, and the boxes of text and formulas."""

from __future__ import annotations

from tikzgen.text.metrics.boxes import RuleBox, Sign, TextBox, join_boxes, list_ink, make_blank
from tikzgen.text.metrics.fonts import BASELINES, LATEX_SIZES, LabelFont, is_cjk_font, width_of_sign
from tikzgen.text.metrics.text_commands import FONTS, SIZES

__all__ = [
    "BASELINES",
    "FONTS",
    "LATEX_SIZES",
    "SIZES",
    "LabelFont",
    "RuleBox",
    "Sign",
    "TextBox",
    "is_cjk_font",
    "join_boxes",
    "list_ink",
    "make_blank",
    "width_of_sign",
]
