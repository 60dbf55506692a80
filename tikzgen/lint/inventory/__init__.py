"""What a figure holds: parameters, nodes, families, flows, looks, where it comes from, what was edited by hand."""

from __future__ import annotations

from tikzgen.lint.inventory.inventory_facts import Inventory
from tikzgen.lint.inventory.take_inventory import inventory, take

__all__ = ["Inventory", "inventory", "take"]
