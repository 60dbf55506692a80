"""A brand colour in place of a palette's: its own hue at the palette's lightness, so that phases keep apart in
greyscale and texts on them are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from tikzgen.model import vision
from tikzgen.model.palettes import PALETTES, Color
from tikzgen.model.phase_and_flow_looks import Phase

LEAST_CONTRAST = 4.5  # WCAG 2.1, 1.4.3: the contrast of a text
_OFF = (0, *(way * step / 4 for step in range(1, 5) for way in (-1, 1)))
_KEPT = (1, 0.75, 0.5, 0.25, 0)
"""By how much a brand colour may be darker or lighter than what it replaces, in L*, and how much of its colour it may
lose, so that texts on it are read."""


def derived_color(own: str, name: Color, palette: str, looks: Mapping[str, Phase]) -> str:
    """A brand colour as light as the palette's `name`, or the nearest to it on which the texts of phases are read."""
    color, wanted = vision.named(own), vision.lightness(vision.named(PALETTES[palette][name]))
    grey = vision.relit((0.5, 0.5, 0.5), wanted)
    paler = (vision.mixed(color, grey, kept) for kept in _KEPT)
    tried = (vision.spelt(vision.relit(each, wanted + off)) for each in paler for off in _OFF)
    wearing = [look for look in looks.values() if look.color == name]
    first = next(tried)
    return next((each for each in chain([first], tried) if _is_read(wearing, palette, name, each)), first)


def _is_read(looks: Iterable[Phase], palette: str, name: Color, own: str) -> bool:
    colors = {**PALETTES[palette], name: own}
    return all(text_contrast(look, palette, colors) >= LEAST_CONTRAST for look in looks)


def text_contrast(look: Phase, palette: str, colors: Mapping[str, str]) -> float:
    """The contrast of a phase's text with its fill, in the colours of a style."""
    return vision.contrast(vision.named(colors[look.text]), look.fill(palette, colors))
