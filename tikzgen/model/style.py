"""A house style: what all figures of a paper share in their looks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from tikzgen.base.errors import quoted
from tikzgen.base.suggest import suggestion
from tikzgen.model import vision
from tikzgen.model.base import Part, fail
from tikzgen.model.palettes import PALETTES, Color
from tikzgen.model.phase_and_flow_looks import FLOW_KINDS, PHASES, FlowKind, Phase

_LEAST = 4.5  # WCAG 2.1, 1.4.3: the contrast of a text
_OFF = (0, *(way * step / 4 for step in range(1, 5) for way in (-1, 1)))
_KEPT = (1, 0.75, 0.5, 0.25, 0)
"""By how much a brand colour may be darker or lighter than what it replaces, in L*, and how much of its colour it may
lose, so that texts on it are read."""
Hex = Annotated[
    str,
    BeforeValidator(lambda value: value.removeprefix("#").upper() if isinstance(value, str) else value),
    Field(pattern=r"^[0-9A-F]{6}$", description="Six hexadecimal digits, with or without #."),
]


class Style(Part):
    """What a house style says; what it leaves out is as everywhere."""

    brand: dict[Color, Hex] = Field(default_factory=dict)
    """Colours of one's own in place of the palette's: their hue at the palette's lightness, so that phases keep apart
    in greyscale and their texts are read."""
    exact: bool = False
    """Whether brand colours stay as they are; then they are refused where a text on them cannot be read."""
    corners: float | None = Field(default=None, ge=0, le=4)
    """The radius of the corners of cells in pt; boxes have half as much again. Null takes 1."""
    lines: float = Field(default=1, ge=0.5, le=2)
    """By how much flows, and borders of boxes, are thicker."""
    tips: Literal["stealth", "barb"] = "stealth"
    """The heads of arrows: filled, or open."""
    icons: float = Field(default=1, ge=0.7, le=1.5)
    """By how much icons are larger; the texts in them keep their size."""
    titles: bool = True
    """Whether figures show their titles; captions of papers say them again."""
    phases: dict[str, Phase] = Field(default_factory=dict)
    """Looks of built-in phases: what they leave out is as it is there."""
    kinds: dict[str, FlowKind] = Field(default_factory=dict)
    """Looks of built-in kinds of flow: what they leave out is as it is there."""

    def colors(self, palette: str) -> dict[str, str]:
        """The palette by its names, with the brand's colours."""
        found = dict(PALETTES[palette])
        for name, own in self.brand.items():
            found[name] = own if self.exact else self._derived(palette, name, vision.named(own))
        return found

    def _derived(self, palette: str, name: Color, own: vision.Color) -> str:
        """A brand colour as light as the palette's, or the nearest to it on which the phases' texts are read."""
        wanted = vision.lightness(vision.named(PALETTES[palette][name]))
        grey = vision.relit((0.5, 0.5, 0.5), wanted)
        paler = (vision.mixed(own, grey, kept) for kept in _KEPT)
        tried = (vision.spelt(vision.relit(each, wanted + off)) for each in paler for off in _OFF)
        first = next(tried)
        return next((each for each in chain([first], tried) if self._read(palette, name, each)), first)

    def _read(self, palette: str, name: Color, own: str) -> bool:
        colors = {**PALETTES[palette], name: own}
        return all(found >= _LEAST for _, color, found in self._contrasts(palette, colors) if color == name)

    def _contrasts(self, palette: str, colors: dict[str, str]) -> Iterator[tuple[str, Color, float]]:
        """The contrast of the text on each built-in phase, with the colour that the phase has."""
        for name, built_in in PHASES.items():
            phase = self.phases[name].over(built_in) if name in self.phases else built_in
            yield name, phase.color, vision.contrast(vision.named(colors[phase.text]), phase.fill(palette, colors))

    @model_validator(mode="after")
    def _known(self) -> Self:
        for field, names, known in (("phases", self.phases, PHASES), ("kinds", self.kinds, FLOW_KINDS)):
            for name in names:
                if name not in known:
                    fail(f"there is no {quoted(name)}", field, name, hint=suggestion(name, known, "there are"))
        return self

    @model_validator(mode="after")
    def _readable(self) -> Self:
        for palette in PALETTES if self.exact else ():
            for name, color, found in self._contrasts(palette, self.colors(palette)):
                if color in self.brand and found < _LEAST:
                    message = (
                        f"texts of the phase {quoted(name)} have a contrast of {found:.1f}:1 in the {palette} palette"
                    )
                    fail(f"{message}, less than {_LEAST}:1", "brand", color, hint="leave out `exact`")
        return self
