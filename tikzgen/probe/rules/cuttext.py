"""TG315: a part of a text is cut off, by a clip or by the edge of the page, or lies under an area."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Rule
from tikzgen.plane.rectangles import Box
from tikzgen.probe.page_data import Line, Painted
from tikzgen.probe.sheet import Sheet, cm

_PARTS = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
_LEAST = 1.0  # pt: the box of a font's letters is a little larger than their ink


def _look(subject: Sheet) -> Iterator[Broken]:
    page = (0.0, 0.0, subject.page.width, subject.page.height)
    seen: set[int] = set()
    for line in subject.page.lines:
        ways = [("the edge of the page", _beyond(line.box, page))]
        if line.clip is not None:
            ways.append(("a clip", _beyond(line.box, line.clip)))
        what, beyond = max(ways, key=lambda way: way[1])
        if line.text is not None and line.text in seen:
            continue
        if beyond > _LEAST:
            message = f"text {subject.text(line)} is cut off by {what}, {cm(beyond)} of it"
        elif cover := _cover(subject, line):
            message = f"text {subject.text(line)} lies partly under {subject.thing(cover)}"
        else:
            continue
        if line.text is not None:
            seen.add(line.text)
        yield Broken(subject.at(line), message, "move the text, or make room for it")


def _cover(sheet: Sheet, line: Line) -> Painted | None:
    """The area that hides some of a text's points, not all; one with a border strikes the text, which TG302 and TG303
    say."""
    if not any(piece.path.fill and piece.path.order > line.order for piece in sheet.view.near(line.box)):
        return None
    covers = [sheet.view.cover(point, line.order) for point in line.along(_PARTS)]
    hides = [cover for cover in covers if cover is not None]
    return hides[0] if 0 < len(hides) < len(covers) and hides[0].stroke is None else None


def _beyond(inner: Box, outer: Box) -> float:
    """How far a box reaches beyond another one."""
    return max(outer[0] - inner[0], outer[1] - inner[1], inner[2] - outer[2], inner[3] - outer[3])


RULE = Rule("TG315", "cut-text", "a part of a text is cut off or covered", Sheet, _look)
