"""What somebody new to the command line gets wrong: one line each that says what to do, and nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run

SPEC = "recipe: data-parallel\n"
BOTH = "all conflicts: --ours conflicts with --theirs (choose one side; 2=ours sets it for conflict 2)"
ALONE = "Error: --ours, --theirs and --resolve need --merge"
NO_FIGURE = "fig.yaml: is a spec, not a figure (`tikzgen render fig.yaml` writes fig.tex; name that)"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("render fig.yaml --merge --force", "Error: --force overwrites manual edits, and --merge keeps them: give one"),
        ("render fig.yaml --theirs", ALONE),
        ("render fig.yaml --resolve 1=ours", ALONE),
        ("render fig.yaml --merge --ours --theirs", BOTH),
        ("render fig.yaml --merge --resolve 1=ours --resolve 1=theirs", BOTH.replace("all conflicts", "conflict 1")),
        ("edit fig.tex add-worker --ours --theirs", BOTH),
        (
            "render fig.yaml --width 8 --set width=9",
            "Error: --width and --set width=… set the same field: give one",
        ),
        (
            "build fig.yaml --set palette=dark --palette light",
            "Error: --palette and --set palette=… set the same field: give one",
        ),
        ("render fig.yaml --width ieee-colum", '--width: unknown width "ieee-colum" (did you mean "ieee-column"?)'),
        ("render fig.yaml --width 200", "--width: a width is between 1 and 100 cm, not 200"),
        ("render fig.yaml --set width=200", "--set width: a width is between 1 and 100 cm, not 200"),
        ("edit fig.yaml set rowsep=3", NO_FIGURE),
        ("show fig.yaml", NO_FIGURE),
        ("pull fig.yaml", NO_FIGURE),
        ("show folder", "folder: is a folder, not a figure (name a .tex in it)"),
        ("preamble folder", "folder: is a folder, not a file (name files in it: folder/*.yaml)"),
        (
            "show run.csv",
            "run.csv: is data, not a figure "
            "(`tikzgen trace show run.csv` looks into a trace, `tikzgen check run.csv` at a schedule)",
        ),
        (
            "check fig.yaml --schedule 1f1b",
            'fig.yaml: no operations that could be of the schedule "1f1b" '
            "(it is for a schedule's CSV, `operations` of a spec, and measured runs)",
        ),
        ("trace fig.yaml", 'Error: unknown command "fig.yaml" of trace (`tikzgen trace show fig.yaml` looks into it)'),
        ("trace shwo", 'Error: unknown command "shwo" of trace (did you mean "show"?)'),
        (
            "--width 8 render fig.yaml",
            "Error: unknown option --width before the command (write it after the command: tikzgen COMMAND --width …)",
        ),
        ("render nowhere.yaml", "nowhere.yaml: file not found (`tikzgen new RECIPE` writes a spec)"),
        ("build nowhere.yaml", "nowhere.yaml: file not found (`tikzgen new RECIPE` writes a spec)"),
        ("pull other.tex", "other.tex: contains no tikzgen spec (a .tex that tikzgen wrote)"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    words: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fig.yaml").write_text(SPEC, encoding="utf-8")
    assert run("render", "fig.yaml").status == 0
    Path("other.tex").write_text("\\documentclass{article}\n", encoding="utf-8")
    Path("folder").mkdir()
    Path("run.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    done = run(*words.split())
    assert done.status in (1, 2)
    assert said in done.err.splitlines()
    assert {path: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before


def test_options_of_the_environment_give_way_to_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIKZGEN_RENDER_WIDTH", "8.4")
    Path("fig.yaml").write_text(SPEC, encoding="utf-8")
    assert run("render", "fig.yaml", "--set", "width=9").status == 0
