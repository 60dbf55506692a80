"""Hatches of built-in phases that meet in a figure and would look alike to somebody."""

from __future__ import annotations

from collections.abc import Mapping

from tikzgen.model.brand_colors import LEAST_APART
from tikzgen.model.figure import Figure
from tikzgen.model.palettes import PALETTES
from tikzgen.model.phase_and_flow_looks import HATCHES, Phase
from tikzgen.model.vision import EYES, lightness

_Palettes = Mapping[str, Mapping[str, str]]


def hatched(figure: Figure, looks: Mapping[str, Phase]) -> dict[str, Phase]:
    """The looks of phases that a figure has, hatched where one that was before is as light and has the same hatch.

    What a person says of a hatch stands, and so does a legend that calls both the same.
    """
    found = dict(looks)
    palettes: _Palettes = {name: figure.style.colors(name) for name in PALETTES}
    plain = [name for name in looks if name not in HATCHES]
    for name in HATCHES:
        if name not in looks:
            continue
        look = looks[name]
        own = look.model_copy(update={"hatch": HATCHES[name]})
        said = "hatch" in look.said()
        if not said and any(_are_alike(look, found[other], palettes) for other in plain):
            found[name] = own
        plain.append(name)
    return found


def _are_alike(one: Phase, other: Phase, palettes: _Palettes) -> bool:
    """Whether nothing but a colour tells two phases apart."""
    if one.hatch != other.hatch or one.label == other.label:
        return False
    fills = [(one.fill(name, colors), other.fill(name, colors)) for name, colors in palettes.items()]
    return any(
        abs(lightness(mine, eyes) - lightness(yours, eyes)) < LEAST_APART for mine, yours in fills for eyes in EYES
    )
