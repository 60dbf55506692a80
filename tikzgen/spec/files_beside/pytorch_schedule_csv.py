"""PyTorch's pipeline schedule CSV as a description: the recipe `pipeline` with its `operations`, each at its place."""

from __future__ import annotations

from pathlib import PurePath

from tikzgen.base.errors import Place, Problem, SpecError
from tikzgen.base.patterns import pattern_of
from tikzgen.spec.document import Branch, Document, Places
from tikzgen.spec.source import check_text

# A stage's number and what is done, perhaps inside (…)OVERLAP_F_B: no YAML or JSON description begins like this.
_ACTION = pattern_of(r'[\s,"]*\(?\d+(?:[FBIW]\d|SEND_|RECV_|UNSHARD|RESHARD|REDUCE_GRAD)')
_ID = pattern_of(r"[a-z0-9]+(-[a-z0-9]+)*")


def looks_like_actions(text: str) -> bool:
    """Whether a text, by its beginning, is a list of actions by rank."""
    return _ACTION.match(text.removeprefix("\ufeff")) is not None


def parse_actions(text: str, name: str) -> Document:
    """Read one line a rank, such as `0F0,0F1,0B0,0B1`; empty cells, PyTorch's bubbles, are passed over.

    The figure takes its id from the file's name, where that can be one. Raises `SpecError` for an empty list.
    """
    lines = check_text(text, name).rstrip().split("\n")
    rows: list[list[str]] = []
    ranks: list[Branch] = []
    for number, line in enumerate(lines, 1):
        if line.strip() or rows:  # blank lines before the first rank do not count
            cells = _cells(line)
            rows.append([cell for _, cell in cells])
            ranks.append(Branch((number, 1), [(number, column) for column, _ in cells], {}))
    if not any(rows):
        hint = "one line a rank, such as 0F0,0F1,0B0,0B1"
        raise SpecError([Problem("no actions in the list", place=Place(name, 1, 1), hint=hint)])
    data: dict[str, object] = {"recipe": "pipeline", "operations": rows}
    stem = PurePath(name).stem.lower().replace("_", "-")
    if _ID.fullmatch(stem) and len(stem) <= 60:
        data["id"] = stem
    begin = (1, 1)
    marks = {key: Branch(begin, ranks, {}) if key == "operations" else begin for key in data}
    return Document(name, data, Places(name, Branch(begin, marks, dict.fromkeys(data, begin))))


def _cells(line: str) -> list[tuple[int, str]]:
    """The cells of a line that are not empty, each with its column, from 1."""
    found = []
    start = 0
    for raw in line.split(","):
        text = raw.replace('"', "").strip()
        if text:
            found.append((start + len(raw) - len(raw.lstrip(' \t"')) + 1, text))
        start += len(raw) + 1
    return found
