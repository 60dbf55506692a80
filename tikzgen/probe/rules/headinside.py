"""TG318: an arrow head stands inside the box or icon that it should point at."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.probe.links import Joined
from tikzgen.probe.sheet import Sheet, cm

_DEEP = 2.5  # pt: less is the roundness of a corner


def _look(subject: Sheet) -> Iterator[Broken]:
    for link in subject.links:
        for end, other, head in (
            (link.course[0], link.course[-1], link.at_start),
            (link.course[-1], link.course[0], link.at_end),
        ):
            boxes: list[Joined] = [box for box in subject.targets if box.holds(end)] if head else []
            if any(box.away(end) <= _DEEP for box in subject.targets):
                continue
            for box in boxes:
                if box.is_frame or box.holds(other):
                    continue
                name = f"node {box.node.name}" if box.node.name else "a node"
                message = f"the head of {subject.thing(link.path)} lies {cm(box.away(end))} inside {name}"
                yield Broken(subject.place(link.path.where), message, "end it at the border: (name), (name.west)")


RULE = Rule("TG318", "head-inside", "an arrow head lies inside a box or an icon", Sheet, _look, Severity.WARNING)
