"""Take the inventory of a figure."""

from __future__ import annotations

import re
from pathlib import Path

from tikzgen.inventory.contract_file import contract_file
from tikzgen.inventory.flows import flows
from tikzgen.inventory.inventory_facts import HandEdit, Inventory, Parameter, Problem
from tikzgen.inventory.looks import colors, icons, requires, styles
from tikzgen.inventory.nodes import families, nodes
from tikzgen.inventory.origin import hand_edits, origin
from tikzgen.inventory.parameters import metadata_beside, parameters
from tikzgen.texfile import Facts, scan
from tikzgen.texfile.text import decode, digest, read_source

__all__ = ["inventory", "take"]

_LANE = re.compile(r"label of lane (\S+)$")


def inventory(path: str | Path) -> Inventory:
    """What a .tex file holds, tikzgen's own or any other; `FileRefused` if it cannot be read."""
    path = Path(path)
    return take(read_source(path), str(path), path)


def take(
    data: bytes, name: str, path: Path | None = None, facts: Facts | None = None, *, edits_too: bool = True
) -> Inventory:
    """What the bytes of a .tex file hold; `path` is where its metadata and its contract are looked for.

    `facts` spares reading them again. Without `edits_too` nobody looks for hand edits, which takes a rendering.
    """
    text = decode(data)
    facts = facts or scan(text)
    came, description = origin(text)
    beside = metadata_beside(path)
    listed = parameters(facts, beside, untouched=came.untouched)
    edits: tuple[HandEdit, ...] | str | None = () if came.untouched else None
    if edits_too and edits is None and description is not None:
        edits = hand_edits(facts, description, name)
    if isinstance(edits, str):
        came, description, edits = came._replace(trouble=edits), None, None
    for edit in edits or ():
        listed = tuple(each._replace(default=edit.before) if each.name == edit.name else each for each in listed)
    named = nodes(facts)
    return Inventory(
        file=name,
        digest=digest(data),
        origin=came,
        contract=_contract(path, facts) if description is None else "",
        parameters=listed,
        nodes=named,
        families=families(facts, named, own=description is not None),
        flows=flows(facts),
        lanes=_lanes(listed),
        styles=styles(facts),
        colors=colors(facts),
        icons=icons(facts),
        requires=requires(facts),
        hand_edits=edits,
        problems=_problems(facts),
        description=description,
        title=_line(beside.get("name")),
        summary=_line(beside.get("description")),
    )


def _line(text: object) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""


def _contract(path: Path | None, facts: Facts) -> str:
    """The contract of a figure of others: `fig.contract.json` beside it, or one that comes with tikzgen."""
    found = contract_file(path, facts)
    return found.name if found else ""


def _lanes(listed: tuple[Parameter, ...]) -> tuple[str, ...]:
    """The lanes of timelines: tikzgen says of each label which lane it belongs to."""
    found = [_LANE.match(each.meaning) for each in listed]
    return tuple(dict.fromkeys(each[1] for each in found if each))


def _problems(facts: Facts) -> tuple[Problem, ...]:
    places = [(error.message, facts.place(error.at)) for error in facts.errors]
    return tuple(Problem(message, place.line or 0, place.column or 0) for message, place in places)
