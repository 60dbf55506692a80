"""Two figures merged into one, with the panels of both side by side or one below the other."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NoReturn, TypeVar

from tikzgen.base.errors import Problem, SpecError, quote
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Meta, Options, RawTex
from tikzgen.model.panel_parts import Link, Panel

_OWN_OPTIONS = ("id", "title", "meta", "measured", "raw_tex")
_T = TypeVar("_T")


def join_side_by_side(one: FigureModel, other: FigureModel) -> FigureModel:
    """Return a figure with the panels of `other` to the right of the panels of `one`, row by row.

    Raise `SpecError` if the figures have different numbers of rows, or different values of an option.
    """
    names = _choose_panel_ids(one, other)
    left, right = _list_panel_rows(one, names), _list_panel_rows(other, names[len(one.panels) :])
    if len(left) != len(right):
        _refuse(
            f"{_spell_rows(len(left))} of panels cannot stand beside {_spell_rows(len(right))}",
            "put as many below each other",
        )
    return _join_rows(one, other, [[*row, *more] for row, more in zip(left, right, strict=True)], names)


def join_below(one: FigureModel, other: FigureModel) -> FigureModel:
    """Return a figure with the panels of `other` below the panels of `one`.

    Raise `SpecError` if the rows have different lengths, or if the figures have different values of an option.
    """
    names = _choose_panel_ids(one, other)
    return _join_rows(
        one, other, [*_list_panel_rows(one, names), *_list_panel_rows(other, names[len(one.panels) :])], names
    )


def _spell_rows(rows: int) -> str:
    return f"{rows} row{'s' * (rows != 1)}"


def _refuse(message: str, hint: str) -> NoReturn:
    raise SpecError([Problem(message, hint=hint)])


def _choose_panel_ids(*figures: FigureModel) -> list[str]:
    """Return a distinct id per panel: its own id, or the figure's id for a lone panel.

    A number is appended to an id that is already used.
    """
    found: list[str] = []
    for figure in figures:
        for panel in figure.panels:
            name = figure.id if panel.id == "main" and len(figure.panels) == 1 else panel.id
            name = name if name[0].isalpha() else f"p{name}"
            free = (name if number == 1 else f"{name[:50]}-{number}" for number in count(1))
            found.append(next(each for each in free if each not in found))
    return found


def _list_panel_rows(figure: FigureModel, names: Sequence[str]) -> list[list[Panel]]:
    """Return the panels of a figure by rows, with new ids; a lone panel gets the title as its caption."""
    title = figure.title if len(figure.panels) == 1 else ""
    panels = [
        panel.model_copy(update={"id": name, "caption": panel.caption or title})
        for panel, name in zip(figure.panels, names, strict=False)
    ]
    return [panels[start : start + figure.abreast] for start in range(0, len(panels), figure.abreast)]


def _join_rows(one: FigureModel, other: FigureModel, rows: list[list[Panel]], names: Sequence[str]) -> FigureModel:
    columns = len(rows[0])
    if any(len(row) != columns for row in rows[:-1]) or len(rows[-1]) > columns:
        _refuse("rows of panels below each other must be as long", "a last row may be shorter")
    panels = [panel for row in rows for panel in row]
    shared = {
        name: _common_option(name, one, other) for name in (*Options.model_fields, "legend") if name not in _OWN_OPTIONS
    }
    return FigureModel.model_validate(
        {
            **shared,
            "id": f"{one.id}-{other.id}"[:60].rstrip("-"),
            "title": next((each.title for each in (one, other) if len(each.panels) > 1 and each.title), ""),
            "meta": one.meta if one.meta == other.meta else Meta(),
            "measured": list(dict.fromkeys([*one.measured, *other.measured])),
            "tex": RawTex(allow=list(dict.fromkeys([*one.raw_tex.allow, *other.raw_tex.allow]))),
            "panels": panels,
            "arrange": "row" if columns > 1 else "column",
            "columns": columns if 1 < columns < len(panels) else None,
            "links": [*_rename_panel_ends(one, names), *_rename_panel_ends(other, names[len(one.panels) :])],
            "phases": _merge_looks("phase", one.phases, other.phases),
            "kinds": _merge_looks("kind of flow", one.kinds, other.kinds),
        }
    )


def _rename_panel_ends(figure: FigureModel, names: Sequence[str]) -> Iterator[Link]:
    """Yield the links of a figure, with the new ids of its panels."""
    new = dict(zip((panel.id for panel in figure.panels), names, strict=False))

    def rename_end(ref: str) -> str:
        panel, _, rest = ref.partition(".")
        return f"{new[panel]}.{rest}" if len(new) > 1 else f"{names[0]}.{ref}"

    for link in figure.links:
        yield link.model_copy(update={"source": rename_end(link.source), "target": rename_end(link.target)})


def _common_option(name: str, one: FigureModel, other: FigureModel) -> Any:
    """Return the value of an option of both figures; raise `SpecError` if both set it, to different values."""
    field = FigureModel.model_fields[name]
    usual = field.get_default(call_default_factory=True)
    first, second = getattr(one, name), getattr(other, name)
    if first != second and usual not in (first, second):
        _refuse(f"{one.id} and {other.id} have different values of `{name}`", "set it in one of them")
    return second if first == usual else first


def _merge_looks(what: str, one: Mapping[str, _T], other: Mapping[str, _T]) -> dict[str, _T]:
    for name in one.keys() & other.keys():
        if one[name] != other[name]:
            _refuse(f"the {what} {quote(name)} looks different in the two figures", "give it one look and one label")
    return {**one, **other}
