"""`tikzgen render` of what was rendered before: the same bytes, and never instead of what changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import run
from conftest import EXAMPLES, with_traces

from tikzgen import load
from tikzgen.emit.figure_files import Rendered, spelt_metadata
from tikzgen.emit.render_figure import render

SPEC = "recipe: data-parallel\nworkers: 2\n"


class Read(BaseException):
    """A description was read: it did not come from the cache."""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("fig.yaml").write_text(SPEC, encoding="utf-8")
    return Path("fig.yaml")


def reads(*arguments: str) -> bool:
    """Whether this rendering reads the description; then nothing comes of it."""

    def told(*_: object, **__: object) -> None:
        raise Read

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tikzgen.lint.read_valid.read_valid", told)
        try:
            run("render", *arguments)
        except Read:
            return True
    return False


def held(folder: str) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in Path(folder).iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_both_files_have_the_same_bytes(example: Path, spec: Path) -> None:
    spec = with_traces(example, spec.parent)
    assert run("render", str(spec), "-o", "first/fig.tex").status == 0
    if reads(str(spec), "-o", "again/fig.tex"):  # what traces hold may have changed, which no spec tells
        assert example.stem.startswith("measured")
        assert run("render", str(spec), "-o", "again/fig.tex").status == 0
    made = render(load(example))
    wanted = {"fig.tex": made.tex.encode(), "fig.meta.json": spelt_metadata(made.metadata).encode()}
    assert held("first") == held("again") == wanted


OPTIONS = ["--palette dark", "--width 8.4", "--set workers=3", "--set labels.server=PS --set workers=3"]


@pytest.mark.parametrize("options", [*OPTIONS, "--allow-invalid"])
def test_what_options_change_is_kept_by_itself(options: str, spec: Path) -> None:
    arguments = (str(spec), "-o", "-", *options.split())
    plain = run("render", str(spec), "-o", "-")
    assert reads(*arguments)
    first = run("render", *arguments)
    assert not reads(*arguments)
    assert run("render", *arguments) == first
    assert (first.out == plain.out) is (options == "--allow-invalid")
    assert run("render", str(spec), "-o", "-") == plain


def test_metadata_and_notes_are_kept_with_the_figure(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = render(load(spec))
    noted = Rendered(made.tex, made.metadata, ("seen", "said"))
    monkeypatch.setattr("tikzgen.emit.render_figure.render", lambda _: noted)
    first = run("render", str(spec), "--format", "json")
    assert not reads(str(spec), "--format", "json")
    assert run("render", str(spec), "--format", "json") == first
    assert first.err == "fig.yaml: seen\nfig.yaml: said\n"


@pytest.mark.parametrize("text", [SPEC + "# a comment\n", "recipe: data-paralel\n", ""])
def test_a_changed_description_is_read(text: str, spec: Path) -> None:
    run("render", str(spec), "-o", "-")
    spec.write_text(text, encoding="utf-8")
    assert reads(str(spec), "-o", "-")
    assert run("render", str(spec), "-o", "-") == run("render", str(spec), "-o", "-")
    spec.write_text(SPEC, encoding="utf-8")
    assert not reads(str(spec), "-o", "-")


def test_another_program_or_changed_template_renders_anew(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("render", str(spec), "-o", "-")
    monkeypatch.setattr("tikzgen.compile.render_cache.program_key", lambda: "with another template")
    assert reads(str(spec), "-o", "-")


def test_templates_of_ones_own_and_pipes_are_rendered_each_time(spec: Path) -> None:
    Path("mine").mkdir()
    os.mkfifo("pipe")
    for arguments in ((str(spec), "-o", "-", "--templates", "mine"), ("pipe", "-o", "-")):
        assert reads(*arguments)
    first = run("render", "-", stdin=SPEC)
    assert run("render", "-", stdin=SPEC.replace("2", "3")) != first == run("render", "-", stdin=SPEC)


def test_a_file_edited_by_hand_is_left_alone(spec: Path) -> None:
    run("render", str(spec))
    figure = Path("fig.tex")
    edited = figure.read_text(encoding="utf-8").replace("Worker", "Machine")
    figure.write_text(edited, encoding="utf-8")
    refused = run("render", str(spec))
    assert (refused.status, figure.read_text(encoding="utf-8")) == (1, edited)
    assert "not overwritten: it has manual edits" in refused.err
    assert run("render", str(spec), "--force").status == 0
    assert figure.read_text(encoding="utf-8") == load(spec).tex()


def test_hand_edits_are_merged_from_the_description(spec: Path) -> None:
    run("render", str(spec))
    figure = Path("fig.tex")
    figure.write_text("% mine\n" + figure.read_text(encoding="utf-8"), encoding="utf-8")
    assert reads(str(spec), "--merge")
    assert run("render", str(spec), "--merge", "--set", "workers=3").status == 0
    assert figure.read_text(encoding="utf-8").startswith("% mine\n")


def test_without_a_place_for_a_cache_nothing_is_said(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    first = run("render", str(spec), "-o", "-")
    assert (first.status, first.err, first.out) == (0, "", load(spec).tex())
    assert reads(str(spec), "-o", "-")


def test_a_damaged_entry_is_made_again(spec: Path) -> None:
    first = run("render", str(spec), "-o", "-")
    for entry in Path("cache/tikzgen").glob("??/*"):
        entry.write_bytes(entry.read_bytes()[:-1])
    assert reads(str(spec), "-o", "-")
    assert run("render", str(spec), "-o", "-") == first


def test_the_second_time_no_model_is_loaded(spec: Path) -> None:
    code = (
        "import sys; from tikzgen.cli import main\ntry: main()\nfinally: print({'pydantic', 'jinja2'} & {*sys.modules})"
    )
    said = []
    for _ in range(2):
        command = [sys.executable, "-c", code, "render", str(spec), "-o", "-"]
        done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=True)
        said.append(done.stdout.rsplit("\n", 2))
    assert said[0][0] == said[1][0]
    assert said[0][1] != said[1][1] == "set()"
