"""TG315: a part of a text is cut off, by a clip or by the edge of the page."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.checks.registry import Broken, Rule
from tikzgen.checks.subjects import Subject
from tikzgen.geometry.data import Box
from tikzgen.geometry.subject import Sheet, cm

_LEAST = 1.0  # pt: the box of a font's letters is a little larger than their ink


def _look(subject: Subject) -> Iterator[Broken]:
    if not isinstance(subject, Sheet):
        return
    page = (0.0, 0.0, subject.page.width, subject.page.height)
    seen: set[int] = set()
    for line in subject.page.lines:
        ways = [("the edge of the page", _beyond(line.box, page))]
        if line.clip is not None:
            ways.append(("a clip", _beyond(line.box, line.clip)))
        what, beyond = max(ways, key=lambda way: way[1])
        if beyond > _LEAST and line.text not in seen:
            if line.text is not None:
                seen.add(line.text)
            message = f"text {subject.text(line)} is cut off by {what}, {cm(beyond)} of it"
            yield Broken(subject.at(line), message, "move the text, or make room for it")


def _beyond(inner: Box, outer: Box) -> float:
    """How far a box reaches beyond another one."""
    return max(outer[0] - inner[0], outer[1] - inner[1], inner[2] - outer[2], inner[3] - outer[3])


RULE = Rule("TG315", "cut-text", "a part of a text is cut off", _look)
