"""Rendering: from a figure to its TikZ with the embedded description, and its metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tikzgen.base.errors import Problem, SpecError
from tikzgen.base.record import NOTHING, replace
from tikzgen.emit.describe_figure import make_about
from tikzgen.emit.environment import fill
from tikzgen.emit.figure_files import Rendered, spelt_metadata
from tikzgen.emit.fold_lines import fold_lines
from tikzgen.emit.write_metadata import make_metadata
from tikzgen.layout import layout
from tikzgen.layout.scene import Scene
from tikzgen.model.about import About
from tikzgen.model.content import KINDS, Content
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Measured
from tikzgen.model.looks import VENUES, icons_of_figure, venue_of, with_plugins
from tikzgen.model.open_names import packages_used
from tikzgen.model.part import check_again, shorten_description
from tikzgen.model.timeline import MARKS
from tikzgen.recipe.recipe_names import RECIPES
from tikzgen.spec.document import Document
from tikzgen.spec.embedded_spec import (
    SIZES,
    TEMPLATES,
    Identity,
    append_spec,
    digest_of_metadata,
    hash_lines,
    identity_of,
    rows_of,
)


def render(
    figure: FigureModel,
    folders: Sequence[Path] = (),
    given: Sequence[str] = (),
    edited: Mapping[str, str] | None = None,
) -> Rendered:
    """Render a figure; `folders` may have templates and icons that override the built-in ones.

    `given` are settings that override its spec, if the figure does not record them. `edited` has the values that
    operations changed.
    """
    origin = figure.origin  # read once: it compares all parts of the figure with the recipe's output
    if origin is not None:
        figure = figure.model_copy().left_alone()
    elif figure._said is None:
        check_again(figure)
    templates = "own" if folders else ""
    folders = with_plugins(figure, tuple(folder.resolve() for folder in folders))
    try:
        icons = icons_of_figure(figure, folders)
        scene = layout(figure, icons)
    except SpecError as error:
        raise _with_place_in_spec(error, figure._document) from None
    if origin is not None:
        assumed = tuple(origin.list_assumptions())
        scene = replace(scene, assumed=assumed, notes=(*assumed, *scene.notes))
    body = fill_body(scene, folders)
    words = make_about(scene.figure)
    beside = make_metadata(scene.figure, scene, words)
    identity = _make_identity(body, scene, words, beside, templates, given or _stated_settings(figure))
    identity = replace(
        identity,
        edited=_recorded_edits(figure) if edited is None else edited,
        layout=shorten_description(scene.layout_record) if scene.layout_record else NOTHING,
        needs=packages_needed(figure),
    )
    tex = append_spec(body, make_description(figure, scene.measured), identity)
    return Rendered(tex, beside, scene.notes, scene.figure.form, scene.floors_in_cm(), scene)


def fill_body(scene: Scene, folders: Sequence[Path] = ()) -> str:
    """Return the TeX of a scene, without its description."""
    return fold_lines(fill("figure.tex.j2", folders, scene=scene)).rstrip("\n") + "\n"


def packages_needed(figure: FigureModel) -> tuple[str, ...]:
    """Return the installed packages whose recipe, kinds or other entries a figure uses."""
    origin = figure._origin
    found = packages_used(figure) | packages_used(origin)
    for _, _, part in figure.parts(Content):
        found |= {KINDS.package_of(part.type)}
        found |= {MARKS.package_of(mark.type) for mark in getattr(part, "marks", ())}
    if isinstance(figure.width, str):
        found |= {VENUES.package_of(venue_of(figure.width))}
    name: str = getattr(origin, "recipe", "")
    if name and name in RECIPES:
        found |= {RECIPES.package_of(name)}
    return tuple(sorted(found - {""}))


def _make_identity(
    body: str, scene: Scene, words: About, metadata: dict[str, Any], templates: str, given: Sequence[str]
) -> Identity:
    """Return the record of the file about itself."""
    values = {each.name: each.value for each in scene.parameters if each.type == "length-cm"}
    beside = digest_of_metadata(spelt_metadata(metadata))
    lines, form = hash_lines(rows_of(body)), scene.figure.form
    return Identity(TEMPLATES, form, values, lines, beside, templates, tuple(given), words)


def _stated_settings(figure: FigureModel) -> tuple[str, ...]:
    """Return the settings over the spec that the figure was read from."""
    return figure._document.given if figure._document else ()


def _recorded_edits(figure: FigureModel) -> Mapping[str, str]:
    """Return the values that operations changed in the figure's source file."""
    inside = identity_of(figure._document.data) if figure._document else None
    return inside.edited if inside else NOTHING


def _with_place_in_spec(error: SpecError, document: Document | None) -> SpecError:
    """Add the location of the cause in the spec, if the figure was read from one."""
    if document is None:
        return error

    def with_place(problem: Problem) -> Problem:
        steps = [int(step) if step.isdigit() else step for step in re.findall(r"[\w-]+", problem.path)]
        if steps and steps[0] in document.data:
            return replace(problem, place=document.places.locate_value(steps))
        # The cause is in a part that a recipe made, so its path would mislead.
        return replace(problem, place=document.origin, path="")

    return SpecError([with_place(problem) for problem in error.problems])


def make_description(figure: FigureModel, measured: Sequence[Measured] | None = None) -> dict[str, Any]:
    """Return the figure as plain data in its shortest form: the parameters of its recipe, if it has one.

    `measured` are the sizes of labels to keep, if a layout recorded the sizes that it used.
    """
    origin = figure.origin
    data: dict[str, Any] = shorten_description(origin if origin is not None else figure)
    if "overrides" in data:
        data["overrides"] = data.pop("overrides")  # after the parameters
    if measured is not None and data.pop(SIZES, None) and measured:
        data[SIZES] = shorten_description(list(measured))
    return data
