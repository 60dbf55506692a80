"""TG322: the legend or the title stands far from the figure."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.plane.rectangles import Box, grown, surround, touch
from tikzgen.plane.units import CM_PER_PT
from tikzgen.probe.sheet import Sheet, cm

_MOST = 1.5 / CM_PER_PT
_BESIDE = 14.0  # pt: from a swatch to its text


def _look(subject: Sheet) -> Iterator[Broken]:
    for name in ("legend", "title"):
        nodes = [node for node in subject.page.nodes if node.name == name or node.name.startswith(f"{name}-")]
        if not nodes:
            continue
        own = surround([point for node in nodes for point in node.border])
        inside = grown(own, _BESIDE)
        rest = [path.box for path in subject.page.paths if not touch(path.box, inside)]
        rest += [line.box for line in subject.page.lines if not touch(line.box, inside)]
        away = min((_apart(own, box) for box in rest), default=0.0)
        if away > _MOST and (rest or nodes):
            message = f"the {name} stands {cm(away)} away from the rest of the figure"
            yield Broken(subject.place(nodes[0].where, name=nodes[0].name), message, "move it nearer, 1.5 cm at most")


def _apart(one: Box, other: Box) -> float:
    across = max(one[0] - other[2], other[0] - one[2], 0.0)
    upwards = max(one[1] - other[3], other[1] - one[3], 0.0)
    return max(across, upwards)


RULE = Rule("TG322", "far-legend", "the legend or the title stands far from the figure", Sheet, _look, Severity.WARNING)
