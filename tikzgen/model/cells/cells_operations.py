"""Operations on arrays of cells and on bars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from pydantic import Field

from tikzgen.base.errors import EditRefused, quote
from tikzgen.base.plain_words import count_of, join_words
from tikzgen.base.suggest import suggest_known_names
from tikzgen.model.addresses import Reason, read_address
from tikzgen.model.cells.cell_arrays import CellArray, Rectangle
from tikzgen.model.cells.cell_fills import FillLetter
from tikzgen.model.cells.cells import Cells
from tikzgen.model.cells.changed_arrays import (
    MovedAddresses,
    Way,
    change_count,
    find_one,
    remove_one,
    with_fill,
    with_texts,
)
from tikzgen.model.exact_fields import Cost
from tikzgen.model.figure import FigureModel
from tikzgen.model.operations.operation_model import Name, Operation
from tikzgen.model.operations.parts_of_figures import (
    Renames,
    changed_first,
    copy_with,
    list_entry_ids,
    renamed_ref,
)
from tikzgen.model.part import Ref
from tikzgen.text import Text

_Change = Callable[[CellArray], tuple[CellArray, Renames]]


def list_arrays(part: Cells) -> list[str]:
    """Return the ids of the arrays of a part."""
    return list_entry_ids(part.arrays)


def list_bars(part: Cells) -> list[str]:
    """Return the ids of the scaled bars."""
    return list_entry_ids(part.bars)


def change_array(figure: FigureModel, name: str, change: _Change) -> FigureModel:
    """Return the figure with an array changed; addresses in flows, notes, links and slides follow."""

    def change_part(part: Cells) -> tuple[Cells, Renames] | None:
        array = next((array for array in part.arrays if array.id == name), None)
        if array is None:
            return None
        made, renames = change(array)
        return _with_moved(
            copy_with(part, arrays=[made if one is array else one for one in part.arrays]), renames
        ), renames

    found = changed_first(figure, Cells, change_part)
    if found is None:
        raise _no_array(figure, name)
    return found


def _no_array(figure: FigureModel, name: str) -> EditRefused:
    return _no_name("array", name, [each for _, _, part in figure.parts(Cells) for each in list_arrays(part)])


def _no_name(what: str, name: str, known: list[str]) -> EditRefused:
    nearest = suggest_known_names(name, known, f"the {what}s are")
    return EditRefused(f"no-{what}", f"unknown {what} {quote(name)}", nearest=nearest)


def _with_moved(part: Cells, renames: Renames) -> Cells:
    """Return the part with renamed addresses in flows, braces and notes; drop entries without an end."""
    if isinstance(renames, dict) and not renames:
        return part

    def keep(entries: list[Any], *fields: str) -> list[Any]:
        found = []
        for entry in entries:
            given = {field: getattr(entry, field) for field in fields if getattr(entry, field) is not None}
            ends = {field: renamed_ref(end, renames) for field, end in given.items()}
            if None not in ends.values():
                found.append(entry if ends == given else copy_with(entry, **ends))
        return found

    return copy_with(
        part,
        flows=keep(part.flows, "source", "target"),
        braces=keep(part.braces, "over"),
        notes=keep(part.notes, "about"),
    )


def _index_of(array: CellArray, way: Way, name: str) -> int:
    found = find_one(array, way, name)
    if isinstance(found, Reason):
        raise EditRefused(f"no-{way}", f"{found.message} in {quote(array.id)}", nearest=found.hint)
    return found


def _describe_losses(before: FigureModel, after: FigureModel) -> str:
    """Return the numbers of flows, braces, notes, links and labels that a figure lost."""
    lost: dict[str, int] = {}
    first = ""
    for (_, _, old), (_, _, new) in zip(before.parts(Cells), after.parts(Cells), strict=False):
        for what, field in (("flow", "flows"), ("brace", "braces"), ("note", "notes")):
            lost[what] = lost.get(what, 0) + len(getattr(old, field)) - len(getattr(new, field))
        lost["label"] = lost.get("label", 0) + _count_labels(old) - _count_labels(new)
        left = [(flow.source, flow.kind) for flow in new.flows]
        gone = [flow for flow in old.flows if (flow.source, flow.kind) not in left]
        first = first or (f" ({gone[0].source} to {gone[0].target})" if len(gone) == lost["flow"] == 1 else "")
    lost["link"] = len(before.links) - len(after.links)
    told = [f"{count_of(many, what)}{first if what == 'flow' else ''}" for what, many in lost.items() if many > 0]
    return f"this also removed {join_words(told)}" if told else ""


def _count_labels(part: Cells) -> int:
    return sum(len(dict(array.iterate_values())) for array in part.arrays)


class SetCell(Operation):
    """Change the fill or the text of cells."""

    do: Literal["set-cell"]
    cell: Ref
    """Address of a cell or of several, such as `pool[7,2]`, `pool[0:2,:]` or `pool.row(7)`."""
    fill: FillLetter | None = None
    """Fill, a character as in `fill`: a key, `.` for empty, `#` for masked."""
    value: Text | None = None
    """Text in the cells; an empty text removes it."""

    hand = "change the number or the style in the list that draws its row, or the node with its text"
    needs = ("arrays",)
    about = ("cell",)

    @property
    def computed_parts(self) -> str:
        return "" if self.fill is None else "cells"

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with other cells; raise `EditRefused` for an address of no cells."""
        address = read_address(self.cell).inside
        if self.fill is None and self.value is None:
            raise EditRefused("no-change", "set-cell needs a fill or a value", nearest="write fill=a or value=text")

        def set_cells(array: CellArray) -> tuple[CellArray, Renames]:
            place = array.find_rectangle(address)
            if isinstance(place, Reason):
                raise EditRefused("no-cell", place.message, nearest=place.hint)
            made = array
            if self.fill is not None:
                _refuse_covered(array, place)
                made = with_fill(made, place, self.fill)
            if self.value is not None:
                made = with_texts(made, dict.fromkeys(place.iterate_cells(), self.value))
            return made, {}

        return change_array(figure, address.name, set_cells)


def _refuse_covered(array: CellArray, place: Rectangle) -> None:
    """Raise an error if a region covers the fill of some cells."""
    cells = {*place.iterate_cells()}
    for region in array.regions:
        if region.fill is not None and cells & {*array.find_checked(region.at).iterate_cells()}:
            message = f"a region covers {array.id}[{region.at}]"
            raise EditRefused("covered", message, nearest="change the fill of the region in the spec")


class _AddOne(Operation):
    """Base class of operations that add a row or a column."""

    way: ClassVar[Way]

    array: Name
    """Name of the array."""
    at: str = ""
    """Number or id of the position before which it is added; by default at the end."""
    like: str = ""
    """Number or id of the neighbor whose fills and labels it copies; by default the previous one."""
    label: Text | None = None
    """Text of its header."""

    hand = "repeat the lines of a neighbor with its numbers, and move the later lines, the rules and the edge"
    names: ClassVar = {"array": "arrays"}
    makes_parts = True

    @property
    def computed_parts(self) -> str:
        return "cells"

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with one more; later addresses move."""

        def add(array: CellArray) -> tuple[CellArray, Renames]:
            count = array.shape[1 if self.way == "row" else 2]
            index = _index_of(array, self.way, self.at) if self.at else count
            like = _index_of(array, self.way, self.like) if self.like else max(index - 1, 0)
            made = change_count(array, self.way, index, like, self.label)
            return made, MovedAddresses(array, self.way, index, 1)

        return change_array(figure, self.array, add)


class AddRow(_AddOne):
    """Add a row to an array, as a copy of its neighbor."""

    do: Literal["add-row"]

    way = "row"
    undoes = ("remove-row",)


class AddColumn(_AddOne):
    """Add a column to an array, as a copy of its neighbor."""

    do: Literal["add-column"]

    way = "column"
    undoes = ("remove-column",)


class _RemoveOne(Operation):
    """Base class of operations that remove a row or a column."""

    way: ClassVar[Way]

    array: Name
    """Name of the array."""
    at: str = ""
    """Its number or id; by default, the last one is removed."""

    hand = "remove its lines, and move the later lines, the rules and the edge"
    names: ClassVar = {"array": "arrays"}
    makes_parts = True

    @property
    def computed_parts(self) -> str:
        return "cells"

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with one less, without the flows, notes and links that end on it."""

        def remove(array: CellArray) -> tuple[CellArray, Renames]:
            count = array.shape[1 if self.way == "row" else 2]
            if count == 1:
                message = f"{quote(array.id)} has one {self.way}"
                raise EditRefused(f"last-{self.way}", message, invariant=f"an array keeps a {self.way}")
            index = _index_of(array, self.way, self.at) if self.at else count - 1
            return remove_one(array, self.way, index), MovedAddresses(array, self.way, index, -1)

        return change_array(figure, self.array, remove)

    def describe_losses(self, before: FigureModel, after: FigureModel) -> str:
        return _describe_losses(before, after)


class RemoveRow(_RemoveOne):
    """Remove a row of an array."""

    do: Literal["remove-row"]

    way = "row"
    undoes = ("add-row",)


class RemoveColumn(_RemoveOne):
    """Remove a column of an array."""

    do: Literal["remove-column"]

    way = "column"
    undoes = ("add-column",)


class SetArray(Operation):
    """Change the label of an array, or the number of its rows and columns."""

    do: Literal["set-array"]
    array: Name
    """Name of the array."""
    label: Text | None = None
    """Text at the array."""
    rows: int | None = Field(default=None, ge=1, le=16384)
    """Number of rows: more rows are empty, and fewer rows lose the last ones."""
    columns: int | None = Field(default=None, ge=1, le=16384)
    """Number of columns: more columns are empty, and fewer columns lose the last ones."""

    hand = "change the macro of its label; for the size, the numbers in the lists that draw its rows"
    names: ClassVar = {"array": "arrays"}
    about = ("array",)

    @property
    def computed_parts(self) -> str:
        return "" if self.rows is None and self.columns is None else "cells"

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the changed array."""
        if self.label is not None:
            label = self.label
            figure = change_array(figure, self.array, lambda array: (copy_with(array, label=label), {}))
        for way, count in (("row", self.rows), ("column", self.columns)):
            figure = self._change_size(figure, way, count) if count is not None else figure  # type: ignore[arg-type]
        return figure

    def describe_losses(self, before: FigureModel, after: FigureModel) -> str:
        return _describe_losses(before, after)

    def _change_size(self, figure: FigureModel, way: Way, count: int) -> FigureModel:
        """Return the figure with `count` rows or columns, changed at the end."""
        arrays = [array for _, _, part in figure.parts(Cells) for array in part.arrays if array.id == self.array]
        if not arrays:
            raise _no_name(
                "array", self.array, [each for _, _, part in figure.parts(Cells) for each in list_arrays(part)]
            )
        now = arrays[0].shape[1 if way == "row" else 2]

        def clear(array: CellArray) -> tuple[CellArray, Renames]:
            layers, rows, columns = array.shape
            added = ((now, rows), (0, columns)) if way == "row" else ((0, rows), (now, columns))
            place = Rectangle((0, layers), *added)
            return with_texts(with_fill(array, place, "."), dict.fromkeys(place.iterate_cells(), "")), {}

        operations: dict[Way, tuple[Any, Any]] = {"row": (AddRow, RemoveRow), "column": (AddColumn, RemoveColumn)}
        add, remove = operations[way]
        for _ in range(now, count):
            figure = add(do=f"add-{way}", array=self.array).change(figure)
        for _ in range(count, now):
            figure = remove(do=f"remove-{way}", array=self.array).change(figure)
        return change_array(figure, self.array, clear) if count > now else figure


class SetPart(Operation):
    """Change the size of a segment of a bar, or its text."""

    do: Literal["set-part"]
    bar: Name
    """Name of the bar."""
    part: str
    """Number of the segment, from 0, or its id."""
    size: Cost | None = None
    """Size of the segment."""
    label: Text | None = None
    """Text in the segment."""

    hand = "change its length in the list that draws the bar, and move the segments behind it"
    names: ClassVar = {"bar": "bars"}
    about = ("bar", "part")

    @property
    def computed_parts(self) -> str:
        return "" if self.size is None else "sizes"

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the changed segment."""
        changes = self.collect_changes()

        def change_part(part: Cells) -> tuple[Cells, Renames] | None:
            address = read_address(f"{self.bar}[{self.part}]")
            if self.bar not in list_bars(part):
                return None
            found = part.find_element(address)
            if isinstance(found, Reason) or found is None or address.way == "all":
                message = found.message if isinstance(found, Reason) else f"unknown segment {quote(self.part)}"
                raise EditRefused("no-part", message, nearest=found.hint if isinstance(found, Reason) else "")
            index = found.parts[0]
            bars = [
                copy_with(
                    bar,
                    parts=[copy_with(one, **changes) if at == index else one for at, one in enumerate(bar.parts)],
                )
                if bar.id == self.bar
                else bar
                for bar in part.bars
            ]
            return copy_with(part, bars=bars), {}

        made = changed_first(figure, Cells, change_part)
        if made is None:
            raise _no_name("bar", self.bar, [each for _, _, part in figure.parts(Cells) for each in list_bars(part)])
        return made


CELLS_OPERATIONS: tuple[type[Operation], ...] = (
    SetCell,
    AddRow,
    RemoveRow,
    AddColumn,
    RemoveColumn,
    SetArray,
    SetPart,
)
