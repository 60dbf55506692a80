"""Venues: each has two widths and a source, and a package may add one."""

from __future__ import annotations

from pathlib import Path

import pytest
from extension_packages import forget, install

from tikzgen import TikzgenError, load, loads
from tikzgen.model.looks.icons import plugin_folders
from tikzgen.model.looks.venues import VENUES
from tikzgen.model.looks.widths import read_width

SPEC = "recipe: data-parallel\nwidth: {}\n"


@pytest.mark.parametrize("name", VENUES.list_entry_names())
def test_each_venue_has_widths_and_a_source(name: str) -> None:
    venue = VENUES[name]
    assert 200 < venue.column_pt <= venue.text_pt < 600
    assert venue.source


def test_a_package_adds_a_venue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        install(patch, tmp_path / "site", "poster-venue")
        assert read_width("poster-column") == pytest.approx(25, abs=0.01)
        loads(SPEC.format("poster-text")).save(tmp_path / "a.tex")
        with pytest.raises(TikzgenError, match='did you mean "poster-column"'):
            loads(SPEC.format("postr-column"))
    forget(monkeypatch)
    with pytest.raises(TikzgenError, match='requires the package "poster-venue", which is not installed'):
        load(tmp_path / "a.tex")


@pytest.mark.parametrize("group", ["tikzgen.icons", "tikzgen.templates"])
def test_a_package_adds_icons(group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path / "site", "poster-venue")
    info = next((tmp_path / "site").glob("*.dist-info"))
    (info / "entry_points.txt").write_text(f"[{group}]\nours = poster_venue\n", "utf-8")
    folder = tmp_path / "site" / "templates"
    (folder / "icons").mkdir(parents=True)
    header = "<#-\ndescription: A star.\nsize: 1 x 1\n-#>\n"
    (folder / "icons" / "star.tex.j2").write_text(header + r"\fill[<< color >>] (0,0) rectangle (1,1);" + "\n", "utf-8")
    forget(monkeypatch)
    assert plugin_folders() == (folder,)
    spec = "panels: [{content: {type: topology, nodes: [{id: a, label: A, icon: star}]}}]\n"
    assert r"\starpic" in loads(spec).tex()
