"""Shades of phases: lighter and deeper tints for chunks, or hues for lanes or numbers.

Four hues alternate. The lightness of a phase is equal for every hue.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import cache
from itertools import permutations

from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import PALETTES, ColorBy, Hue, Phase
from tikzgen.model.looks.vision import compute_lightness
from tikzgen.model.timeline import Half, Span, Timeline

HUES: tuple[Hue, ...] = ("otblue", "otorange", "otteal", "otpurple")
GREY = len(HUES) + 1
"""The chunk whose shade is a phase's lightness without a hue, for the legend."""
_TEXT_CONTRAST_RATIO = 4.5  # minimum contrast of labels
_SPREAD = 0.25, 0.4  # share of the tint: change for the shades of two chunks, and the maximum for many
_SHADE_DIFFERENCE_LIMIT = 5.1  # L* between shades of two phases: slightly above the limit of check --geometry (TG311)

_Range = tuple[int, int]
"""The lightest and the deepest tint of a phase."""


def keys_of(figure: FigureModel) -> Mapping[int, int]:
    """Return the hue index of each number in cells, from 1; empty if colors do not depend on numbers."""
    if figure.color_by in ("phase", "lane"):
        return {}
    numbers = {number for _, _, part in figure.parts(Timeline) for number in part.list_numbers()}
    return {number: place % len(HUES) + 1 for place, number in enumerate(sorted(numbers))}


def with_hues(part: Timeline, by: ColorBy, keys: Mapping[int, int]) -> Timeline:
    """Return the timeline with each cell's hue as its chunk; 0 for cells without a single lane or number."""
    if by == "phase":
        return part
    lanes = {lane.id: place % len(HUES) + 1 for place, lane in enumerate(part.lanes)}

    def choose_hue_index(span: Span, cell: Span | Half) -> int:
        if by == "lane":
            return lanes[span.lanes[0]] if len(span.lanes) == 1 else 0
        return keys[cell.number] if cell.number is not None else 0

    spans = []
    for span in part.spans:
        second = span.second and span.second.model_copy(update={"chunk": choose_hue_index(span, span.second)})
        spans.append(span.model_copy(update={"chunk": choose_hue_index(span, span), "second": second}))
    return part.model_copy(update={"spans": spans})


def hues_text(figure: FigureModel) -> str:
    """Return the legend text for the hues: the first four values, and an ellipsis if there are more."""
    if figure.color_by == "lane":
        return "lane"
    numbers = list(map(str, keys_of(figure)))
    return f"{figure.color_by} {', '.join(numbers[: len(HUES)])}" + ", …" * (len(numbers) > len(HUES))


def shade_by_hue(looks: Mapping[str, Phase], chunks: Mapping[str, Set[int]]) -> dict[tuple[str, int], Phase]:
    """Return the styles of phases in each hue that they use, by phase and chunk."""
    colors: tuple[Hue, ...] = (*HUES, "otgray")
    found = {}
    for name, used in chunks.items():
        for chunk in sorted(used):
            found[name, chunk] = _in_hue(looks[name], colors[chunk - 1]) if chunk else looks[name]
    return found


def _in_hue(look: Phase, color: str) -> Phase:
    return look.model_copy(update={"color": color, "tint": _match_tint(look.color, look.tint, color)})


@cache
def _match_tint(color: str, tint: int, other: str) -> int:
    """Return the tint of another color with the same lightness in both palettes and readable labels."""
    wanted = Phase(color=color, tint=tint)
    tried = [Phase(color=other, tint=each) for each in range(4, 181)]
    # No label is on the gray fill: only the legend uses it.
    read = [each for each in tried if other == "otgray" or each.contrast(each.text) >= _TEXT_CONTRAST_RATIO] or tried

    def measure_mismatch(each: Phase) -> float:
        return max(abs(compute_lightness(each.fill(name)) - compute_lightness(wanted.fill(name))) for name in PALETTES)

    return min(read, key=measure_mismatch).tint


def shade_phases(looks: Mapping[str, Phase], chunks: Mapping[str, Set[int]]) -> dict[tuple[str, int], Phase]:
    """Return the styles of phases for each of their chunks, by phase and chunk."""
    ranges = {name: _choose_tint_range(looks[name], max(used)) for name, used in chunks.items()}
    _draw_back(looks, ranges)
    found = {}
    for name, used in chunks.items():
        (light, deep), last = ranges[name], max(max(used), 1)
        for chunk in sorted(used):
            found[name, chunk] = _with_tint(looks[name], round(light + (deep - light) * chunk / last))
    return found


def _with_tint(look: Phase, tint: int) -> Phase:
    return look if tint == look.tint else look.model_copy(update={"tint": tint})


def _choose_tint_range(look: Phase, last: int) -> _Range:
    if not last:
        return look.tint, look.tint
    spread = round(look.tint * min(_SPREAD[0] + 0.05 * (last - 1), _SPREAD[1]))
    return _find_farthest_tint(look, -1, spread), _find_farthest_tint(look, 1, spread)


def _find_farthest_tint(look: Phase, way: int, most: int) -> int:
    """Return the tint up to `most` deeper or lighter that keeps the contrast of the phase's label."""
    text, tint = look.text, look.tint
    for at in range(tint, max(0, min(180, tint + way * most)) + way, way):
        if _with_tint(look, at).contrast(text) < _TEXT_CONTRAST_RATIO:
            break
        tint = at
    return tint


def _draw_back(looks: Mapping[str, Phase], ranges: dict[str, _Range]) -> None:
    """Narrow the ranges of phases that are too similar until they are distinct, the widest range first.

    Phases keep their shades if their own tints are not more distinct, or if their hatches differ.
    """
    steps = [
        (upper, lower)
        for upper, lower in permutations(ranges, 2)
        if looks[upper].hatch == looks[lower].hatch
        and _measure_lightness_gap(looks[upper], looks[upper].tint, looks[lower], looks[lower].tint)
        >= _SHADE_DIFFERENCE_LIMIT
    ]
    while True:
        near = [
            (gap, step)
            for step in steps
            if (gap := _measure_lightness_gap(looks[step[0]], ranges[step[0]][1], looks[step[1]], ranges[step[1]][0]))
            < _SHADE_DIFFERENCE_LIMIT
        ]
        ends = [
            (_measure_lightness_gap(looks[name], ranges[name][0], looks[name], ranges[name][1]), -gap, name, end)
            for gap, step in near
            for name, end in zip(step, (1, 0), strict=True)
            if ranges[name][end] != looks[name].tint
        ]
        if not ends:
            break
        _, _, name, end = max(ends)
        light, deep = ranges[name]
        ranges[name] = (light, deep - 1) if end else (light + 1, deep)


def _measure_lightness_gap(one: Phase, tint: int, other: Phase, shade: int) -> float:
    """Return the difference in lightness (L*) of two fills, in the palette with the smaller difference.

    It is positive if the first fill is closer to the background.
    """
    return min(
        _measure_fill_depth(other.color, shade, name) - _measure_fill_depth(one.color, tint, name) for name in PALETTES
    )


@cache
def _measure_fill_depth(color: str, tint: int, palette: str) -> float:
    """Return the distance of a fill from the background in L*, up to a constant per palette."""
    light = compute_lightness(Phase(color=color, tint=tint).fill(palette))
    return -light if palette == "light" else light
