"""Which contract belongs to a figure: the one beside it, or one of those that come with tikzgen."""

from __future__ import annotations

import json
from pathlib import Path

from tikzgen.texfile import Facts

_FOLDER = Path(__file__).parent / "contracts"


def contract_file(path: Path | None, facts: Facts) -> Path | None:
    """The file of a figure's contract: `fig.contract.json` beside it, or a packaged one; None without one."""
    return _beside(path) or _packaged(facts)


def _beside(path: Path | None) -> Path | None:
    if path is None:
        return None
    beside = path.with_name(path.name.removesuffix(".tex") + ".contract.json")
    return beside if beside.is_file() else None


def _packaged(facts: Facts) -> Path | None:
    """The first packaged contract whose marks the figure bears: macros that it defines, styles that it declares.

    Not the hash of the file: a figure keeps its contract after an edit.
    """
    macros = {each.name for each in facts.definitions}
    styles = {each.name for each in facts.styles}
    for path in sorted(_FOLDER.glob("*.contract.json")):
        marks = json.loads(path.read_bytes())["marks"]
        if macros.issuperset(marks["macros"]) and styles.issuperset(marks["styles"]):
            return path
    return None
