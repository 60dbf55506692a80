"""TG313: a box lies partly over another one."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Rule
from tikzgen.probe.drawn_boxes import collisions
from tikzgen.probe.sheet import Sheet, cm


def _look(subject: Sheet) -> Iterator[Broken]:
    for found in collisions(subject):
        upper, lower = subject.thing(found.upper), subject.thing(found.lower)
        message = f"{upper} lies partly over {lower}, {cm(found.deep)} deep"
        yield Broken(subject.of(found.upper), message, "move one of them, or make it smaller")


RULE = Rule("TG313", "box-over-box", "a box lies partly over another box", Sheet, _look)
