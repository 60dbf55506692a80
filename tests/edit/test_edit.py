"""`tikzgen edit` on files that tikzgen wrote: what it changes, what it refuses, and what it leaves alone."""

from __future__ import annotations

import difflib
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import EXAMPLES, KINDS, ROOT, SWEPT, example_tex, some, with_traces, written
from pictures.goldens import sections_of
from ruamel.yaml import YAML

import tikzgen.edit
from tikzgen import load, loads
from tikzgen.base.errors import FileRefused
from tikzgen.edit.operation_calls import from_words
from tikzgen.model.operations.operations_table import OPERATIONS, read_operation

CASES: list[dict[str, Any]] = YAML(typ="safe").load((ROOT / "tests/cases/edit/own.yaml").read_text(encoding="utf-8"))
NAMES = [path.stem for path in EXAMPLES]


def placed(folder: Path, figure: str, hand: list[list[str]] | None = None) -> Path:
    """A copy of an example's file and its metadata, or of a figure of these cases, with hand edits."""
    path = folder / "fig.tex"
    if figure in NAMES:
        path.write_bytes(example_tex(figure).read_bytes())
        (folder / "fig.meta.json").write_bytes(example_tex(figure).with_suffix(".meta.json").read_bytes())
    else:
        load(ROOT / "tests/cases/edit/figures" / f"{figure}.yaml").save(path)
    text = path.read_text(encoding="utf-8")
    for old, new in hand or ():
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.mark.parametrize("case", some(CASES, 2), ids=lambda case: case["name"])
def test_edit(
    case: dict[str, Any], tmp_path: Path, golden: Callable[[Path, str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = placed(tmp_path, case["figure"], case.get("hand"))
    before, meta = path.read_text(encoding="utf-8"), (tmp_path / "fig.meta.json").read_bytes()
    done = run("edit", "fig.tex", *case["words"])
    after = path.read_text(encoding="utf-8")
    changes = "".join(
        line if line.endswith("\n") else line + "\n"
        for line in difflib.unified_diff(_told(before), _told(after), "before", "after", n=0)
        if not line.startswith("@@")
    )
    if done.status:
        assert (after, (tmp_path / "fig.meta.json").read_bytes()) == (before, meta)
    golden(ROOT / "tests/cases/edit/own.txt", f"exit {done.status}\n{done.err}{done.out}{changes}", case["name"])
    assert sorted(one.name for one in tmp_path.iterdir()) == ["fig.meta.json", "fig.tex"]


def test_every_outcome_is_of_a_case() -> None:
    assert set(sections_of(ROOT / "tests/cases/edit/own.txt")) == {case["name"] for case in CASES}


def _told(text: str) -> list[str]:
    """The lines of a file without what it records of itself: that changes with each of the others."""
    head, _, tail = text.partition('%   "tikzgen": {\n')
    return (head + tail.partition("% tikzgen digest: ")[2].partition("\n")[2]).splitlines(True)


THERE_AND_BACK = [
    ("distributed-training", ["add-worker"], ["remove-worker"]),
    ("parameter-server", ["add-worker"], ["remove-worker"]),
    ("parameter-server-column", ["add-worker"], ["remove-worker"]),
    ("parameter-server-column", ["width", "17.8"], ["width", "8.4"]),
    ("gradient-accumulation", ["add-lane"], ["remove-lane"]),
    ("cluster", ["add-worker"], ["remove-worker"]),
    ("distributed-training", ["recolor", "gradient=otblue"], ["recolor", "gradient=otpurple"]),
    ("distributed-training", ["palette", "dark"], ["palette", "light"]),
    ("distributed-training", ["rename-node", "ps=X"], ["rename-node", "ps=Parameter server"]),
    ("cluster", ["rename-id", "w2=x"], ["rename-id", "x=w2"]),
    ("overlap", ["rename-id", "comm=net"], ["rename-id", "net=comm"]),
    ("cluster", ["add-flow", "net", "store", "data"], ["remove-flow", "net", "store"]),
    ("memory", ["set-schedule", "gpipe"], ["set-schedule", "1f1b"]),
    ("distributed-training", ["width", "ieee-column"], ["width", "null"]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("figure", "there", "back"), THERE_AND_BACK, ids=lambda value: "-".join(value).split("=")[0])
def test_there_and_back_gives_the_same_drawing(
    figure: str, there: list[str], back: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = placed(tmp_path, figure)
    before = path.read_text(encoding="utf-8").partition("\\end{document}")[0]
    assert run("edit", "fig.tex", *there).status == 0
    assert path.read_text(encoding="utf-8").partition("\\end{document}")[0] != before
    assert run("edit", "fig.tex", *back).status == 0
    assert path.read_text(encoding="utf-8").partition("\\end{document}")[0] == before


@pytest.mark.parametrize("figure", ["distributed-training", "parameter-server", "gradient-accumulation", "cluster"])
def test_one_worker_more_and_one_fewer_gives_the_same_bytes(figure: str, tmp_path: Path) -> None:
    path = placed(tmp_path, figure)
    before = path.read_bytes()
    tikzgen.edit.open(path).add_worker().save()
    tikzgen.edit.open(path).remove_worker().save()
    assert path.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_pulled_spec_gives_the_same_file(example: Path, tmp_path: Path) -> None:
    spec, copy = tmp_path / "fresh.yaml", with_traces(example, tmp_path)
    for target in (spec, copy):
        assert run("pull", str(example_tex(example.stem)), "-o", str(target)).status == 0
    assert load(spec).tex() == written(example)
    # what the file says already is not touched
    assert copy.read_bytes() == example.read_bytes()


def test_pull_keeps_comments_and_changes_what_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    placed(tmp_path, "gradient-accumulation", [["\\def\\timelabel{time}", "\\def\\timelabel{Zeit}"]])
    spec = tmp_path / "spec.yaml"
    original = (ROOT / "examples/gradient-accumulation.yaml").read_text(encoding="utf-8")
    spec.write_text(original.replace("accumulate: [1, 2]", "accumulate: [1, 2]  # both panels"), encoding="utf-8")
    assert run("pull", "fig.tex", "-o", "spec.yaml").status == 0
    text = spec.read_text(encoding="utf-8")
    assert "# both panels" in text
    assert "# Four GPUs with unequal steps" in text
    assert "time: Zeit" in text
    assert load(spec).panels[0].content[0].axis.label == "Zeit"


def test_render_merges_with_hand_edits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = placed(tmp_path, "distributed-training", [["below=2pt of data", "below=4pt of data"]])
    spec = str(ROOT / "examples/distributed-training.yaml")
    refused = run("render", spec, "-o", "fig.tex", "--set", "workers=5")
    assert refused.status == 1
    assert run("render", spec, "-o", "fig.tex", "--set", "workers=5", "--merge").status == 0
    text = path.read_text(encoding="utf-8")
    assert "below=4pt of data" in text
    assert "(w5)" in text
    clash = run("render", spec, "-o", "fig.tex", "--set", "labels.data=X", "--set", "icons.data=null", "--merge")
    assert clash.status == 1
    assert "manual: " in clash.err
    assert "tikzgen: " in clash.err
    assert path.read_text(encoding="utf-8") == text


def test_undo_takes_back_the_last_edit_only_where_it_is_safe(tmp_path: Path) -> None:
    path = placed(tmp_path, "distributed-training")
    meta = tmp_path / "fig.meta.json"
    first = path.read_bytes(), meta.read_bytes()
    tikzgen.edit.open(path).add_worker().save()
    second = path.read_bytes(), meta.read_bytes()
    assert second != first
    tikzgen.edit.open(path).palette("dark").save()
    tikzgen.edit.undo(path)
    assert (path.read_bytes(), meta.read_bytes()) == second
    path.write_bytes(path.read_bytes() + b"% mine\n")
    with pytest.raises(FileRefused, match="changed after"):
        tikzgen.edit.undo(path)
    path.write_bytes(second[0])
    tikzgen.edit.undo(path)
    assert (path.read_bytes(), meta.read_bytes()) == first
    with pytest.raises(FileRefused, match="no edit to undo"):
        tikzgen.edit.undo(path)


def test_line_ends_and_marks_of_the_file_stay(tmp_path: Path) -> None:
    path = placed(tmp_path, "distributed-training")
    odd = b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n")
    path.write_bytes(odd)
    tikzgen.edit.open(path).palette("dark").save()
    changed = path.read_bytes()
    assert changed.startswith(b"\xef\xbb\xbf")
    assert changed.count(b"\n") == changed.count(b"\r\n")
    tikzgen.edit.open(path).palette("light").save()
    assert path.read_bytes() == odd


def test_a_file_that_changed_in_the_meantime_is_left_alone(tmp_path: Path) -> None:
    path = placed(tmp_path, "distributed-training")
    editing = tikzgen.edit.open(path).add_worker()
    path.write_bytes(path.read_bytes() + b"% mine\n")
    with pytest.raises(FileRefused, match="it changed after it was read"):
        editing.save()
    assert path.read_bytes().endswith(b"% mine\n")


def test_operations_from_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = placed(tmp_path, "distributed-training")
    calls = [{"operation": "add-worker"}, {"operation": "set", "parameter": "rowsep", "value": 2}]
    done = run("edit", "fig.tex", "-", "--format", "json", stdin=json.dumps(calls))
    report = json.loads(done.out)
    assert [outcome["status"] for outcome in report["outcomes"]] == ["applied", "applied"]
    assert "\\def\\rowsep{2}%" in path.read_text(encoding="utf-8")
    calls = [{"operation": "recolor", "what": "gradient", "color": "otteal"}]
    done = run("edit", "fig.tex", "-", "--format", "json", stdin=json.dumps(calls))
    assert done.status == 1
    outcome = json.loads(done.out)["outcomes"][0]
    assert (outcome["status"], outcome["code"]) == ("refused", "same-color")
    assert "distinct palette colors" in outcome["invariant"]
    assert outcome["nearest"]


@pytest.mark.parametrize("text", ["[", "3", '[{"what": 1}]', '[{"operation": "nothing"}]'])
def test_bad_lists_of_operations_are_one_line(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    placed(tmp_path, "distributed-training")
    done = run("edit", "fig.tex", "-", stdin=text)
    assert done.status in (1, 2)
    assert len(done.err.splitlines()) == 1


def test_diff_and_dry_run_write_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = placed(tmp_path, "distributed-training")
    before = path.read_bytes()
    shown = run("edit", "fig.tex", "add-worker", "--diff")
    assert "+  \\node[icon] (w4)" in shown.out
    assert run("edit", "fig.tex", "add-worker", "--dry-run").status == 0
    assert path.read_bytes() == before


@pytest.mark.tex
def test_another_id_gives_the_same_picture(tmp_path: Path) -> None:
    from papers import Paper

    from tikzgen.compile.tex.compile_tex import compile_tex

    path = placed(tmp_path, "cluster")
    renamed = tikzgen.edit.open(path).rename_id("w2", "gpu-two").rename_id("net", "fabric").text()
    pages = []
    for number, text in enumerate((path.read_text(encoding="utf-8"), renamed)):
        pdf = tmp_path / f"{number}.pdf"
        pdf.write_bytes(compile_tex(text, engine="pdflatex").pdf)
        pages.append(Paper("", pdf).pages()[0])
    assert pages[0].looks_like(pages[1])


def test_a_spec_of_another_version_is_not_written_again(tmp_path: Path) -> None:
    path = placed(tmp_path, "distributed-training", [['%     "format": 4,', '%     "format": 99,']])
    before = path.read_bytes()
    assert "no spec of format 4" in str(tikzgen.edit.open(path).attempt("width", {"width": 9}))
    assert path.read_bytes() == before


def test_a_process_killed_within_a_write_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "fig.tex"
    texts = [letter * 400_000 for letter in "ab"]
    path.write_text(texts[0])
    script = (
        "import sys, itertools; from pathlib import Path; from tikzgen.base.write_files import write_file\n"
        "print('ready', flush=True)\n"
        "for letter in itertools.cycle('ab'): write_file(Path(sys.argv[1]), (letter * 400_000).encode())"
    )
    for pause in (0.0, 0.01, 0.02, 0.05, 0.1):
        with subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(pause)
            writer.kill()
        assert path.read_text() in texts


@pytest.mark.slow
@pytest.mark.parametrize("figure", [path.stem for path in EXAMPLES])
def test_every_parameter_may_be_set(figure: str) -> None:
    from tikzgen.base.errors import EditRefused
    from tikzgen.edit.own_figure import read_own
    from tikzgen.edit.run_operation import run_operation

    own = read_own(example_tex(figure).read_text(encoding="utf-8"), figure)
    for parameter in tikzgen.show(example_tex(figure)).parameters:
        text = " ".join(["Xy", *re.findall(r"\d+", str(parameter.value))])  # labels name owners by their numbers
        value = "3" if parameter.type == "length-cm" else text
        try:
            said = run_operation(own.first, read_operation("set", {"parameter": parameter.name, "value": value}))
        except EditRefused as refused:
            assert refused.code == "no-field"
        else:
            assert not said.draws_as(own.first)


@pytest.mark.slow
def test_a_text_that_only_a_narrow_form_shows_is_set(tmp_path: Path) -> None:
    path = tmp_path / "fig.tex"
    path.write_bytes(example_tex("parameter-server-column").read_bytes())
    for status in ("applied", "noop"):
        editing = tikzgen.edit.open(path)
        assert editing.attempt("set", {"parameter": "computelabel", "value": "Xy"}).status == status
        editing.save()
        assert "\\def\\computelabel{Xy}" in path.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["ellipsis", *(each.stem for each in KINDS)])
def test_no_operation_stumbles_over_a_name_that_is_not_there(figure: str, tmp_path: Path) -> None:
    path = example_tex(figure) if figure in NAMES else tmp_path / "fig.tex"
    if figure == "ellipsis":
        nodes = [{"kind": "worker", "id": "w1"}, {"kind": "ellipsis"}, {"kind": "worker", "id": "w2"}]
        loads(json.dumps({"panels": [{"content": {"type": "topology", "nodes": nodes}}]}), name="a.json").save(path)
    for operation, arguments in OPERATIONS.items():
        editing = tikzgen.edit.open(path)
        for value in ("nope", "dots", "w1"):
            outcome = editing.attempt(operation, dict.fromkeys(arguments.list_arguments(), value))
            assert outcome.status in ("applied", "noop", "refused"), (operation, value, str(outcome))


@pytest.mark.parametrize("example", SWEPT)
def test_an_edit_plans_one_layout(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It fits the figure as often as a render of the result does: which form was drawn is recorded."""
    from tikzgen.layout import lay_out_figure

    path = placed(tmp_path, example.stem)
    text = next(each.name for each in tikzgen.show(path).parameters if each.type == "text")
    fits: list[object] = []
    fit = lay_out_figure.fit
    monkeypatch.setattr(lay_out_figure, "fit", lambda *given: fits.append(None) or fit(*given))
    tikzgen.edit.open(path).set(text, "Xy").save()
    edited = len(fits)
    load(path).tex()
    assert edited == len(fits) - edited


@pytest.mark.parametrize(
    ("figure", "call", "outcome"),
    [
        (
            "accumulate-four",
            "set colsep=4",
            "refused: the figure does not use the distance \\colsep (try: its distances are ",
        ),
        (
            "rlhf",
            "change-spacing timeunit=2",
            "refused: the figure does not use the distance \\timeunit (try: its distances",
        ),
        ("rlhf", "set description=So", "applied: the picture stays as it is"),
        ("rlhf", "set rowsep=2", "applied"),
    ],
)
def test_an_edit_without_effect_says_so(figure: str, call: str, outcome: str, tmp_path: Path) -> None:
    """`set colsep=4` was applied to a timeline, which has no columns, and nobody saw why nothing changed."""
    editing = tikzgen.edit.open(placed(tmp_path, figure))
    (told,) = from_words(call.split())
    assert f"{told.operation}: {outcome}" in str(editing.attempt(told.operation, told.arguments))
