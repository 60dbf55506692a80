"""Styles of phases and flow kinds, by name: the built-in styles, and the models of custom ones."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from tikzgen.model.looks import vision
from tikzgen.model.looks.own_colors import color_in
from tikzgen.model.looks.palettes import PALETTES, Color, OwnColor, read_color
from tikzgen.model.part import Part, Words
from tikzgen.text import Numbered, Text

Dash = Literal["solid", "dashed", "dotted", "densely dashed", "densely dotted"]
OWN_TINT = 100  # percent of the color
"""Percent of a custom color in the fill of a phase without a tint."""
FAINT_TINT = 10  # percent of the color
"""Fills below this tint are mixed with the background itself, so that they almost disappear: idle time."""
Hatch = Literal["none", "north east lines", "north west lines", "horizontal lines", "crosshatch", "dots"]

GROUND_CONTRASTS = {"light": 1.7, "dark": 2.0}
"""Least contrast of the fills of work to the background, by palette."""
_TEXT_COLORS = ("ink", "paper", "otblack")
"""Colors of labels on fills. Black is readable on fills of middle lightness in both palettes."""


class Look(Part):
    """A style whose fields override the built-in style of the same name; unset fields keep its values."""

    def over(self, other: Self | None) -> Self:
        """Return this style with its unset fields copied from the other one."""
        return (
            self
            if other is None
            else other.model_copy(update={name: getattr(self, name) for name in self.stated_fields()})
        )

    def with_color(self, color: str) -> Self:
        """Return this style in another color; drop the tint of an author's color."""
        facts = {name: getattr(self, name) for name in self.stated_fields()}
        if isinstance(facts.get("color"), OwnColor) and facts.get("tint") == OWN_TINT:
            del facts["tint"]
        return type(self)(**{**facts, "color": color})

    def stated_fields(self) -> frozenset[str]:
        """Return the fields that were given, even with their default values."""
        return frozenset(self.model_fields_set)


class Phase(Look):
    """The style of the spans of one phase, and the label of the phase in the legend."""

    label: Text = ""
    """Label in the legend; empty leaves the phase out. Without this field, the label is the name of a custom phase."""
    cell_label: Text = ""
    """Label in the legend, instead of `label`, if cells of the phase contain a label: update (its staleness)."""
    color: Color = "otgray"
    """Color of the phase. A custom phase without color and tint gets the next free lightness of a series."""
    tint: int = Field(default=25, ge=0, le=180)
    """Share of the color in the fill, in percent; the rest is white, or a dark gray in the dark palette. Above 100, ink
    is added. A custom color without `tint` has 100."""
    hatch: Hatch = "none"
    """Pattern over the fill, to distinguish the phase without color."""
    cell: Numbered = "{n}"
    """Format of the number of a span: `{n}` is the number, as in `F{n}` or `$b_{n}$`."""

    @model_validator(mode="before")
    @classmethod
    def _filled_with_own_color(cls, data: Any) -> Any:
        """Set the tint to 100 % for an author's color, unless a tint is given."""
        if not isinstance(data, dict) or "color" not in data or "tint" in data:
            return data
        with suppress(PydanticCustomError):  # the field reports the error
            return {**data, "tint": OWN_TINT} if isinstance(read_color(data["color"]), OwnColor) else data
        return data

    @property
    def hatch_tint(self) -> int:
        """Tint of the lines of its hatch.

        The lines are deeper than a light or dark fill, and lighter than a medium one. They are on the other side if
        labels would be illegible on them.
        """
        lighter, deeper = self.tint - 40, min(self.tint + 30, 180)
        usual = lighter if 70 < self.tint < 120 else min(deeper, 100)
        tints = usual, lighter, deeper, self.tint - 25, self.tint - 20
        return next((tint for tint in tints if self._is_legible_on(tint)), usual)

    def _is_legible_on(self, tint: int) -> bool:
        """Return whether labels of the phase are legible on another tint of its color."""
        look = self.model_copy(update={"tint": tint})
        return FAINT_TINT <= tint <= 180 and look.contrast(self.text) >= vision.LEAST_CONTRAST

    def with_legible_tint(self) -> Self:
        """Return the phase with the nearest tint on which labels are legible in both palettes."""
        tints = sorted(range(FAINT_TINT, 181), key=lambda tint: (abs(tint - self.tint), -tint))
        looks = (self.model_copy(update={"tint": tint}) for tint in tints)
        return next((look for look in looks if look.is_legible), self)

    @property
    def base(self) -> str:
        """Palette color that the fill mixes with the phase's color."""
        return "ink" if self.tint > 100 else "paper" if self.is_background else "otbase"

    def fill(self, palette: str, colors: Mapping[str, str] | None = None) -> vision.Color:
        """Return the fill color of its spans in a palette, or in the `colors` of a house style."""
        colors = colors or PALETTES[palette]
        share = (200 - self.tint if self.tint > 100 else self.tint) / 100
        color = color_in(self.color, palette) if isinstance(self.color, OwnColor) else colors[self.color]
        own, other = vision.color_of_hex(color), vision.color_of_hex(colors[self.base])
        return vision.mix_colors(own, other, share)

    @property
    def is_background(self) -> bool:
        """Whether its spans shall look empty, like idle time."""
        return self.tint < FAINT_TINT

    @property
    def is_faint(self) -> bool:
        """Whether its fill has too little contrast to the background for work, in one of the palettes."""
        return any(
            vision.compute_contrast(self.fill(name), vision.color_of_hex(colors["paper"])) < GROUND_CONTRASTS[name]
            for name, colors in PALETTES.items()
        )

    @property
    def text(self) -> str:
        """Color of labels on its fill, with the most contrast in the worse palette."""
        return max(_TEXT_COLORS, key=self.contrast)

    @property
    def is_legible(self) -> bool:
        """Whether labels on its fill are legible in both palettes."""
        return self.contrast(self.text) >= vision.LEAST_CONTRAST

    def contrast(self, text: str, palettes: Mapping[str, Mapping[str, str]] = PALETTES) -> float:
        """Return the contrast of a color of labels on its fill, in the palette with the least contrast.

        The `palettes` may have the colors of a house style.
        """
        every = ((vision.color_of_hex(colors[text]), self.fill(name, colors)) for name, colors in palettes.items())
        return min(vision.compute_contrast(*both) for both in every)


class FlowKind(Look):
    """The style of one kind of flows, and the name of such flows in the contract."""

    color: Color = "otgray"
    """Color of its lines."""
    dash: Dash = "solid"
    """Dash pattern; kinds in one figure should differ in it, not only in color."""
    width: float = Field(default=1.0, ge=0.4, le=3)
    """Line width in pt."""
    line: Literal["plain", "double", "snake"] = "plain"
    """One line (`plain`), two thinner parallel lines (`double`, such as for a faster link), or a wave (`snake`, such
    as for a wireless link). Waves have sharp bends and cannot be loops."""
    style: str = Field(default="", pattern=r"^[a-z]*$")
    """Name of the TikZ style, without its ending: `ring` is `ring flow`; empty takes the name of the kind."""
    plural: Words = ""
    """Name of such flows in the contract; empty takes the name of the kind."""

    def tikz_style(self, kind: str) -> str:
        """Return the name of the TikZ style of this kind.

        Its ending distinguishes it from TikZ's own keys, such as `fill`, and from other styles of a figure. Styles of
        built-in kinds have no ending, as in OpenTikZ's template.
        """
        name = self.style or kind
        return name if kind in FLOW_KINDS and name in _BUILT_IN_STYLES else f"{name} flow"


# Phases that appear in one figure differ by 8 in L*, so no phase needs a hatch. This is true in both palettes, in
# grayscale and under color blindness; tests/model/test_contrast.py measures it. Idle time is so light that it seems
# empty.
PHASES: dict[str, Phase] = {
    "idle": Phase(label="idle", color="otgray", tint=6),
    "forward": Phase(label="forward", color="otblue", tint=39),
    "backward": Phase(label="backward", color="otteal", tint=133),
    "input-grad": Phase(label="input gradient", color="otteal", tint=80),
    "weight-grad": Phase(label="weight gradient", color="otorange", tint=96),
    "forward-backward": Phase(label="forward/backward", color="otteal", tint=122),
    "compute": Phase(label="compute", color="otteal", tint=122),
    "fetch": Phase(label="fetch", color="otblue", tint=39),
    "push": Phase(label="push", color="otpurple", tint=105),
    "communication": Phase(label="communication", color="otpurple", tint=105),
    "all-reduce": Phase(label="all-reduce", color="otpurple", tint=105),
    "all-gather": Phase(label="all-gather", color="otpurple", tint=75),
    "reduce-scatter": Phase(label="reduce-scatter", color="otpurple", tint=107),
    "step": Phase(label="step", color="otteal", tint=122),
    "average": Phase(label="average", color="otpurple", tint=105),
    "update": Phase(label="update", color="otorange", tint=96),
    "server-update": Phase(label="update", color="otorange", tint=96),
}

ROLES: dict[str, Phase] = {
    "parameters": Phase(label="parameters", color="otblue", tint=39),
    "gradients": Phase(label="gradients", color="otteal", tint=80),
    "optimizer": Phase(label="optimizer states", color="otorange", tint=96),
    "activations": Phase(label="activations", color="otpurple", tint=130),
    "shared": Phase(label="shared", color="otgray", tint=20),
}
"""Phases that fill memory instead of time: roles of cells and of segments of bars."""
BUILT_IN_PHASES = PHASES | ROLES

MEETING = (
    ("idle", "forward-backward", "communication", "update"),
    ("idle", "compute", "fetch", "push", "update"),
    ("idle", "forward", "backward", "communication"),
    ("idle", "forward", "backward", "input-grad", "weight-grad"),
    ("idle", "forward", "backward", "all-reduce", "update"),
    ("idle", "forward", "backward", "all-gather", "reduce-scatter"),
    ("idle", "step", "average"),
)
"""Phases that appear together in a figure of a built-in recipe. Other phases appear together only in custom figures."""

HATCHES: dict[str, Hatch] = {
    "communication": "horizontal lines",
    "push": "north east lines",
    "all-reduce": "crosshatch",
    "reduce-scatter": "north west lines",
    "all-gather": "north west lines",
    "average": "dots",
    "fetch": "north east lines",
    "forward-backward": "horizontal lines",
    "compute": "north east lines",
    "step": "north west lines",
    "update": "dots",
    "server-update": "north east lines",
}
"""Hatch of a built-in phase in figures with an unhatched phase of the same lightness.

The unhatched phase is earlier in this table, or not in it. Hatched phases of the same lightness have different
hatches."""

FLOW_KINDS: dict[str, FlowKind] = {
    "data": FlowKind(color="otgray"),
    "gradient": FlowKind(color="otpurple", style="grad", plural="gradients"),
    "weight": FlowKind(color="otteal", dash="dashed", style="wts", plural="weights"),
    "push": FlowKind(color="otpurple", width=1.2, plural="pushes"),
    "fetch": FlowKind(color="otblue", dash="densely dashed", width=1.2, plural="fetches"),
    "control": FlowKind(color="otgray", dash="dotted", style="ctrl"),
    "activation": FlowKind(color="otblue", style="act", plural="activations"),
    "message": FlowKind(color="otorange", style="msg", plural="messages"),
}

# These names are neither keys of TikZ nor other styles in tikzgen's templates.
_BUILT_IN_STYLES = {*FLOW_KINDS, *(look.style for look in FLOW_KINDS.values() if look.style)}

# The style of such a phase would hide TikZ's keys `dash phase` and `mark phase`.
RESERVED_PHASES = frozenset({"dash", "mark"})
