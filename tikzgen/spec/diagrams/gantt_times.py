"""Dates, durations and axis labels of Mermaid Gantt charts. Times are in seconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import floor

from tikzgen.base.patterns import pattern_of

DAY_SECONDS = 86_400
"""Seconds of a day."""
_UNIT_SECONDS = {
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "m": Fraction(60),
    "h": Fraction(3600),
    "d": Fraction(DAY_SECONDS),
    "w": Fraction(7 * DAY_SECONDS),
}
_DURATION = pattern_of(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)(ms|s|m|h|d|w)")
_DATE_TOKEN = pattern_of(r"YYYY|YY|MM|M|DD|D|HH|H|mm|m|ss|s|SSS|X|x")
_DATE_PARTS = {
    "YYYY": ("year", 4),
    "YY": ("short_year", 2),
    "MM": ("month", 2),
    "M": ("month", 2),
    "DD": ("day", 2),
    "D": ("day", 2),
    "HH": ("hour", 2),
    "H": ("hour", 2),
    "mm": ("minute", 2),
    "m": ("minute", 2),
    "ss": ("second", 2),
    "s": ("second", 2),
    "SSS": ("millisecond", 3),
    "X": ("seconds", 10),
    "x": ("ms", 13),
}
"""Part of a date and its largest number of digits, by token of `dateFormat`."""
_AXIS_TOKEN = pattern_of(r"%-?([a-zA-Z%])")
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MOST_TICKS_COUNT = 6
_TICK_SECONDS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200)
_TICK_DAYS = (1, 2, 7, 14, 28, 56, 91, 182, 364, 728, 1820, 3640, 36400)  # days per tick


def read_duration(text: str) -> Fraction | None:
    """Return a duration such as `3d` or `1.5h` in seconds, or None."""
    found = _DURATION.fullmatch(text)
    if found is None:
        return None
    seconds = Fraction(found[1]) * _UNIT_SECONDS[found[2]]
    # Mermaid rounds days and weeks to whole days.
    return floor(seconds / DAY_SECONDS + Fraction(1, 2)) * Fraction(DAY_SECONDS) if found[2] in "dw" else seconds


def read_date(text: str, date_format: str) -> Fraction | None:
    """Return a date in seconds since 1970, or None if it does not have the format."""
    names: list[str] = []

    def replace_token(found: re.Match[str]) -> str:
        name, digits = _DATE_PARTS[found[0]]
        names.append(name)
        return f"\0{digits}\0"

    pieces = _DATE_TOKEN.sub(replace_token, date_format).split("\0")
    pattern = "".join(f"([0-9]{{1,{piece}}})" if index % 2 else re.escape(piece) for index, piece in enumerate(pieces))
    found = re.fullmatch(pattern, text) if names and len(pieces) < 20 else None
    if found is None:
        return None
    parts = dict(zip(names, map(int, found.groups()), strict=True))
    if "seconds" in parts or "ms" in parts:
        return Fraction(parts["seconds"]) if "seconds" in parts else Fraction(parts["ms"], 1000)
    year = parts.get("year", 2000 + parts.get("short_year", 0))
    clock = (parts.get("hour", 0), parts.get("minute", 0), parts.get("second", 0))
    try:
        date = datetime(year, parts.get("month", 1), parts.get("day", 1), *clock, tzinfo=UTC)
    except ValueError:
        return None
    return Fraction(int(date.timestamp())) + Fraction(parts.get("millisecond", 0), 1000)


def date_of(seconds: Fraction) -> datetime:
    """Return the date of a time in seconds since 1970."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=float(seconds))


def format_date(date: datetime, axis_format: str) -> str:
    """Return a date in an `axisFormat` of Mermaid, in English on every machine."""

    def replace_token(found: re.Match[str]) -> str:
        values = {
            "Y": f"{date.year:04}",
            "y": f"{date.year % 100:02}",
            "m": f"{date.month:02}",
            "d": f"{date.day:02}",
            "e": str(date.day),
            "H": f"{date.hour:02}",
            "I": f"{(date.hour - 1) % 12 + 1:02}",
            "M": f"{date.minute:02}",
            "S": f"{date.second:02}",
            "L": f"{date.microsecond // 1000:03}",
            "p": "AM" if date.hour < 12 else "PM",
            "b": _MONTHS[date.month - 1][:3],
            "B": _MONTHS[date.month - 1],
            "a": _WEEKDAYS[date.weekday()][:3],
            "A": _WEEKDAYS[date.weekday()],
            "j": str(date.timetuple().tm_yday),
            "%": "%",
        }
        text = values.get(found[1], found[0])
        return (text.lstrip("0") or "0") if found[0].startswith("%-") else text

    return _AXIS_TOKEN.sub(replace_token, axis_format)


def list_tick_distances(length: Fraction) -> list[Fraction]:
    """Return distances of ticks for at most six ticks along a length, in seconds, the smallest first."""
    distances = [*map(Fraction, _TICK_SECONDS), *(Fraction(days * DAY_SECONDS) for days in _TICK_DAYS)]
    return [each for each in distances if length / each < _MOST_TICKS_COUNT] or distances[-1:]
