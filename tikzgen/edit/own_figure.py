"""A file that tikzgen wrote: its description, the lines that tikzgen wrote, and later changes.

Manual edits and operations change the file. An operation changes parts of the figure, or becomes an override of its
recipe.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from tikzgen.base.errors import EditRefused, Place, SpecError
from tikzgen.base.record import Record
from tikzgen.emit.contract_for_programs import Family
from tikzgen.layout import choose_form
from tikzgen.layout.page.figure_forms import form_of_figure
from tikzgen.lint.inventory import WrittenLines, edited_by_hand, written_lines
from tikzgen.model.figure import FigureModel, Recipe
from tikzgen.model.figure_options import Options
from tikzgen.model.operations import Operation, read_operation
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import shorten_description
from tikzgen.spec.document import Document, Places
from tikzgen.spec.embedded_spec import FORMAT, Identity, extract_spec, hash_lines, identity_of, rows_of, split_file
from tikzgen.spec.load_figure import figure_of
from tikzgen.spec.parse_text import parse


def with_changed_parts(said: Said, operation: Operation) -> Options:
    """Return the description with changed parts; `EditRefused` if the figure does not allow it."""
    made = operation.change(said.figure)  # raises `EditRefused` for an invalid change
    return made if said.recipe is None else overridden(said, said.recipe, operation)


def overridden(said: Said, recipe: EditableRecipe, operation: Operation) -> EditableRecipe:
    """Return the recipe with a change among its overrides.

    The change is merged with an earlier override of the same subject. It cancels an override that it undoes.
    """
    kept = list(recipe.overrides)
    without = None
    same = [at for at, old in enumerate(kept) if operation.about and _about(old) == _about(operation)]
    if same:
        without = _with(recipe, [*kept[: same[-1]], *kept[same[-1] + 1 :]])
        kept[same[-1]] = read_operation(
            operation.do, {**kept[same[-1]].given_arguments(), **operation.given_arguments()}
        )
    else:
        if kept and (kept[-1].do in operation.undoes or operation.do in kept[-1].undoes):
            without = _with(recipe, kept[:-1])
        kept.append(operation)
    result = _with(recipe, kept)
    with suppress(EditRefused):
        if without is not None and said.with_options(without).draws_as(said.with_options(result)):
            return without
    return result


def _about(operation: Operation) -> tuple[Any, ...]:
    return (operation.do, *(getattr(operation, field) for field in operation.about))


def _with(recipe: EditableRecipe, overrides: list[Operation]) -> EditableRecipe:
    return recipe.model_copy(update={"overrides": overrides})


class Said:
    """A description as the model has it; `form` is the form of the last drawing, None if unknown.

    `families` are the counted families of its last drawing.
    """

    def __init__(self, figure: FigureModel, name: str, form: Mapping[str, Any] | None = None) -> None:
        self.figure = figure
        self.name = name
        self.form = form
        self.families: tuple[Family, ...] = ()

    @cached_property
    def options(self) -> Options:
        """Recipe if the figure comes from one, else the figure."""
        return self.recipe or self.figure

    @cached_property
    def recipe(self) -> EditableRecipe | None:
        """Recipe; None for a figure described by its parts."""
        origin = self.figure.origin
        return origin if isinstance(origin, EditableRecipe) else None

    @cached_property
    def drawn_figure(self) -> FigureModel:
        """Figure in the form that is drawn at its width."""
        recorded = form_of_figure(self.figure, self.form) if self.form is not None else None
        return choose_form(self.figure) if recorded is None else recorded

    def with_options(self, options: Options) -> Said:
        """Return the new state, validated like a file; `EditRefused` if it breaks a rule."""
        return self if options is self.options else self._validate(options)

    def validate_again(self) -> Said:
        """Return the same description, validated like a file; `EditRefused` if it breaks a rule."""
        return self._validate(self.options)

    def _validate(self, options: Options) -> Said:
        return self._with_figure(figure_of_data(shorten_description(options), self.name, self.recipe), self.form)

    def _with_figure(self, figure: FigureModel, form: Mapping[str, Any] | None = None) -> Said:
        """Return the state with another figure, whose nodes keep their layers."""
        return Said(figure.keep_layout(self.figure.layout_record), self.name, form)

    def draws_as(self, other: Said) -> bool:
        """Return whether both draw the same; some labels of a recipe are only in the form of a narrow figure."""
        return self.figure == other.figure and self.drawn_figure == other.drawn_figure

    def freeze_recipe(self) -> Said:
        """Replace a recipe that can no longer express the figure by the figure's parts.

        Drop the measures of a schedule's recipe, because they are no longer computed.
        """
        if self.recipe is None:
            return self
        measured = "bubble_measure" in type(self.recipe).model_fields
        said = self.with_options(self.recipe.model_copy(update={"bubble_measure": "none"})) if measured else self
        return self._with_figure(figure_of_data(shorten_description(said.drawn_figure.model_copy()), self.name))


def make_document(name: str, data: Mapping[str, Any]) -> Document:
    """Return the data of a description as a document, whose messages name the result of an edit as the location."""
    return Document(name, dict(data), Places(name, Place("the result")))


def figure_of_data(data: Mapping[str, Any], name: str, earlier: Recipe | None = None) -> FigureModel:
    """Return the figure of a description; raise `EditRefused` if it violates a rule of the model.

    It shares equal results with the `earlier` version of its recipe.
    """
    try:
        return figure_of(make_document(name, data), earlier=earlier)
    except SpecError as error:
        problem = error.problems[0]
        where = f"{problem.path}: " if problem.path else ""
        raise EditRefused("model", where + problem.message, nearest=problem.hint) from None


class Own(Record):
    """A file's text with LF line ends, and its embedded description (`first`) with the figure.

    `identity` is the record in the file, and `written` the lines that tikzgen wrote.
    """

    name: str
    text: str
    first: Said
    identity: Identity
    written: WrittenLines

    @property
    def is_edited(self) -> bool:
        """Whether the file has manual edits."""
        return edited_by_hand(self.text, self.written)

    @property
    def rows(self) -> list[str]:
        """Current lines of the figure."""
        return rows_of(split_file(self.text)[0])

    def first_rows(self) -> tuple[str, ...] | None:
        """Return the lines as tikzgen wrote them, recorded or rendered; None if rendering gives other lines."""
        if self.written.rows is not None:
            return self.written.rows
        rows = tuple(draw_rows(self.first))
        return rows if hash_lines(rows) == self.written.lines else None


def draw_rows(said: Said) -> list[str]:
    """Return the lines of a description's drawing, and record its families; raise `SpecError` if it has none."""
    from tikzgen.emit.render_figure import render  # most files record their lines: no rendering

    drawn = render(said.figure)
    said.families = drawn.contract.families if drawn.contract is not None else ()
    return rows_of(split_file(drawn.tex)[0])


def _figure(document: Document, name: str) -> FigureModel:
    """Return the figure of a description; on an error, read it again for the location."""
    try:
        return figure_of_data(document.data, name)
    except EditRefused:
        return figure_of(document)


def read_own(text: str, name: str, *, by_any_template: bool = False) -> Own:
    """Read a file that tikzgen wrote; raise `EditRefused` with the reason if it counts as third-party."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    inside = extract_spec(plain)
    if inside is None:
        raise EditRefused("no-spec", "contains no tikzgen spec")
    try:
        document = parse(inside, name)
        identity = identity_of(document.data)
        if identity is None:
            raise EditRefused("other-version", f"contains no spec of format {FORMAT}")
        if identity.templates and not by_any_template:
            raise EditRefused("own-templates", "was rendered with custom templates")
        figure = _figure(document, name)
        found = written_lines(plain, identity)
    except SpecError as error:
        raise EditRefused("spec-unreadable", f"contains an unreadable spec: {error.problems[0]}") from None
    said = Said(figure, name, identity.form)
    return Own(name, plain, said, identity, found)
