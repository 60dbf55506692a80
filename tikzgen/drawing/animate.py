"""Steps of a figure in one SVG: keys and clicks go from each to the next; what they share stands in it once."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Unpack

from tikzgen.base.shipped import template_folder
from tikzgen.drawing.draw_tex import Drawing
from tikzgen.drawing.write_svg import Told, Writer, document
from tikzgen.plane.affine import HERE

_Row = tuple[str, tuple[int, ...]]
"""Something that is drawn, and the steps that show it."""


def animated_svg(steps: Sequence[Drawing], **told: Unpack[Told]) -> str:
    """The drawings of all steps, the first of which is shown; the last one where no script may run, as in print."""
    writer = Writer()
    rows: list[_Row] = []
    for number, drawing in enumerate(steps, 1):
        drawn = ("\n".join(writer.item(item, HERE)) for item in drawing.items)
        rows = _merged(rows, [text for text in drawn if text], number)
    body = "\n".join(_group(shown, [text for text, _ in some], len(steps)) for shown, some in groupby(rows, _shown))
    lefts, bottoms, rights, tops = zip(*(drawing.box for drawing in steps), strict=True)
    script = (template_folder() / "steps.js").read_text(encoding="utf-8")
    box = min(lefts), min(bottoms), max(rights), max(tops)
    return document(box, f"{body}\n<script><![CDATA[\n{script}]]></script>", writer, **told)


def _shown(row: _Row) -> tuple[int, ...]:
    return row[1]


def _merged(rows: Sequence[_Row], new: Sequence[str], number: int) -> list[_Row]:
    """The rows with those of one more step, each at its place among the others."""
    found: list[_Row] = []
    matcher = SequenceMatcher(None, [text for text, _ in rows], new, autojunk=False)
    for way, begin, end, first, last in matcher.get_opcodes():
        if way == "equal":
            found += [(text, (*shown, number)) for text, shown in rows[begin:end]]
        else:
            found += rows[begin:end]
            found += [(text, (number,)) for text in new[first:last]]
    return found


def _group(shown: tuple[int, ...], texts: Sequence[str], count: int) -> str:
    inside = "\n".join(texts)
    if len(shown) == count:
        return inside
    unseen = "" if count in shown else ' display="none"'
    return f'<g data-steps="{" ".join(map(str, shown))}"{unseen}>\n{inside}\n</g>'
