"""Every kind of content answers all that is asked of it on its golden, and a package may add a kind."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from command import run
from conftest import EXAMPLES, ROOT
from extension_packages import forget, install

from tikzgen import TikzgenError, load
from tikzgen.base.extensions import load_address
from tikzgen.emit.write_metadata import list_invariants, naming_scheme
from tikzgen.layout import layout
from tikzgen.layout.layout_kinds import LayoutKind, kind_of
from tikzgen.model.content import KINDS, Content
from tikzgen.model.looks.icons import icons_of_figure
from tikzgen.model.operations.operations_table import OPERATIONS
from tikzgen.model.sentences import Known

ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
GOLDEN = {
    "topology": "distributed-training",
    "timeline": "memory",
    "spacetime": "two-phase-commit",
    "cells": "mesh-cube",
}


@pytest.mark.parametrize("name", KINDS.list_entry_names())
def test_each_kind_answers_every_question_on_its_golden(name: str) -> None:
    figure = load(ROOT / "examples" / f"{GOLDEN[name]}.yaml")
    scene = layout(figure, icons_of_figure(figure))
    parts = [part for _, _, part in figure.parts(Content) if part.type == name]
    assert parts
    for part in parts:
        assert isinstance(part, KINDS[name])
        drawn_by = kind_of(part)
        for method, _ in inspect.getmembers(LayoutKind, inspect.isfunction):
            assert callable(getattr(drawn_by, method)), method
        assert [*part.named_parts()]
        assert [*load_address(part.sentences_address)(part, figure, Known())]
        assert load_address(part.names_address)(figure)
        own = load_address(part.operations_address)
        assert own
        assert {each.operation_name() for each in own} <= OPERATIONS.keys()
        assert [*drawn_by.naming_scheme(figure, scene, parts)]
        assert drawn_by.by_hand(figure, scene, parts) or name in {"topology", "cells"}  # their operations say it all
    assert naming_scheme(figure, scene)
    assert list_invariants(figure, scene)


@pytest.mark.parametrize("name", KINDS.list_entry_names())
def test_each_kind_has_folders_templates_and_an_example(name: str) -> None:
    assert (ROOT / "tikzgen" / "model" / name).is_dir()
    assert (ROOT / "tikzgen" / "layout" / name / f"{name}_kind.py").is_file()
    assert (ROOT / "templates" / f"{name}.tex.j2").is_file()
    styles = ROOT / "templates" / f"{name}-styles.tex.j2"
    assert styles.is_file() or not load_address(KINDS[name].layout_address).styles
    assert any(f"type: {name}" in path.read_text("utf-8") for path in EXAMPLES)


def test_space_time_diagrams_are_named_in_their_folders_and_where_kinds_are_registered() -> None:
    """A kind is its folders and one entry of a table; recipes, rules and imports of it may name it, too."""
    folders = ("model/spacetime/", "layout/spacetime/", "recipe/protocols/", "lint/rules/space_time.py")
    naming = {
        path.relative_to(ROOT / "tikzgen").as_posix()
        for path in (ROOT / "tikzgen").rglob("*.py")
        if "spacetime" in path.read_text("utf-8").lower()
    }
    assert {path for path in naming if not path.startswith((*folders, "spec/diagrams/"))} == {
        "__init__.py",
        "model/content.py",
    }


def test_a_package_adds_a_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path / "site", "bits-kind")
    spec = tmp_path / "a.yaml"
    spec.write_text("panels: [{content: {type: bits, bits: ['1', '0', '1']}}]\n", "utf-8")
    done = run("render", str(spec))
    assert done.status == 0, done.err
    done = run("build", str(spec), "-f", "svg", "--no-cache")
    assert done.status == 0, done.err
    assert "(bit2) at (1.2,0) {\\bitthree}" in spec.with_suffix(".tex").read_text("utf-8")
    assert "A word of 3 bits: 1 0 1." in load(spec).description
    assert "A word of 3 bits: 1 0 1." in (tmp_path / "a.svg").read_text("utf-8")
    checked = run("check", str(spec), str(spec.with_suffix(".tex")))
    assert (checked.status, checked.out) == (0, "")
    assert load(spec.with_suffix(".tex")) == load(spec)
    (tmp_path / "b.yaml").write_text("panels: [{content: {type: bit, bits: ['1']}}]\n", "utf-8")
    assert 'did you mean "bits"?' in run("render", str(tmp_path / "b.yaml")).err


def test_without_the_package_its_figure_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = tmp_path / "a.yaml"
    spec.write_text("panels: [{content: {type: bits, bits: ['1', '0', '1']}}]\n", "utf-8")
    with monkeypatch.context() as patch:
        install(patch, tmp_path / "site", "bits-kind")
        load(spec).save(tmp_path / "a.tex")
    forget(monkeypatch)
    with pytest.raises(TikzgenError, match='requires the package "bits-kind", which is not installed'):
        load(tmp_path / "a.tex")


@pytest.mark.parametrize("method", ["texts", "needs", "place_part"])
def test_an_incomplete_layout_is_refused_by_name(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path / "site", "bits-kind", append=f"\n\ndel Layout.{method}\n")
    spec = tmp_path / "a.yaml"
    spec.write_text("panels: [{content: {type: bits, bits: ['1', '0', '1']}}]\n", "utf-8")
    expected = (
        f'package "bits-kind": the layout of the kind "bits" lacks {method} (define {method} in bits_kind:Layout)'
    )
    assert run("render", str(spec)).err == expected + "\n"


def test_an_address_that_leads_nowhere_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path / "site", "bits-kind", append="\n\ndel describe\n")
    (tmp_path / "a.yaml").write_text("panels: [{content: {type: bits, bits: ['1']}}]\n", "utf-8")
    done = run("render", str(tmp_path / "a.yaml"))
    assert done.err.startswith("cannot load bits_kind:describe: module 'bits_kind' has no attribute 'describe' (")
