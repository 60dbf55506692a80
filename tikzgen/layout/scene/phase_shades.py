"""Shades of phases: lighter and deeper tints for chunks, or the fills of owners for lanes or numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cache

from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import MOST_OWNERS_COUNT, OWNER_HATCHES, PALETTES, Phase, owner_look
from tikzgen.model.looks.vision import EYES, compute_difference, compute_lightness
from tikzgen.model.timeline import Half, Span, Timeline

GREY = MOST_OWNERS_COUNT + 1
"""The chunk whose shade shows the hatch of a phase without an owner, for the legend."""
_GREY_TINT = 25  # percent of the color
_NAMED_OWNERS_COUNT = 4  # values that the legend lists
_SPREAD_STEPS = 4.0, 1.0, 8.0  # steps of L* on each side: for two chunks, for each further chunk, the maximum
_SHADE_DIFFERENCE_LIMIT = 5.1  # CIELAB, between two shades: slightly above the limit of check --geometry (TG311)
_DEEPEST_TINT = 180  # percent

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
    ranges = _move_apart(looks, {name: _choose_tint_range(looks[name], max(used)) for name, used in chunks.items()})
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
    two, further, most = _SPREAD_STEPS
    spread = min(two + further * (last - 1), most)
    return _find_farthest_tint(look, -1, spread), _find_farthest_tint(look, 1, spread)


def _find_farthest_tint(look: Phase, way: int, most: float) -> int:
    """Return the tint up to `most` L* deeper (`way` 1) or lighter (-1) that is not too faint."""
    own, tint = _measure_depth(look.color, look.tint, "light"), look.tint
    while 0 <= tint + way <= _DEEPEST_TINT:
        shade = _with_tint(look, tint + way)
        is_far = abs(_measure_depth(look.color, shade.tint, "light") - own) > most
        if is_far or not shade.is_legible or (way < 0 and shade.is_faint):
            break
        tint = shade.tint
    return tint


def _move_apart(looks: Mapping[str, Phase], ranges: Mapping[str, _Range]) -> dict[str, _Range]:
    """Return ranges of tints that are distinct, from the lightest phase to the deepest one.

    A range ends before the own tint of the next phase. If it is then too short for two shades, it pushes the next
    phase deeper. Phases keep their ranges if their own tints are not distinct, or if their hatches differ.
    """
    shaded = [name for name in ranges if not looks[name].is_background]
    shaded.sort(key=lambda name: _measure_depth(looks[name].color, looks[name].tint, "light"))
    found = dict(ranges)
    for place, name in enumerate(shaded):
        look = looks[name]
        before = [
            (looks[other], found[other][1])
            for other in shaded[:place]
            if _are_apart(looks[other], looks[other].tint, look, look.tint)
        ]
        behind = [
            (looks[other], looks[other].tint)
            for other in shaded[place + 1 :]
            if _are_apart(look, look.tint, looks[other], looks[other].tint)
        ]
        found[name] = _fit_range(look, ranges[name], before, behind)
    return found


def _fit_range(
    look: Phase, own: _Range, before: Sequence[tuple[Phase, int]], behind: Sequence[tuple[Phase, int]]
) -> _Range:
    """Return the range of a phase between fills that are lighter and deeper.

    A single tint moves only if it is too similar to a lighter fill: the author may have stated it.
    """
    light, deep = own
    deeper = (tint for tint in range(light, _DEEPEST_TINT) if all(_are_apart(*fill, look, tint) for fill in before))
    if light == deep:
        only = next(deeper, _DEEPEST_TINT)
        return only, only
    light = next((tint for tint in deeper if _with_tint(look, tint).is_legible), _DEEPEST_TINT)
    second = (tint for tint in range(light, _DEEPEST_TINT) if _are_apart(look, light, look, tint))
    least = next((tint for tint in second if _with_tint(look, tint).is_legible), _DEEPEST_TINT)
    shades = (tint for tint in range(deep, least, -1) if all(_are_apart(look, tint, *fill) for fill in behind))
    return light, next(shades, least)


@cache
def _are_apart(one: Phase, tint: int, other: Phase, shade: int) -> bool:
    """Return whether a fill is lighter than another one by enough for all readers; true if their hatches differ."""
    if one.hatch != other.hatch:
        return True
    gaps = (_measure_depth(other.color, shade, name) - _measure_depth(one.color, tint, name) for name in PALETTES)
    return min(gaps) >= _SHADE_DIFFERENCE_LIMIT and all(
        compute_difference(_with_tint(one, tint).fill(name), _with_tint(other, shade).fill(name), eyes)
        >= _SHADE_DIFFERENCE_LIMIT
        for name in PALETTES
        for eyes in EYES
    )


@cache
def _measure_depth(color: str, tint: int, palette: str) -> float:
    """Return the distance of a fill from the background in L*, up to a constant per palette."""
    light = compute_lightness(Phase(color=color, tint=tint).fill(palette))
    return -light if palette == "light" else light
