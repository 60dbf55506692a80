"""Arrays of cells as models: shapes, fills, regions, addresses, owners, bars, and their refusals."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from tikzgen.base.errors import SpecError
from tikzgen.model.addresses import Reason, read_address
from tikzgen.model.cells import CellArray, Cells, Header
from tikzgen.model.cells.cells_sentences import describe, find_blocks
from tikzgen.model.figure import FigureModel
from tikzgen.model.panel_parts import Panel
from tikzgen.model.sentences import Known


def _array(**facts: Any) -> CellArray:
    return CellArray.model_validate({"id": "a", **facts})


def _cells(**facts: Any) -> Cells:
    return Cells(arrays=[{"id": "a", "size": [2, 3], **facts.pop("array", {})}], **facts)  # type: ignore[list-item]


def _told(part: Cells) -> list[str]:
    figure = FigureModel(panels=[Panel(content=[part])])
    return [sentence.text for sentence in describe(part, figure, Known())]


@pytest.mark.parametrize(
    ("facts", "shape"),
    [
        ({"size": [2, 3]}, (1, 2, 3)),
        ({"size": [4, 2, 3]}, (4, 2, 3)),
        ({"fill": "aab\nb"}, (1, 2, 3)),
        ({"fill": ["aab", "b"]}, (1, 2, 3)),
        ({"fill": ["aa\nbb", "cc\ndd"]}, (2, 2, 2)),
        ({"values": [[1, 2], [3]]}, (1, 2, 2)),
        ({"rows": {"texts": ["x", "y"]}, "columns": {"ids": ["p", "q", "r"]}}, (1, 2, 3)),
    ],
)
def test_the_shape_is_stated_or_follows_from_the_content(facts: dict[str, Any], shape: tuple[int, int, int]) -> None:
    assert _array(**facts).shape == shape


def test_later_regions_cover_the_fill_and_earlier_ones() -> None:
    array = _array(size=[3, 4], fill="aaaa\nbbbb", regions=[{"at": "0:2,1:3", "fill": "c"}, {"at": "1,2", "fill": "d"}])
    assert ["".join(line) for line in array.grid.fills[0]] == ["acca", "bcdb", "...."]


def test_a_merged_region_replaces_the_values_of_its_cells() -> None:
    array = _array(values=[[1, 2], [3, 4]], regions=[{"at": "0,:", "label": "both", "merged": True}])
    assert array.grid.texts == {(0, 1, 0): "3", (0, 1, 1): "4"}


def test_rows_without_a_line_are_empty_and_short_lines_have_holes() -> None:
    assert ["".join(line) for line in _array(size=[3, 3], fill="aa\naaa").grid.fills[0]] == ["aa ", "aaa", "..."]


def test_blocks_cover_each_cell_once() -> None:
    source = random.Random(7)
    for _ in range(200):
        rows, columns = source.randint(1, 6), source.randint(1, 6)
        fill = ["".join(source.choice("ab.") for _ in range(columns)) for _ in range(rows)]
        seen: dict[tuple[int, int, int], str] = {}
        for block in find_blocks(_array(fill=fill)):
            for cell in block.place.iterate_cells():
                assert cell not in seen
                seen[cell] = block.letter
        assert ["".join(seen[0, row, column] for column in range(columns)) for row in range(rows)] == fill


def test_a_description_lists_rectangles_by_owner() -> None:
    part = _cells(array={"label": "W", "fill": "aab\naac"}, owner_name="rank {n}")
    rest = "rank 1 has row 0 of column 2; rank 2 has row 1 of column 2"
    assert _told(part)[0] == f"Array W, 2 by 3: rank 0 has columns 0 and 1; {rest}"


def test_a_description_names_flows_and_exceeded_limits() -> None:
    part = Cells(
        arrays=[CellArray(id="a", size=[2, 3]), CellArray(id="b", size=[1, 1])],
        flows=[{"source": "b[0,0]", "target": "a.row(1)"}],  # type: ignore[list-item]
        bars=[{"id": "x", "parts": [{"size": 90, "role": "optimizer"}]}],  # type: ignore[list-item]
        axis={"unit": "GB", "limits": [{"at": 80}]},  # type: ignore[arg-type]
    )
    told = _told(part)
    assert "All cells of b leads to row 1 of a" in told
    assert "Bar x, 90 GB: optimizer states 90" in told
    assert "Longer than the limit of 80 GB: x" in told


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"array": {"size": [0, 2]}}, "0 is less than 1"),
        ({"array": {"size": [200, 200]}}, "40000 cells are more than 16384"),
        ({"array": {"fill": "aaaa"}}, "line 1 has 4 characters"),
        ({"array": {"fill": "aaa\nbbb\nccc"}}, "the number of lines is 3, that of rows 2"),
        ({"array": {"fill": "x!"}}, 'no meaning for "!"'),
        ({"array": {"fill": "xa"}, "keys": {"x": {"owner": 0}}}, 'no key for "a"'),
        ({"keys": {"#": {"owner": 0}}}, "has a fixed meaning"),
        ({"keys": {"x": {"owner": 0, "role": "forward"}}}, "needs a role or an owner"),
        ({"array": {"values": {"0,0:2": ["x"]}}}, "the number of values is 1, that of cells 2"),
        ({"array": {"values": {"5,0": "x"}}}, "no row 5"),
        ({"array": {"values": {"x!": "x"}}}, "names no cells"),
        ({"array": {"values": [[9]], "ramp": {"from": 0, "to": 1}}}, "is not in the ramp"),
        ({"array": {"ramp": {"from": 1, "to": 1}}}, "a ramp rises"),
        ({"array": {"regions": [{"at": "0,0"}]}}, "changes nothing"),
        (
            {"array": {"regions": [{"at": "0,0:2", "merged": True}, {"at": ":,1", "merged": True}]}},
            "are in a merged region already",
        ),
        ({"array": {"lines": [{"after": 7}]}}, "unknown column 7"),
        ({"array": {"rows": {"texts": ["x"]}}}, "the number of texts is 1, that of rows 2"),
        (
            {"array": {"columns": {"groups": [{"cells": "0:2", "label": "x"}, {"cells": "1:3", "label": "y"}]}}},
            "begins before",
        ),
        ({"array": {"beside": "b"}}, 'unknown other array "b"'),
        ({"flows": [{"source": "a[0,0]", "target": "a[0,0]"}]}, "a flow from a part to itself"),
        ({"flows": [{"source": "a[0,0]", "target": "b"}]}, "unknown part"),
        ({"flows": [{"source": "a[0,0]", "target": "a[0,3]"}]}, "the last one is a[1,2]"),
        ({"array": {"fill": "a a"}, "flows": [{"source": "a[0,0]", "target": "a[0,1]"}]}, "has no cells here"),
        ({"array": {"size": [2, 2, 2]}, "flows": [{"source": "a[0,0,0]", "target": "a[1,0,0]"}]}, "hides these cells"),
        (
            {"array": {"size": [2, 9], "columns": {"show": 4}}, "notes": [{"text": "x", "about": "a[0,5]"}]},
            "dots replace column 5",
        ),
        ({"axis": {"unit": "GB"}}, "an axis needs bars"),
        ({"array": {"fill": "abc\nde"}}, "no text names owner 0"),
        ({"arrange": "row", "columns": 2}, "have no columns"),
    ],
)
def test_impossible_arrays_are_refused(facts: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as refused:
        _cells(**facts)
    assert message in str(refused.value)


def test_arrays_attached_in_a_circle_are_refused() -> None:
    with pytest.raises(SpecError, match="in a circle"):
        Cells(arrays=[CellArray(id="a", size=[1, 1], beside="b"), CellArray(id="b", size=[1, 1], beside="a")])


def test_owners_beyond_four_need_a_number_in_a_cell_a_header_or_a_label() -> None:
    for named in (
        {"values": [[0, 1, 2], [3, 4, None]]},
        {"columns": {"texts": ["0 and 3", "1 and 4", "2"]}},
        {"label": "owners 0 1 2 3 4"},
    ):
        assert _cells(array={"fill": "abc\nde.", **named}).named_owners() == set(range(5))


def test_positions_in_a_header_are_no_owners() -> None:
    assert _cells(array={"fill": "abc"}).named_owners() == set()


def test_addresses_count_as_the_header_does() -> None:
    part = _cells(array={"rows": {"first": 1}, "columns": {"ids": ["x", "y", "z"]}})
    found = part.find_element(read_address("a[2,y]"))
    assert not isinstance(found, Reason)
    assert found is not None
    assert found.cells is not None
    assert (found.cells.rows, found.cells.columns) == ((1, 2), (1, 2))
    assert part.name_node(read_address("a[2,y]")) == "a-2-1"


@pytest.mark.parametrize(("show", "drawn"), [(None, [0, 1, 2, 3, 4]), (3, [0, 1, None, 4]), (5, [0, 1, 2, 3, 4])])
def test_dots_replace_rows_before_the_last(show: int | None, drawn: list[int | None]) -> None:
    assert Header(show=show).drawn_indices(5) == drawn


def test_a_bar_is_as_long_as_its_segments() -> None:
    part = Cells(bars=[{"id": "x", "parts": [{"size": "1/3", "owner": 0}, {"size": 1.5, "owner": 1}]}])  # type: ignore[list-item]
    assert part.bars[0].size == Fraction(11, 6)
    assert part.name_node(read_address("x[1]")) == "x-part1"
