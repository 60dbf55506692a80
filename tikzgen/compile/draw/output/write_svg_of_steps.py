"""One SVG of all steps of a figure: keys and clicks show the next step."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Unpack

from tikzgen.base.plane import IDENTITY
from tikzgen.base.version_and_cache_folder import template_folder
from tikzgen.compile.draw.draw_tex import DrawnPicture
from tikzgen.compile.draw.output.require_glyphs import fonts_used
from tikzgen.compile.draw.output.write_svg import SvgDescription, Writer, make_svg_document

_Row = tuple[str, tuple[int, ...]]
"""Something that is drawn, and the steps that show it."""


def animated_svg(steps: Sequence[DrawnPicture], **told: Unpack[SvgDescription]) -> str:
    """Return all steps in one SVG, which shows the first step; without scripts, as in print, the last one."""
    writer = Writer(fonts_used(item for drawing in steps for item in drawing.items))
    rows: list[_Row] = []
    for step, drawing in enumerate(steps, 1):
        drawn = ("\n".join(writer.write_item(item, IDENTITY)) for item in drawing.items)
        rows = _merge_step(rows, [text for text in drawn if text], step)
    body = "\n".join(
        _group(shown, [text for text, _ in some], len(steps)) for shown, some in groupby(rows, _steps_of_row)
    )
    lefts, bottoms, rights, tops = zip(*(drawing.box for drawing in steps), strict=True)
    script = (template_folder() / "steps.js").read_text(encoding="utf-8")
    box = min(lefts), min(bottoms), max(rights), max(tops)
    return make_svg_document(box, f"{body}\n<script><![CDATA[\n{script}]]></script>", writer, **told)


def _steps_of_row(row: _Row) -> tuple[int, ...]:
    return row[1]


def _merge_step(rows: Sequence[_Row], new: Sequence[str], step: int) -> list[_Row]:
    """Merge one more step into the rows, each at its position among the others."""
    found: list[_Row] = []
    matcher = SequenceMatcher(None, [text for text, _ in rows], new, autojunk=False)
    for way, begin, end, first, last in matcher.get_opcodes():
        if way == "equal":
            found += [(text, (*shown, step)) for text, shown in rows[begin:end]]
        else:
            found += rows[begin:end]
            found += [(text, (step,)) for text in new[first:last]]
    return found


def _group(shown: tuple[int, ...], texts: Sequence[str], count: int) -> str:
    inside = "\n".join(texts)
    if len(shown) == count:
        return inside
    unseen = "" if count in shown else ' display="none"'
    return f'<g data-steps="{" ".join(map(str, shown))}"{unseen}>\n{inside}\n</g>'
