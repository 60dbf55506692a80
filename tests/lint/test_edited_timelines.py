"""Timelines in a .tex beside the description inside it: what a hand edit made wrong is told, and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import EXAMPLES, NIGHTLY, example_tex, some
from hypothesis import HealthCheck, Phase, given, reject, settings
from mutants import DRAWN, Mutant
from strategies import figures

from tikzgen.base.errors import SpecError
from tikzgen.emit.render_figure import render
from tikzgen.layout import choose_form
from tikzgen.layout.time.timeline_facts import facts_of_timelines
from tikzgen.lint.check_figure import check
from tikzgen.lint.drawn_bars import TIME_TOLERANCE, find_bars
from tikzgen.lint.registry import Finding
from tikzgen.model.figure import FigureModel
from tikzgen.texfile import scan

RUNS = 300 if NIGHTLY else 12
MUTANTS = [(figure, mutant) for figure, mutants in DRAWN.items() for mutant in mutants]


def looked_at(folder: Path, figure: str, before: str, after: str, spell: str = "\n") -> tuple[str, tuple[Finding, ...]]:
    """A figure with something changed in it, and what is found."""
    path = folder / "fig.tex"
    text = example_tex(figure).read_text(encoding="utf-8")
    assert before in text
    text = text.replace(before, after, 1).replace("\n", spell)
    path.write_bytes(text.encode())
    shutil.copy(example_tex(figure).with_suffix(".meta.json"), folder / "fig.meta.json")
    return text, check(path)


@pytest.mark.parametrize(("figure", "mutant"), MUTANTS, ids=[mutant.name for _, mutant in MUTANTS])
@pytest.mark.parametrize("spell", some(["\n", "\r\n"]), ids=["lf", "crlf"])
def test_mutants_of_a_drawn_schedule_are_found(figure: str, mutant: Mutant, spell: str, tmp_path: Path) -> None:
    text, findings = looked_at(tmp_path, figure, mutant.before, mutant.after, spell)
    assert sorted({each.code for each in findings}) == mutant.codes.split()
    lines = text.split(spell)
    first = [each.place for each in findings if each.code == mutant.codes.split()[0]]
    where = [lines[place.line - 1][place.column - 1 :] for place in first if place.line and place.column]
    assert any(each.startswith(mutant.at) for each in where), where


@pytest.mark.parametrize("path", some(EXAMPLES), ids=lambda path: path.stem)
def test_a_note_changes_nothing(path: Path, tmp_path: Path) -> None:
    _, findings = looked_at(tmp_path, path.stem, "\\end{tikzpicture}%", "% a note\n\\end{tikzpicture}%")
    assert findings == ()


@settings(max_examples=RUNS, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(figures)
def test_what_is_read_of_a_drawing_is_what_was_described(figure: FigureModel) -> None:
    try:
        text = render(figure).tex
    except SpecError:
        reject()
    found = {bar.name: bar for bar in find_bars(scan(text)) if bar.name and not bar.point}
    shown = choose_form(figure)
    for (panel, _), chart in facts_of_timelines(shown).items():
        prefix = f"{panel}-" if len(shown.panels) > 1 else ""
        if found.keys().isdisjoint(prefix + name for name in chart.names):
            continue  # its spans are rows
        for name, span in zip(chart.names, chart.part.spans, strict=True):
            if bar := found.get(prefix + name):
                there = (
                    float(chart.clock.locate_moment(span.start)),
                    chart.clock.measure_span(span),
                    *chart.measure_lanes(span.lanes),
                )
                assert (bar.start, bar.duration, bar.lane, bar.lanes) == pytest.approx(there, abs=TIME_TOLERANCE), name
