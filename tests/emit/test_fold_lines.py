"""Lines of a file: none of its code is over 100 columns, and folding keeps TeX's tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import EXAMPLES, example_tex
from hypothesis import example, given
from hypothesis import strategies as st

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
        (f"{{{WORD},{WORD},{WORD},{WORD}}}", [f"{{{WORD},{WORD},{WORD},%", f"  {WORD}}}"]),
    ],
    ids=[
        *("a short line", "a node", "a style with a comment", "a comment", "a label", "an escaped sign"),
        "a text without spaces",
    ],
)
def test_long_lines_are_folded_between_tokens(line: str, folded: list[str]) -> None:
    assert fold_lines(line).split("\n") == folded


PIECES = ["\\", "%", "{", "}", "[", "]", "(", ")", ",", ";", ".", " ", "  ", " at (", " {", "\\\\", "\\%", "\\,", "\\ "]
CODE = st.lists(st.sampled_from([*PIECES, "\\node", "\\draw", "word", WORD]), min_size=8, max_size=60).map("".join)


@given(st.lists(CODE, min_size=1, max_size=3).map("\n".join))
@example(f"{{{WORD},{WORD},{WORD},{WORD}}}")
@example(f"{WORD * 4}\\ % a comment")
@example(f"{WORD * 4} % a comment")
@example(f"{WORD}\n{' ' * 120}\n{WORD}")
def test_tex_reads_the_same_tokens_from_folded_lines(text: str) -> None:
    assert list(read_tokens(fold_lines(text))) == list(read_tokens(text))


@given(st.lists(st.sampled_from([", ", "; ", ",", "[", "word", "{word} "]), max_size=120).map("".join))
def test_code_with_places_to_break_is_folded(code: str) -> None:
    assert all(len(line) <= LINE_CHARS or not re.search(r"[,\[;}]", line[4:]) for line in fold_lines(code).split("\n"))


def read_tokens(text: str) -> Iterator[str]:
    """Yield the tokens of lines as TeX reads them in its states: at a new line, in a line, after a space."""
    for line in text.split("\n"):
        state = "new"
        for command, sign in re.findall(r"\\([A-Za-z]+|.)|(.)", line.rstrip(" ") + "\r", re.DOTALL):
            if sign == "%":
                break
            if command:
                yield f"\\{command}"
                state = "space" if command.isalpha() else "line"
            elif sign in " \r":
                if state == "line" or (state == "new" and sign == "\r"):
                    yield "\\par" if state == "new" else " "
                state = "new" if state == "new" else "space"
            else:
                yield sign
                state = "line"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_have_no_long_line_but_of_a_parameter(path: Path) -> None:
    code = example_tex(path.stem).read_text("utf-8").partition("\\end{document}")[0]
    long = [line for line in code.splitlines() if len(line) > LINE_CHARS]
    assert len(long) <= 1
    assert all(line.startswith("\\def\\") and "}% " in line for line in long)
