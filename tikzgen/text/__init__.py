r"""Label text: what a reader sees, turned into TeX that always compiles, and measured without TeX.

A plain `str` is text. Every TeX special in it is escaped, `$...$` stays maths, a line feed breaks the line, and a
backslash is a backslash, except that `\$` is a dollar sign. Two hyphens make an en dash and three an em dash, as in any
paper, and straight double quotes become typographic ones. `Tex("...")` is TeX that is passed on as it stands, after a
check that it cannot break the file or reach out of it. What cannot be set is refused with its place: `TextRefused`.
"""

from __future__ import annotations

from tikzgen.text.escape_characters import TextRefused
from tikzgen.text.label_types import (
    FieldText,
    Numbered,
    Said,
    Tex,
    Text,
    fill_number,
    fill_placeholders,
    stack_texts,
    with_field,
)
from tikzgen.text.measure_text import Margin, TextSize, measure
from tikzgen.text.metrics.fonts import LabelFont
from tikzgen.text.text_to_tex import Typeset, typeset

__all__ = [
    "FieldText",
    "LabelFont",
    "Margin",
    "Numbered",
    "Said",
    "Tex",
    "Text",
    "TextRefused",
    "TextSize",
    "Typeset",
    "fill_number",
    "fill_placeholders",
    "measure",
    "stack_texts",
    "typeset",
    "with_field",
]
