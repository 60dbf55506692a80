"""Formats of finished figures: each is its own, and packages may add some."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run
from conftest import example_tex
from extension_packages import install

from tikzgen.compile.build_figures import build_file
from tikzgen.compile.formats.format_table import FORMATS, Conversion
from tikzgen.compile.make_formats import slides_of
from tikzgen.edit.find_words import find_words
from tikzgen.model.about import WORDLESS

SPEC = "panels: [{content: {type: topology, nodes: [{id: a, label: Worker}]}}]\n"


@pytest.mark.parametrize("name", FORMATS.list_entry_names())
def test_a_file_begins_as_files_of_its_format_do(name: str) -> None:
    made = FORMATS[name].draw(example_tex("talk").read_text("utf-8"), WORDLESS, Conversion(dpi=20))
    assert [each for each in FORMATS if made.startswith(FORMATS[each].signature)] == [name]


@pytest.mark.tex
@pytest.mark.parametrize("name", FORMATS.list_entry_names())
def test_a_file_that_tex_made_begins_so_too(name: str, tmp_path: Path) -> None:
    path = build_file(example_tex("talk").read_text("utf-8"), tmp_path / f"a.{name}", find_words)
    assert path.read_bytes().startswith(FORMATS[name].signature)


@pytest.mark.parametrize("name", FORMATS.list_entry_names())
def test_slides_have_the_names_that_the_format_states(name: str) -> None:
    source = example_tex("talk").read_text("utf-8")
    count = slides_of(source)
    made = FORMATS[name].draw_slides(source, WORDLESS, Conversion(dpi=20), count)
    assert list(made) == FORMATS[name].slide_names(count)
    assert all(data.startswith(FORMATS[name].signature) for data in made.values())


def test_each_format_has_a_media_type_of_its_own() -> None:
    types = [FORMATS[name].media_type for name in FORMATS]
    assert len(set(types)) == len(types)


def test_a_package_adds_a_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path / "site", "html-format")
    (tmp_path / "a.yaml").write_text(SPEC, "utf-8")
    done = run("build", str(tmp_path / "a.yaml"), "-f", "svg,html", "--no-cache")
    assert done.status == 0, done.err
    assert (tmp_path / "a.html").read_bytes() == b"<!DOCTYPE html>" + (tmp_path / "a.svg").read_bytes()
    assert run("build", str(tmp_path / "a.yaml"), "-o", str(tmp_path / "b.html")).status == 0
    assert (tmp_path / "b.html").read_bytes() == (tmp_path / "a.html").read_bytes()


def test_an_unknown_format_is_refused_with_all_that_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.yaml").write_text(SPEC, "utf-8")
    assert "(the formats are pdf, png, svg)" in run("build", str(tmp_path / "a.yaml"), "-f", "eps").err
    install(monkeypatch, tmp_path / "site", "html-format")
    assert "(the formats are pdf, png, svg, html)" in run("build", str(tmp_path / "a.yaml"), "-f", "eps").err
    with pytest.raises(Exception, match='unknown format "eps"'):
        build_file("", tmp_path / "a.eps", find_words)
    assert not (tmp_path / "a.eps").exists()
