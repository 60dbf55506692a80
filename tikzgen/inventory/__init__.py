"""What a figure holds: parameters, nodes, families, flows, looks, where it comes from, what was edited by hand."""

from __future__ import annotations

from tikzgen.inventory.parts import Inventory
from tikzgen.inventory.reading import inventory, take

__all__ = ["Inventory", "inventory", "take"]
