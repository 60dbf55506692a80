"""Bad input: one line each, with its place and a way out, exit 2, and nothing written.

Each `tests/cases/errors/NAME.yaml` is rendered; what stderr says is in `NAME.txt`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command import run

CASES = Path(__file__).parent / "cases" / "errors"


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem == "too-large"))
        for path in sorted(CASES.glob("*.yaml"))
    ],
)
def test_bad_spec_is_refused_with_its_place(
    case: Path, golden: Callable[[Path, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spec.yaml").write_bytes(case.read_bytes())
    monkeypatch.chdir(tmp_path)
    done = run("render", "spec.yaml", "-o", "fig.tex")
    assert done.status == 2
    assert done.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["spec.yaml"], "nothing may be written"
    assert done.err.startswith("spec.yaml")
    golden(case.with_suffix(".txt"), done.err)


def test_a_huge_file_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "huge.yaml").open("wb") as stream:
        stream.truncate(50_000_000)
    monkeypatch.chdir(tmp_path)
    done = run("render", "huge.yaml")
    assert done.status == 2
    assert done.err.startswith("huge.yaml: ")
    assert done.err.count("\n") == 1
