"""Forms of a figure, for widths that do not allow the usual one: `iterate_forms`, `form_of_figure`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import ValidationError

from tikzgen.base.errors import PartRefused
from tikzgen.layout.layout_kinds import kind_of
from tikzgen.model.addresses import read_address
from tikzgen.model.content import Content
from tikzgen.model.figure import FigureModel, Recipe
from tikzgen.model.panel_parts import Panel
from tikzgen.model.part import shorten_description

_FACTS = "facts"
_LEVELS = "levels"
_STACKED_FORM = "stacked"
_COLUMN = "column"
Direction = Literal["down", "right"]


def iterate_forms(figure: FigureModel) -> Iterator[FigureModel]:
    """Yield the figure, then narrower forms: of its recipe, panels in columns, layers to the right.

    The attribute `form` of each figure records the choices. `form_of_figure` builds the same form from it.
    """
    turns = any(part.turns for _, _, part in figure.parts(Content))
    directions: tuple[Direction, ...] = ("down", "right") if turns else ("down",)
    for form in map(_with_dots, _mark_form(figure)):
        for direction in directions:
            turned = _turn_direction(form, direction)
            stacked = _stack_parts(turned)
            rows = [turned] if stacked is turned else [turned, stacked]
            yield from rows
            yield from (
                _stack_panels(row) for row in rows if row.arrange == "auto" and not row.columns and len(row.panels) > 1
            )


def form_of_figure(figure: FigureModel, form: Mapping[str, Any]) -> FigureModel | None:
    """Return the figure in the form that a file states; None if the figure has no such form."""
    facts, direction, stacked = form.get(_FACTS, {}), form.get(_LEVELS, "down"), form.get(_STACKED_FORM, False)
    if direction not in ("down", "right") or not isinstance(facts, dict) or (facts and figure.origin is None):
        return None
    try:
        made = _narrow_recipe(figure, recipe_in_form(figure.origin, form)) if facts and figure.origin else figure
    except (ValidationError, PartRefused):
        return None
    made = _turn_direction(_with_dots(made), direction)
    made = _stack_parts(made) if stacked else made
    made = _stack_panels(made) if form.get(_COLUMN, False) else made
    return made if made.form == form else None


def recipe_in_form(recipe: Recipe, form: Mapping[str, Any]) -> Recipe:
    """Return the recipe with the parameters that were chosen for the width."""
    return type(recipe).model_validate({**shorten_description(recipe), **form[_FACTS]}) if form.get(_FACTS) else recipe


def _mark_form(figure: FigureModel) -> Iterator[FigureModel]:
    yield figure
    origin = figure.origin
    for facts in origin.iterate_narrower() if origin is not None else ():
        yield _narrow_recipe(figure, facts)


def _narrow_recipe(figure: FigureModel, facts: Recipe) -> FigureModel:
    """Return the figure of a recipe with other parameters and the same origin."""
    origin = figure.origin
    form = facts.to_figure(strict=False)
    form._origin, form._said, form._document = origin, form.model_copy(), figure._document
    names = [name for name in type(facts).model_fields if getattr(facts, name) != getattr(origin, name)]
    form._form = {_FACTS: {name: shorten_description(getattr(facts, name)) for name in names}}
    return form


def _with_panels(figure: FigureModel, panels: list[Panel], **chosen: Any) -> FigureModel:
    """Return the figure with these panels and recorded choices; the figure itself if no panel changed.

    The copy keeps the origin of the figure.
    """
    if all(one is other for one, other in zip(figure.panels, panels, strict=True)):
        return figure
    return _with_choices(figure, {"panels": panels}, chosen)


def _with_choices(figure: FigureModel, update: Mapping[str, Any], chosen: Mapping[str, Any]) -> FigureModel:
    form = figure.model_copy(update=update)
    form._form = {**figure.form, **chosen}
    if figure.origin is not None:
        form._said = form.model_copy()
    return form


def _with_dots(figure: FigureModel) -> FigureModel:
    """Return the figure with dots for members that its parts do not draw."""
    linked = {read_address(end).name for link in figure.links for end in (link.source, link.target)}
    several = len(figure.panels) > 1
    panels = []
    for panel in figure.panels:
        names = {name.removeprefix(f"{panel.id}.") for name in linked if not several or name.startswith(f"{panel.id}.")}
        panels.append(_with_parts(panel, [kind_of(part).with_dots(part, names) for part in panel.content]))
    return _with_panels(figure, panels)


def _stack_parts(figure: FigureModel) -> FigureModel:
    """Return the figure with stacked parts in every panel whose arrangement is automatic."""
    panels = [
        panel.model_copy(update={"arrange": "column"}) if len(panel.content) > 1 and panel.arrange == "auto" else panel
        for panel in figure.panels
    ]
    return _with_panels(figure, panels, **{_STACKED_FORM: True})


def _stack_panels(figure: FigureModel) -> FigureModel:
    """Return the figure with its panels stacked."""
    return _with_choices(figure, {"arrange": "column"}, {_COLUMN: True})


def _turn_direction(figure: FigureModel, direction: Direction) -> FigureModel:
    chosen = {_LEVELS: direction} if direction == "right" else {}
    return _with_panels(
        figure,
        [_with_parts(one, [part.with_direction(direction) for part in one.content]) for one in figure.panels],
        **chosen,
    )


def _with_parts(panel: Panel, parts: list[Content]) -> Panel:
    same = all(one is other for one, other in zip(panel.content, parts, strict=True))
    return panel if same else panel.model_copy(update={"content": parts})
