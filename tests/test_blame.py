"""When TeX fails: who is to blame is told with its place, in the spec or in the .tex.

Each `tests/cases/tex/errors/NAME.ENGINE.yaml` (or `.tex`) is built with that engine; `NAME.ENGINE.txt` is what stderr
says.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command import run

from tikzgen import loads

CASES = Path(__file__).parent / "cases" / "tex" / "errors"
OWN = loads("recipe: data-parallel\n").tex()
BAD = "recipe: data-parallel\nlabels:\n  server: !tex \\foo\n"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder and a cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


@pytest.mark.parametrize(
    "case", sorted(path for path in CASES.glob("*") if path.suffix != ".txt"), ids=lambda path: path.stem
)
def test_the_cause_is_told_with_its_place(case: Path, golden: Callable[[Path, str], None]) -> None:
    name, engine, suffix = case.name.split(".")
    Path(f"{name}.{suffix}").write_bytes(case.read_bytes())
    limit = "1" if name == "endless" else "60"
    done = run(
        "build", f"{name}.{suffix}", "--engine", engine, "-q", "--trust", "--keep", "kept", "--time-limit", limit
    )
    assert done.status == 3
    assert not Path(f"{name}.pdf").exists()
    assert Path("kept", f"{name}.log").read_text("utf-8")
    assert done.err.startswith(f"{name}.{suffix}")
    golden(case.with_suffix(".txt"), re.sub(r"size=\d+", "size=…", done.err))  # as TeX is set up
