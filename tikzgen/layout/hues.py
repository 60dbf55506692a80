"""Hues for what cells belong to: four of them take turns, and each phase keeps its lightness in every one."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import cache

from tikzgen.model.figure import Figure
from tikzgen.model.look import PALETTES, Color, ColorBy, Phase
from tikzgen.model.timeline import Timeline
from tikzgen.model.timeline_parts import Half, Span
from tikzgen.model.vision import lightness

HUES: tuple[Color, ...] = ("otblue", "otorange", "otteal", "otpurple")
GREY = len(HUES) + 1
"""The chunk whose shade is a phase's lightness without a hue, for the legend."""
READ = 4.5  # of contrast, which texts need


def keys_of(figure: Figure) -> Mapping[int, int]:
    """The hues of the numbers in cells, as chunks count them: from 1."""
    if figure.color_by in ("phase", "lane"):
        return {}
    numbers = {number for _, _, part in figure.parts(Timeline) for number in part.counted()}
    return {number: place % len(HUES) + 1 for place, number in enumerate(sorted(numbers))}


def with_hues(part: Timeline, by: ColorBy, keys: Mapping[int, int]) -> Timeline:
    """The timeline with each cell's hue as its chunk; what belongs to nothing has none."""
    if by == "phase":
        return part
    lanes = {lane.id: place % len(HUES) + 1 for place, lane in enumerate(part.lanes)}

    def chunk(span: Span, cell: Span | Half) -> int:
        if by == "lane":
            return lanes[span.lanes[0]] if len(span.lanes) == 1 else 0
        return keys[cell.number] if cell.number is not None else 0

    spans = []
    for span in part.spans:
        second = span.second and span.second.model_copy(update={"chunk": chunk(span, span.second)})
        spans.append(span.model_copy(update={"chunk": chunk(span, span), "second": second}))
    return part.model_copy(update={"spans": spans})


def hues_text(figure: Figure) -> str:
    """What the legend says of the hues: the first four, and whether they begin again."""
    if figure.color_by == "lane":
        return "lane"
    numbers = list(map(str, keys_of(figure)))
    return f"{figure.color_by} {', '.join(numbers[: len(HUES)])}" + ", …" * (len(numbers) > len(HUES))


def hued(looks: Mapping[str, Phase], chunks: Mapping[str, Set[int]]) -> dict[tuple[str, int], Phase]:
    """The looks of phases in the hues that each is drawn in, by phase and chunk."""
    colors: tuple[Color, ...] = (*HUES, "otgray")
    found = {}
    for name, used in chunks.items():
        for chunk in sorted(used):
            found[name, chunk] = _in_hue(looks[name], colors[chunk - 1]) if chunk else looks[name]
    return found


def _in_hue(look: Phase, color: Color) -> Phase:
    return look.model_copy(update={"color": color, "tint": _tint(look.color, look.tint, color)})


@cache
def _tint(color: Color, tint: int, other: Color) -> int:
    """The tint of another colour that is as light, in both palettes, and whose texts are read."""
    wanted = Phase(color=color, tint=tint)
    tried = [Phase(color=other, tint=each) for each in range(4, 181)]
    # no text stands on grey, which is the legend's alone
    read = [each for each in tried if other == "otgray" or each.contrast(each.text) >= READ] or tried

    def off(each: Phase) -> float:
        return max(abs(lightness(each.fill(name)) - lightness(wanted.fill(name))) for name in PALETTES)

    return min(read, key=off).tint
