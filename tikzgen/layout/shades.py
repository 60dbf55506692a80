"""The shades of a phase for the chunks that it works on: as far around its own fill as texts and other phases allow."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import cache
from itertools import permutations

from tikzgen.model.look import Phase
from tikzgen.model.palettes import PALETTES
from tikzgen.model.vision import lightness

_READ = 4.5  # of contrast, which texts need
_SPREAD = 0.25, 0.4  # of the tint, by which the shades of two chunks, and those of many, are lighter and deeper
_APART = 5.1  # in L*, between shades of two phases: a little more than check --geometry asks (TG311)

_Range = tuple[int, int]
"""The lightest and the deepest tint of a phase."""


def shaded(looks: Mapping[str, Phase], chunks: Mapping[str, Set[int]]) -> dict[tuple[str, int], Phase]:
    """The looks of phases for the chunks that each works on, by phase and chunk."""
    ranges = {name: _range(looks[name], max(used)) for name, used in chunks.items()}
    _draw_back(looks, ranges)
    found = {}
    for name, used in chunks.items():
        (light, deep), last = ranges[name], max(max(used), 1)
        for chunk in sorted(used):
            found[name, chunk] = _tinted(looks[name], round(light + (deep - light) * chunk / last))
    return found


def _tinted(look: Phase, tint: int) -> Phase:
    return look if tint == look.tint else look.model_copy(update={"tint": tint})


def _range(look: Phase, last: int) -> _Range:
    if not last:
        return look.tint, look.tint
    spread = round(look.tint * min(_SPREAD[0] + 0.05 * (last - 1), _SPREAD[1]))
    return _farthest(look, -1, spread), _farthest(look, 1, spread)


def _farthest(look: Phase, way: int, most: int) -> int:
    """The tint that is up to `most` deeper or lighter and keeps the contrast of the phase's own text."""
    text, tint = look.text, look.tint
    for at in range(tint, max(0, min(180, tint + way * most)) + way, way):
        if _tinted(look, at).contrast(text) < _READ:
            break
        tint = at
    return tint


def _draw_back(looks: Mapping[str, Phase], ranges: dict[str, _Range]) -> None:
    """Narrow the ranges of phases that meet until they are apart, always the widest of those that are not.

    Phases that are no farther from each other themselves, or that a hatch tells apart, keep their shades.
    """
    steps = [
        (upper, lower)
        for upper, lower in permutations(ranges, 2)
        if looks[upper].hatch == looks[lower].hatch
        and _gap(looks[upper], looks[upper].tint, looks[lower], looks[lower].tint) >= _APART
    ]
    while True:
        near = [
            (gap, step)
            for step in steps
            if (gap := _gap(looks[step[0]], ranges[step[0]][1], looks[step[1]], ranges[step[1]][0])) < _APART
        ]
        ends = [
            (_gap(looks[name], ranges[name][0], looks[name], ranges[name][1]), -gap, name, end)
            for gap, step in near
            for name, end in zip(step, (1, 0), strict=True)
            if ranges[name][end] != looks[name].tint
        ]
        if not ends:
            break
        _, _, name, end = max(ends)
        light, deep = ranges[name]
        ranges[name] = (light, deep - 1) if end else (light + 1, deep)


def _gap(one: Phase, tint: int, other: Phase, shade: int) -> float:
    """By how much one shade is nearer to the paper than the other, in L* without colours, in the worse palette."""
    return min(_depth(other.color, shade, name) - _depth(one.color, tint, name) for name in PALETTES)


@cache
def _depth(color: str, tint: int, palette: str) -> float:
    """How far a fill is from the paper: L*, but for a number that is the same for all fills of a palette."""
    light = lightness(Phase(color=color, tint=tint).fill(palette))
    return -light if palette == "light" else light
