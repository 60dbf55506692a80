"""Figures of earlier versions: a file of every generation of the templates, by the commit that wrote it."""

from __future__ import annotations

from pathlib import Path

from tikzgen import loads
from tikzgen.spec.embedded_spec import extract_spec, rows_of

__all__ = ["MINE", "PAST", "edit_by_hand"]

FOLDER = Path(__file__).parent / "cases" / "past"
PAST = sorted(FOLDER.glob("*.tex"))
MINE = ("% a comment of mine\n", "% the second node\n")


def edit_by_hand(text: str) -> str:
    """Return a file with a comment more, and one node changed.

    The node is one that today's templates spell as then, because the first text of its line is known from them only.
    """
    rows = rows_of(text)
    today = set(rows_of(loads(extract_spec(text) or "").tex()))
    begin = rows.index("\\begin{document}\n")
    nodes = [place for place, row in enumerate(rows) if place > begin and "\\node" in row and row.endswith(";\n")]
    node = [place for place in nodes if rows[place] in today][1]
    rows[node] = rows[node].replace(";\n", f";{MINE[1]}")
    return "".join([*rows[:begin], MINE[0], *rows[begin:]])
