"""TG321: the label of a link stands nearer to another link."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.plane.polygons import gap
from tikzgen.probe.sheet import Sheet, cm

_FAR = 6.0  # pt: a label this near to its own link is read with it, whatever else is near
_CLEARLY = 2.0  # pt nearer


def _look(subject: Sheet) -> Iterator[Broken]:
    """Labels that are written on their path: alone with it in their lines of the source, which no loop repeats."""
    texts = Counter(line.where for line in subject.page.lines)
    for line in subject.page.lines:
        mine = [link for link in subject.links if link.path.where == line.where]
        if len(mine) != 1 or texts[line.where] > 1 or line.depth:
            continue
        own = mine[0]
        away, _ = gap(line.corners, (own.course,))
        others = [(gap(line.corners, (link.course,))[0], link) for link in subject.links if link is not own]
        leading = [(near, link) for near, link in others if link.at_start or link.at_end]
        near, other = min(leading, key=lambda each: each[0], default=(away, own))
        if away > _FAR and near < away - _CLEARLY:
            message = f"text {subject.text(line)} is {cm(away)} from its own link, and {cm(near)} from "
            yield Broken(subject.at(line), message + subject.thing(other.path), "move it to its own")


RULE = Rule("TG321", "foreign-label", "a label stands nearer to another link", Sheet, _look, Severity.WARNING)
