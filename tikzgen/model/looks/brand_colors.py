"""Brand colors: the hue of the brand at the lightness of the palette color that it replaces.

Phases thus stay distinct in grayscale and under color blindness, and labels on them are readable. The main function is
`derived_colors`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from tikzgen.model.looks import vision
from tikzgen.model.looks.palettes import PALETTES, Hue
from tikzgen.model.looks.phase_and_flow_looks import MEETING, Phase

_LIGHTNESS_STEPS = (0, *(way * step / 4 for step in range(1, 5) for way in (-1, 1)))
_STEPS = 10  # steps that each remove a tenth of the chroma
"""A brand color may differ by at most 1 in L* from the color that it replaces, and loses its chroma in 10 steps.
Labels on it then remain readable and phases distinguishable: some viewers see a full red as very dark."""


def derived_colors(brand: Mapping[Hue, str], palette: str, looks: Mapping[str, Phase]) -> dict[Hue, str]:
    """Return the brand's colors at the lightness of the palette colors, with as much chroma as possible.

    It reduces the chroma of a color until phases that appear together differ enough in lightness, under all kinds of
    vision.
    """
    if not brand:
        return {}
    lost = dict.fromkeys(brand, 0)
    found = {name: _derive_color(own, name, palette, looks, 0) for name, own in brand.items()}
    wanted = {name: vision.compute_lightness(look.fill(palette)) for name, look in looks.items()}
    branded = {phase: hue for phase, look in looks.items() for hue in brand if look.color == hue}
    while True:
        name = _too_full(_fill_phases(looks, palette, found), wanted, branded)
        if name is None or lost[name] == _STEPS:
            return found
        lost[name] += 1
        found[name] = _derive_color(brand[name], name, palette, looks, lost[name])


def _derive_color(own: str, name: Hue, palette: str, looks: Mapping[str, Phase], lost: int) -> str:
    """Return a brand color as light as the palette's `name`, or the nearest readable one."""
    wearing = [look for look in looks.values() if look.color == name]
    tried = list(_try_lightness(own, vision.compute_lightness(vision.color_of_hex(PALETTES[palette][name])), lost))
    return next((each for each in tried if _is_read(wearing, palette, name, each)), tried[0])


def _try_lightness(own: str, light: float, lost: int) -> Iterator[str]:
    color, grey = vision.color_of_hex(own), vision.with_lightness((0.5, 0.5, 0.5), light)
    for step in range(lost, _STEPS + 1):
        paler = vision.mix_colors(color, grey, 1 - step / _STEPS)
        yield from (vision.hex_of_color(vision.with_lightness(paler, light + off)) for off in _LIGHTNESS_STEPS)


def _is_read(looks: list[Phase], palette: str, name: Hue, own: str) -> bool:
    colors = {**PALETTES[palette], name: own}
    return all(look.contrast(look.text, {palette: colors}) >= vision.LEAST_CONTRAST for look in looks)


def _fill_phases(looks: Mapping[str, Phase], palette: str, own: Mapping[Hue, str]) -> dict[str, vision.Color]:
    colors = PALETTES[palette] | {str(name): value for name, value in own.items()}
    return {name: look.fill(palette, colors) for name, look in looks.items()}


def _too_full(fills: Mapping[str, vision.Color], wanted: Mapping[str, float], branded: Mapping[str, Hue]) -> Hue | None:
    """Return the brand color to desaturate next, or None.

    Of two phases that appear together and are too similar, it is the color of the phase that is further from its
    intended lightness under some type of color vision.
    """

    def measure_shift(phase: str) -> float:
        return max(abs(vision.compute_lightness(fills[phase], eyes) - wanted[phase]) for eyes in vision.EYES)

    for group in MEETING:
        for pair in combinations(group, 2):
            if not vision.are_distinct(*(fills[name] for name in pair)):
                own = [name for name in pair if name in branded]
                return branded[max(own, key=measure_shift)] if own else None
    return None
