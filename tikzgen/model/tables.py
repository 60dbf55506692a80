"""Tables as rows: pandas or polars frames, rows as mappings, and CSV files.

The module imports neither pandas nor polars.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from io import StringIO
from math import isnan
from pathlib import Path
from typing import Any

from tikzgen.base.errors import FileRefused, Problem, SpecError, read_error, shorten_for_message
from tikzgen.base.read_files import read_bounded


def read_table(frame: Any) -> tuple[str, int, list[Mapping[str, Any]]]:
    """Return the name of the table, the line of its first row if it has lines, and its rows."""
    if isinstance(frame, (str, Path)):
        try:
            text = read_bounded(Path(frame)).decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise (
                read_error(frame, error) if isinstance(error, OSError) else FileRefused(f"{frame}: is not UTF-8 text")
            ) from None
        return str(frame), 2, list(csv.DictReader(StringIO(text)))
    if hasattr(frame, "to_dicts"):  # polars
        return "row", 0, frame.to_dicts()
    if hasattr(frame, "to_dict"):  # pandas
        return "row", 0, frame.to_dict(orient="records")
    rows = list(frame) if isinstance(frame, Iterable) else []
    if not isinstance(frame, Iterable) or not all(isinstance(row, Mapping) for row in rows):
        message = f"should be a table, not {shorten_for_message(type(frame).__name__)}"
        raise SpecError([Problem(message, hint="a frame of pandas or polars, a CSV file, or a list of mappings")])
    return "row", 0, rows


def to_python(value: Any) -> Any:
    """Convert a value to Python; a missing value to None."""
    value = value.item() if hasattr(value, "item") else value
    missing = value is None or value == "" or (isinstance(value, float) and isnan(value))
    return None if missing else value
