"""Which contract belongs to a figure: the one beside it, or one of those that come with tikzgen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.errors import FileRefused, refusal
from tikzgen.files import read_bounded
from tikzgen.source import Facts

if TYPE_CHECKING:
    from tikzgen.edit.foreign.contract import Contract

__all__ = ["contract_name", "contract_of"]

_FOLDER = Path(__file__).parent / "contracts"


def contract_name(path: Path | None, facts: Facts) -> str:
    """What the contract of a figure is called; empty without one."""
    found = _beside(path) or _packaged(facts)
    return found.name if found else ""


def contract_of(path: Path | None, facts: Facts) -> Contract | None:
    """The contract of a figure; `EditRefused` where the file cannot be used, `FileRefused` where it cannot be read."""
    from tikzgen.edit.foreign.contract import read_contract

    if beside := _beside(path):
        try:
            return read_contract(read_bounded(beside))
        except OSError as error:
            raise FileRefused(f"{beside}: {refusal(error)}") from None
    packaged = _packaged(facts)
    return read_contract(packaged.read_bytes()) if packaged else None


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
