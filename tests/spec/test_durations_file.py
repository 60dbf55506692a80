"""Durations that stand in a CSV file beside the spec: read with their places, and from nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run

from tikzgen import load
from tikzgen.base.errors import SpecError, TikzgenError
from tikzgen.schedule import pipeline

SPEC = "recipe: pipeline\ndevices: 2\nmicrobatches: 3\nunit: ms\nforward: {}\nbackward: 2\n"


def spec(folder: Path, name: str = "times.csv", table: str | None = "1,2,1/2\n1.5\n") -> Path:
    if table is not None:
        (folder / "times.csv").write_text(table)
    file = folder / "figure.yaml"
    file.write_text(SPEC.format(name))
    return file


def test_lines_are_stages_and_entries_microbatches(tmp_path: Path) -> None:
    found = load(spec(tmp_path)).origin.compute_plans()[0].schedule  # type: ignore[union-attr]
    assert found == pipeline("1f1b", 2, 3, forward=[[1, 2, "1/2"], "1.5"], backward=2)


@pytest.mark.parametrize(
    ("table", "forward", "backward"),
    [
        ("stage,fwd,bwd\n0,1,2\n1,3,4\n", [1, 3], [2, 4]),
        ("Backward,Forward\n2,1\n4,3\n", [1, 3], [2, 4]),
        ("fwd,fwd,fwd,bwd\n1,2,3,4\n5,6,7,8\n", [[1, 2, 3], [5, 6, 7]], [4, 8]),
        ("stage,time\n1,1\n2,3\n", [1, 3], [1, 3]),
        ("stage,fwd_ms,bwd (ms)\n0,1,2\n1,3,4\n", [1, 3], [2, 4]),
        (",fwd,bwd\n0,1,2\n1,3,4\n", [1, 3], [2, 4]),
        ("stage,mb0,mb1,mb2\n0,1,2,3\n1,3,4,5\n", [[1, 2, 3], [3, 4, 5]], [[1, 2, 3], [3, 4, 5]]),
        ("stage,fwd_1,fwd_2,fwd_3,bwd\n0,1,2,3,9\n1,3,4,5,8\n", [[1, 2, 3], [3, 4, 5]], [9, 8]),
        (
            "microbatch,stage,fwd,bwd\n1,1,1,2\n1,2,3,4\n3,1,5,6\n3,2,7,8\n2,2,9,1\n2,1,2,3\n",
            [[1, 2, 5], [3, 9, 7]],
            [[2, 3, 6], [4, 1, 8]],
        ),
    ],
)
def test_one_file_has_durations_of_several_fields(
    tmp_path: Path, table: str, forward: list[int], backward: list[int]
) -> None:
    file = spec(tmp_path, table=table)
    file.write_text(file.read_text().replace("backward: 2", "backward: times.csv"))
    found = load(file).origin.compute_plans()[0].schedule  # type: ignore[union-attr]
    assert found == pipeline("1f1b", 2, 3, forward=forward, backward=backward)


def test_a_figure_needs_the_file_no_more(tmp_path: Path) -> None:
    file = spec(tmp_path)
    assert run("render", str(file), "-o", str(tmp_path / "a.tex")).status == 0
    (tmp_path / "times.csv").unlink()
    again = run("metrics", str(tmp_path / "a.tex"), "--format", "json")
    assert '"makespan": "27/2"' in again.out, again.err


def test_a_changed_file_changes_the_figure(tmp_path: Path) -> None:
    file = spec(tmp_path)
    run("render", str(file), "-o", str(tmp_path / "a.tex"))
    first = (tmp_path / "a.tex").read_text()
    (tmp_path / "times.csv").write_text("1,2,3\n4\n")
    run("render", str(file), "-o", str(tmp_path / "a.tex"))
    assert (tmp_path / "a.tex").read_text() != first


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("1,2,x\n1\n", 'times.csv:1:5: "x" is not a number (write 2, 1.5 or "1/3")'),
        ("1,2,3\n1,-2,3\n", "times.csv:2:3: -2 is negative"),
        ("1,2,3\n\n1\n", 'times.csv:2:1: "" is not a number'),
        ("", 'times.csv:1:1: "" is not a number'),
        ("10.2 ms,9.9 ms\n1,2\n", 'times.csv:1:1: "10.2 ms" is not a number (write 10.2, and `unit: ms` in the spec)'),
        (
            "bwd,wgrad\n1,2\n3,4\n",
            "times.csv:1:1: no column for forward (name it forward or fwd; the file has bwd, wgrad)",
        ),
        (
            "stage,fwdms,bwdms\n0,1,2\n1,3,4\n",
            'times.csv:1:7: unknown column "fwdms" (name the columns fwd, bwd, dgrad, wgrad, recomputation)',
        ),
        ("fwd_us\n1\n2\n", 'times.csv:1:1: the column is in us, and the unit of the figure is "ms" (unit: us)'),
        ("stage,fwd\n0,1\n0,2\n", 'times.csv:3:1: expected stage 1, found "0" (one line per number, in order from'),
        ("stage,mb,fwd\n0,0,1\n1,0,2\n0,1,1\n", "times.csv:1:1: no duration of stage 1, microbatch 1 (add its line)"),
        ("stage,mb,fwd\n0,0,1\n1,0,2\n0,0,1\n", "times.csv:4:1: second duration of stage 0, microbatch 0 (one line"),
        ("stage,mb,fwd\n0,all,1\n", 'times.csv:2:3: expected a number from 0 to 9999, found "all"'),
        ("stage,mb,fwd\n0,1\n", "times.csv:2:1: 2 entries for 3 columns (one entry per column)"),
        ("mb,fwd\n0,1\n", "times.csv:1:1: a file with one line per microbatch has a column of stages"),
        ("1,2\n1\n", "figure.yaml:5:10: forward[0]: 2 values for 3 microbatches"),
        ("1\n1\n1\n", "figure.yaml:5:10: forward: 3 values for 2 stages"),
        (None, 'figure.yaml:5:10: forward: file "times.csv" not found (a name such as durations.csv'),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, table: str | None, message: str) -> None:
    with pytest.raises(TikzgenError) as refused:
        load(spec(tmp_path, table=table))
    assert message in str(refused.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize("name", ["../times.csv", "/etc/times.csv", "sub/../../times.csv", "link.csv"])
def test_nothing_is_read_elsewhere(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "paper"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "times.csv").write_text("1\n1\n")
    (folder / "link.csv").symlink_to(tmp_path / "times.csv")
    with pytest.raises(SpecError, match="is outside the project"):
        load(spec(folder, name, table=None))


def test_what_comes_through_a_pipe_has_no_files_beside_it() -> None:
    told = run("metrics", "-", stdin=SPEC.format("times.csv"))
    assert told.status == 2
    assert "write the durations, as lists" in told.err
