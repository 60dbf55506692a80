"""Color vision: contrast (WCAG 2.1), lightness, and simulated color blindness."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import dist

Color = tuple[float, float, float]
"""Red, green and blue of sRGB, from 0 to 1."""

_Row = tuple[float, float, float]

# Machado, Oliveira, Fernandes: A physiologically-based model for simulation of color vision deficiency (2009),
# severity 1.0, on linear RGB. Grayscale is the output of a printer without colors.
EYES: dict[str, tuple[_Row, _Row, _Row]] = {
    "in grayscale": ((0.2126, 0.7152, 0.0722),) * 3,
    "under protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "under deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "under tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
LEAST_CONTRAST = 4.5  # of a label: WCAG 2.1, 1.4.3
_DISTINCT_LIMIT = 5.2  # CIELAB: least difference of two fills that all readers distinguish


@lru_cache(maxsize=1024)
def color_of_hex(value: str) -> Color:
    """Return the color of six hexadecimal digits."""
    red, green, blue = (int(value[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return red, green, blue


def hex_of_color(color: Color) -> str:
    """Return six hexadecimal digits of a color."""
    return "".join(f"{round(255 * part):02X}" for part in color)


def with_lightness(color: Color, light: float) -> Color:
    """Return the same hue at another lightness L*, with less chroma if sRGB lacks that color."""
    red, green, blue = map(_convert_to_linear, color)
    _, a, b = _convert_to_lab((red, green, blue))
    for share in range(100, -1, -2):
        found = _of_lab(light, a * share / 100, b * share / 100)
        if all(-1e-4 <= part <= 1.0001 for part in found):
            break
    red, green, blue = (_encode_part(max(0.0, min(1.0, part))) for part in found)
    return red, green, blue


def _of_lab(light: float, a: float, b: float) -> Color:
    """Return the linear sRGB of a CIELAB color under D65."""
    fy = (light + 16) / 116
    x, y, z = (t**3 if t > 0.206893 else (t - 16 / 116) / 7.787 for t in (fy + a / 500, fy, fy - b / 200))
    x, z = x * 0.9505, z * 1.089
    return (
        3.2406 * x - 1.5372 * y - 0.4986 * z,
        -0.9689 * x + 1.8758 * y + 0.0415 * z,
        0.0557 * x - 0.2040 * y + 1.0570 * z,
    )


def _encode_part(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055


@lru_cache(maxsize=1024)
def compute_luminance(color: Color) -> float:
    """Return the relative luminance of a color, from 0 (black) to 1 (white).

    Source: https://www.w3.org/TR/WCAG21/#dfn-relative-luminance.
    """
    red, green, blue = map(_convert_to_linear, color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@lru_cache(maxsize=4096)
def compute_contrast(one: Color, other: Color) -> float:
    """Return the contrast ratio of two colors, from 1 (none) to 21 (black on white).

    Source: https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio.
    """
    low, high = sorted((compute_luminance(one), compute_luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mix_colors(one: Color, other: Color, part: float) -> Color:
    """Return a mix of two colors: `part` (0 to 1) of the first one over the second one.

    Source: https://www.w3.org/TR/compositing-1/#simplealphacompositing.
    """
    if part >= 1:
        return one
    red, green, blue = (part * a + (1 - part) * b for a, b in zip(one, other, strict=True))
    return red, green, blue


def compute_difference(one: Color, other: Color, eyes: str) -> float:
    """Return the distance of two colors in CIELAB (1976) under a kind of vision, a key of `EYES`.

    A distance of 2 is just visible side by side.
    """
    mine, yours = _convert_to_lab(_simulate_vision(one, eyes)), _convert_to_lab(_simulate_vision(other, eyes))
    return dist(mine, yours)


def are_distinct(one: Color, other: Color) -> bool:
    """Return whether two fills differ enough without color, and under each type of color blindness."""
    return all(compute_difference(one, other, eyes) >= _DISTINCT_LIMIT for eyes in EYES)


def join_eyes(eyes: Sequence[str]) -> str:
    """Return kinds of vision as a phrase: `in grayscale or under protanopia or tritanopia`."""
    blind = [name.removeprefix("under ") for name in eyes if name.startswith("under ")]
    under = [f"under {' or '.join(blind)}"] if blind else []
    return " or ".join([*(name for name in eyes if not name.startswith("under ")), *under])


@lru_cache(maxsize=4096)
def compute_lightness(color: Color, eyes: str = "in grayscale") -> float:
    """Return the lightness L* of a color under a kind of vision, from 0 (black) to 100 (white)."""
    return _convert_to_lab(_simulate_vision(color, eyes))[0]


def _convert_to_linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _simulate_vision(color: Color, eyes: str) -> Color:
    linear = [_convert_to_linear(part) for part in color]
    red, green, blue = (
        max(0.0, min(1.0, sum(weight * part for weight, part in zip(row, linear, strict=True)))) for row in EYES[eyes]
    )
    return red, green, blue


def _convert_to_lab(linear: Color) -> Color:
    """Return the CIELAB color of a linear sRGB color under D65."""
    red, green, blue = linear
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)
