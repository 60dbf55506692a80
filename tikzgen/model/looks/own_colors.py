"""Colors of the author in each palette: unchanged if light, with mirrored lightness if dark.

Labels on the color are readable in both palettes, in ink or in paper. Lines in the color have enough contrast.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from tikzgen.model.looks import vision
from tikzgen.model.looks.palettes import PALETTES, OwnColor

_LEAST_OF_LINES = 3.0  # contrast: WCAG 2.1, 1.4.11
_ROUNDING_TOLERANCE = 0.1  # contrast that rounding of colors can lose
_DRAWN_CONTRASTS = (
    (0.8, 0.0, _LEAST_OF_LINES),  # a flow on the background
    (0.6, 0.0, vision.LEAST_CONTRAST + _ROUNDING_TOLERANCE),  # the label of a flow
    (0.7, 0.12, vision.LEAST_CONTRAST + _ROUNDING_TOLERANCE),  # a label in an icon
)
"""For each use of a color: its share in ink, its share in the background, and the required contrast of the two."""
_STEPS = tuple(sign * step / 2 for step in range(201) for sign in (1, -1))
"""Changes of lightness to try, in L*, the smallest first."""


@cache
def color_in(color: OwnColor, palette: str, *, filled: bool = True, lined: bool = False) -> str:
    """Return the six hexadecimal digits of an author's color in a palette.

    The hue is unchanged. The lightness changes as little as necessary: for labels on the color if areas are `filled`
    with it, and for lines and labels in the color if it is `lined`. If no lightness satisfies both, `filled` has
    priority.
    """
    names = {name: vision.color_of_hex(value) for name, value in PALETTES[palette].items()}
    tried, text = [*_try_lightness(color, palette)], names[_choose_text_color(color)]
    read = [each for each in tried if vision.compute_contrast(each, text) >= vision.LEAST_CONTRAST] if filled else tried
    seen = [each for each in read if _is_seen(each, names)] if lined else read
    return vision.hex_of_color((seen or read or tried)[0])


def _try_lightness(color: OwnColor, palette: str) -> Iterator[vision.Color]:
    """Yield the color at the lightness for a palette, then at others, the nearest first."""
    own = vision.color_of_hex(color.value)
    light = vision.compute_lightness(own)
    if palette == "light":
        yield own
    else:
        light = _mirror_lightness(light, palette)
    for step in _STEPS:
        if 0 <= light + step <= 100:
            yield vision.color_of_hex(vision.hex_of_color(vision.with_lightness(own, light + step)))


def _is_seen(color: vision.Color, names: Mapping[str, vision.Color]) -> bool:
    """Return whether lines and labels in a color have enough contrast."""
    ink, paper = names["ink"], names["paper"]
    return all(
        vision.compute_contrast(vision.mix_colors(color, ink, share), vision.mix_colors(color, paper, behind)) >= least
        for share, behind, least in _DRAWN_CONTRASTS
    )


def _choose_text_color(color: OwnColor) -> str:
    """Return "ink" if labels in ink are readable on an author's color in the light palette, else "paper".

    A color on which neither is readable, such as a full red, is darkened: lines in it gain contrast.
    """
    ink = vision.color_of_hex(PALETTES["light"]["ink"])
    return "ink" if vision.compute_contrast(vision.color_of_hex(color.value), ink) >= vision.LEAST_CONTRAST else "paper"


def _mirror_lightness(light: float, palette: str) -> float:
    """Map a lightness L* from the light palette's range between paper and ink to the range of a palette."""
    (white, black), (paper, ink) = (
        [vision.compute_lightness(vision.color_of_hex(PALETTES[name][part])) for part in ("paper", "ink")]
        for name in ("light", palette)
    )
    return min(max(paper + (white - light) * (ink - paper) / (white - black), 0.0), 100.0)
