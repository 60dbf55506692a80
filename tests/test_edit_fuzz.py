"""Operations in any order, with hand edits between them: nothing is lost, nothing breaks."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import pytest
from conftest import NIGHTLY, ROOT
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tikzgen import load
from tikzgen.base.errors import LatexError
from tikzgen.compile.compile_tex import compile_tex
from tikzgen.edit.open_figure import Editing, MergeConflict
from tikzgen.edit.outcome import EditRefused
from tikzgen.lint import check
from tikzgen.showing import as_data, show

pytestmark = pytest.mark.slow

FIGURES = ["distributed-training", "parameter-server", "cluster", "overlap", "gradient-accumulation", "ring-all-reduce"]
RUNS = 2000 if NIGHTLY else 100
COMPILED = 120 if RUNS > 1000 else 8

_TEXTS = ["x", "Node A", "50 % & more", "$\\nabla\\theta$", "数据", ""]
_FACTS = {"width": [12, 17.8, None], "value": [2, 2.5, "Text"], "new": ["a", "gpu-7"], "kind": ["data", "control"]}


def argument(draw: st.DrawFn, name: str, schema: dict[str, Any]) -> Any:
    """A value that the schema of a figure's operation allows, or nearly so."""
    if schema.get("enum"):
        return draw(st.sampled_from(schema["enum"]))
    if name in ("devices", "microbatches"):
        return draw(st.integers(1, 5))
    return draw(st.sampled_from(_FACTS.get(name, _TEXTS)))


def operated(draw: st.DrawFn, path: Path) -> None:
    """Do one operation that is possible now; a refusal leaves every byte."""
    possible = as_data(show(path))["operations"]
    chosen = draw(st.sampled_from(possible))
    fields = chosen["arguments"].get("properties", {})
    required = chosen["arguments"].get("required", [])
    given_names = [name for name in fields if name in required or draw(st.booleans())]
    arguments = {name: argument(draw, name, fields[name]) for name in given_names}
    before = path.read_bytes()
    editing = Editing(path, before)
    outcome = editing.attempt(chosen["id"], arguments)
    assert outcome.status in ("applied", "noop", "refused")
    assert outcome.status != "refused" or (outcome.code and outcome.message)
    try:
        editing.save()
    except MergeConflict:
        assert path.read_bytes() == before
        editing.save("theirs")


def edited_by_hand(draw: st.DrawFn, path: Path, number: int) -> str:
    """Put a line of one's own somewhere into the drawing."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    inside = [index for index, line in enumerate(lines) if line.startswith("  \\") and line.rstrip().endswith(";")]
    mine = f"  % a note of mine, number {number}\n"
    lines.insert(draw(st.sampled_from(inside)), mine)
    path.write_text("".join(lines), encoding="utf-8")
    return mine


def story(draw: st.DrawFn, folder: Path) -> Path:
    """A figure after some operations and hand edits, checked at every step."""
    path = folder / "fig.tex"
    source = ROOT / "tests/goldens" / f"{draw(st.sampled_from(FIGURES))}.tex"
    path.write_bytes(source.read_bytes())
    (folder / "fig.meta.json").write_bytes(source.with_suffix(".meta.json").read_bytes())
    mine: list[str] = []
    for number in range(draw(st.integers(1, 4))):
        if draw(st.integers(0, 3)):
            with suppress(EditRefused):
                operated(draw, path)
        else:
            mine.append(edited_by_hand(draw, path, number))
        text = path.read_text(encoding="utf-8")
        assert all(line in text for line in mine)
        load(path)
    assert [finding for finding in check(path) if finding.severity.value == "error"] == []
    return path


@cache
def stories() -> list[str]:
    """The texts that came of all stories; the same ones every time."""
    found: list[str] = []

    @settings(
        max_examples=RUNS,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def tell(data: st.DataObject) -> None:
        with TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"XDG_CACHE_HOME": folder}):
            found.append(data.draw(told(Path(folder))).read_text(encoding="utf-8"))

    tell()
    return found


@st.composite
def told(draw: st.DrawFn, folder: Path) -> Path:
    return story(draw, folder)


def test_operations_and_hand_edits_in_any_order() -> None:
    assert len(stories()) >= RUNS // 2


@pytest.mark.parametrize("number", range(COMPILED))
def test_what_comes_of_them_compiles(number: int) -> None:
    texts = sorted(set(stories()), key=len)
    text = texts[number * len(texts) // COMPILED]
    try:
        assert not compile_tex(text, engine="pdflatex").missing_characters
    except LatexError as error:
        raise AssertionError(f"{error}\n{text}") from None
