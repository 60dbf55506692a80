"""Diagrams that tikzgen refuses: each error is one line with its location; limits bound time and memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import process_time

import pytest
from command import run
from conftest import ROOT

from tikzgen.base.errors import TikzgenError
from tikzgen.spec.diagrams.diagram_source import MAX_GROUP_LEVELS, MAX_PARTS_COUNT
from tikzgen.spec.diagrams.import_formats import read_diagram_text
from tikzgen.spec.load_figure import import_diagram

REFUSED: dict[str, tuple[str, str]] = {
    "empty": ("x.mmd", " \n"),
    "unknown kind": ("x.mmd", "pie title Pets\n"),
    "front matter without end": ("x.mmd", "---\ntitle: x\nflowchart LR\nA-->B\n"),
    "flowchart without nodes": ("x.mmd", "flowchart LR\n"),
    "subgraph without end": ("x.mmd", "flowchart LR\nsubgraph one\nA --> B\n"),
    "end without subgraph": ("x.mmd", "flowchart LR\nA --> B\nend\n"),
    "duplicate subgraph": ("x.mmd", "flowchart LR\nsubgraph a\nA\nend\nsubgraph a\nB\nend\n"),
    "empty subgraph": ("x.mmd", "flowchart LR\nA\nsubgraph a\nend\n"),
    "bracket without end": ("x.mmd", "flowchart LR\nA[text --> B\nC --> D\n"),
    "quotation mark without end": ("x.mmd", 'flowchart LR\nA["text] --> B\n'),
    "unknown direction": ("x.mmd", "flowchart XY\nA --> B\n"),
    "statement": ("x.mmd", "flowchart LR\nA --> B nonsense\n"),
    "link without target": ("x.mmd", "flowchart LR\nA -->\nB\n"),
    "link text without end": ("x.mmd", "flowchart LR\nA -- text B\n"),
    "flow to its own group": ("x.mmd", "flowchart LR\nsubgraph g\nA --> g\nend\n"),
    "group to its member": ("x.d2", "a -> a.b\n"),
    "second loop": ("x.dot", "digraph { a -> a; a -> b; a -> a }\n"),
    "color of rect": ("x.mmd", "sequenceDiagram\nA->>B: x\nrect bluish\nA->>B: x\nend\n"),
    "directive": ("x.mmd", "%%{init: {'theme': 'dark'}}%%\nflowchart LR\nA --> B\n"),
    "config": ("x.mmd", "---\nconfig:\n  theme: dark\n---\nflowchart LR\nA --> B\n"),
    "icon": ("x.mmd", "flowchart LR\nA[fa:fa-car car]\n"),
    "raw TeX": ("x.mmd", 'flowchart LR\nA["$$\\input{x}$$"]\n'),
    "block without end": ("x.mmd", "sequenceDiagram\nA->>B: x\nloop y\nB->>A: z\n"),
    "end without block": ("x.mmd", "sequenceDiagram\nA->>B: x\nend\n"),
    "else outside of alt": ("x.mmd", "sequenceDiagram\nloop x\nA->>B: x\nelse y\nend\n"),
    "not active": ("x.mmd", "sequenceDiagram\nA->>B: x\ndeactivate B\n"),
    "message": ("x.mmd", "sequenceDiagram\nA->>B: x\nhello\n"),
    "no participants": ("x.mmd", "sequenceDiagram\n"),
    "note": ("x.mmd", "sequenceDiagram\nA->>B: x\nNote A: x\n"),
    "no tasks": ("x.mmd", "gantt\ntitle x\n"),
    "date": ("x.mmd", "gantt\nA :2024-13-01, 3d\nB :2024-01-01, 3d\n"),
    "duration": ("x.mmd", "gantt\nA :2024-01-01, 3 days\n"),
    "task": ("x.mmd", "gantt\nA :2024-01-01, 3d\nB :after c, 3d\n"),
    "negative task": ("x.mmd", "gantt\nA :2024-01-03, 2024-01-01\n"),
    "brace": ("x.dot", "digraph { a -> b\n"),
    "second graph": ("x.dot", "digraph { a }\ndigraph { b }\n"),
    "wrong arrow": ("x.dot", "graph { a -> b }\n"),
    "string": ("x.dot", 'digraph { a [label="x] }\n'),
    "comment": ("x.dot", "digraph { a /* x }\n"),
    "HTML": ("x.dot", "digraph { a [label=<x] }\n"),
    "sign": ("x.dot", "digraph { a -> ? }\n"),
    "keyword": ("x.dot", "digraph { node -> a }\n"),
    "no graph": ("x.dot", "graf { a }\n"),
    "map without end": ("x.d2", "a: {\n  b\n"),
    "map without begin": ("x.d2", "a\n}\n"),
    "name": ("x.d2", "a -> : x\n"),
    "block string": ("x.d2", "a: |md text\n"),
    "import": ("x.d2", "a: @secret\n...@/etc/passwd\n"),
    "variable": ("x.d2", "a: ${x}\n"),
    "unknown connection": ("x.d2", "a -> b\n(a -> b)[1]: x\n"),
    "parent of the root": ("x.d2", "_.a -> b\n"),
    "character": ("x.d2", "a: x\x01\n"),
}

LIMITED = {
    "flowchart levels": ("x.mmd", "flowchart LR\n" + "".join(f"subgraph a{each}\n" for each in range(40))),
    "sequence levels": ("x.mmd", "sequenceDiagram\n" + "loop x\n" * 40),
    "dot levels": ("x.dot", "digraph { " + "{" * 5_000),
    "d2 levels": ("x.d2", "a: {" * 5_000),
    "d2 path": ("x.d2", ".".join(["a"] * 5_000)),
    "flowchart nodes": ("x.mmd", "flowchart LR\n" + "".join(f"n{each}\n" for each in range(20_000))),
    "flowchart products": ("x.mmd", "flowchart LR\n" + " & ".join(["a"] * 900) + " --> " + " & ".join(["b"] * 900)),
    "dot products": (
        "x.dot",
        "digraph { {"
        + " ".join(f"a{each}" for each in range(900))
        + "} -> {"
        + " ".join(f"b{each}" for each in range(900))
        + "} }",
    ),
    "brackets": ("x.mmd", "flowchart LR\n" + "A[" * 100_000),
    "link texts": ("x.mmd", "flowchart LR\n" + "A -- x;" * 100_000),
    "tags": ("x.mmd", "flowchart LR\nA[" + "<a " * 600 + "]"),
    "emphasis": ("x.mmd", 'flowchart LR\nA["`' + "**a" * 600 + '`"]'),
    "semicolons": ("x.mmd", "sequenceDiagram\n" + ";" * 300_000),
    "arrows": ("x.mmd", "sequenceDiagram\n" + "-" * 300_000),
    "backslashes": ("x.dot", 'digraph { a [label="' + "\\" * 300_001 + '"] }'),
    "html brackets": ("x.dot", "digraph { a [label=" + "<" * 300_000),
    "d2 spaces": ("x.d2", "a" + " " * 300_000 + "?{"),
    "d2 bars": ("x.d2", "a: " + "|" * 300_000),
    "d2 quotes": ("x.d2", "'" * 300_001),
    "durations": ("x.mmd", "gantt\nA :2024-01-01, " + "9" * 100_000 + "d\n"),
    "date format": ("x.mmd", "gantt\ndateFormat " + "YYYY" * 5_000 + "\nA :" + "1" * 40_000 + ", 3d\n"),
}
"""Texts that would take long, or exhaust the memory, without a limit."""


def refuse(name: str, text: str, *, partial: bool = False) -> str:
    Path(name).write_text(text, "utf-8")
    with pytest.raises(TikzgenError) as caught:
        import_diagram(name, partial=partial)
    return str(caught.value)


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_diagrams_are_refused_as_reviewed(golden: Callable[[Path, str], None]) -> None:
    lines = []
    for case, (name, text) in REFUSED.items():
        message = refuse(name, text)
        assert all(line.startswith(f"{name}:") and line.endswith(")") for line in message.splitlines())
        lines += [case, *(f"  {line}" for line in message.splitlines())]
    golden(ROOT / "tests" / "goldens" / "refusals" / "diagrams.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("case", LIMITED)
def test_no_text_takes_long(case: str) -> None:
    name, text = LIMITED[case]
    begun = process_time()
    Path(name).write_text(text, "utf-8")
    for partial in (False, True):
        with suppress(TikzgenError):
            import_diagram(name, partial=partial)
    assert process_time() - begun < 3  # seconds; a quadratic reader needs minutes


def test_limits_are_named() -> None:
    levels, parts = LIMITED["flowchart levels"], LIMITED["flowchart nodes"]
    assert f"nested more than {MAX_GROUP_LEVELS} levels deep" in refuse(*levels)
    assert f"more than {MAX_PARTS_COUNT} nodes and connections" in refuse(*parts)


@pytest.mark.parametrize(
    ("name", "frame"), [("x.mmd", "flowchart LR\n{}\n"), ("x.dot", "digraph {{{}}}"), ("x.d2", "{}\n")]
)
def test_each_part_counts_once(name: str, frame: str) -> None:
    arrow = "-->" if name == "x.mmd" else "->"
    text = frame.format(";".join(f"a{each} {arrow} b{each}" for each in range(MAX_PARTS_COUNT // 3)))
    assert read_diagram_text(text, name)[1].problems == []


def test_files_that_are_no_text_are_one_line() -> None:
    Path("x.mmd").write_bytes(b"flowchart LR\nA\xff --> B\n")
    assert run("import", "x.mmd").err == "x.mmd:2:2: not UTF-8: byte 0xFF at position 14 (save the file as UTF-8)\n"
    Path("x.dot").write_bytes(b"\x00" * 100)
    assert run("render", "x.dot").err == "x.dot:1:1: the character U+0000 is not allowed (remove it)\n"
    Path("x.d2").write_bytes(b"a" * 10_000_000)
    assert "is larger than 8 MB" in run("import", "x.d2").err
    missing = run("import", "no.mmd")
    assert (missing.status, missing.err) == (2, "no.mmd: file not found\n")


def test_line_ends_and_byte_order_marks_change_nothing() -> None:
    for name, text in (("x.mmd", "flowchart LR\nA --> B\n"), ("x.d2", "a -> b\n"), ("x.dot", "digraph { a -> b }\n")):
        Path(name).write_text(text, "utf-8")
        plain = import_diagram(name).document.data
        Path(name).write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
        assert import_diagram(name).document.data == plain


def test_dollars_in_names_and_dates_are_no_formulas() -> None:
    for name, text in {
        "x.d2": "a$b: {shape: sql_table; c$: x}\nd$ -> e\n",
        "y.d2": "shape: sequence_diagram\na$ -> b\na$.note$\ng$: {\n  a$ -> b\n}\n",
        "x.dot": 'digraph { "a$" -> "b$$" }\n',
        "x.mmd": "gantt\naxisFormat %d$\nA$ :2024-01-01, 3d\n",
    }.items():
        Path(name).write_text(text, "utf-8")
        assert str(import_diagram(name).document.data).count("\\\\$") >= 2


def test_a_partial_import_keeps_the_other_statements() -> None:
    Path("x.mmd").write_text("flowchart LR\nA[open\nB --> C\nC --> D nonsense\nD --o E\n", "utf-8")
    found = import_diagram("x.mmd", partial=True)
    content = found.document.data["panels"][0]["content"]
    assert [node["id"] for node in content["nodes"]] == ["A", "B", "C", "D", "E"]
    assert len(content["flows"]) == 3
    assert [problem.place.line for problem in found.left_out if problem.place] == [2, 4, 5]


def test_other_files_are_never_read() -> None:
    Path("secret.d2").write_text("hidden\n", "utf-8")
    Path("x.d2").write_text("a -> b\n...@secret\nc: @secret\nd: @secret.d2\n", "utf-8")
    found = import_diagram("x.d2", partial=True)
    assert "hidden" not in str(found.document.data)
    assert len(found.left_out) == 3
