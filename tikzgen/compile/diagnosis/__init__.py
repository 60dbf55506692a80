"""Causes of TeX errors: the label, distance or part of a description, with its location.

Figures contain no extra data for it, and there is no work before an error. The .tex names its macros and nodes after
their contents, and the description is read again to find the source of each.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.base.errors import LatexError, LatexMissing, Place, TikzgenError, format_path
from tikzgen.compile.diagnosis.cause_of_tex_error import home_of, home_of_text, suspect_of
from tikzgen.spec.load_figure import figure_of, settings_allowing_invalid
from tikzgen.spec.read_document import read_document

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel

__all__ = ["blamed_figure", "blamed_tex", "said_at", "with_cause"]


def with_cause(error: LatexError, source: str, file: Path | None) -> LatexError:
    """Return `error` with the location of its cause in `file`.

    `file` is a .tex, or the spec that `source` was rendered from.
    """
    if file is None or isinstance(error, LatexMissing):
        return error
    if file.suffix.lower() == ".tex":
        return blamed_tex(error, source, str(file))
    try:
        figure = _read_figure(file)
    except TikzgenError:
        error.place = Place(str(file))  # the spec changed after the render
        return error
    return blamed_figure(error, source, figure, str(file))


def blamed_tex(error: LatexError, source: str, file: str) -> LatexError:
    """Return `error` with the line of its cause in the .tex `file`, such as a macro or an open brace."""
    found = suspect_of(error, source)
    if found is not None:
        error.path, error.place = found.label, Place(file, found.line, found.column)
        if found.kind == "mark":
            error.hint = found.name
    elif error.line:
        error.place = Place(file, error.line)
    else:
        error.place = Place(file)
    return error


def blamed_figure(error: LatexError, source: str, figure: FigureModel, file: str = "") -> LatexError:
    """Return `error` with the field of the description that caused it, and its location if known."""
    found = suspect_of(error, source)
    home = home_of(found, figure) if found is not None else None
    error.path, error.place = _spell_field(home, figure, file)
    if home is None and found is not None and found.kind == "node":
        error.path = found.label  # a recipe made it from several parameters
    return error


def said_at(text: str, figure: FigureModel) -> tuple[str, Place | None]:
    """Return the field of the description that sets a label, and its location if it was read from a file.

    If no field sets the label, return an empty path and only the file.
    """
    return _spell_field(home_of_text(text, figure), figure, "")


def _spell_field(home: tuple[str | int, ...] | None, figure: FigureModel, file: str) -> tuple[str, Place | None]:
    """Spell a field as the description does; return it with its location."""
    document = figure._document
    name = document.name if document is not None else file
    if home is None:
        return "", Place(name) if name else None
    if document is None:
        return format_path(home), None
    return format_path(_as_written(home, document.data)), document.places.locate_value(home)


def _as_written(path: tuple[str | int, ...], data: Any) -> tuple[str | int, ...]:
    """Return the path as the description spells it, with a mapping in place of a list of one."""
    steps: list[str | int] = []
    for step in path:
        if isinstance(step, int) and isinstance(data, dict):
            continue
        steps.append(step)
        try:
            data = data[step]
        except (LookupError, TypeError):
            data = None  # a default value
    return tuple(steps)


def _read_figure(file: Path) -> FigureModel:
    document = read_document(file)
    return figure_of(document, settings_allowing_invalid(document))
