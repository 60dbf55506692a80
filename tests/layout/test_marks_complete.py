"""Every type of mark changes the description, keeps clear, and survives slides and a file; packages add some."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command import run
from extension_packages import forget, install

from tikzgen import TikzgenError, load, loads
from tikzgen.api import Figure
from tikzgen.model.timeline.mark_table import MARKS
from tikzgen.spec.embedded_spec import extract_spec

LANES = "lanes: [{id: a, label: A}, {id: b, label: B}, {id: c, label: C}]"
SPANS = "spans: [{id: s, lane: a, start: 0, duration: 4}, {id: t, lane: b, start: 4, duration: 4}]"
SPEC = "panels: [{{content: {{type: timeline, {lanes}, {spans}{mark}}}}}]\n{more}"
ONE: dict[str, str] = {
    "barrier": "{time: 4, label: LABEL}",
    "event": "{time: 4, lane: a, label: LABEL}",
    "brace": "{start: 0, end: 4, label: LABEL}",
    "dimension": "{start: 0, end: 4, label: LABEL}",
    "remark": "{about: s, text: LABEL}",
    "note": "{about: s, text: LABEL}",
    "group": "{lanes: [a, b], label: LABEL}, {lanes: [c], label: Other}",
    "dependency": "{source: s, target: t, label: LABEL}",
    "strip": "{levels: [{start: 0, end: 4, value: 2}], label: LABEL}",
    "frame": "{start: 0, end: 4}",
    "bubble": "{lane: a, start: 4, end: 8, label: LABEL}",
    "deadline": "{type: deadline, time: 4, label: LABEL}",
}
"""A mark of each type; a new type without one fails."""
SAID_ELSEWHERE = ("frame", "bubble")
"""Idle time: the description tells its share where a recipe computes the times."""


def figure(mark: str = "", more: str = "") -> Figure:
    said = f", {MARKS[mark].field}: [{ONE[mark]}]" if mark else ""
    return loads(SPEC.format(lanes=LANES, spans=SPANS, mark=said, more=more))


def check_description(name: str) -> None:
    assert (figure(name).description == figure().description) == (name in SAID_ELSEWHERE)
    if name not in SAID_ELSEWHERE and MARKS[name].texts and name != "dependency":
        assert "LABEL" in figure(name).description


def check_parameters(name: str) -> None:
    """Every text of a mark is a parameter with its meaning, which operations can change."""
    tex = figure(name).tex()
    for _, stem, meaning in MARKS[name].texts[:1]:
        assert f"\\def\\{stem}onelabel{{LABEL}}% {meaning} 1" in tex


def check_slides(name: str) -> None:
    whole, steps = figure(name).tex(), figure(name, "slides: {by: time}\n").tex()
    assert "from slide=" in steps
    for macro in (f"\\{stem}onelabel" for _, stem, _ in MARKS[name].texts[:1]):
        assert whole.count(macro) == steps.count(macro)


def check_file(name: str, folder: Path) -> None:
    made = figure(name)
    made.save(folder / "a.tex")
    assert load(folder / "a.tex") == made
    assert MARKS[name].field in (extract_spec((folder / "a.tex").read_text("utf-8")) or "")


def check_clearance(name: str, folder: Path) -> None:
    """Texts and lines of the drawing keep clear of each other."""
    path = folder / "a.yaml"
    said = f", {MARKS[name].field}: [{ONE[name]}]"
    path.write_text(SPEC.format(lanes=LANES, spans=SPANS, mark=said, more="width: 8.4\n"), "utf-8")
    assert run("render", str(path)).status == 0
    done = run("check", str(path), str(path.with_suffix(".tex")))
    assert (done.status, done.out) == (0, "")
    done = run("build", str(path), "-f", "svg", "--strict", "--no-cache")
    assert done.status == 0, done.err


CHECKS: list[Any] = [check_description, check_parameters, check_slides]


@pytest.mark.parametrize("name", MARKS.list_entry_names())
def test_each_type_of_mark_is_complete(name: str, tmp_path: Path) -> None:
    for check in CHECKS if name != "bubble" else [check_description]:
        check(name)
    check_file(name, tmp_path)
    check_clearance(name, tmp_path)


@pytest.mark.parametrize("name", [name for name in MARKS if "end" in MARKS[name].model.model_fields])
def test_a_period_ends_after_it_starts(name: str) -> None:
    lane = "lane: a, " if name == "bubble" else ""
    mark = f", {MARKS[name].field}: [{{{lane}start: 4, end: 4}}]"
    with pytest.raises(TikzgenError, match=f"{MARKS[name].noun} must end after it starts"):
        loads(SPEC.format(lanes=LANES, spans=SPANS, mark=mark, more=""))


def test_a_package_adds_a_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path / "site", "deadline-mark")
    for check in CHECKS:
        check("deadline")
    check_file("deadline", tmp_path)
    check_clearance("deadline", tmp_path)
    assert "Deadline LABEL at 4." in figure("deadline").description
    wrong = SPEC.format(lanes=LANES, spans=SPANS, mark=", marks: [{type: deadlin, time: 4, label: D}]", more="")
    with pytest.raises(TikzgenError, match='did you mean "deadline"'):
        loads(wrong)


def test_a_built_in_mark_is_written_in_its_field(tmp_path: Path) -> None:
    with pytest.raises(TikzgenError, match='"event" has a field of its own'):
        loads(SPEC.format(lanes=LANES, spans=SPANS, mark=", marks: [{type: event, time: 4}]", more=""))


def test_without_the_package_its_figure_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        install(patch, tmp_path / "site", "deadline-mark")
        figure("deadline").save(tmp_path / "a.tex")
    forget(monkeypatch)
    with pytest.raises(TikzgenError, match='requires the package "deadline-mark", which is not installed'):
        load(tmp_path / "a.tex")


def test_an_unknown_mark_asks_for_its_package() -> None:
    spec = SPEC.format(lanes=LANES, spans=SPANS, mark=", marks: [{type: deadline, time: 4, label: D}]", more="")
    with pytest.raises(TikzgenError, match=r'unknown mark "deadline" \(install the package that provides it\)'):
        loads(spec)
