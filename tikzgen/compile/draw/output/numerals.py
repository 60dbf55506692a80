"""Numbers and strings for SVG; numbers are rounded to 0.001, without trailing zeros."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tikzgen.base.plane import Point

_TRAILING_ZEROS = re.compile(r"\.?0+(?![\d.])")
_XML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def escape(text: str) -> str:
    """Escape a string for XML; Python's `html` takes longer to load than some pictures take to draw."""
    return text.translate(_XML)


def xml_text(text: str) -> str:
    """Escape a string for XML, with spaces for characters that XML does not allow."""
    return escape("".join(char if char.isprintable() else " " for char in text))


def number(value: float) -> str:
    return _TRAILING_ZEROS.sub("", f"{value:.3f}")


def format_scale(value: float) -> str:
    """Return a scale factor, with more digits because it is multiplied."""
    return _TRAILING_ZEROS.sub("", f"{value:.6f}")


def format_svg_point(place: Point) -> str:
    """Return a point, y down."""
    return _TRAILING_ZEROS.sub("", f"{place[0]:.3f} {0.0 - place[1]:.3f}")


def fill_pattern(pattern: str, places: Iterable[Point]) -> str:
    """Fill two of `%.3f` in a pattern for each point, y down."""
    return _TRAILING_ZEROS.sub("", pattern % tuple([value for x, y in places for value in (x, 0.0 - y)]))
