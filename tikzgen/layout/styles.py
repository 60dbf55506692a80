"""Which styles and libraries a scene needs: only what its items use; and the shades of its phases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cache
from itertools import permutations

from tikzgen.layout.drawn_kinds import kind_of
from tikzgen.layout.hues import READ, hued
from tikzgen.layout.items import Caption, Item, shade, with_nested
from tikzgen.layout.scene import Style
from tikzgen.model.content import Content
from tikzgen.model.figure import Figure
from tikzgen.model.look import PALETTES, Phase
from tikzgen.model.vision import lightness

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
        if _tinted(look, at).contrast(text) < READ:
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


# The order in which styles stand in a file, for those that need no facts. A kind of part may have more of its own.
_PLAIN = (
    "bow",
    *("icon", "slbl", "strong", "worker", "server", "source", "box", "cell", "tone", "omitted", "omitted level"),
    "plain text",
    *("round", "diamond outline", "cylinder outline", "cloud outline"),
    *("group", "spanning", "ranging", "boxed note", "note line"),
    *("highlighted", "failed", "slow", "new", "idle", "stepmark"),
    *("span", "flatspan", "fused", "flatfused", "bubble", "numeral", "critical", "fault", "from slide"),
    *("band", "grid line", "lane line", "rule"),
    *("frame", "time", "barrier", "dependency", "link", "swatch", "entry"),
    *("message", "critical arrow", "dense", "bent arrow", "leader", "clear"),
    *("brace", "bracket", "dimension", "short", "tick"),
    *("number", "tear", "rip", "cut", "levels", "over", "limit"),
    *("dot sign", "diamond sign", "triangle sign", "cross sign"),
)


def styles(figure: Figure, items: Sequence[Item]) -> tuple[tuple[Style, ...], tuple[str, ...]]:
    """The styles in the order of the file, and the TikZ libraries."""
    every = list(with_nested(items))
    used = {style for item in every for style in item.uses()}
    found = [Style(name, name) for name in _PLAIN if name in used]
    parts = [part for _, _, part in figure.parts(Content)]
    for name, own in {part.type: kind_of(part).styles for part in parts}.items():
        found.extend(Style(style, style, spelling=f"{name}-styles.spelt") for style in own if style in used)
    kinds = dict.fromkeys(kind for part in parts for kind, _ in part.flow_kinds())
    if any(figure.kind(kind).line == "snake" for kind in kinds):
        found.append(Style("waves", "waves"))
    for kind in kinds:
        look = figure.kind(kind)
        found.append(Style(look.tikz_style(kind), "flow", look))
    chunks: dict[str, set[int]] = {}
    for phase, chunk in (phase for item in every for phase in item.phases()):
        chunks.setdefault(phase, set()).add(chunk)
    fills = {phase: figure.phase(phase) for phase in chunks}
    looks = (shaded if figure.color_by == "phase" else hued)(fills, chunks)
    found.extend(Style(shade(phase, chunk), "phase", look) for (phase, chunk), look in looks.items())
    if any(map(_is_hatched, found)):
        found.append(Style("hatch lines", "hatch lines"))
    needed = {
        "calc": "bow" in used,
        "positioning": any(isinstance(item, Caption) and item.below for item in every),
        "fit": "group" in used,
    }
    needed["decorations"] = any(style.kind == "waves" for style in found)
    return tuple(found), ("arrows.meta", *(library for library, is_needed in needed.items() if is_needed))


def _is_hatched(style: Style) -> bool:
    return style.kind == "over" or (isinstance(style.look, Phase) and style.look.hatch != "none")
