"""Numbers that come from elsewhere, stated a second time as their source states them."""

from __future__ import annotations

import pytest

from tikzgen.base.stock_colors import STOCK
from tikzgen.model.looks import vision
from tikzgen.model.looks.venues import VENUES as VENUE_TABLE
from tikzgen.model.looks.widths import read_width

XCOLOR = {
    # Kern, "Extending LaTeX's color facilities: the xcolor package", section 2.4: colors by name, in eighths of RGB
    "black": "000",
    "white": "888",
    "red": "800",
    "green": "080",
    "blue": "008",
    "yellow": "880",
    "magenta": "808",
    "cyan": "088",
    "gray": "444",
    "darkgray": "222",
    "lightgray": "666",
    "brown": "642",
    "lime": "680",
    "olive": "440",
    "orange": "840",
    "pink": "866",
    "purple": "602",
    "teal": "044",
    "violet": "404",
}
VENUES = {
    # column, text, as the class or style of the venue sets them
    "ieee": ("252pt", "516pt"),
    "acm": ("241.14749pt", "506.295pt"),
    "acm-journal": ("395.8225pt", "395.8225pt"),
    "neurips": ("5.5in", "5.5in"),
    "iclr": ("5.5in", "5.5in"),
    "icml": ("3.25in", "6.75in"),
    "acl": ("77mm", "160mm"),
    "cvpr": ("3.28125in", "6.875in"),
    "usenix": ("3.335in", "7in"),
    "osdi": ("3.335in", "7in"),
    "sosp": ("240.94499pt", "505.89pt"),
    "aaai": ("3.3125in", "7in"),
    "tmlr": ("6.5in", "6.5in"),
    "eccv": ("347.12354pt", "347.12354pt"),
    "thesis": ("418.25555pt", "418.25555pt"),
    "thesis-letter": ("6in", "6in"),
}
LENGTHS = {"8.4": 8.4, "8.4cm": 8.4, "84mm": 8.4, "1in": 2.54, "72.27pt": 2.54, " 100 CM ": 100.0, "1": 1.0}


def test_the_colors_of_xcolor() -> None:
    assert {name: "".join(f"{share * 8:g}" for share in shares) for name, shares in STOCK.items()} == XCOLOR


def test_the_widths_of_venues() -> None:
    assert [*VENUE_TABLE] == [*VENUES]
    found = [read_width(f"{name}-{part}") for name in VENUES for part in ("column", "text")]
    assert found == pytest.approx([read_width(width) for widths in VENUES.values() for width in widths], abs=0.0001)


def test_the_units_of_widths() -> None:
    assert {text: read_width(text) for text in LENGTHS} == LENGTHS


LAB_LIGHTNESS = {
    # L* of sRGB colors under D65: CIE 1976 of the luminances in IEC 61966-2-1
    "000000": 0.0,
    "FFFFFF": 100.0,
    "FF0000": 53.24,
    "00FF00": 87.73,
    "0000FF": 32.30,
    "808080": 53.59,
    "030303": 0.82,
}
CONTRASTS = {
    # contrast ratios of WCAG 2.1
    ("FFFFFF", "000000"): 21.0,
    ("FFFFFF", "767676"): 4.54,
    ("FFFFFF", "FF0000"): 4.00,
    ("0000FF", "FFFFFF"): 8.59,
    ("0A0A0A", "000000"): 1.06,
    ("808080", "808080"): 1.0,
}


def test_how_light_colors_are() -> None:
    found = {color: vision.compute_lightness(vision.color_of_hex(color)) for color in LAB_LIGHTNESS}
    assert found == pytest.approx(LAB_LIGHTNESS, abs=0.01)


def test_how_much_colors_contrast() -> None:
    found = {pair: vision.compute_contrast(*map(vision.color_of_hex, pair)) for pair in CONTRASTS}
    assert found == pytest.approx(CONTRASTS, abs=0.005)


def test_grays_look_the_same_to_all_eyes() -> None:
    """Machado, Oliveira, Fernandes (2009): the rows of each matrix sum to 1."""
    for eyes, matrix in vision.EYES.items():
        assert [sum(row) for row in matrix] == pytest.approx([1, 1, 1], abs=1e-5), eyes
    diagonals = {eyes: tuple(matrix[at][at] for at in range(3)) for eyes, matrix in vision.EYES.items()}
    assert diagonals == {
        "in grayscale": (0.2126, 0.7152, 0.0722),
        "under protanopia": (0.152286, 0.786281, 1.051998),
        "under deuteranopia": (0.367322, 0.672501, 0.968881),
        "under tritanopia": (1.255528, 0.930809, 0.303900),
    }


def test_differences_of_colors() -> None:
    """CIE 1976: red and green differ least under deuteranopia, and most under tritanopia."""
    red, green = vision.color_of_hex("FF0000"), vision.color_of_hex("00FF00")
    seen = {eyes: round(vision.compute_difference(red, green, eyes), 1) for eyes in vision.EYES}
    assert seen == {
        "in grayscale": 34.5,
        "under protanopia": 65.9,
        "under deuteranopia": 27.8,
        "under tritanopia": 153.3,
    }
    assert vision.compute_difference(red, red, "under protanopia") == 0


@pytest.mark.parametrize("color", ["0072B2", "E69F00", "009E73", "CC79A7", "5A5A5A"])
def test_a_color_at_another_lightness_has_that_lightness(color: str) -> None:
    for light in (20.0, 50.0, 80.0):
        assert vision.compute_lightness(vision.with_lightness(vision.color_of_hex(color), light)) == pytest.approx(
            light, abs=0.1
        )
    own = vision.compute_lightness(vision.color_of_hex(color))
    assert vision.hex_of_color(vision.with_lightness(vision.color_of_hex(color), own)) == color
