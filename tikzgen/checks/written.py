"""A figure as it is written: what rules that read a .tex look at."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tikzgen.errors import Place
from tikzgen.inventory.parts import Inventory, Origin
from tikzgen.inventory.reading import take
from tikzgen.source import Facts, scan
from tikzgen.source.text import decode, read_source

__all__ = ["Written", "written"]


@dataclass(frozen=True)
class Written:
    """A .tex file, its facts, and the metadata beside it; `trouble` says why these cannot be read."""

    name: str
    facts: Facts
    inventory: Inventory
    metadata: dict[str, Any] | None
    metadata_name: str
    trouble: str

    def place(self, at: int) -> Place:
        """Where an offset of the text is."""
        return self.facts.place(at, self.name)

    @property
    def described(self) -> bool:
        """Whether a description is inside, whatever its state."""
        return self.inventory.origin != Origin()

    @cached_property
    def contract(self) -> dict[str, Any]:
        """The edit contract of the metadata, empty without one."""
        found = (self.metadata or {}).get("edit_contract")
        return found if isinstance(found, dict) else {}

    @cached_property
    def body(self) -> int:
        r"""The offset of `\\begin{document}`; 0 in a text that others take in."""
        return max(self.facts.code.mask.find(r"\begin{document}"), 0)


def written(path: Path) -> Written:
    """Read a figure and the metadata beside it. `FileRefused` if the figure cannot be read."""
    data = read_source(path)
    beside = path.with_name(path.name.removesuffix(".tex") + ".meta.json")
    metadata, trouble = None, ""
    try:
        metadata = json.loads(beside.read_bytes())
        if not isinstance(metadata, dict):
            metadata, trouble = None, "is no mapping"
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        trouble = f"cannot be read: {str(error).splitlines()[0]}"
    facts = scan(decode(data))
    return Written(str(path), facts, take(data, str(path), path, facts), metadata, str(beside), trouble)
