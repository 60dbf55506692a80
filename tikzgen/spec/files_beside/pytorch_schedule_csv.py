"""PyTorch's pipeline schedule CSV as a description: recipe `pipeline` with located `operations`."""

from __future__ import annotations

from pathlib import PurePath

from tikzgen.base.errors import Place, Problem, SpecError
from tikzgen.base.patterns import pattern_of
from tikzgen.spec.document import Branch, Document, Places
from tikzgen.spec.source import check_text

# Stage number and action, optionally in (…)OVERLAP_F_B. No YAML or JSON description begins like this.
_ACTION = pattern_of(r'[\s,"]*\(?\d+(?:[FBIW]\d|SEND_|RECV_|UNSHARD|RESHARD|REDUCE_GRAD)')
_ID = pattern_of(r"[a-z0-9]+(-[a-z0-9]+)*")


def looks_like_actions(text: str) -> bool:
    """Return whether a string begins like a list of actions by rank."""
    return _ACTION.match(text.removeprefix("\ufeff")) is not None


def parse_actions(text: str, name: str) -> Document:
    """Read one line per rank, such as `0F0,0F1,0B0,0B1`; ignore empty cells, the bubbles of PyTorch.

    The name of the file becomes the figure's id, if it is valid. Raise `SpecError` for an empty list.
    """
    lines = check_text(text, name).rstrip().split("\n")
    rows: list[list[str]] = []
    ranks: list[Branch] = []
    for number, line in enumerate(lines, 1):
        if line.strip() or rows:  # blank lines before the first rank are ignored
            cells = _split_cells(line)
            rows.append([cell for _, cell in cells])
            ranks.append(Branch((number, 1), [(number, column) for column, _ in cells], {}))
    if not any(rows):
        hint = "one line per rank, such as 0F0,0F1,0B0,0B1"
        raise SpecError([Problem("no actions in the list", place=Place(name, 1, 1), hint=hint)])
    data: dict[str, object] = {"recipe": "pipeline", "operations": rows}
    stem = PurePath(name).stem.lower().replace("_", "-")
    if _ID.fullmatch(stem) and len(stem) <= 60:
        data["id"] = stem
    begin = (1, 1)
    marks = {key: Branch(begin, ranks, {}) if key == "operations" else begin for key in data}
    return Document(name, data, Places(name, Branch(begin, marks, dict.fromkeys(data, begin))))


def _split_cells(line: str) -> list[tuple[int, str]]:
    """Return the nonempty cells of a line, each with its column, from 1."""
    found = []
    start = 0
    for raw in line.split(","):
        text = raw.replace('"', "").strip()
        if text:
            found.append((start + len(raw) - len(raw.lstrip(' \t"')) + 1, text))
        start += len(raw) + 1
    return found
