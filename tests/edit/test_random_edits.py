"""Operations in any order, with hand edits between them: nothing is lost, nothing breaks."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import pytest
from conftest import NIGHTLY, example_tex
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tikzgen import load, loads
from tikzgen.base.errors import EditRefused, LatexError
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.compile.tex.failures import lost_characters
from tikzgen.edit.merge import MergeConflict
from tikzgen.edit.open_figure import Editing
from tikzgen.edit.show_figure import as_data, show
from tikzgen.lint.check_figure import check
from tikzgen.spec.embedded_spec import extract_spec
from tikzgen.texfile.source_text import decode

pytestmark = pytest.mark.slow

FIGURES = ["distributed-training", "parameter-server", "cluster", "overlap", "gradient-accumulation", "ring-all-reduce"]
RUNS = 2000 if NIGHTLY else 12
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


def edited_as_an_operation_would(draw: st.DrawFn, path: Path) -> None:
    """Change a label or a color of a flow by hand, as the contract describes it."""
    head, mark, spec = path.read_text(encoding="utf-8").partition("% tikzgen spec:")
    lines = head.splitlines(keepends=True)
    labels = [index for index, line in enumerate(lines) if re.match(r"\\def\\[a-z]+label\{[A-Z]\w+( \d)?\}", line)]
    colors = [index for index, line in enumerate(lines) if re.match(r"    (data|grad|wts)/\.style=", line)]
    index = draw(st.sampled_from([*labels, *colors] or [0]))
    if index in colors:
        lines[index] = re.sub(r"ot(gray|purple|teal)", "otblue", lines[index], count=1)
    else:
        lines[index] = lines[index].replace("}", " B}", 1)
    path.write_text("".join(lines) + mark + spec, encoding="utf-8")


def story(draw: st.DrawFn, folder: Path) -> Path:
    """A figure after some operations and hand edits, checked at every step."""
    path = folder / "fig.tex"
    source = example_tex(draw(st.sampled_from(FIGURES)))
    path.write_bytes(source.read_bytes())
    (folder / "fig.meta.json").write_bytes(source.with_suffix(".meta.json").read_bytes())
    mine: list[str] = []
    for number in range(draw(st.integers(1, 4))):
        if draw(st.integers(0, 3)):
            with suppress(EditRefused):
                operated(draw, path)
        elif draw(st.booleans()):
            mine.append(edited_by_hand(draw, path, number))
        else:
            edited_as_an_operation_would(draw, path)
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
        assert not lost_characters(compile_tex(text, engine="pdflatex").log)
    except LatexError as error:
        raise AssertionError(f"{error}\n{text}") from None


# ---- many short stories, in memory ----

STORIES = 5000 if NIGHTLY else 90  # and 20 in test_prose_stories.py
_CALLS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "distributed-training": [
        ("add-worker", {}),
        ("remove-worker", {"worker": "w2"}),
        ("remove-worker", {}),
        ("rename-node", {"node": "w1", "label": "Node A"}),
        ("rename-id", {"old": "w1", "new": "first"}),
        ("set", {"parameter": "rowsep", "value": 3}),
        ("set", {"parameter": "gradlabel", "value": "$g$"}),
        ("recolor", {"what": "gradient", "color": "otblue"}),
        ("palette", {"palette": "dark"}),
        ("remove-flow", {"source": "data", "target": "w1"}),
        ("swap-icon", {"node": "ps", "icon": "database"}),
    ],
    "overlap": [
        ("rename-node", {"node": "comm", "label": "network"}),
        ("rename-id", {"old": "comm", "new": "net"}),
        ("set", {"parameter": "timeunit", "value": 0.5}),
        ("set", {"parameter": "captionlabel", "value": "50 % & more"}),
        ("add-lane", {}),
        ("recolor", {"what": "forward", "color": "otorange"}),
        ("palette", {"palette": "dark"}),
    ],
}


class Teller:
    """One story: a figure's bytes, what a person and the operations do to them, and what must stay."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        figure = self.random.choice(list(_CALLS))
        self.calls = _CALLS[figure]
        self.data = example_tex(figure).read_bytes()
        self.notes: list[str] = []

    def tell(self) -> None:
        for number in range(self.random.randint(2, 4)):
            if self.random.random() < 0.55:
                edit = self.random.choice([self.note, self.note_behind, self.tabs, self.swap, self.delete, self.ends])
                edit(number)
            else:
                self.operate()
        kept = decode(self.data)
        assert [note for note in self.notes if note not in kept] == []
        loads(extract_spec(kept.replace("\r\n", "\n")) or "")

    def operate(self) -> None:
        editing = Editing(Path("fig.tex"), self.data)
        before = self.data
        outcome = editing.attempt(*self.random.choice(self.calls))
        assert outcome.status in ("applied", "noop", "refused")
        try:
            after = editing.data("theirs")
        except EditRefused as refused:  # put together with what was deleted, it would be broken
            assert refused.code == "merge"
            return
        assert outcome.status == "applied" or after == before
        assert (b"\r\n" in after) == (b"\r\n" in before)
        self.data = after

    def lines(self) -> tuple[list[bytes], list[int]]:
        """The lines, and those that draw something."""
        lines = self.data.splitlines(keepends=True)
        end = next(at for at, line in enumerate(lines) if line.startswith(b"\\end{tikzpicture}"))
        drawing = [at for at in range(end) if lines[at].startswith(b"  ") and lines[at].rstrip().endswith(b"};")]
        return lines, drawing

    def note(self, number: int) -> None:
        lines, drawing = self.lines()
        self.notes.append(f"% note {number} of mine")
        end = b"\r\n" if b"\r\n" in self.data else b"\n"
        lines.insert(self.random.choice(drawing), f"  {self.notes[-1]}".encode() + end)
        self.data = b"".join(lines)

    def note_behind(self, number: int) -> None:
        lines, drawing = self.lines()
        self.notes.append(f"% TODO ask {number}")
        at = self.random.choice(drawing)
        line = lines[at].rstrip()
        lines[at] = line + f" {self.notes[-1]}".encode() + lines[at][len(line) :]
        self.data = b"".join(lines)

    def tabs(self, number: int) -> None:
        lines, drawing = self.lines()
        at = self.random.choice(drawing)
        lines[at] = b"\t" + lines[at].lstrip()
        self.data = b"".join(lines)

    def swap(self, number: int) -> None:
        lines, drawing = self.lines()
        at = self.random.choice([at for at in drawing if at + 1 in drawing])
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
        self.data = b"".join(lines)

    def delete(self, number: int) -> None:
        lines, drawing = self.lines()
        plain = [at for at in drawing if b"%" not in lines[at]]
        del lines[self.random.choice(plain)]
        self.data = b"".join(lines)

    def ends(self, number: int) -> None:
        self.data = self.data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


@pytest.mark.parametrize("part", range(5))
def test_short_stories_lose_nothing(part: int) -> None:
    for seed in range(part * STORIES // 5, (part + 1) * STORIES // 5):
        try:
            Teller(seed).tell()
        except Exception as error:
            raise AssertionError(f"story {seed}: {error}") from error
