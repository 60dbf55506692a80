"""Layout of arrays of cells: runs, lines, sizes of files, arrangement, flows, blocks, bars."""

from __future__ import annotations

import json
import random
import re
import time
from typing import Any

import pytest

from tikzgen import Figure, loads
from tikzgen.layout import layout
from tikzgen.layout.cells.runs import find_lines, find_runs, make_positions
from tikzgen.model.cells import Cells, Header


def _figure(width: float | None = None, **facts: Any) -> Figure:
    return Figure.model_validate({"panels": [{"content": {"type": "cells", **facts}}], "width": width})


def _code(figure: Figure) -> str:
    tex = figure.tex()
    return tex[: tex.index("% tikzgen spec")] if "% tikzgen spec" in tex else tex


def test_runs_cover_the_filled_cells_of_a_row() -> None:
    source = random.Random(3)
    for _ in range(200):
        line = [source.choice("ab. ") for _ in range(source.randint(1, 12))]
        found = [" "] * len(line)
        for start, length, letter in find_runs(line, make_positions(Header(), len(line))):
            found[int(start) : int(start + length)] = [letter] * int(length)
        assert found == [letter if letter not in ". " else " " for letter in line]


def test_runs_stop_at_dots_and_count_from_the_first_number() -> None:
    columns = make_positions(Header(first=1, show=3), 6)
    assert list(find_runs("aaaaaa", columns)) == [(1, 2, "a"), (3.5, 1, "a")]


def test_lines_between_cells_are_the_borders_of_unequal_ones() -> None:
    source = random.Random(5)
    for _ in range(100):
        rows, columns = source.randint(1, 5), source.randint(1, 5)
        grid = [[source.choice("ab") for _ in range(columns)] for _ in range(rows)]
        found: set[tuple[str, float, float]] = set()

        def differs(row: int, column: int, other: int, beside: int, held: list[list[str]] = grid) -> bool:
            return held[row][column] != held[other][beside]

        places_of_rows, places_of_columns = make_positions(Header(), rows), make_positions(Header(), columns)
        for way, places, start, end in find_lines(places_of_rows, places_of_columns, differs, outer=False):
            for place in places:
                found |= {(way, place, at) for at in range(int(start), int(end))}
        level = {("h", r + 1, c) for r in range(rows - 1) for c in range(columns) if grid[r][c] != grid[r + 1][c]}
        upright = {("v", c + 1, r) for r in range(rows) for c in range(columns - 1) if grid[r][c] != grid[r][c + 1]}
        assert found == level | upright


def _causal(size: int) -> list[str]:
    return ["a" * (row + 1) + "#" * (size - row - 1) for row in range(size)]


def test_a_causal_mask_of_64_tokens_is_small_and_fast() -> None:
    figure = _figure(17.8, arrays=[{"id": "m", "fill": _causal(64)}])
    start = time.process_time()
    layout(figure, {})
    assert time.process_time() - start < 0.5
    assert len(_code(figure)) < 10_000


def test_random_fills_stay_below_60_kb() -> None:
    source = random.Random(1)
    fill = ["".join(source.choice("abcd.") for _ in range(64)) for _ in range(64)]
    assert len(_code(_figure(17.8, arrays=[{"id": "m", "fill": fill}]))) < 60_000


def test_64_columns_without_labels_fit_one_column_of_a_paper() -> None:
    figure = _figure(8.4, arrays=[{"id": "m", "fill": _causal(64)}])
    assert "{0/" not in _code(figure)[: _code(figure).index("% --- figure")]
    assert re.search(r"\\foreach \\c(/\\t)? in {0[/,]", _code(figure))


def test_one_row_is_one_line_numbered_as_the_header() -> None:
    code = _code(_figure(arrays=[{"id": "log", "fill": "aab\nb", "rows": {"first": 1}, "columns": {"first": 1}}]))
    assert r"\foreach \c/\n/\f in {1/2/owner 0,3/1/owner 1} \fill[\f] (\c,1) rectangle +(\n,1);" in code


def test_cells_with_labels_are_nodes_numbered_as_the_headers() -> None:
    code = _code(_figure(arrays=[{"id": "s", "values": [["x", "y"], [None, "z"]], "rows": {"first": 5}}]))
    assert r"{0/x,1/y} \node[cell text] (s-5-\c) at (\c+0.5,5.5) {\t};" in code
    assert r"{1/z} \node[cell text] (s-6-\c) at (\c+0.5,6.5) {\t};" in code


@pytest.mark.parametrize(("width", "rows"), [(17.8, 1), (8.4, 2), (4.0, 4)])
def test_arrays_go_from_a_row_to_a_grid_to_a_column(width: float, rows: int) -> None:
    arrays = [{"id": f"s{k}", "label": f"step {k}", "values": [["abcd"] * 4] * 2} for k in range(4)]
    code = _code(_figure(width, arrays=arrays))
    down = re.findall(r"% s\d: 2 x 4\n\s*\\begin\{scope\}\[shift=\{\((.*?)\)\}, x=", code, flags=re.DOTALL)
    assert len({place.rpartition(",")[2] for place in down}) == rows


def test_a_short_arrow_runs_beside_the_labels_of_neighboring_cells() -> None:
    code = _code(
        _figure(
            arrays=[{"id": "s", "values": [["a"], ["b"], ["c"]]}],
            flows=[
                {"source": "s[0,0]", "target": "s[1,0]", "kind": "message"},
                {"source": "s[2,0]", "target": "s[0,0]", "route": "wrap", "kind": "message"},
            ],
        )
    )
    (down,) = re.findall(r"\\draw\[msg flow.*?\] \((\[.*?\])s-0-0\.center\) --\s+\((\[.*?\])s-1-0\.center\)", code) or [
        re.search(r"\((\[[^\]]*\])s-0-0\.center\)\s*--\s*\((\[[^\]]*\])s-1-0\.center\)", code).groups()  # type: ignore[union-attr]
    ]
    assert "yshift=-" in down[0]
    assert "yshift=-" not in down[1]
    assert len(re.findall(r"s-2-0\.center|s-0-0\.center", code)) >= 4


def test_flows_end_at_the_cells_that_they_name() -> None:
    code = _code(
        _figure(
            17.8,
            arrays=[{"id": "pool", "size": [8, 4]}, {"id": "table", "values": [[7], [1]]}],
            flows=[{"source": "table[0,0]", "target": "pool.row(7)", "route": "curved"}],
        )
    )
    assert re.search(r"table-0-0\.west\) \.\. controls .* \.\.\s*\(pool-7-0to4\.east\)", code, flags=re.DOTALL)
    assert "(pool-7-0to4)" in code


def _block_table(width: float, pool: int = 8) -> str:
    requests = [{"id": "A", "tokens": 10}, {"id": "B", "tokens": 1, "prefix_of": "A"}]
    events = [{"request": "B", "append": 3}]
    facts = {"recipe": "block-table", "pool": pool, "requests": requests, "events": events, "width": width}
    return _code(loads(json.dumps(facts)))


def test_flows_to_rows_end_at_the_text_of_each_row() -> None:
    code = _block_table(17.8)
    shifts = dict(re.findall(r"\((pool-\d-0to4)\) at \(\[xshift=([\d.]+)cm\]", code))
    assert float(shifts["pool-4-0to4"]) < float(shifts["pool-3-0to4"]) - 0.5  # "refs 1" and "refs 1, copy of 2"
    assert re.search(r"\.\. +\(\[xshift=[\d.]+cm\]pool-4-0to4\.east\)\s+--\s+\(pool-4-0to4\.east\)", code)


@pytest.mark.parametrize("pool", [8, 64])
@pytest.mark.parametrize("width", [8.4, 17.8])
def test_flows_of_block_tables_stay_apart(width: float, pool: int) -> None:
    code = _block_table(width, pool)
    distance = re.search(r"\\def\\arraysep\{([\d.]+)\}", code)
    assert distance
    assert float(distance[1]) >= (1.4 if width == 8.4 else 1.2)
    heads = re.findall(r"\(\[?(?:yshift=(-?[\d.]+)cm\])?pool-0-0to4\.west\);", code)
    assert len(set(heads)) == len(heads) == (2 if width == 8.4 else 1)
    assert ("dots" in code) == (pool == 64)


def test_blocks_in_use_are_drawn_in_a_large_pool() -> None:
    code = _code(loads('{"recipe": "block-table", "pool": 64, "free": [40, 12, 63, 30], "width": 8.4}'))
    for block in (40, 12, 63, 30):
        assert f"pool-{block}-0to4.west)" in code
    assert make_positions(Header(first=1, show=3, keep=[5]), 9).starts.keys() == {0, 1, 4, 8}


def test_layers_are_a_block_with_labels_on_the_front_and_the_last_layer() -> None:
    values = {"0,:,:": list(range(4)), "1,:,:": list(range(4, 8))}
    code = _code(_figure(arrays=[{"id": "m", "fill": ["aa\nbb", "cc\ndd"], "values": values}]))
    assert r"\def\depthx" in code
    assert "(m-0-1-\\c)" in code
    assert "(m-1-0-1)" in code
    assert "block side" in code
    assert "owner 3" in code


def test_layers_have_a_header() -> None:
    code = _code(_figure(8.4, arrays=[{"id": "m", "size": [2, 2, 2], "layers": {"text": "pp {n}"}}]))
    (macro,) = re.findall(r"\\def\\(\w+)#1\{pp #1\}", code)
    assert [int(layer) for layer in re.findall(rf"\{{\\{macro}\{{(\d)\}}\}}", code)] == [0, 1]


def test_texts_that_nearer_layers_hide_are_reported() -> None:
    values = {"0,:,:": list(range(4)), "1,:,:": list(range(4, 8))}
    notes = layout(_figure(arrays=[{"id": "m", "fill": ["aa\nbb", "cc\ndd"], "values": values}]), {}).notes
    assert [note for note in notes if "hide" in note] == ['nearer layers hide 2 texts of "m" (set layers: apart)']


def test_bars_have_one_scale_and_numbers_that_tex_can_compute_with() -> None:
    bars = [{"id": name, "parts": [{"size": size, "role": "optimizer"}]} for name, size in (("x", 81559), ("y", 40000))]
    code = _code(_figure(8.4, bars=bars, axis={"unit": "MiB", "limits": [{"at": 81920, "label": "80 GiB"}]}))
    numbers = [float(each) for each in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?=/|,1\)|\*\\byteunit)", code)]
    assert max(numbers) < 16383
    assert "81559 MiB" in code
    assert "length of 10 units of the bars" in code


def test_each_row_that_gaps_divide_has_its_own_border() -> None:
    code = _code(_figure(arrays=[{"id": "l", "fill": "aaa\na", "rows": {"apart": True}}]))
    assert len(re.findall(r"\\draw\[cell edge\].*rectangle", code)) == 2
    assert "hole edge" not in code


def test_a_ramp_has_a_strip_in_the_legend_and_minus_signs() -> None:
    figure = _figure(arrays=[{"id": "s", "values": [[-3, 0, 3]], "ramp": {"from": -3, "to": 3, "label": "score"}}])
    code = _code(figure)
    assert len(set(re.findall(r"value \d(?=/\.style)", code))) == 7
    assert r"\ramplabel{score:" in code
    assert "-3/" not in code[code.index("% s: 1 x 3") :]


def test_whole_rows_that_links_end_at_have_a_node_with_their_header() -> None:
    data = {
        "panels": [
            {
                "id": "t",
                "content": {"type": "topology", "nodes": [{"id": "pt", "parts": [{"label": "x"}], "icon": None}]},
            },
            {"id": "c", "content": {"type": "cells", "arrays": [{"id": "pool", "size": [3, 2]}]}},
        ],
        "links": [{"source": "t.pt.part(1)", "target": "c.pool[1,:]"}],
    }
    code = _code(Figure.model_validate(data))
    assert re.search(r"minimum width=\{\(2\*\\cellwidth\+[\d.]+\)\*1cm\}.*\(c-pool-1-0to2\)", code, flags=re.DOTALL)


def test_a_note_leads_into_an_inner_cell() -> None:
    for width in (8.4, 17.8):
        assert "note line" in _code(
            _figure(width, arrays=[{"id": "m", "size": [4, 4]}], notes=[{"text": "here", "about": "m[1,1]"}])
        )


def test_a_part_keeps_its_content_when_it_is_drawn() -> None:
    part = Cells(arrays=[{"id": "a", "fill": "ab"}])  # type: ignore[list-item]
    Figure.model_validate({"panels": [{"content": [part]}]}).tex()
    assert part == Cells(arrays=[{"id": "a", "fill": "ab"}])  # type: ignore[list-item]


_APART = {"id": "w", "label": "W", "size": [2, 2, 3], "fill": ["aab\nbbb", "baa\naab"], "layers": "apart"}


def test_layers_apart_are_separate_arrays() -> None:
    values = {"0,:,:": list(range(6)), "1,:,:": list(range(6, 12))}
    facts = {"regions": [{"at": "1,0,0:2", "fill": "c", "label": "C", "merged": True}], "marks": [{"at": "1,1,2"}]}
    figure = _figure(8.4, arrays=[_APART | facts | {"values": values}])
    code = _code(figure)
    assert r"\depthx" not in code
    assert code.count(r"\begin{scope}[") == 2
    assert code.count(r"{\wlabel, ") == 2
    for name in ("(w-0-0-\\c)", "(w-1-1-\\c)", "(w-1-0-0to2)", "(w-0)", "(w-1)"):
        assert name in code
    assert code.count(r"\draw[held]") == 1
    assert not [note for note in layout(figure, {}).notes if "hide" in note]


def test_everything_reaches_cells_of_layers_that_are_apart() -> None:
    flows = [{"source": "w[0,1,2]", "target": "w[1,0,0]"}, {"source": "w[0,:,:]", "target": "v"}]
    figure = _figure(
        17.8,
        arrays=[_APART, {"id": "v", "size": [2, 2]}, {"id": "n", "size": [2, 1], "beside": "w"}],
        flows=flows,
        braces=[{"over": "w[1,:,0:2]", "label": "two"}],
        notes=[{"text": "about", "about": "w[1,1,1]"}],
    )
    code = _code(figure)
    assert "(w-0-1-2" in code
    assert "(w-1-0-0" in code
    assert "(w-0.east)" in code
    assert "row 1 of column 2 in layer 0 of W leads to" in figure.description.lower().replace(" w ", " W ")


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"flows": [{"source": "w", "target": "v"}]}, 'each layer of "w" is a separate array'),
        ({"braces": [{"over": "w[:,0,:]", "label": "b"}]}, 'each layer of "w" is a separate array'),
    ],
)
def test_addresses_of_several_layers_that_are_apart_are_refused(facts: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _figure(arrays=[_APART, {"id": "v", "size": [2, 2]}], **facts)


@pytest.mark.parametrize("look", [{}, {"style": "vivid"}, {"style": "plain"}, {"palette": "dark"}])
def test_a_block_table_with_long_labels_fits_one_column_of_a_paper(look: dict[str, str]) -> None:
    requests = [
        {"id": "A", "tokens": ["the", "ring", "sends", "each", "chunk", "once", "and", "adds", "what", "comes"]},
        {"id": "B", "tokens": ["then"], "prefix_of": "A"},
    ]
    labels = {
        "pool": "physical blocks of the cache",
        "references": "references: {n}",
        "table": "block table",
        "request": "request {id} of a user",
        "copy": "copied when written",
    }
    facts = {"recipe": "block-table", "free": [7, 1, 3, 5, 0, 2, 4, 6], "requests": requests, "labels": labels}
    assert "pool-7-0to4.west" in _code(loads(json.dumps({**facts, **look, "width": 8.4})))
