"""Numbers that come from elsewhere, stated a second time as their source states them."""

from __future__ import annotations

import pytest

from tikzgen.base.stock_colors import STOCK
from tikzgen.model.widths import VENUE_WIDTHS, read_width

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
    assert [*VENUE_WIDTHS] == [*VENUES]
    found = [read_width(f"{name}-{part}") for name in VENUES for part in ("column", "text")]
    assert found == pytest.approx([read_width(width) for widths in VENUES.values() for width in widths], abs=0.0001)


def test_the_units_of_widths() -> None:
    assert {text: read_width(text) for text in LENGTHS} == LENGTHS
