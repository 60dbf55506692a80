"""The recipe `trace`: a figure of measured times that says what was done to them, and needs the files only once."""

from __future__ import annotations

import json
import os
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import ROOT

import tikzgen
from tikzgen import recipes
from tikzgen.base.errors import SpecError
from tikzgen.emit.describe_figure import make_about
from tikzgen.spec.files_beside import trace_files
from tikzgen.trace.readers.read_run import read_run

TRACES = ROOT / "tests" / "cases" / "traces"
PIPELINE = "recipe: trace\nsource: pp_1f1b_p4_m8_rank{0..3}.json.gz\n"
STEP = "recipe: trace\nsource: nccl_data.json.gz\nstep: 5\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Traces beside the specs."""
    monkeypatch.chdir(tmp_path)
    for path in [*TRACES.glob("pp_*"), TRACES / "nccl_data.json.gz", *TRACES.glob("sampled*")]:
        shutil.copy(path, tmp_path)
    shutil.copytree(TRACES / "synthetic", tmp_path / "synthetic")


def measured(text: str, *more: str) -> dict[str, Any]:
    """What `metrics` says of a spec."""
    Path("fig.yaml").write_text(text, encoding="utf-8")
    done = run("metrics", "fig.yaml", "--format", "json", *more)
    assert (done.status, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    return found


def exactly(*values: str) -> list[int | str]:
    """Microseconds as `metrics` spells ms."""
    return [str(Fraction(value) / 1000) for value in values]


def test_the_measures_of_a_pipeline_are_those_of_its_operations() -> None:
    as_annotated = measured(PIPELINE + "begin: annotation\n")
    assert as_annotated["busy"] == exactly("81281.647", "66545.973", "60057.502", "68090.521")
    assert as_annotated["makespan"] == exactly("182612.048")[0]
    assert round(float(Fraction(as_annotated["bubble_over_total"])), 6) == 0.622183
    found = measured(PIPELINE)
    assert sum(Fraction(each) for each in found["busy"]) == Fraction("267.902171")
    assert round(float(Fraction(found["bubble_over_total"])), 6) == 0.633236


@pytest.mark.parametrize("more", ["", "width: acm-column\n", "detail: 1/20\n", "lanes: class\n", "lanes: rank\n"])
def test_the_measures_of_a_step_are_those_of_its_events_however_it_is_drawn(more: str) -> None:
    found = measured(STEP + more)
    keys = ("extent", "busy", "computing", "communication", "exposed_communication")
    told = [found[key] for key in keys]
    assert told == [exactly(value) for value in ("213532.750", "49728.926", "38429.422", "12300.029", "10539.609")]


def test_clocks_are_set_by_the_users_word_and_both_formats_measure_the_same() -> None:
    spec = "recipe: trace\nsource: synthetic/rank{{0..3}}.{}\nclock: collectives\n"
    one, other = measured(spec.format("json.gz")), measured(spec.format("sqlite"))
    assert one == other
    assert one["makespan"] == exactly("76306.280")[0]
    assert Fraction(one["bubble_over_total"]) == Fraction(98456280, 305225120)


def test_a_figure_needs_its_traces_only_once() -> None:
    Path("fig.yaml").write_text(PIPELINE, encoding="utf-8")
    assert run("render", "fig.yaml").status == 0
    text = Path("fig.tex").read_bytes()
    for path in Path().glob("pp_*"):
        path.unlink()
    assert run("render", "fig.tex", "-o", "again.tex").status == 0
    assert Path("again.tex").read_bytes() == text
    assert run("metrics", "fig.tex").status == 0
    done = run("render", "fig.tex", "-o", "other.tex", "--set", "begin=annotation")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert (
        "the figure contains traces that were read with other options (render the spec in the folder of the traces)"
        in done.err
    )
    assert run("render", "fig.tex", "-o", "wide.tex", "--width", "12").status == 0


def test_a_trace_that_changes_changes_the_figure() -> None:
    Path("fig.yaml").write_text("recipe: trace\nsource: t.csv\n", encoding="utf-8")
    table = "rank,lane,start,end,class\n0,gpu,0,{},compute\n"
    drawn = []
    for end in (10, 20):
        Path("t.csv").write_text(table.format(end), encoding="utf-8")
        assert run("render", "fig.yaml").status == 0
        assert measured("recipe: trace\nsource: t.csv\n")["busy"] == [f"1/{1000 // end}"]
        drawn.append(Path("fig.tex").read_bytes())
    assert drawn[0] != drawn[1]


def test_a_trace_that_stays_as_it_is_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[object] = []

    def counted(files: Any, **how: Any) -> Any:
        reads.append(files)
        return read_run(files, **how)

    monkeypatch.setattr(trace_files, "read_run", counted)
    monkeypatch.setattr(trace_files, "_SETTLE_NS", 0)
    first = tikzgen.loads(STEP).tex()
    assert tikzgen.loads(STEP + "title: Once\n").tex() != first
    assert len(reads) == 1
    shutil.copy("synthetic/truth.json", "nccl_data.json.gz")
    with pytest.raises(SpecError):
        tikzgen.loads(STEP)
    assert len(reads) == 2


def test_a_trace_that_has_just_changed_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[object] = []
    monkeypatch.setattr(trace_files, "read_run", lambda files, **how: reads.append(files) or read_run(files, **how))
    for _ in range(2):
        os.utime("nccl_data.json.gz")
        tikzgen.loads(STEP)
    assert len(reads) == 2


def test_the_description_says_what_was_done() -> None:
    figure = recipes.trace(source="pp_1f1b_p4_m8_rank*.json.gz")
    assert figure.description.startswith(
        "Measured timeline of 4 ranks (clocks of one host; 64 operations; operations begin when they compute)."
    )
    assert [lane.label for lane in figure.panels[0].content[0].lanes] == [f"rank {rank}" for rank in range(4)]  # type: ignore[union-attr]
    step = recipes.trace(source="nccl_data.json.gz", step=5)
    said = "1258 events: 28 drawn + 1230 merged into 113 cells, 3 cut where the next begins"
    assert f"(1 of 2 ranks; step 5; {said}; rank 0: 51.4 % of the busy time is in no class" in step.description


def test_all_ranks_may_be_asked_for() -> None:
    every, some = (recipes.trace(source="pp_1f1b_p4_m8_rank*.json.gz", ranks=ranks) for ranks in ("all", None))
    assert every.panels == some.panels
    Path("table.csv").write_text("rank,lane,start,end\n" + "".join(f"{rank},gpu,0,10\n" for rank in range(65)))
    with pytest.raises(SpecError, match="ranks: all are 65, more than the 64 of a figure"):
        recipes.trace(source="table.csv", ranks="all")


def test_a_width_that_cannot_be_names_no_step_that_was_not_read() -> None:
    streams = "streams: {compute-kernels-of-the-whole-model: [7], nccl-communication-of-gradients: [40]}\n"
    Path("fig.yaml").write_text(STEP + streams + "marks: [exposed]\nwidth: 3\n", encoding="utf-8")
    done = run("render", "fig.yaml")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("fig.yaml:6:8: width: does not fit 3 cm: at 6 pt it needs ")
    assert "step" not in done.err and "\\xa0" not in done.err


def test_a_title_is_short() -> None:
    assert make_about(recipes.trace(source="pp_1f1b_p4_m8_rank*.json.gz")).title == "Measured timeline of 4 ranks"


def test_streams_whose_names_differ_by_punctuation_are_two() -> None:
    rows = "".join(f"0,{name},{at},{at + 9}\n" for at, name in enumerate(("copy.1", "copy 1", "copy-1-2", "复制")))
    Path("table.csv").write_text("rank,lane,start,end\n" + rows, encoding="utf-8")
    lanes = recipes.trace(source="table.csv").panels[0].content[0].lanes  # type: ignore[union-attr]
    assert len({lane.id for lane in lanes}) == len(lanes) == 4


REFUSED = {
    "missing": (
        "source: none.json\n",
        '2:9: source: file "none.json" not found (a name such as',
    ),
    "outside": ("source: ../x.json\n", '2:9: source: "../x.json" is outside the project'),
    "no match": ("source: '*.none'\n", 'no file in the project is "*.none"'),
    "too many": ("source: 'r{0..99999}'\n", "counts more than 4096 files"),
    "no rank": (PIPELINE[14:] + "ranks: [0, 9]\n", "3:8: ranks: rank 9 left no trace (there are 0, 1, 2, 3)"),
    "not all": (
        "source: ['pp_1f1b_p4_m8_rank{0..1}.json.gz', pp_1f1b_p4_m8_rank3.json.gz]\nranks: all\n",
        "3:8: ranks: rank 2 missing of 0..3 (leave out `ranks` to draw the existing ranks)",
    ),
    "not all of many": (
        "source: sampled_rank-{0..1}.json.gz\nranks: all\n",
        "ranks: ranks 2, 3, 4, 5, 6, 7, 8, 9 and 118 more missing of 0..127",
    ),
    "no step": (STEP[14:-2] + "77\n", 'there is no step "77" (the steps are 4, 5, 6)'),
    "no window": (
        STEP[14:] + "window: [900, 901]\n",
        "4:9: window: nothing happens in it (the traces last from 0 to 660",
    ),
    "no clock": ("source: sampled_rank-{0..1}.json.gz\nclock: collectives\n", "rank 1 has no blocking collective"),
    "no class": (STEP[14:] + "classes: {a: '('}\n", '4:10: classes: a: "(" is not a regular expression'),
    "no source": ("step: 5\n", "source"),
}


def test_more_cells_than_tex_bears_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tikzgen.spec.files_beside.trace_files.MOST_CELLS", 100)
    Path("fig.yaml").write_text(STEP + "detail: 0\n", encoding="utf-8")
    done = run("render", "fig.yaml")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "cells are more than the 100 that TeX bears (detail: 1/640 merges spans that are too close" in done.err
    assert done.err.startswith("fig.yaml:4:9: detail: ")


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_drawn_is_refused_at_its_field(name: str) -> None:
    text, says = REFUSED[name]
    Path("fig.yaml").write_text("recipe: trace\n" + text, encoding="utf-8")
    done = run("render", "fig.yaml")
    assert (done.status, done.err.count("\n")) == (2, 1), done.err
    assert done.err.startswith("fig.yaml:")
    assert says in done.err
    assert not Path("fig.tex").exists()


def test_lanes_of_devices_without_devices_exit_with_the_lanes_to_take() -> None:
    Path("fig.yaml").write_text(PIPELINE + "lanes: stream\n", encoding="utf-8")
    done = run("render", "fig.yaml")
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert done.err.startswith("fig.yaml:3:8: lanes: nothing ran on a device (lanes: annotations draws")


def test_what_was_not_read_is_not_drawn() -> None:
    from tikzgen.recipe.measured.measured_trace import Trace

    with pytest.raises(SpecError, match="the traces were not read"):
        Trace(source="a.json").make_figure_with_origin()
    with pytest.raises(SpecError, match=r"source: .* not found"):
        tikzgen.loads("recipe: trace\nsource: a.json\n")
