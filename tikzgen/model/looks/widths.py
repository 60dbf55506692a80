"""Widths of figures: a length, or the column or text width of a venue."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from tikzgen.base.defaults import FONT_SIZE_PT
from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.plane import CM_PER_PT
from tikzgen.base.suggest import did_you_mean, list_first
from tikzgen.model.looks.venues import VENUES, Venue

WIDEST = 100.0  # cm
TEXT_WIDE = 17.8  # cm: the text of a two-column paper, for figures without a width

_PARTS = ("column", "text")
_FORMS = "write 8.4, 8.4cm, 3.25in, or column or text of a venue: ieee-column, ieee-text; the venues are"
"""How a width is written."""


def list_widths(venues: Iterable[str]) -> list[str]:
    """Return the names of the widths of venues."""
    return [f"{venue}-{part}" for venue in venues for part in _PARTS]


def venue_of(width: str) -> str:
    """Return the name of the venue in the name of a width."""
    return width.rpartition("-")[0]


def _widths_of(name: str) -> tuple[float, float]:
    venue = VENUES[venue_of(name)]
    return venue.column_pt, venue.text_pt


def _read_width(value: Any) -> Any:
    """Return a width in cm, or the name of a venue's width.

    Accept 8.4, "8.4", "8.4cm", "3.25in", "240pt" or a venue's name. Raise `PydanticCustomError` for any other value.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise PydanticCustomError("tikzgen", "should be a width such as 8.4 (cm) or ieee-column", {})
    if not isinstance(value, str):
        return float(value)
    text = value.strip().lower()
    for unit, factor in (("cm", 1.0), ("mm", 0.1), ("in", 2.54), ("pt", CM_PER_PT), ("", 1.0)):
        if unit and not text.endswith(unit):
            continue
        try:
            return round(float(text.removesuffix(unit)) * factor, 4)
        except ValueError:
            break
    if text in VENUES:
        return f"{text}-column"
    if text.endswith(("-column", "-text")) and venue_of(text) in VENUES:
        return text
    hint = did_you_mean(text, list_widths(VENUES)) or list_first([*VENUES], _FORMS)
    raise PydanticCustomError("tikzgen", "unknown width {value}", {"value": quote(value), "hint": hint})


def _check(value: float | str, what: str = "width") -> float | str:
    if isinstance(value, float) and not 1 <= value <= WIDEST:
        message = f"a {what} is between 1 and {WIDEST:g} cm, not {value:g}"
        raise PydanticCustomError("tikzgen", "{message}", {"message": message})
    return value


Width = Annotated[
    float | str,
    BeforeValidator(lambda value: _check(_read_width(value))),
    Field(
        description="A width in cm, with a unit (3.25in, 240pt), or a venue's: ieee-column, ieee-text, acm-column …",
        examples=[
            "3.25in",
            *(name for name in list_widths(VENUES.built_in) if name.endswith("-text") or len({*_widths_of(name)}) > 1),
        ],
    ),
]


def _read_height(value: Any) -> float:
    found = _check(_read_width(value), "height")
    if isinstance(found, str):
        raise PydanticCustomError("tikzgen", "a height is a length such as 12 (cm) or 4in, not a venue's name", {})
    return found


Height = Annotated[
    float,
    BeforeValidator(_read_height, json_schema_input_type=float | str),
    Field(description="A height in cm, or with a unit (3.25in, 240pt)."),
]


def has_large_type(width: float | str | None) -> bool:
    r"""Return whether a `Width` is of a venue whose \footnotesize is larger than that of a 10 pt paper."""
    venue = _find_venue(width)
    return venue is not None and venue.has_large_type


def height_of_venue(width: float | str | None) -> float | None:
    """Return the height in cm that a figure of this `Width` may have: of a slide below its title; else None."""
    venue = _find_venue(width)
    return None if venue is None or venue.height_pt is None else venue.height_pt * CM_PER_PT


def type_of_venue(width: float | str | None) -> int:
    """Return the size in pt of labels in a figure of this `Width`."""
    venue = _find_venue(width)
    return FONT_SIZE_PT if venue is None else venue.type_pt


def _find_venue(width: float | str | None) -> Venue | None:
    """Return the venue that a `Width` names, or None."""
    return VENUES[venue_of(width)] if isinstance(width, str) else None


def read_width(text: str) -> float:
    """Return the width in cm that a string states: `8.4`, `3.25in`, `ieee-column`.

    Raise `TikzgenError` if it states no width.
    """
    try:
        return width_in_cm(_check(_read_width(text)))
    except PydanticCustomError as error:
        raise TikzgenError(error.message(), hint=(error.context or {}).get("hint", "")) from None


def width_in_cm(width: float | str) -> float:
    """Return a validated `Width` in cm."""
    if isinstance(width, str):
        return _widths_of(width)[width.endswith("-text")] * CM_PER_PT
    return width
