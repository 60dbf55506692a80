r"""Lines of a file: none of its code is over 100 columns, and folding keeps TeX's tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import EXAMPLES, example_tex

from tikzgen.emit.fold_lines import LINE_CHARS, fold_lines

WORD = "x" * 30


@pytest.mark.parametrize(
    ("line", "folded"),
    [
        (f"\\draw (a) -- (b); {WORD}", [f"\\draw (a) -- (b); {WORD}"]),
        (
            f"  \\node[{WORD}, {WORD}, {WORD[:20]}] (a) at (0,0) {{text}};",
            [f"  \\node[{WORD}, {WORD}, {WORD[:20]}]", "    (a) at (0,0) {text};"],
        ),
        (
            f"    a/.style={{{WORD}, {WORD}}}, b/.style={{{WORD}}},% {WORD}",
            [f"    % {WORD}", f"    a/.style={{{WORD}, {WORD}}},", f"      b/.style={{{WORD}}},%"],
        ),
        (f"  % {WORD} {WORD} {WORD} {WORD}", [f"  % {WORD} {WORD} {WORD}", f"  % {WORD}"]),
        (f"\\def\\label{{{WORD}, {WORD}, {WORD}}}% a label", [f"\\def\\label{{{WORD}, {WORD}, {WORD}}}% a label"]),
        (f"{WORD} 50\\% {WORD}, {WORD}; {WORD}", [f"{WORD} 50\\% {WORD}, {WORD};", f"  {WORD}"]),
    ],
    ids=["a short line", "a node", "a style with a comment", "a comment", "a label", "an escaped sign"],
)
def test_long_lines_are_folded_between_tokens(line: str, folded: list[str]) -> None:
    assert fold_lines(line).split("\n") == folded


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_have_no_long_line_but_of_a_parameter(example: Path) -> None:
    code = example_tex(example.stem).read_text("utf-8").partition("\\end{document}")[0]
    long = [line for line in code.splitlines() if len(line) > LINE_CHARS]
    assert len(long) <= 2
    assert all(line.startswith("\\def\\") and "}% " in line for line in long)
