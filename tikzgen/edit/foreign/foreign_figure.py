"""What an act is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field

from tikzgen.base.record import Record
from tikzgen.contract.program_contract import Contract
from tikzgen.edit.outcome import EditRefused
from tikzgen.inventory.inventory_facts import Inventory
from tikzgen.inventory.nodes import drawn_directly
from tikzgen.lint.metadatatext import Metadata
from tikzgen.texfile import Facts
from tikzgen.texfile.edits import Replacement

__all__ = ["Change", "Subject"]


class Subject(Record):
    """A figure of others, the contract that belongs to it, and the metadata that stood beside it."""

    facts: Facts
    figure: Inventory
    contract: Contract | None
    metadata: Metadata

    def agreed(self) -> Contract:
        """The contract; `EditRefused` without one."""
        if self.contract is None:
            way = "set, rename-node, rename-id, change-spacing, recolor and palette need none"
            raise EditRefused("no-contract", "no contract says how this figure is put together", nearest=way)
        return self.contract

    def direct(self) -> list[int]:
        """The indices of the nodes of the figure itself, not of pictures inside icons."""
        facts = self.facts
        return [index for index, node in enumerate(facts.nodes) if drawn_directly(facts, node.statement)]


@dataclass(slots=True)
class Change:
    """The replacements that an operation asks for.

    `touched` are the nodes that may come or go, or whose flows may; `renamed` leads from old names to new ones;
    `tolerated` are codes of check rules that the operation may break on its way. `recounted`: loops make another
    number of nodes and flows.
    """

    replacements: list[Replacement] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    flows: set[tuple[str, str]] = field(default_factory=set)
    icons: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    tolerated: set[str] = field(default_factory=set)
    message: str = ""
    recounted: bool = False
