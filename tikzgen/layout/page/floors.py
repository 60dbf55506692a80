"""Lower bounds of distances: the shortest values at which no parts of a placed figure overlap."""

from __future__ import annotations

from math import floor, inf

from tikzgen.base.plane import round_up
from tikzgen.layout.page.fit_width import Attempt, is_stated
from tikzgen.layout.scene.scene import Floor

_DIGITS = (2, 3)  # digits after the point: more of them only if the layout itself chose a shorter distance


def floor_of_distance(found: Attempt, name: str) -> Floor | None:
    """Return the lower bound of a distance, or None. The layout never chooses a shorter distance."""
    values, need = found.plan.values, found.needs[name]
    most = inf if is_stated(found.plan.figure, name) else values[name]
    limits = [length for limited, length in found.page.least if limited == name]
    cm = max([need.firm, need.least if need.axis == "x" else 0.0, *(length.constant for length in limits)])
    shares: dict[str, float] = {}
    for other, share in (term for length in limits for term in length.terms):
        shares[str(other)] = max(shares.get(str(other), 0.0), share)
    if not cm and not shares:
        return None
    multiples = ((other, _round_to_bound(share, most / values[other])) for other, share in shares.items())
    return Floor(_round_to_bound(cm, most), tuple(multiples))


def _round_to_bound(value: float, most: float) -> float:
    """Return a value rounded up, or `most` rounded down if no rounded value is that small."""
    rounded = (round_up(value, digits) for digits in _DIGITS)
    return next((each for each in rounded if each <= most + 1e-9), floor(min(value, most) * 1e4 + 1e-6) / 1e4)
