"""From a file to a figure: YAML, JSON, or a rendered .tex that carries its description."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.errors import Place, Problem, SpecError
from tikzgen.suggest import suggestion

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure, Options
    from tikzgen.spec import Document

__all__ = ["figure_of", "load", "loads"]


def load(path: str | Path, *, settings: Sequence[str] = ()) -> Figure:
    """Read a spec, or the description inside a rendered figure, and make its figure.

    `path` may be `-` for standard input. `settings` are overrides such as `workers=4` or `labels.server=PS`.
    `SpecError` holds one line for every problem, with its place.
    """
    from tikzgen.spec import read

    name = str(path)
    return figure_of(_inside(name) if name.endswith(".tex") else read(name), settings)


def _inside(name: str) -> Document:
    """The description that travels inside a rendered figure."""
    from tikzgen.render.capsule import unseal
    from tikzgen.spec import parse
    from tikzgen.spec.source import read_text

    text = unseal(read_text(name)[0])
    if text is None:
        message = "carries no spec, so it cannot be rendered again"
        raise SpecError([Problem(message, place=Place(name), hint="only figures that tikzgen wrote carry one")])
    return parse(text, name)


def loads(text: str, *, name: str = "<string>", settings: Sequence[str] = ()) -> Figure:
    """Make a figure from the text of a spec; `name` stands in the messages."""
    from tikzgen.spec import parse

    return figure_of(parse(text, name), settings)


def figure_of(document: Document, settings: Sequence[str] = ()) -> Figure:
    """Validate a parsed description and expand its recipe."""
    from pydantic import ValidationError

    if settings:
        from tikzgen.spec import apply

        document = apply(document, list(settings))
    data = dict(document.data) if isinstance(document.data, dict) else document.data
    if isinstance(data, dict):
        data.pop("$schema", None)
        data.pop("tikzgen", None)
    model = _model(document, data)
    try:
        found = model.model_validate(data)
    except ValidationError as error:
        from tikzgen.spec import explain

        raise explain(error, document, model) from None
    from tikzgen.model.figure import Figure

    try:
        figure = found if isinstance(found, Figure) else found.figure()  # type: ignore[attr-defined]  # a recipe
    except ValidationError as error:
        # a recipe's facts can be well formed and still make an impossible figure
        raise SpecError([_from_recipe(document, error)]) from None
    figure._document = document
    return figure


def _model(document: Document, data: Any) -> type[Options]:
    from tikzgen.model.figure import Figure
    from tikzgen.recipes import NAMES, recipe

    if not isinstance(data, dict):
        message = "a spec is a mapping, such as `recipe: data-parallel`"
        raise SpecError([Problem(message, place=Place(document.name, 1, 1), hint="`tikzgen new RECIPE` writes one")])
    name = data.get("recipe")
    if name is None:
        return Figure
    if name not in NAMES:
        place = document.places.value(("recipe",))
        hint = suggestion(str(name), NAMES, "the recipes are")
        raise SpecError([Problem(f'there is no recipe "{name}"', "recipe", place, hint)])
    return recipe(name)


def _from_recipe(document: Document, error: Any) -> Problem:
    first = error.errors(include_url=False)[0]
    context = first.get("ctx", {})
    return Problem(first["msg"], place=Place(document.name), hint=context.get("hint", ""))
