"""tikzgen as a Python library: typed recipes, refusals in the command line's words, figures that join and edit."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, some
from typed_recipes import FILE, typed_recipes

import tikzgen
from tikzgen import Brace, Dependency, Event, Lane, SpecError, TikzgenError, Timeline, Worker, recipes
from tikzgen.base.errors import EditRefused, FileRefused
from tikzgen.edit.merge import MergeConflict
from tikzgen.model.timeline import timeline_marks
from tikzgen.model.timeline.mark_table import MARKS
from tikzgen.recipe.recipe_names import NAMES, NEEDS, function_name, recipe


@pytest.mark.slow
def test_the_typed_recipes_are_as_the_models_say() -> None:
    checked_in, made = (ast.dump(ast.parse(text)) for text in (FILE.read_text("utf-8"), typed_recipes()))
    assert checked_in == made, "run python tools/typed_recipes.py"


@pytest.mark.parametrize("name", some(NAMES, 2))
def test_a_function_takes_every_fact_by_name_and_makes_what_a_spec_does(name: str) -> None:
    function = getattr(recipes, function_name(name))
    fields = {field.alias or each for each, field in recipe(name).model_fields.items()} - {"recipe", "reading"}
    assert set(inspect.signature(function).parameters) == fields
    if name not in NEEDS:
        assert function() == tikzgen.loads(f"recipe: {name}\n")
    assert all(f"{each}: " in function.__doc__ for each in fields & set(recipe(name).__annotations__) - {"id", "title"})


GOOD = """
from tikzgen import Figure, recipes
made: Figure = recipes.pipeline(schedule=["1f1b", "zb-h1"], devices=4, forward="1/3", width="ieee-column", height="5cm")
crowd: Figure = recipes.data_parallel(workers={"count": 64, "show": 3}, labels={"server": "PS"}, title=True)
both: Figure = made | crowd / made
text: str = str(both.edit("title", "x"))
"""
WRONG = {  # what mypy says of it, and what pyright does
    'recipes.pipeline(scedule="1f1b")': ('Unexpected keyword argument "scedule"', 'No parameter named "scedule"'),
    'recipes.pipeline(schedule="1f1")': ("incompatible type \"Literal['1f1']\"", "Literal['1f1']"),
    'recipes.pipeline(devices="four")': ('"str"; expected "int"', '"Literal[\'four\']" is not assignable to "int"'),
    "recipes.pipeline(4)": ("Too many positional arguments", "Expected 0 positional arguments"),
    'tikzgen.Worker(lable="x")': ('Unexpected keyword argument "lable"', 'No parameter named "lable"'),
    "tikzgen.Wroker": ('has no attribute "Wroker"', '"Wroker" is not a known attribute'),
}
CHECKERS = [
    ("mypy", "--config-file", str(ROOT / "pyproject.toml"), "--strict", "FOLDER/good.py", "FOLDER/wrong.py"),
    ("basedpyright", "--pythonpath", sys.executable, "--project", "FOLDER"),
]


@pytest.mark.slow
@pytest.mark.parametrize("words", range(len(CHECKERS)), ids=[checker for checker, *_ in CHECKERS])
def test_type_checkers_take_the_right_and_refuse_the_wrong(words: int, tmp_path: Path) -> None:
    lines = ["import tikzgen", "from tikzgen import recipes", *WRONG]
    tmp_path.joinpath("good.py").write_text(GOOD, encoding="utf-8")
    tmp_path.joinpath("wrong.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    tmp_path.joinpath("pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}', encoding="utf-8")
    run = [sys.executable, "-m", *(word.replace("FOLDER", str(tmp_path)) for word in CHECKERS[words])]
    said = subprocess.run(run, capture_output=True, text=True, cwd=ROOT, timeout=300).stdout
    assert "good.py:" not in said
    for number, (line, messages) in enumerate(WRONG.items(), 3):
        told = [each.partition("wrong.py:")[0] for each in said.split(f"wrong.py:{number}:")[1:]]
        assert any(messages[words] in each for each in told), (line, said)


def test_a_docstring_fills_lines_of_116_characters_and_indents_what_goes_on() -> None:
    for name in map(function_name, NAMES):
        lines = (getattr(recipes, name).__doc__ or "").partition("Args:\n")[2].splitlines()
        for line, below in pairwise([*lines, "    end"]):
            assert re.match(r"( {4}| {8})\S", line), (name, line)
            assert len(line) <= 116 and not line.endswith("-"), (name, line)
            if below.startswith(" " * 8):
                assert len(line) + 1 + len(below.split()[0]) > 116, (name, line)


ONE, TWO = recipes.pipeline(schedule="1f1b"), recipes.data_parallel(id="two", workers=2)
REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: recipes.pipeline(scedule="1f1b"), 'pipeline: scedule: unknown field (did you mean "schedule"?)'),
    (lambda: recipes.pipeline(devices="x"), 'pipeline: devices: should be a whole number, not the text "x"'),
    (lambda: recipes.cluster(labels={"nodee": "x"}), "cluster: labels.nodee: unknown field (did you mean "),
    (lambda: recipes.cluster(4), "cluster takes its facts by name, not 4 alone (nodes=…)"),
    (lambda: recipes.parallel_3d(tensor=0), "parallel_3d: tensor: must be at least 1, not 0"),
    (lambda: recipes.data_parallel(workers=2, width=1).tex(), "data_parallel: "),
    (lambda: Worker(id="a", lable="x"), 'Worker: lable: unknown field (did you mean "label"?)'),
    (lambda: tikzgen.Lane(id="a b"), "Lane: id: cannot be "),
    (
        lambda: tikzgen.Topology(nodes=[Worker(id="a")], flows=[{"source": "a", "target": "b"}]),
        'Topology: flows[0].target: unknown node "b" (the existing ones are a)',
    ),
    (
        lambda: recipes.data_parallel().edit("add-wrker"),
        'unknown operation "add-wrker" (did you mean "add-worker"?)',
    ),
    (lambda: recipes.data_parallel().edit("palette", "drak"), "palette: "),
    (lambda: recipes.data_parallel().edit("palette", 1, 2), '"palette" takes 1 arguments, not 2 (palette)'),
    (lambda: recipes.data_parallel().metrics(), "has no timeline"),
    (lambda: recipes.data_parallel().save("fig"), "fig: figures are written as .tex, .pdf, .png or .svg"),
    (lambda: recipes.data_parallel().save("fig.pfd"), '(did you mean ".pdf"?)'),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_a_refusal_is_tikzgens_own_in_plain_words(number: int) -> None:
    act, says = REFUSED[number]
    with pytest.raises(TikzgenError) as refused:
        act()
    assert says in str(refused.value)
    assert "pydantic" not in str(refused.value)
    assert "validation error" not in str(refused.value)


def test_a_part_that_cannot_be_is_a_value_error_too_and_keeps_its_cause() -> None:
    with pytest.raises(ValueError, match="unknown field") as refused:
        Worker(id="a", lable="x")
    assert isinstance(refused.value, SpecError)
    assert refused.value.as_json()[0]["path"] == "lable"


def test_every_class_of_a_description_is_exported_once() -> None:
    from field_pages import _children

    from tikzgen.model.figure import FigureModel

    parts = _children([FigureModel])
    assert [part.__name__ for part in parts if getattr(tikzgen, part.__name__, None) is not part] == []
    values = [id(getattr(tikzgen, name)) for name in tikzgen.__all__]
    assert len(values) == len(set(values)) == len(tikzgen.__all__)


def test_type_checkers_see_the_names_that_there_are() -> None:
    tree = ast.parse(Path(tikzgen.__file__).read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = [
        (node.module, alias.name) for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    homes = {(f"tikzgen.{home}".rstrip("."), name) for name, home in tikzgen._HOMES.items()}
    others = {("typing", "Any"), ("IPython.core.interactiveshell", "InteractiveShell")}
    assert set(seen) - others == homes


def test_text_and_name_of_a_figure() -> None:
    figure = recipes.data_parallel(workers=2)
    assert str(figure) == figure.tex()
    assert repr(figure) == "<Figure distributed-training: main>"
    assert not {"dict", "json", "copy", "parse_obj"} & set(dir(figure))


def test_save_decides_by_the_suffix(tmp_path: Path) -> None:
    figure = recipes.data_parallel(workers=2)
    assert figure.save(tmp_path / "fig.tex").read_text("utf-8") == str(figure)
    assert figure.save(tmp_path / "fig.svg").read_bytes().startswith(b"<svg")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["fig.meta.json", "fig.svg", "fig.tex"]


def test_an_edit_gives_another_figure_and_leaves_this_one() -> None:
    figure = recipes.data_parallel(workers=2)
    edited = figure.edit("add-worker", label="Edge").edit("palette", "dark")
    assert ("Edge" in str(edited), "Edge" in str(figure)) == (True, False)
    assert (edited.palette, figure.palette) == ("dark", "light")


def test_a_figure_checks_and_measures_itself() -> None:
    figure = recipes.pipeline(schedule="1f1b", devices=2, microbatches=3)
    assert figure.check() == ()
    assert figure.metrics().as_json()["makespan"] == 12
    broken = recipes.pipeline(operations=[["0F0", "0B0"], ["0B0", "0F0"]], devices=2, allow_invalid=True)
    assert "TG1" in broken.check()[0].code


JOINED = {
    "beside": (lambda: ONE | TWO, "row", None, ["s1f1b", "two"]),
    "below": (lambda: ONE / TWO, "column", None, ["s1f1b", "two"]),
    "grid": (lambda: (ONE | TWO) / (TWO | ONE), "row", 2, ["s1f1b", "two", "two-2", "s1f1b-2"]),
    "a short last row": (lambda: (ONE | TWO) / ONE, "row", 2, ["s1f1b", "two", "s1f1b-2"]),
    "with itself": (lambda: ONE | ONE, "row", None, ["s1f1b", "s1f1b-2"]),
    "columns": (lambda: (ONE / TWO) | (TWO / ONE), "row", 2, ["s1f1b", "two-2", "two", "s1f1b-2"]),
}


@pytest.mark.parametrize("name", JOINED)
def test_figures_join_to_panels(name: str) -> None:
    make, arrange, columns, panels = JOINED[name]
    figure = make()
    assert (figure.arrange, figure.columns, [panel.id for panel in figure.panels]) == (arrange, columns, panels)
    assert tikzgen.loads(_inside(figure)) == figure


def _inside(figure: tikzgen.Figure) -> str:
    from tikzgen.spec.embedded_spec import extract_spec

    return extract_spec(str(figure)) or ""


def test_links_and_titles_go_along() -> None:
    figure = recipes.parameter_server()
    assert figure.links
    joined = TWO / figure
    assert {link.source.partition(".")[0] for link in joined.links} <= {panel.id for panel in joined.panels}
    assert joined.panels[0].caption == TWO.title


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: (ONE / TWO) | ONE, "2 rows of panels cannot stand beside 1 row"),
        (lambda: ONE / (TWO | ONE), "rows of panels below each other must be as long"),
        (
            lambda: recipes.cluster(width=8) | recipes.cluster(width=9),
            "cluster and cluster have different values of `width` (set it in one of them)",
        ),
    ],
)
def test_figures_that_do_not_join_say_why(make: Callable[[], Any], says: str) -> None:
    with pytest.raises(SpecError) as refused:
        make()
    assert says in str(refused.value)


ROWS = [
    {"gpu": "GPU 0", "start": 0, "end": 1000, "phase": "forward", "number": 0.0},
    {"gpu": "GPU 1", "start": 1000, "end": 2500.5, "phase": "backward", "number": float("nan")},
    {"gpu": "GPU 0", "start": 2000, "end": 3000, "phase": "forward", "number": 1},
]


class Pandas:
    """As much of a frame as is asked of it."""

    def to_dict(self, *, orient: str) -> list[dict[str, Any]]:
        assert orient == "records"
        return ROWS


class Polars:
    """The same of the other package."""

    def to_dicts(self) -> list[dict[str, Any]]:
        return ROWS


@pytest.mark.parametrize("kind", ["rows", "pandas", "polars", "csv"])
def test_a_table_becomes_a_timeline(kind: str, tmp_path: Path) -> None:
    lines = [",".join(str(value) for value in row.values()) for row in ROWS]
    file = tmp_path / "trace.csv"
    file.write_text("\n".join([",".join(ROWS[0]), *lines]).replace("nan", "") + "\n", encoding="utf-8")
    frame: Any = {"rows": ROWS, "pandas": Pandas(), "polars": Polars(), "csv": file}[kind]
    made = Timeline.from_frame(frame, lane="gpu", unit=1000)
    assert [(lane.id, lane.label) for lane in made.lanes] == [("GPU-0", "GPU 0"), ("GPU-1", "GPU 1")]
    facts = [(span.lane, str(span.start), str(span.duration), span.phase, span.number) for span in made.spans]
    assert facts == [
        ("GPU-0", "0", "1", "forward", 0),
        ("GPU-1", "1", "3001/2000", "backward", None),
        ("GPU-0", "2", "1", "forward", 1),
    ]
    assert "\\begin{tikzpicture}" in str(tikzgen.Figure(panels=[tikzgen.Panel(content=[made])]))


def test_lanes_of_a_table_have_the_given_order() -> None:
    rows = [{"lane": lane, "start": 0, "end": 1, "label": "copy", "short": "c"} for lane in ("copy", "NCCL", "compute")]
    made = Timeline.from_frame(rows, lanes=["compute", "NCCL"])
    assert [lane.label for lane in made.lanes] == ["compute", "NCCL", "copy"]
    assert {span.short for span in made.spans} == {"c"}
    with pytest.raises(TikzgenError, match=r'lanes: unknown lane "compue" \(did you mean "compute"\?\)'):
        Timeline.from_frame(rows, lanes=["compue"])


def test_a_table_takes_the_fields_of_a_timeline() -> None:
    made = Timeline.from_frame(
        ROWS,
        lane="gpu",
        unit=1000,
        title="T",
        dependencies=[{"source": "GPU-0-forward1", "target": "GPU-1-backward1"}],
        marks=[Brace(start=0, end=1, label="warm-up"), Event(time=1, lane="GPU-1"), Brace(start=1, end=2)],
    )
    assert (made.title, len(made.dependencies), len(made.braces), len(made.events)) == ("T", 1, 2, 1)
    assert "warm-up" in tikzgen.Figure(panels=[tikzgen.Panel(content=[made])]).tex()
    with pytest.raises(TikzgenError, match="marks: Lane is not a mark"):
        Timeline.from_frame(ROWS, lane="gpu", marks=[Lane(id="a")])


def test_each_kind_of_mark_has_a_field() -> None:
    """Every model of timeline_marks is that of a mark, or a part of one or of the axis."""
    marks = {name for name in vars(timeline_marks) if isinstance(vars(timeline_marks)[name], type)}
    parts = {"Level", "Break", "Tick", "Rules", "Axis"}
    own = {name for name in marks if vars(timeline_marks)[name].__module__ == timeline_marks.__name__}
    assert {MARKS[name].model.__name__ for name in MARKS} == (own - parts) | {"FreeNote"}
    assert all(MARKS[name].field in Timeline.model_fields for name in MARKS)


def change_a_list(timeline: Timeline) -> Timeline:
    timeline.dependencies.append(Dependency(source="a-compute1", target="B-compute1"))
    return timeline


def copy_with_another(timeline: Timeline) -> Timeline:
    return timeline.model_copy(update={"dependencies": [Dependency(source="a-compute1", target="B-compute1")]})


def copy_with_no_part(timeline: Timeline) -> Timeline:
    return timeline.model_copy(update={"lanes": ["A"]})


@pytest.mark.parametrize("change", [change_a_list, copy_with_another, copy_with_no_part])
@pytest.mark.parametrize("late", [False, True])
def test_parts_that_were_changed_in_place_are_tried_again(change: Callable[[Timeline], Timeline], late: bool) -> None:
    rows = [{"lane": "A", "start": 0, "end": 1}, {"lane": "B", "start": 1, "end": 2}]
    made = Timeline.from_frame(rows)
    figure = tikzgen.Figure(panels=[tikzgen.Panel(content=[made if late else change(made)])])
    if late:
        figure.panels[0].content[0] = change(made)
    with pytest.raises(SpecError, match=r"panels\[0\]\.content\[0\]\.(dependencies|lanes)\[0\]"):
        figure.tex()


def test_parts_that_were_changed_rightly_are_drawn() -> None:
    made = Timeline.from_frame([{"lane": "A", "start": 0, "end": 1}, {"lane": "B", "start": 1, "end": 2}])
    made.dependencies.append(Dependency(source="A-compute1", target="B-compute1"))
    assert "A-compute1" in tikzgen.Figure(panels=[tikzgen.Panel(content=[made])]).tex()


BAD_TABLES: list[tuple[Any, str]] = [
    ([], "the table has no rows"),
    (4, "should be a table, not int (a frame of pandas or polars, a CSV file, or a list of mappings)"),
    (
        [{"lan": "a", "start": 0, "end": 1}],
        'the table has no column "lane" (did you mean "lan"?; lane=… names another)',
    ),
    ([{"lane": "a", "start": 0}], "the table has neither `end` nor `duration`"),
    ([{"lane": "a", "start": 0, "end": 1, "duration": 1}], "the table has both `end` and `duration`"),
    ([{"lane": "a", "start": 0, "end": "x"}], 'row 0: end: should be a time, at least 0, not "x"'),
    ([{"lane": "a", "start": 2, "end": 1}], "row 0: end: a span must end after it starts"),
    ([{"lane": "a", "start": None, "end": 1}], "row 0: start: is missing"),
    ([{"lane": "a", "start": 0, "end": 1, "number": "x"}], 'row 0: number: cannot be "x" (a whole number, at least 0)'),
    ([{"lane": "a", "start": 0, "end": 1}] * 2, "spans[1].start: overlaps spans[0]"),
    ("nowhere.csv", "nowhere.csv: no such file or directory"),
]


@pytest.mark.parametrize(("table", "says"), BAD_TABLES, ids=[says[:40] for _, says in BAD_TABLES])
def test_what_is_wrong_in_a_table_is_said_with_its_row(table: Any, says: str) -> None:
    with pytest.raises(TikzgenError) as refused:
        Timeline.from_frame(table)
    assert says in str(refused.value)


def test_a_line_of_a_csv_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("lane,start,end\na,0,1\na,1,0\n", encoding="utf-8")
    with pytest.raises(SpecError, match=r"t\.csv:3: end: a span must end after it starts"):
        Timeline.from_frame(file)
    with pytest.raises(TikzgenError, match=r'unknown column "lable" \(did you mean "label"\?\)'):
        Timeline.from_frame(file, lable="x")
    with pytest.raises(TikzgenError, match='unit: cannot be "0"'):
        Timeline.from_frame(file, unit="0")


def test_what_was_edited_by_hand_is_merged_or_refused_in_words_of_python(tmp_path: Path) -> None:
    path = recipes.data_parallel(workers=2).save(tmp_path / "fig.tex")
    path.write_text(path.read_text("utf-8").replace("{Parameter server}", "{PS}"), "utf-8")
    more = recipes.data_parallel(workers=3)
    with pytest.raises(FileRefused, match=r"not overwritten: it has manual edits \(save\(…, merge=True\) keeps them"):
        more.save(path)
    with pytest.raises(TikzgenError, match="force overwrites manual edits, and merge keeps them"):
        more.save(path, force=True, merge=True)
    merged = more.save(path, merge=True).read_text("utf-8")
    assert r"\def\pslabel{PS}" in merged
    assert "Worker 3" in merged
    other = recipes.data_parallel(labels={"server": "Store"})
    with pytest.raises(MergeConflict):
        other.save(path, merge=True)
    assert r"\def\pslabel{Store}" in other.save(path, merge="ours").read_text("utf-8")
    path.write_text("mine", "utf-8")
    with pytest.raises(FileRefused, match=r"\(save\(…, force=True\) overwrites it\)"):
        more.save(path)


def test_an_edit_that_the_recipe_refuses_is_a_refused_edit() -> None:
    figure = recipes.pipeline(schedule="dualpipe", devices=4, microbatches=8)
    with pytest.raises(EditRefused, match="dualpipe pairs device r with device p-1-r") as refused:
        figure.edit("remove-worker")
    assert (refused.value.code, refused.value.nearest) == ("model", "devices: 4")
