"""The contract for programs of a figure that tikzgen renders, in the format of third-party contracts."""

from __future__ import annotations

from typing import Any

from tikzgen.emit.contract_for_programs import Contract
from tikzgen.emit.write_metadata import contracts_of_kinds, find_apart_by, list_flow_kinds
from tikzgen.layout.scene import Scene
from tikzgen.model.figure import FigureModel


def make_contract(figure: FigureModel, scene: Scene) -> Contract:
    """Return the contract for programs: lower bounds of distances, families of workers, distinct colors."""
    kinds = list_flow_kinds(figure)
    apart = len(kinds) > 1 and find_apart_by(figure) == "colors"
    floors = {
        each.macro: {"least": each.floor.cm, "multiples": {f"\\{name}": share for name, share in each.floor.multiples}}
        for each in scene.parameters
        if each.floor
    }
    rows: dict[str, Any] = {
        "parameters": floors,
        "distinct": [[figure.kind(kind).tikz_style(kind) for kind in kinds]] if apart else [],
    }
    for kind, _ in contracts_of_kinds(figure):
        for field, listed in kind.contract_rows(figure, scene).items():
            rows[field] = [*rows.get(field, ()), *listed]
    return Contract.model_validate({"contract": 2, "figure": figure.id, **rows})
