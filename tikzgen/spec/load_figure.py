"""From a file to a figure: YAML, JSON, a diagram, or a rendered .tex with its embedded spec."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from tikzgen.base.errors import InvalidSchedule, PartRefused, Place, Problem, SpecError, quote
from tikzgen.base.read_files import one_figure
from tikzgen.base.record import Record, replace
from tikzgen.base.suggest import did_you_mean
from tikzgen.base.trust import allow_drawing, trust_commands
from tikzgen.model.content import KINDS
from tikzgen.model.figure import FigureModel, Recipe
from tikzgen.model.figure_options import Options
from tikzgen.recipe.recipe_names import RECIPES
from tikzgen.spec.diagrams.import_formats import read_diagram_text
from tikzgen.spec.document import Document
from tikzgen.spec.earlier_formats import check_format, with_empty_labels
from tikzgen.spec.embedded_spec import check_packages, layout_of
from tikzgen.spec.parse_text import parse
from tikzgen.spec.read_document import read_document
from tikzgen.spec.settings.settings_order import ALLOW_INVALID, add_defaults, apply_overrides, with_chosen_style
from tikzgen.spec.source import read_text

if TYPE_CHECKING:
    from tikzgen.recipe.measured.measured_trace import Trace


_Read = TypeVar("_Read", bound="Options")


def settings_allowing_invalid(document: Document) -> list[str]:
    """Return the settings that make a recipe accept a schedule that breaks rules."""
    return [ALLOW_INVALID] if document.data.get("recipe") == "pipeline" else []


def load(path: str | Path, *, settings: Sequence[str] = (), trust: bool = False) -> FigureModel:
    """Read a spec, the spec embedded in a figure, or a PyTorch schedule CSV, and return its figure.

    `path` may be `-` for standard input. `settings` are overrides such as `workers=4` or `labels.server=PS`. With
    `trust`, the description may allow its raw TeX more commands (`tex: {allow: […]}`). Raise `SpecError` with one line
    per problem and its location.
    """
    with trust_commands() if trust else nullcontext():
        return figure_of(read_document(path), settings)


class ImportedDiagram(Record):
    """The spec of a diagram in another language, the omitted parts, and notes on changed ids."""

    document: Document
    left_out: tuple[Problem, ...]
    notes: tuple[Problem, ...]


def import_diagram(path: str | Path, *, language: str = "", partial: bool = False) -> ImportedDiagram:
    """Read a diagram from a file, or from standard input if `path` is `-`, and check its spec.

    Without a `language`, the suffix or the contents decide. Raise `SpecError` for statements without a counterpart,
    unless the import is `partial`, and for a broken structure.
    """
    text, name = read_text(path)
    builder, source = read_diagram_text(text, name, stated=language, partial=partial)
    document = builder.make_document()
    figure_of(document)
    return ImportedDiagram(document, tuple(source.problems), tuple(source.notes))


def load_from_text(
    text: str, *, name: str = "<string>", settings: Sequence[str] = (), trust: bool = False
) -> FigureModel:
    """Return the figure of a spec given as text; messages use `name`; `trust` is as in `load`."""
    with trust_commands() if trust else nullcontext():
        return figure_of(parse(text, name), settings)


def figure_of(document: Document, settings: Sequence[str] = (), earlier: Recipe | None = None) -> FigureModel:
    """Validate a parsed description and expand its recipe; it shares equal results with its `earlier` version."""
    with allow_drawing():
        found, document = validate_description(document, settings, earlier)
    return expand_recipe(found, document)


def validate_description(
    document: Document, settings: Sequence[str] = (), earlier: Recipe | None = None
) -> tuple[Options, Document]:
    """Validate a parsed description; return a `FigureModel` or a recipe, and the overridden description.

    The recipe is not expanded. It shares equal results with its `earlier` version. Raise `SpecError` with one line per
    problem.
    """
    with one_figure():
        return _validate(document, settings, earlier)


def _validate(document: Document, settings: Sequence[str], earlier: Recipe | None) -> tuple[Options, Document]:
    if "tikzgen" in document.data:
        check_format(document)
        check_packages(document.data, document.name)
        document = replace(document, data=with_empty_labels(document.data))
    document, style = apply_overrides(document, settings)
    model = _choose_model(document, document.data)
    if tables := getattr(model, "tables", ()):
        from tikzgen.spec.files_beside.durations_file import with_tables  # slow import: loads the simulator

        document = with_tables(document, tables)
    data = {name: value for name, value in document.data.items() if name not in ("$schema", "tikzgen")}
    data = add_defaults(data, document, model, style)
    try:
        return _with_measured_files(model.model_validate(data, context=earlier), document, data)
    except ValidationError as error:
        raise _explain_error(error, document, model) from None


def read_call(document: Document, model: type[_Read]) -> tuple[_Read, Document]:
    """Validate the arguments of a recipe that is called from Python, over the house style that they name.

    Raise `ValidationError` for wrong arguments.
    """
    data = document.data
    if isinstance(data.get("style"), str):
        data = with_chosen_style(data, document, model)
    return _with_measured_files(model.model_validate(data), document, data)


def _with_measured_files(found: _Read, document: Document, data: Mapping[str, Any]) -> tuple[_Read, Document]:
    """Add the contents of trace files to the options and to their description, if the recipe names any."""
    if "reading" not in type(found).model_fields:
        return found, document
    from tikzgen.spec.files_beside.trace_files import with_reading  # imported late: few figures need it

    document = with_reading(cast("Trace", found), document)
    return type(found).model_validate({**data, "reading": document.data["reading"]}), document


def _explain_error(error: ValidationError, document: Document, model: type[BaseModel]) -> SpecError:
    from tikzgen.spec.errors.error_places import explain  # imported late: needed for errors only

    return explain(error, document, model)


def expand_recipe(found: Options, document: Document) -> FigureModel:
    """Expand the result of `validate_description` to a figure."""
    try:
        figure = found if isinstance(found, FigureModel) else found.make_figure_with_origin()  # type: ignore[attr-defined]  # a recipe
    except PartRefused as refused:
        raise SpecError([_from_recipe(document, refused.cause)]) from None
    except ValidationError as error:
        # a recipe's parameters can be valid and still make an impossible figure
        raise SpecError([_from_recipe(document, error)]) from None
    except SpecError as error:
        # an override that the figure does not allow
        raise SpecError([_with_place(document, problem) for problem in error.problems]) from None
    except InvalidSchedule as refused:
        raise refused.with_places(document.places.locate_value) from None
    figure._document = document
    return keep_layout(figure, layout_of(document.data))


def keep_layout(figure: FigureModel, data: Mapping[str, Any]) -> FigureModel:
    """Make a figure keep the layers in a recorded layout, if the record is valid. Return the figure."""
    if not data:
        return figure.keep_layout(None)
    from tikzgen.model.topology import read_layout_record  # figures without topologies do not need it

    return figure.keep_layout(read_layout_record(data))


def _with_place(document: Document, problem: Problem) -> Problem:
    """Add the location of the override or the field to a problem."""
    at = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", problem.path)
    way = (at[1], int(at[2])) if at and at[2] else (at[1],) if at else ()
    return replace(problem, place=document.places.locate_value(way)) if way and problem.place is None else problem


def _choose_model(document: Document, data: Any) -> type[Options]:
    if not isinstance(data, dict):
        message = "a spec is a mapping, such as `recipe: data-parallel`"
        raise SpecError([Problem(message, place=Place(document.name, 1, 1), hint="`tikzgen new RECIPE` writes one")])
    name = data.get("recipe")
    if name is None:
        if "panels" not in data:
            raise SpecError([_nothing_named(document, data)])
        return FigureModel
    if not isinstance(name, str) or name not in RECIPES:
        place = document.places.locate_value(("recipe",))
        hint = RECIPES.suggest_entry(str(name))
        raise SpecError([Problem(f"unknown recipe {quote(name)}", "recipe", place, hint)])
    if "panels" in data:
        hint = "omit one of the two; `overrides` change the figure of a recipe"
        message = "a spec names a recipe or lists panels, and this does both"
        raise SpecError([Problem(message, "panels", document.places.locate_key(("panels",)), hint)])
    return RECIPES[name]


_PARTS = ("nodes", "flows", "groups", "lanes", "spans", "lifelines", "messages")
"""Fields that tell a kind of content, where one stands without a panel."""


def _nothing_named(document: Document, data: dict[Any, Any]) -> Problem:
    """Return the problem of a description without recipe and panels, with a hint for a misspelled field."""
    for kind in KINDS:
        if first := next((field for field in data if field in KINDS[kind].model_fields and field in _PARTS), ""):
            hint = f"write it in a panel: panels: [{{content: {{type: {kind}, {first}: …}}}}]"
            return Problem("has no panels", first, document.places.locate_key((first,)), hint)
    for field in data:
        if hint := did_you_mean(field, ["recipe", "panels"]):
            return Problem("unknown field", str(field), document.places.locate_key((field,)), hint)
    names = RECIPES.list_entry_names()
    hint = f"such as recipe: {names[0]}; `tikzgen recipes` lists all"
    return Problem("names no recipe and has no panels", place=Place(document.name, 1, 1), hint=hint)


def _from_recipe(document: Document, error: Any) -> Problem:
    first = error.errors(include_url=False)[0]
    context = first.get("ctx", {})
    return Problem(first["msg"], place=document.origin, hint=context.get("hint", ""))
