"""Bad input: one line each, with its place and a way out, exit 2, and nothing written.

Each section of `tests/cases/errors.txt` is a spec that is rendered, and after the line `~~~~` what stderr says.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command import run
from conftest import ROOT
from pictures.goldens import sections_of

FILE = ROOT / "tests" / "cases" / "errors.txt"
CASES = {name: text.partition("~~~~\n")[0] for name, text in sections_of(FILE).items()}


@pytest.mark.parametrize(
    "case", [pytest.param(name, marks=[pytest.mark.slow] * (name == "too-large")) for name in CASES]
)
def test_bad_spec_is_refused_with_its_place(
    case: str, golden: Callable[[Path, str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spec.yaml").write_bytes(CASES[case].encode())
    monkeypatch.chdir(tmp_path)
    done = run("render", "spec.yaml", "-o", "fig.tex")
    assert done.status == 2
    assert done.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["spec.yaml"], "nothing may be written"
    assert done.err.startswith("spec.yaml")
    golden(FILE, f"{CASES[case]}~~~~\n{done.err}", case)


def test_a_huge_file_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "huge.yaml").open("wb") as stream:
        stream.truncate(50_000_000)
    monkeypatch.chdir(tmp_path)
    done = run("render", "huge.yaml")
    assert done.status == 2
    assert done.err.startswith("huge.yaml: ")
    assert done.err.count("\n") == 1
