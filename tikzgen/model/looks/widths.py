r"""How wide a figure may be, by the venues that people write for.

Each is what the class or style itself sets (`\the\columnwidth`, `\the\textwidth`), named beside its number.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.plane.units import CM_PER_PT, PT_PER_CM, PT_PER_IN
from tikzgen.base.suggest import did_you_mean

WIDEST = 100.0  # cm
TEXT_WIDE = 17.8  # cm: the text of a paper in two columns, where nobody says how wide a figure is

# name: (one column, full text), with the file that sets it.
VENUE_WIDTHS: dict[str, tuple[float, float]] = {
    "ieee": (252.0, 516.0),  # IEEEtran.cls 1.8b, letter paper, conference and journal
    "acm": (241.14749, 506.295),  # acmart.cls, sigconf
    "acm-journal": (395.8225, 395.8225),  # acmart.cls, acmsmall: one column
    "neurips": (5.5 * PT_PER_IN, 5.5 * PT_PER_IN),  # neurips_2024.sty: \textwidth 5.5in, one column
    "iclr": (5.5 * PT_PER_IN, 5.5 * PT_PER_IN),  # iclr2025_conference.sty: \textwidth 5.5in, one column
    "icml": (3.25 * PT_PER_IN, 6.75 * PT_PER_IN),  # icml2024.sty: \textwidth 6.75in, \columnsep 0.25in
    "acl": (7.7 * PT_PER_CM, 16.0 * PT_PER_CM),  # acl.sty: \textwidth 16cm, \columnsep 0.6cm
    "cvpr": (3.28125 * PT_PER_IN, 6.875 * PT_PER_IN),  # cvpr.sty: \textwidth 6.875in, \columnsep 0.3125in
    "usenix": (3.335 * PT_PER_IN, 7.0 * PT_PER_IN),  # usenix-2020-09.sty: \textwidth 7in, \columnsep 0.33in
    "osdi": (3.335 * PT_PER_IN, 7.0 * PT_PER_IN),  # the same: USENIX' OSDI and NSDI
    "sosp": (240.94499, 505.89),  # acmart.cls, sigplan: SOSP, EuroSys, ASPLOS
    "aaai": (3.3125 * PT_PER_IN, 7.0 * PT_PER_IN),  # aaai25.sty: \textwidth 7in, \columnsep 0.375in
    "tmlr": (6.5 * PT_PER_IN, 6.5 * PT_PER_IN),  # tmlr.sty: \textwidth 6.5in, one column
    "eccv": (347.12354, 347.12354),  # llncs.cls: \textwidth 12.2cm, one column
    "thesis": (418.25555, 418.25555),  # scrbook.cls and scrreprt.cls, A4 in 11 pt
    "thesis-letter": (6.0 * PT_PER_IN, 6.0 * PT_PER_IN),  # letter paper, margins of 1.5in and 1in, 11 pt
}

# Their styles set \footnotesize in 9 pt (and \small, too), where a 10 pt paper has 8 pt.
_LARGE_TYPE = frozenset({"neurips", "iclr", "icml", "acl", "aaai", "tmlr", "eccv", "thesis", "thesis-letter"})

WIDTH_NAMES = tuple(f"{venue}-{part}" for venue in VENUE_WIDTHS for part in ("column", "text"))
_FORMS = (
    f"8.4, 8.4cm, 3.25in, or a venue's column or text: ieee-column, ieee-text; the venues are {', '.join(VENUE_WIDTHS)}"
)
"""How a width is written."""


def _venue(name: str) -> tuple[float, float]:
    return VENUE_WIDTHS[name.rpartition("-")[0]]


def _read_width(value: Any) -> Any:
    """Accept 8.4, "8.4", "8.4cm", "3.25in", "240pt" or a venue's name; give cm as a float or the name itself."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise PydanticCustomError("tikzgen", "should be a width such as 8.4 (cm) or ieee-column", {})
    if not isinstance(value, str):
        return float(value)
    text = value.strip().lower()
    if text in VENUE_WIDTHS:
        return f"{text}-column"
    if text in WIDTH_NAMES:
        return text
    for unit, factor in (("cm", 1.0), ("mm", 0.1), ("in", 2.54), ("pt", CM_PER_PT), ("", 1.0)):
        if unit and not text.endswith(unit):
            continue
        try:
            return round(float(text.removesuffix(unit)) * factor, 4)
        except ValueError:
            break
    hint = did_you_mean(text, WIDTH_NAMES) or _FORMS
    raise PydanticCustomError("tikzgen", "there is no width {value}", {"value": quote(value), "hint": hint})


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
        examples=["3.25in", *(name for name in WIDTH_NAMES if name.endswith("-text") or len(set(_venue(name))) > 1)],
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
    r"""Whether a validated `Width` is of a venue whose \footnotesize is larger than that of a 10 pt paper."""
    return isinstance(width, str) and width.rpartition("-")[0] in _LARGE_TYPE


def read_width(text: str) -> float:
    """The width in cm that a text says: `8.4`, `3.25in`, `ieee-column`; `TikzgenError` where it says none."""
    try:
        return width_in_cm(_check(_read_width(text)))
    except PydanticCustomError as error:
        raise TikzgenError(error.message(), hint=(error.context or {}).get("hint", "")) from None


def width_in_cm(width: float | str) -> float:
    """The width in cm that a validated `Width` stands for."""
    if isinstance(width, str):
        return _venue(width)[width.endswith("-text")] * CM_PER_PT
    return width
