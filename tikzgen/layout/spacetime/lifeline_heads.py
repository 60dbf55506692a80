"""The heads and feet of lifelines: how large they are. Heads stand on one baseline, whatever their labels say."""

from __future__ import annotations

from tikzgen.base.record import Record, replace
from tikzgen.layout.constants import HEAD_PAD, INNER, STRUT_DEPTH, STRUT_HEIGHT
from tikzgen.layout.spacetime.spacetime_facts import Weave
from tikzgen.plane.units import PT_PER_CM

_LINE = 0.03  # cm: the line around a head takes half of it on each side
_EM = 1.07  # of the size: the em of small sans fonts


class Head(Record):
    """The label at a lifeline's beginning, in cm: its size with what is around it, how far its text reaches above and
    below the last line's baseline, and whether that is more than a usual line does. Without a label there is none."""

    width: float = 0.0
    height: float = 0.0
    above: float = 0.0
    below: float = 0.0
    tall: bool = False


def heads(weave: Weave) -> list[Head]:
    """The heads of all lifelines: in frames of one height where they stand side by side, else without."""
    pad = INNER if weave.right else HEAD_PAD + _LINE / 2
    found = [_head(weave, one.label, pad) for one in weave.part.lifelines]
    drawn = [head for head in found if head.width]
    if weave.right or not drawn:
        return found
    above, below = max(head.above for head in drawn), max(head.below for head in drawn)
    same = {"above": above, "below": below, "height": above + below + 2 * pad, "tall": any(one.tall for one in drawn)}
    return [replace(head, **same) if head.width else head for head in found]


def feet(weave: Weave) -> list[Head]:
    """The texts at the ends of lifelines, without frames."""
    return [_head(weave, one.foot, INNER) for one in weave.part.lifelines]


def _head(weave: Weave, label: str, pad: float) -> Head:
    if not label:
        return Head()
    em = _EM * weave.plan.size / PT_PER_CM
    size, last = weave.plan.measure(label), weave.plan.measure(label.rpartition("\n")[2] or label)
    above, below = size.height + size.depth - last.depth, last.depth
    usual = STRUT_HEIGHT * em, STRUT_DEPTH * em
    tall = above > usual[0] + 0.01 or below > usual[1] + 0.01
    above, below = max(above, usual[0]), max(below, usual[1])
    return Head(size.width + 2 * pad, above + below + 2 * pad, above, below, tall)
