"""Hatches of built-in phases that meet in a figure and would look alike to somebody."""

from __future__ import annotations

from collections.abc import Mapping

from tikzgen.model.figure import Figure
from tikzgen.model.palettes import PALETTES
from tikzgen.model.phase_and_flow_looks import HATCHES, Phase
from tikzgen.model.phase_ladder import Palettes, are_alike


def hatched(figure: Figure, looks: Mapping[str, Phase]) -> dict[str, Phase]:
    """The looks of phases that a figure has, hatched where one that was before is as light and has the same hatch.

    What a person says of a hatch stands, and so does a legend that calls both the same.
    """
    found = dict(looks)
    palettes: Palettes = {name: figure.style.colors(name) for name in PALETTES}
    plain = [name for name in looks if name not in HATCHES]
    for name in HATCHES:
        if name not in looks:
            continue
        look = looks[name]
        own = look.model_copy(update={"hatch": HATCHES[name]})
        said = "hatch" in look.said()
        if not said and any(
            look.label != found[other].label and are_alike(look, found[other], palettes) for other in plain
        ):
            found[name] = own
        plain.append(name)
    return found
