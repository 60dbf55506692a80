"""The spec that travels inside a figure, written back to a file of its own."""

from __future__ import annotations

from typing import Any

from tikzgen.base.errors import SpecError, TikzgenError
from tikzgen.edit.hand_parameters import folded
from tikzgen.edit.outcome import EditRefused
from tikzgen.edit.own_figure import read_own
from tikzgen.edit.rewriting import rewritten, without_fields
from tikzgen.loading import figure_of, loads
from tikzgen.model.figure import Figure
from tikzgen.specfile import parse
from tikzgen.specfile.writing import to_json, to_yaml
from tikzgen.tikz import render
from tikzgen.tikz.embedded_spec import description

__all__ = ["pulled"]

Data = dict[str, Any]


def pulled(text: str, name: str, existing: str = "", existing_name: str = "") -> str:
    """The text of a figure's spec, with parameters that were changed by hand; comments of `existing` stay.

    It is read again before anybody writes it: `EditRefused` where it would not be the same picture, or where `text`
    was not written by this version of tikzgen. `SpecError` where `existing` is no spec.
    """
    figure = folded(read_own(text, name)).said.figure
    data = description(figure)
    result = _onto(existing, existing_name, data) if existing.strip() else _fresh(data, existing_name)
    if _picture(_read(result, existing_name)) != _picture(figure):
        raise EditRefused("pull", f"{existing_name}: what was pulled would be another picture, so it is not written")
    return result


def _fresh(data: Data, name: str) -> str:
    return to_json(data, "{\n  }") if name.lower().endswith(".json") else to_yaml(data)


def _onto(existing: str, name: str, data: Data) -> str:
    """The existing spec with only what differs changed."""
    document = parse(existing, name)
    said = description(figure_of(document))
    if said.get("recipe") != data.get("recipe"):
        # what the one kind of spec says, the other does not know
        existing = without_fields(existing, name, [field for field in document.data if field not in data])
        said = {field: value for field, value in said.items() if field in data}
    try:
        return rewritten(existing, name, said, data, data)
    except TikzgenError as error:
        raise EditRefused("pull", f"{name}: {error.message}", nearest="-o with the name of a new file") from None


def _read(text: str, name: str) -> Figure:
    try:
        return loads(text, name=name)
    except SpecError as error:
        raise EditRefused("pull", f"what was pulled could not be read again: {error.problems[0]}") from None


def _picture(figure: Figure) -> str:
    return render(figure).tex.partition("\\end{document}")[0]
