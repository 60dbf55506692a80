"""Edits of cells: an operation changes one line of rows, and edits by hand become operations."""

import difflib

import pytest

import tikzgen.edit
from tikzgen import Figure
from tikzgen.edit.lift.lifted_file import describe_hand_edits
from tikzgen.edit.pulled_spec import pull_spec_text

ARRAYS = [
    {"id": "w", "label": "W", "size": [4, 4], "fill": "aabb\naabb\nccdd\nccdd"},
    {"id": "pool", "label": "pool", "size": [3, 2], "rows": {"first": 1}, "values": {"1,:": ["x", "y"]}},
]
FLOWS = [{"source": "w[3,3]", "target": "pool.row(3)"}]


@pytest.fixture
def path(tmp_path):
    content = {"type": "cells", "arrays": ARRAYS, "flows": FLOWS}
    file = tmp_path / "fig.tex"
    Figure.model_validate({"panels": [{"content": content}]}).save(file)
    return file


def drawn(text):
    """Return the lines before the spec inside the file."""
    return text.partition("\\end{tikzpicture}")[0].splitlines()


def part_of(path):
    return tikzgen.load(path).panels[0].content[0]


def test_set_cell_changes_one_line_of_rows(path):
    before = drawn(path.read_text())
    tikzgen.edit.open(path).apply("set-cell", cell="w[2,3]", fill="c").save()
    changed = [line for line in difflib.ndiff(before, drawn(path.read_text())) if line[:2] in ("+ ", "- ")]
    assert len(changed) == 2
    assert all("(\\c,2) rectangle" in line for line in changed)
    assert part_of(path).arrays[0].fill == "aabb\naabb\nccdc\nccdd"


def replace_once(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


BY_HAND = [
    ("{0/2/owner 2,2/2/owner 3} \\fill[\\f] (\\c,2)", "{0/3/owner 2,3/1/owner 3} \\fill[\\f] (\\c,2)", "cccd", None),
    ("{0/2/owner 2,2/2/owner 3} \\fill[\\f] (\\c,2)", "{0/1/owner 2,2/2/owner 0} \\fill[\\f] (\\c,2)", "c.aa", None),
    ("{0/x,1/y}", "{0/z,1/y}", "ccdd", {"1,:": ["z", "y"]}),
]


@pytest.mark.parametrize(("old", "new", "row", "values"), BY_HAND)
def test_pull_gives_edits_of_rows_by_hand_back(path, old, new, row, values):
    replace_once(path, old, new)
    (content,) = tikzgen.loads(pull_spec_text(path.read_text(), "fig.tex")).panels[0].content
    assert content.arrays[0].fill.split("\n")[2] == row
    assert content.arrays[1].values == (values or ARRAYS[1]["values"])


def test_add_column_keeps_edits_by_hand(path):
    replace_once(path, BY_HAND[0][0], BY_HAND[0][1])
    replace_once(path, "\\end{tikzpicture}", "  \\node[red] at (1,1) {mine};\n\\end{tikzpicture}")
    tikzgen.edit.open(path).apply("add-column", array="w").save()
    text = path.read_text()
    assert "{mine}" in text
    assert "{0/3/owner 2,3/2/owner 3} \\fill[\\f] (\\c,2)" in text
    assert part_of(path).arrays[0].fill.split("\n")[2] == "cccdd"


def test_recipes_keep_their_fills_and_take_other_texts(tmp_path):
    path = tmp_path / "fig.tex"
    tikzgen.recipes.attention_mask(tokens=4).save(path)
    name = part_of(path).arrays[0].id
    outcome = tikzgen.edit.open(path).attempt("set-cell", {"cell": f"{name}[0,1]", "fill": "#"})
    assert outcome.code == "needs-freeze"
    assert "set-schedule with one of tokens" in outcome.nearest
    outcome = tikzgen.edit.open(path).attempt("set-cell", {"cell": f"{name}[0,0]", "value": "here"})
    assert outcome.status == "applied"


LOSSES = [
    ("remove-row", {"array": "pool"}, "this also removed 1 flow (w[3,3] to pool.row(3))"),
    (
        "set-array",
        {"array": "pool", "rows": 1, "columns": 1},
        "this also removed 1 flow (w[3,3] to pool.row(3)) and 1 label",
    ),
    ("remove-column", {"array": "w", "at": "0"}, ""),
    ("add-row", {"array": "w"}, ""),
]


@pytest.mark.parametrize(("name", "arguments", "message"), LOSSES)
def test_an_outcome_names_what_else_was_removed(path, name, arguments, message):
    outcome = tikzgen.edit.open(path).attempt(name, arguments)
    assert (outcome.status, outcome.message) == ("applied", message)


def save_array(file, array):
    Figure.model_validate({"panels": [{"content": {"type": "cells", "arrays": [array]}}]}).save(file)


LAYERED = {"id": "w", "fill": ["aab\nbbb", "baa\naab"], "values": {"0,1,:": [3, 4, 5], "1,0,:": [6, 7, 8]}}
LAYERS_BY_HAND = [
    (
        "apart",
        "{0/1/owner 1,1/2/owner 0} \\fill[\\f] (\\c,0)",
        "{0/2/owner 1,2/1/owner 0} \\fill[\\f] (\\c,0)",
        ["aab\nbbb", "bba\naab"],
        {},
    ),
    ("apart", "{1/7,2/8}", "{1/x,2/8}", LAYERED["fill"], {(1, 0, 1): "x"}),
    (
        "behind",
        "{0/2/owner 0,2/1/owner 1} \\fill[\\f] (\\c,0)",
        "{0/3/owner 0} \\fill[\\f] (\\c,0)",
        ["aaa\nbbb", "baa\naab"],
        {},
    ),
    ("behind", "{0/3,1/4,2/5}", "{0/3,1/x,2/5}", LAYERED["fill"], {(0, 1, 1): "x"}),
    ("behind", "{7};", "{y};", LAYERED["fill"], {(1, 0, 1): "y"}),
]


@pytest.mark.parametrize(("layers", "old", "new", "fill", "texts"), LAYERS_BY_HAND)
def test_pull_gives_edits_of_a_layer_back(tmp_path, layers, old, new, fill, texts):
    file = tmp_path / "fig.tex"
    save_array(file, LAYERED | ({"layers": "apart"} if layers == "apart" else {}))
    before = dict(part_of(file).arrays[0].iterate_values())
    replace_once(file, old, new)
    (content,) = tikzgen.loads(pull_spec_text(file.read_text(), "fig.tex")).panels[0].content
    assert content.arrays[0].fill == fill
    assert dict(content.arrays[0].iterate_values()) == before | texts


HATCHED = {
    "id": "w",
    "fill": "pqq\nppp",
    "keys": {"p": {"owner": 0, "hatch": "north east lines"}, "q": {"role": "forward", "hatch": "dots"}},
}
ROW = "{0/3/owner 0 north east} \\fill[\\f] (\\c,1) rectangle +(\\n,1);"
LEFT = [
    (ROW, ROW.replace("0/3/owner 0 north east", "0/2/owner 0 north east,2/1/red"), "row 1 of cells w"),
    (ROW, f"{ROW}\n    \\fill[owner 1] (1,1) rectangle +(1,1);", "row 1 of cells w"),
    (ROW, f"{ROW}\n    \\foreach \\c/\\n/\\f in {ROW.replace('c,1', 'c,2')}", "row 2 of cells w"),
    (f"    \\foreach \\c/\\n/\\f in {ROW}\n", "", "removed row 1 of cells w"),
]


def test_a_hatched_fill_becomes_an_operation(tmp_path):
    file = tmp_path / "fig.tex"
    save_array(file, HATCHED)
    replace_once(file, "{0/1/owner 0 north east,1/2/forward dots}", "{0/2/owner 0 north east,2/1/forward dots}")
    replace_once(file, "{0/3/owner 0 north east}", "{0/1/owner 0 north east,1/2/forward dots}")
    assert describe_hand_edits(file.read_bytes(), "fig.tex") == (
        ["set-cell cell='w[0,1]' fill=p", "set-cell cell='w[1,1:3]' fill=q"],
        [],
    )


@pytest.mark.parametrize(("old", "new", "what"), LEFT)
def test_an_edit_that_no_operation_expresses_names_the_row(tmp_path, old, new, what):
    file = tmp_path / "fig.tex"
    save_array(file, HATCHED)
    replace_once(file, old, new)
    calls, left = describe_hand_edits(file.read_bytes(), "fig.tex")
    assert not calls
    assert [each.partition(": ")[2] for each in left] == [what]


def test_set_cell_changes_a_layer_that_is_apart(tmp_path):
    file = tmp_path / "fig.tex"
    save_array(file, LAYERED | {"layers": "apart"})
    tikzgen.edit.open(file).apply("set-cell", cell="w[1,0,2]", fill="b", value="z").save()
    assert part_of(file).arrays[0].fill == ["aab\nbbb", "bab\naab"]
    assert "{0/6,2/z}" in file.read_text()
