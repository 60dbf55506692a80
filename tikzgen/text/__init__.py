r"""Label text: what a reader sees, turned into TeX that always compiles, and measured without TeX.

A plain `str` is text. Every TeX special in it is escaped, `$...$` stays maths, a line feed breaks the line, and a
backslash is a backslash, except that `\$` is a dollar sign. Two hyphens make an en dash and three an em dash, as in any
paper, and straight double quotes become typographic ones. `Tex("...")` is TeX that is passed on as it stands, after a
check that it cannot break the file or reach out of it. What cannot be set is refused with its place: `TextRefused`.
"""

from __future__ import annotations

from tikzgen.text.check_raw_tex import check
from tikzgen.text.escape_characters import LOANS, Loan, TextRefused, describe, is_cjk
from tikzgen.text.label_types import (
    FieldText,
    Numbered,
    Said,
    Tex,
    Text,
    fill_number,
    fill_placeholders,
    holds_text,
    stack_texts,
    with_field,
)
from tikzgen.text.measure_text import Margin, TextSize, measure
from tikzgen.text.metrics.fonts import LabelFont
from tikzgen.text.raw_tex_commands import usage_of
from tikzgen.text.set_like_tex import TextUnset, lines_upon, set_lines
from tikzgen.text.set_paragraphs import set_paragraph, unbroken
from tikzgen.text.text_to_tex import Typeset, typeset

__all__ = [
    "LOANS",
    "FieldText",
    "LabelFont",
    "Loan",
    "Margin",
    "Numbered",
    "Said",
    "Tex",
    "Text",
    "TextRefused",
    "TextSize",
    "TextUnset",
    "Typeset",
    "check",
    "describe",
    "fill_number",
    "fill_placeholders",
    "holds_text",
    "is_cjk",
    "lines_upon",
    "measure",
    "set_lines",
    "set_paragraph",
    "stack_texts",
    "typeset",
    "unbroken",
    "usage_of",
    "with_field",
]
