"""Operations on arrays: cells, rows, columns and segments; addresses move with the cells that they name."""

import random

import numpy
import pytest

from tikzgen import Figure
from tikzgen.base.errors import EditRefused
from tikzgen.model.addresses import read_address
from tikzgen.model.operations import read_operation
from tikzgen.model.overrides import validate_again

FILLS = ".#abc"


def figure_of(*arrays, **facts):
    return Figure.model_validate({"panels": [{"content": {"type": "cells", "arrays": arrays, **facts}}]})


def cells_of(figure):
    return figure.panels[0].content[0]


def changed(figure, name, **arguments):
    return validate_again(read_operation(name, arguments).change(figure))


def grids(array):
    """Return fills and texts of an array of one layer, as lists of rows."""
    _, rows, columns = array.shape
    texts = [[str(array.grid.texts.get((0, row, column), "")) for column in range(columns)] for row in range(rows)]
    return [list(line) for line in array.grid.fills[0]], texts


def random_array(dice):
    rows, columns = dice.randint(1, 6), dice.randint(1, 6)
    lines = ["".join(dice.choice(FILLS) for _ in range(columns)) for _ in range(rows)]
    fill = "\n".join(lines[: dice.randint(0, rows)]) if dice.random() < 0.5 else lines[: dice.randint(0, rows)]
    first = dice.choice((0, 1))
    values = [[dice.choice(["x", "y", None]) for _ in range(columns)] for _ in range(dice.randint(0, rows))]
    if dice.random() < 0.5:
        values = {}
        for _ in range(dice.randint(0, 3)):
            row, column = dice.randrange(rows), dice.randrange(columns)
            end = dice.randint(row + 1, rows)
            many = end - row
            key = dice.choice([f"{row + first}:{end + first},{column}", f"{row + first},{column}"])
            many = many if ":" in key else 1
            values[key] = dice.choice(["v", [dice.choice(["p", "q", None]) for _ in range(many)]])
    return {
        "id": "a",
        "size": [rows, columns],
        "fill": fill,
        "values": values,
        "rows": {"first": first},
    }


@pytest.mark.parametrize("seed", range(300))
def test_rows_and_columns_are_those_of_numpy(seed):
    dice = random.Random(seed)
    figure = figure_of(random_array(dice), {"id": "other", "size": [2, 2]})
    for _ in range(6):
        array = cells_of(figure).arrays[0]
        way = dice.choice(("row", "column"))
        axis, first = (0, array.rows.first) if way == "row" else (1, 0)
        count = array.shape[1 + axis]
        before = [numpy.array(grid, dtype=object).reshape(array.shape[1:]) for grid in grids(array)]
        if dice.random() < 0.6:
            index, like = dice.randint(0, count), dice.randrange(count)
            at = {"at": str(index + first)} if index < count else {}
            figure = changed(figure, f"add-{way}", array="a", like=str(like + first), **at)
            wanted = [numpy.insert(grid, index, numpy.take(grid, like, axis), axis) for grid in before]
        elif count > 1:
            index = dice.randrange(count)
            figure = changed(figure, f"remove-{way}", array="a", at=str(index + first))
            wanted = [numpy.delete(grid, index, axis) for grid in before]
        else:
            continue
        now = cells_of(figure).arrays[0]
        assert [grid.tolist() for grid in wanted] == list(grids(now)), (seed, way)


@pytest.mark.parametrize("seed", range(100))
def test_cells_change_and_nothing_else(seed):
    dice = random.Random(seed)
    figure = figure_of(random_array(dice))
    array = cells_of(figure).arrays[0]
    _, rows, columns = array.shape
    first = array.rows.first
    row, column = dice.randrange(rows), dice.randrange(columns)
    end = dice.randint(column + 1, columns)
    fill, value = dice.choice(FILLS), dice.choice(["t", ""])
    fills, texts = grids(array)
    made = changed(figure, "set-cell", cell=f"a[{row + first},{column}:{end}]", fill=fill, value=value)
    for at in range(column, end):
        fills[row][at], texts[row][at] = fill, value
    assert (fills, texts) == grids(cells_of(made).arrays[0])


ADDRESSES = ["a[2,1]", "a[0:2,1]", "a[1:,0]", "a[:,3]", "a.row(3)", "a.column(0)", "a", "a[0:4,0:4]"]


@pytest.mark.parametrize("text", ADDRESSES)
@pytest.mark.parametrize("by", ["add", "remove"])
@pytest.mark.parametrize("way", ["row", "column"])
@pytest.mark.parametrize("index", range(4))
def test_addresses_name_the_same_cells(text, by, way, index):
    """A link, a flow, a brace and a note keep the cells that they named, by their unique texts."""
    values = [[f"r{row}c{column}" for column in range(4)] for row in range(4)]
    figure = figure_of({"id": "a", "size": [4, 4], "values": values}, {"id": "b", "size": [1, 1]})
    figure = figure.model_copy(
        update={
            "panels": [
                figure.panels[0].model_copy(
                    update={
                        "content": [
                            type(cells_of(figure)).model_validate(
                                {
                                    **cells_of(figure).__dict__,
                                    "flows": [{"source": text, "target": "b"}],
                                    "notes": [{"text": "n", "about": text}],
                                }
                            )
                        ]
                    }
                )
            ]
        }
    )
    array = cells_of(figure).arrays[0]

    def named(part, address):
        found = part.arrays[0].find_rectangle(read_address(address))
        return {part.arrays[0].grid.texts.get(cell) for cell in found.iterate_cells()}

    before = named(cells_of(figure), text)
    made = changed(figure, f"{by}-{way}", array="a", at=str(index))
    part = cells_of(made)
    gone = {f"r{row}c{column}" for row in range(4) for column in range(4) if (row, column)[way == "column"] == index}
    left = before - gone if by == "remove" else before
    if not left:
        assert part.flows == part.notes == []
        return
    ((end,), (about,)) = [flow.source for flow in part.flows], [note.about for note in part.notes]
    assert end == about
    after = named(part, end)
    copies = {array.grid.texts[(0, *at)] for at in [(0, 0)]} if by == "add" else set()
    assert left <= after
    assert after - left <= {f"r{row}c{column}" for row in range(4) for column in range(4)} | copies


def test_links_and_slides_move_with_their_cells():
    figure = Figure.model_validate(
        {
            "panels": [
                {"id": "p", "content": {"type": "cells", "arrays": [{"id": "a", "size": [4, 2]}]}},
                {"id": "q", "content": {"type": "cells", "arrays": [{"id": "b", "size": [2, 2]}]}},
            ],
            "links": [{"source": "p.a[3,:]", "target": "q.b[0,0]"}, {"source": "p.a.row(0)", "target": "q.b"}],
            "slides": {"by": "groups", "groups": {"one": ["p.a[2,0]"], "two": ["q.b[1,1]"]}},
        }
    )
    made = changed(figure, "add-row", array="a", at="1")
    assert [link.source for link in made.links] == ["p.a[4,:]", "p.a.row(0)"]
    assert made.slides.groups == {"one": ["p.a[3,0]"], "two": ["q.b[1,1]"]}
    made = changed(made, "remove-row", array="a", at="4")
    assert [link.source for link in made.links] == ["p.a.row(0)"]


def test_headers_groups_regions_marks_and_lines_move():
    array = {
        "id": "log",
        "size": [3, 4],
        "rows": {"texts": ["S1", "S2", "S3"], "ids": ["s1", "s2", "s3"]},
        "columns": {"first": 1, "groups": [{"cells": "1:3", "label": "old"}, {"cells": "3:5", "label": "new"}]},
        "regions": [{"at": "s3,2:4", "fill": "a", "label": "r", "merged": True}],
        "marks": [{"at": "0,4"}],
        "lines": [{"after": 2}],
    }
    made = cells_of(changed(figure_of(array), "add-column", array="log", at="2")).arrays[0]
    assert [group.cells for group in made.columns.groups] == ["1:4", "4:6"]
    assert made.regions[0].at == "s3,3:5"
    assert (made.marks[0].at, made.lines[0].after) == ("0,5", 3)
    made = cells_of(changed(figure_of(array), "add-row", array="log")).arrays[0]
    assert (made.rows.texts[-1], made.rows.ids[-1]) == ("S4", "s4")
    made = cells_of(changed(figure_of(array), "remove-row", array="log", at="s3")).arrays[0]
    assert (made.rows.ids, made.regions) == (["s1", "s2"], [])


def test_layers_change_together():
    array = {"id": "m", "size": [2, 2, 2], "fill": ["ab\nba", "ab\nba"], "values": {"1,0,:": ["4", "5"]}}
    figure = figure_of(array)
    made = cells_of(changed(figure, "add-column", array="m", at="0", like="1")).arrays[0]
    assert made.fill == ["bab\naba", "bab\naba"]
    assert made.grid.texts == {(1, 0, 0): "5", (1, 0, 1): "4", (1, 0, 2): "5"}
    made = cells_of(changed(figure, "set-cell", cell="m[1,1,0]", fill="a")).arrays[0]
    assert made.fill == ["ab\nba", "ab\naa"]


def test_an_array_gets_a_label_and_a_size():
    figure = figure_of({"id": "a", "size": [2, 2], "fill": "ab\nba", "values": [["x", "y"]]})
    made = cells_of(changed(figure, "set-array", array="a", label="A", rows=4, columns=1)).arrays[0]
    assert (made.label, made.shape) == ("A", (1, 4, 1))
    assert grids(made) == ([["a"], ["b"], ["."], ["."]], [["x"], [""], [""], [""]])


def test_a_segment_gets_a_size():
    bars = [{"id": "ddp", "parts": [{"size": 15, "owner": 0, "id": "weights"}, {"size": 90, "owner": 1}]}]
    figure = figure_of(bars=bars)
    made = cells_of(changed(figure, "set-part", bar="ddp", part="weights", size=20)).bars[0]
    assert [part.size for part in made.parts] == [20, 90]
    made = cells_of(changed(figure, "set-part", bar="ddp", part="1", size=9, label="nine")).bars[0]
    assert [(part.size, part.label) for part in made.parts] == [(15, ""), (9, "nine")]


REFUSED = [
    ("set-cell", {"cell": "a[9,0]", "fill": "a"}, "no-cell"),
    ("set-cell", {"cell": "b[0,0]", "fill": "a"}, "no-array"),
    ("set-cell", {"cell": "a[0,0]"}, "no-change"),
    ("set-cell", {"cell": "a[1,1]", "fill": "b"}, "covered"),
    ("add-row", {"array": "a", "at": "9"}, "no-row"),
    ("add-column", {"array": "a", "like": "x"}, "no-column"),
    ("remove-row", {"array": "one"}, "last-row"),
    ("remove-column", {"array": "b"}, "no-array"),
    ("set-array", {"array": "b", "rows": 3}, "no-array"),
    ("set-part", {"bar": "b", "part": "0", "size": 3}, "no-bar"),
    ("set-part", {"bar": "bar", "part": "4", "size": 3}, "no-part"),
]


@pytest.mark.parametrize(("name", "arguments", "rule"), REFUSED)
def test_an_impossible_change_is_refused(name, arguments, rule):
    array = {"id": "a", "size": [2, 2], "regions": [{"at": "1,1", "fill": "a"}]}
    bars = [{"id": "bar", "parts": [{"size": 1, "owner": 0}]}]
    figure = figure_of(array, {"id": "one", "size": [1, 2]}, bars=bars)
    with pytest.raises(EditRefused) as caught:
        read_operation(name, arguments).change(figure)
    assert caught.value.code == rule
