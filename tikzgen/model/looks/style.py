"""House style: the appearance that all figures of a paper share."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from tikzgen.base.errors import quote
from tikzgen.base.suggest import suggest_known_names
from tikzgen.model.looks.brand_colors import derived_colors
from tikzgen.model.looks.palettes import PALETTES, Hue
from tikzgen.model.looks.phase_and_flow_looks import FLOW_KINDS, PHASES, FlowKind, Phase
from tikzgen.model.looks.vision import LEAST_CONTRAST
from tikzgen.model.part import Part, fail

Hex = Annotated[
    str,
    BeforeValidator(lambda value: value.removeprefix("#").upper() if isinstance(value, str) else value),
    Field(pattern=r"^[0-9A-F]{6}$", description="Six hexadecimal digits, with or without #."),
]


class Style(Part):
    """A house style. Unset fields keep the usual values."""

    brand: dict[Hue, Hex] = Field(default_factory=dict)
    """Custom colors. They keep their hue, and take the palette's lightness and as much chroma as grayscale,
    color-blind readers and labels allow."""
    exact: bool = False
    """Whether to keep brand colors unchanged. Colors on which labels are unreadable are then an error."""
    corners: float | None = Field(default=None, ge=0, le=4)
    """Corner radius of cells in pt; the radius of boxes is 1.5 times as large. Null takes 1."""
    lines: float = Field(default=1, ge=0.5, le=2)
    """Factor for the line width of flows and of box borders."""
    tips: Literal["stealth", "barb"] = "stealth"
    """Arrow heads: filled (`stealth`) or open (`barb`)."""
    icons: float = Field(default=1, ge=0.7, le=1.5)
    """Factor for the size of icons; labels in them keep their size."""
    titles: bool = True
    """Whether figures show their titles, which captions of papers usually repeat."""
    phases: dict[str, Phase] = Field(default_factory=dict)
    """Styles of built-in phases; fields that you leave out keep their built-in value."""
    kinds: dict[str, FlowKind] = Field(default_factory=dict)
    """Styles of built-in flow kinds; fields that you leave out keep their built-in value."""

    def colors(self, palette: str) -> dict[str, str]:
        """Return the colors of a palette by name, with the brand's colors."""
        own = self.brand if self.exact else derived_colors(self.brand, palette, self.looks())
        return PALETTES[palette] | {str(name): value for name, value in own.items()}

    def looks(self) -> dict[str, Phase]:
        """Return the built-in phases in this style."""
        return {name: self.phases[name].over(look) if name in self.phases else look for name, look in PHASES.items()}

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        for field, names, known in (("phases", self.phases, PHASES), ("kinds", self.kinds, FLOW_KINDS)):
            for name in names:
                if name not in known:
                    fail(f"unknown name {quote(name)}", field, name, hint=suggest_known_names(name, known, "there are"))
        return self

    @model_validator(mode="after")
    def _check_contrast(self) -> Self:
        for palette in PALETTES if self.exact else ():
            colors = self.colors(palette)
            for name, look in self.looks().items():
                found = look.contrast(look.text, {palette: colors})
                if look.color in self.brand and found < LEAST_CONTRAST:
                    message = (
                        f"labels of the phase {quote(name)} have a contrast of {found:.1f}:1 in the {palette} palette"
                    )
                    fail(f"{message}, less than {LEAST_CONTRAST}:1", "brand", look.color, hint="leave out `exact`")
        return self
