"""Tips of arrows, by pgf's formulas: Stealth, Straight Barb, and the bar."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, hypot, sin, sqrt, tan

from tikzgen.base.record import Record
from tikzgen.drawing.refused import Unsupported
from tikzgen.drawing.strokes import Step, towards
from tikzgen.plane.affine import Matrix, moved
from tikzgen.plane.rectangles import Point

_WIDTH, _INSET = 0.75, 0.325  # of a Stealth's length
_BAR = (3.0, 4.0)  # pt, and line widths: the width of a bar


class Drawn(Record):
    """A tip: its outline, the width of its line, whether it is filled, and the hull that the picture has room for."""

    path: tuple[Step, ...]
    width: float
    filled: bool
    hull: tuple[Point, ...]


class _Tip(Record):
    """A tip that points to the right; `end` is its front, `line` where the line ends, `back` where it ends itself.

    `hull` is one of two corners behind its front, which are alike.
    """

    points: tuple[Point, ...]
    hull: Point
    width: float
    end: float
    line: float
    back: float
    filled: bool


def _stealth(length: float, width: float) -> _Tip:
    across, inset = _WIDTH * length, _INSET * length
    line = min(width, (length - inset) / 4)
    front = sqrt(4 * (length / across) ** 2 + 1) * line / 2
    outer, inner = atan2(length, across / 2), atan2(inset, across / 2)
    reach = line / 2 / tan((outer - inner) / 2)
    back, top = sin((outer + inner) / 2) * reach, cos((outer + inner) / 2) * reach
    notch = inset + sqrt(4 * (inset / across) ** 2 + 1) * line / 2
    height = across / 2 - top
    points = ((length - front, 0.0), (back, height), (notch, 0.0), (back, -height))
    return _Tip(points, (0.0, across / 2), line, length, notch - line / 4, 0.0, True)


def _barb(length: float, width: float) -> _Tip:
    # twice as wide as long, as pgf has it by default: so its front is a mitre of half the line's width times sqrt 2
    points = ((0.0, length), (length, 0.0), (0.0, -length))
    corner = (-width / 2, length + width / 2)
    return _Tip(points, corner, width, length + width / sqrt(2), length - width / 2, -width / 2, False)


def _bar(width: float) -> _Tip:
    half = (_BAR[0] + _BAR[1] * width) / 2
    return _Tip(((0.0, half), (0.0, -half)), (-width / 2, half), width, width / 2, -width / 4, -width / 2, False)


def tipped(
    path: Sequence[Step], tips: tuple[str, str], length: float, width: float, *, barbed: bool
) -> tuple[list[Step], list[Drawn]]:
    """A path made shorter for its tips, and these; tips stand at the ends of its last part."""
    steps: list[Step] = list(path)
    drawn: list[Drawn] = []
    head = (_barb if barbed else _stealth)(length, width)
    begin = max((at for at, step in enumerate(steps) if step.kind == "M"), default=0)
    if len(steps) - begin < 2 or any(step.kind == "Z" for step in steps[begin:]):
        return steps, []
    if tips[1]:
        last = steps[-1]
        before = last.points[1] if last.kind == "C" else steps[-2].end
        if before == last.end and last.kind == "C":
            before = last.points[0]
        cut = _place(tips[1][::-1], last.end, before, head, width, drawn)
        steps[-1] = Step(last.kind, (*last.points[:-1], towards(last.end, before, cut)))
    if tips[0]:
        start, following = steps[begin].end, steps[begin + 1].points[0]
        cut = _place(tips[0], start, following, head, width, drawn)
        steps[begin] = Step("M", (towards(start, following, cut),))
    return steps, drawn


def _place(signs: str, end: Point, inside: Point, head: _Tip, width: float, drawn: list[Drawn]) -> float:
    """Draw tips from an end inwards; how much shorter the line becomes."""
    x, y = end[0] - inside[0], end[1] - inside[1]
    far = hypot(x, y)
    if not far:
        raise Unsupported("an arrow without length")
    x, y = x / far, y / far
    used = cut = 0.0
    for sign in signs:
        tip = _bar(width) if sign == "|" else head
        back = -(used + tip.end)
        place: Matrix = (x, y, -y, x, end[0] + x * back, end[1] + y * back)
        points = [moved(point, place) for point in tip.points]
        path = [Step("M", (points[0],)), *(Step("L", (point,)) for point in points[1:])]
        if tip.filled:
            path.append(Step("Z", (points[0],)))
        a, b = tip.hull
        hull = tuple(moved(point, place) for point in ((tip.end, 0.0), (a, b), (a, -b)))
        drawn.append(Drawn(tuple(path), tip.width, tip.filled, hull))
        cut = used + tip.end - tip.line
        used += tip.end - tip.back
    return cut
