"""The outlines of entities that are no boxes: how large around a text, and how far inside of their box."""

from __future__ import annotations

from itertools import pairwise
from math import hypot, sqrt

from tikzgen.base.plane.path import flatten_curve
from tikzgen.base.plane.rectangles import Point
from tikzgen.layout.constants import CLOUD, LID, OUTLINE_INNER

MIDDLE = {"circle": 0.6, "diamond": 0.3, "cloud": 0.5}
"""The share of a side on which flows may end, where the outline is not too far inside."""
_BESIDE = 0.16  # cm more beside the text of a cylinder
_ROOM = 0.82  # of a cloud that its text may take, across


def outlined(form: str, width: float, height: float) -> tuple[float, float]:
    """The width and height in cm of an outline around a text of this size."""
    x, y = width / 2 + OUTLINE_INNER, height / 2 + OUTLINE_INNER
    if form == "circle":
        radius = max(hypot(x, y), 0.4)
        return 2 * radius, 2 * radius
    if form == "diamond":
        half = max(x + 2 * y, 0.8)
        return 2 * half, half
    if form == "cloud":
        tall = max(y * sqrt(2) / _ROOM, 0.45)
        wide = x / _ROOM / sqrt(1 - (y / _ROOM / tall) ** 2)
        return 2 * max(wide, 1.4 * tall), 2 * tall
    return max(2 * x + _BESIDE, 1.0), max(2 * y / (1 - 2 * LID), 0.9)  # a cylinder: nothing stands on its lid


def inset(form: str, size: Point, side: str, aside: float) -> float:
    """How far inside of its box an outline is, `aside` from the middle of one of its sides."""
    level = side in ("east", "west")
    across, deep = (size[1] / 2, size[0] / 2) if level else (size[0] / 2, size[1] / 2)
    share = min(abs(aside) / across, 1.0)
    if form == "circle":
        return deep * (1 - sqrt(1 - share**2))
    if form == "diamond":
        return deep * share
    if form == "cylinder" and not level:
        return LID * deep * (1 - sqrt(1 - share**2))
    if form == "cloud":
        return deep * (1 - _reach(side, aside / across))
    return 0.0


def _reach(side: str, aside: float) -> float:
    """How far a cloud of half the width and height 1 reaches to a side, `aside` from its middle."""
    way, along = (0, 1) if side in ("east", "west") else (1, 0)
    sign = -1 if side in ("west", "south") else 1
    found = 0.0
    start = CLOUD[-1][-1]
    for curve in CLOUD:
        for one, other in pairwise(flatten_curve((start, *curve), 4)):
            low, high = sorted((one, other), key=lambda point: point[along])
            if low[along] <= aside <= high[along] and low[along] < high[along]:
                part = (aside - low[along]) / (high[along] - low[along])
                found = max(found, sign * (low[way] + part * (high[way] - low[way])))
        start = curve[-1]
    return found
