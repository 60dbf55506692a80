"""What was rendered before: an unchanged spec is not read as a model again, a changed one always is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tikzgen import load
from tikzgen.base.cache import Cache, program_key
from tikzgen.base.errors import SpecError
from tikzgen.base.record import replace
from tikzgen.compile.render_cache import render_or_reuse
from tikzgen.compile.sandbox.needs_sandbox import is_foreign
from tikzgen.emit.render_figure import render
from tikzgen.model.figure import FigureModel

SPEC = "recipe: data-parallel\n"


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "a.yaml"
    path.write_text(SPEC)
    return path


def refuse() -> FigureModel:
    raise AssertionError("it was to be read from the cache")


def test_the_same_spec_is_read_once(spec: Path, cache: Cache) -> None:
    made = render_or_reuse(spec, lambda: load(spec), cache)
    assert made == render(load(spec))
    assert render_or_reuse(spec, refuse, cache) == replace(made, scene=None)


@pytest.mark.parametrize("facts", [(), (True,)])
def test_another_spec_or_other_facts_are_read(facts: tuple[bool, ...], spec: Path, cache: Cache) -> None:
    render_or_reuse(spec, lambda: load(spec), cache, False)
    changed = SPEC if facts else SPEC + "workers: 2\n"
    spec.write_text(changed)
    assert render_or_reuse(spec, lambda: load(spec), cache, *(facts or (False,))) == render(load(spec))
    with pytest.raises(AssertionError):
        render_or_reuse(spec, refuse, cache, "others")


def test_no_cache_keeps_nothing(spec: Path) -> None:
    render_or_reuse(spec, lambda: load(spec), Cache(None))
    with pytest.raises(AssertionError):
        render_or_reuse(spec, refuse, Cache(None))


def test_errors_are_told_each_time(spec: Path, cache: Cache) -> None:
    spec.write_text("recipe: data-paralel\n")
    for _ in range(2):
        with pytest.raises(SpecError):
            render_or_reuse(spec, lambda: load(spec), cache)


def test_a_spec_that_changes_while_it_is_read_is_not_kept(spec: Path, cache: Cache) -> None:
    def overtaken() -> FigureModel:
        spec.write_text(SPEC + "workers: 2\n")
        return load(spec)

    render_or_reuse(spec, overtaken, cache)
    spec.write_text(SPEC)
    assert render_or_reuse(spec, lambda: load(spec), cache) == render(load(spec))


def test_icons_of_other_packages_may_change(spec: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tikzgen.model.looks.icons.with_plugins", lambda figure, folders: (*folders, spec.parent))
    render_or_reuse(spec, lambda: load(spec), cache)
    with pytest.raises(AssertionError):
        render_or_reuse(spec, refuse, cache)


def test_another_program_renders_anew(spec: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    render_or_reuse(spec, lambda: load(spec), cache)
    monkeypatch.setattr("tikzgen.compile.render_cache.program_key", lambda: "a later version")
    with pytest.raises(AssertionError):
        render_or_reuse(spec, refuse, cache)


def test_an_edited_template_is_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "icons").mkdir()
    template = tmp_path / "icons" / "a.tex.j2"
    monkeypatch.setattr("tikzgen.base.cache.template_folder", lambda: tmp_path)
    keys = []
    for text in ("one", "another", "another"):
        if not template.exists() or template.read_text() != text:
            template.write_text(text)
        keys.append(program_key.__wrapped__())
    assert keys[0] != keys[1] == keys[2]


def test_whose_figure_it_is_is_asked_once(spec: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    own = load(spec).tex()
    strange = own.replace("Worker", "Stranger")
    assert [is_foreign(text, cache) for text in (own, strange)] == [False, True]
    monkeypatch.setattr("tikzgen.compile.sandbox.needs_sandbox._is_foreign", lambda source: True)
    assert [is_foreign(text, cache) for text in (own, strange, own + "%")] == [False, True, True]


@pytest.mark.tex
def test_a_build_with_nothing_to_do_loads_no_model(spec: Path, tmp_path: Path) -> None:
    code = "import sys; from tikzgen.cli import main\ntry: main()\nfinally: print('pydantic' in sys.modules)"
    env = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "home")}
    said = []
    for _ in range(2):
        command = [sys.executable, "-c", code, "build", str(spec)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        said.append((done.stdout.strip(), done.stderr.splitlines()[-1]))
    assert said == [("True", "1 built"), ("False", "1 unchanged")]
