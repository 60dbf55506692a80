"""Shades of phases: lighter and deeper tints for chunks, or the fills of owners for lanes or numbers."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import cache
from itertools import permutations

from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import MOST_OWNERS_COUNT, OWNER_HATCHES, PALETTES, Phase, owner_look
from tikzgen.model.looks.vision import compute_lightness
from tikzgen.model.timeline import Half, Span, Timeline

GREY = MOST_OWNERS_COUNT + 1
"""The chunk whose shade shows the hatch of a phase without an owner, for the legend."""
_GREY_TINT = 25  # percent of the color
_NAMED_OWNERS_COUNT = 4  # values that the legend lists
_TEXT_CONTRAST_RATIO = 4.5  # minimum contrast of labels
_SPREAD = 0.25, 0.4  # share of the tint: change for the shades of two chunks, and the maximum for many
_SHADE_DIFFERENCE_LIMIT = 5.1  # L* between shades of two phases: slightly above the limit of check --geometry (TG311)

_Range = tuple[int, int]
"""The lightest and the deepest tint of a phase."""


def owners_of_numbers(figure: FigureModel) -> Mapping[int, int]:
    """Return the owner of each number in cells; empty if colors do not depend on numbers."""
    if figure.color_by in ("phase", "lane"):
        return {}
    return {number: owner for owner, number in enumerate(figure.numbers_in_cells)}


def with_owners(figure: FigureModel, part: Timeline, owners: Mapping[int, int]) -> Timeline:
    """Return the timeline with each cell's owner, plus 1, as its chunk; 0 for cells without one.

    A span's own owner comes first, then its number in `owners`, or its lane if it has a single one.
    """
    if not figure.is_by_owner:
        return part
    lanes = {lane.id: place for place, lane in enumerate(part.lanes)}

    def find_chunk(span: Span, cell: Span | Half) -> int:
        owner = span.owner
        if owner is None and figure.color_by == "lane" and len(span.lanes) == 1:
            owner = lanes[span.lanes[0]]
        elif owner is None and cell.number is not None:
            owner = owners.get(cell.number)
        return 0 if owner is None else owner % MOST_OWNERS_COUNT + 1

    spans = []
    for span in part.spans:
        second = span.second and span.second.model_copy(update={"chunk": find_chunk(span, span.second)})
        spans.append(span.model_copy(update={"chunk": find_chunk(span, span), "second": second}))
    return part.model_copy(update={"spans": spans})


def spell_owners(figure: FigureModel) -> str:
    """Return the legend text for fills of owners: the first four values, then an ellipsis."""
    if figure.color_by == "lane":
        return "lane"
    by_number = figure.color_by != "phase"
    values = figure.numbers_in_cells if by_number else sorted(_owners_in(figure))
    more = ", …" * (len(values) > _NAMED_OWNERS_COUNT)
    return f"{figure.color_by if by_number else 'owner'} {', '.join(map(str, values[:_NAMED_OWNERS_COUNT]))}{more}"


def _owners_in(figure: FigureModel) -> set[int]:
    return {owner for _, _, part in figure.parts(Timeline) for owner, _ in part.list_owners()}


def shade_by_owner(
    looks: Mapping[str, Phase], chunks: Mapping[str, Set[int]], count: int
) -> dict[tuple[str, int], Phase]:
    """Return the styles of phases for each owner of their cells, by phase and chunk, of `count` owners.

    Phases differ in their hatch: the first one has none. The hatches of a single phase distinguish more owners.
    """
    owned = [name for name, used in chunks.items() if any(used)]
    found = {}
    for name, used in chunks.items():
        for chunk in sorted(used):
            look = looks[name]
            if chunk == GREY:
                look = look.model_copy(update={"color": "otgray", "tint": _GREY_TINT})
            elif chunk:
                own = owner_look(chunk - 1, count)
                hatch = own.hatch if len(owned) == 1 else "none"
                look = look.model_copy(update={"color": own.color, "tint": own.tint, "hatch": hatch})
            if chunk and len(owned) > 1:
                hatch = OWNER_HATCHES[owned.index(name) % len(OWNER_HATCHES)]
                look = look.model_copy(update={"hatch": hatch})
            found[name, chunk] = look
    return found


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
