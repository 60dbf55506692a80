r"""Labels: visible text, converted to TeX that always compiles, and measured without TeX.

A plain `str` is visible text. Every TeX special is escaped, `$...$` is math, and a line feed breaks the line. A
backslash is a backslash, except that `\$` is a `$`. As in TeX, two hyphens make an en dash and three an em dash.
Straight double quotes become typographic ones. `Tex("...")` is raw TeX, used unchanged after a check that it can
neither break the file nor affect anything outside of the label. Invalid labels raise `TextRefused` with the position.
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
    find_tex_command,
    holds_text,
    stack_texts,
    with_field,
)
from tikzgen.text.measure_text import Margin, TextSize, measure
from tikzgen.text.metrics.fonts import LabelFont
from tikzgen.text.raw_tex_commands import usage_of
from tikzgen.text.set_like_tex import TextUnset, lines_upon, set_lines
from tikzgen.text.set_paragraphs import set_paragraph, split_unbreakable
from tikzgen.text.text_to_tex import Typeset, typeset_label

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
    "find_tex_command",
    "holds_text",
    "is_cjk",
    "lines_upon",
    "measure",
    "set_lines",
    "set_paragraph",
    "split_unbreakable",
    "stack_texts",
    "typeset_label",
    "usage_of",
    "with_field",
]
