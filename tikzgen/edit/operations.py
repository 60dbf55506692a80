"""The table of operations: what each one does, its arguments, and whether a figure allows it.

This is the one place that says so. The command line, the schemas that `tikzgen show` prints, the tools for agents and
the documentation are made from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tikzgen.base.record import Record
from tikzgen.edit import choices
from tikzgen.edit import operation_arguments as given
from tikzgen.inventory.inventory_facts import Inventory

__all__ = ["OPERATIONS", "Operation", "operation"]

Reasons = tuple[str, ...]


class Operation(Record):
    """One thing that may be done to a figure.

    `arguments` is the model of its arguments; `needs` gives the reasons why a figure does not allow it.
    """

    id: str
    summary: str
    arguments: type[given.Arguments]
    needs: Callable[[Inventory], Reasons]

    def possible(self, figure: Inventory) -> Reasons:
        """Why the figure does not allow this operation now; nothing where it does."""
        return self.needs(figure)

    def schema(self, figure: Inventory | None = None) -> dict[str, Any]:
        """The JSON Schema (2020-12) of the arguments; with a figure, names are those that it has."""
        found = self.arguments.model_json_schema()
        found.pop("title", None)
        for field in found.get("properties", {}).values():
            field.pop("title", None)
            choice = field.pop("choices", None)
            names = choices.CHOICES[choice](figure) if choice and figure else ()
            if names:
                field["enum"] = [*names, *([field["default"]] if field.get("default", "…") in ("", None) else [])]
                field.pop("anyOf", None)
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}


def operation(name: str) -> Operation | None:
    """An operation by its id; None where there is none."""
    return next((each for each in OPERATIONS if each.id == name), None)


def _no_description(figure: Inventory) -> str:
    if figure.origin.trouble:
        return figure.origin.trouble
    return "the figure carries no description of tikzgen's"


def _own(figure: Inventory) -> Reasons:
    return () if figure.own else (_no_description(figure),)


def _own_or_contract(figure: Inventory) -> Reasons:
    if figure.own or figure.contract:
        return ()
    return (f"{_no_description(figure)}, and no .contract.json stands beside it",)


def _has(what: str, choice: str) -> Callable[[Inventory], Reasons]:
    """The figure must have one of the names that an argument chooses from."""

    def needs(figure: Inventory) -> Reasons:
        return () if choices.CHOICES[choice](figure) else (f"the figure has no {what}",)

    return needs


def _all(*needs: Callable[[Inventory], Reasons]) -> Callable[[Inventory], Reasons]:
    return lambda figure: tuple(reason for need in needs for reason in need(figure))


def _several_workers(figure: Inventory) -> Reasons:
    families = [family for family in figure.families if family.kind == "worker"]
    if families and all(len(family.members) <= family.least for family in families):
        return ("only one worker is left",)
    return ()


def _several_lanes(figure: Inventory) -> Reasons:
    return ("only one lane is left",) if len(figure.lanes) == 1 else ()


def _two_nodes(figure: Inventory) -> Reasons:
    return () if len(choices.nodes(figure)) > 1 else ("a flow needs two named nodes",)


def _has_palette(figure: Inventory) -> Reasons:
    missing = [name for name in choices.PALETTE if name not in {color.name for color in figure.colors}]
    return (f"the figure does not define {', '.join(missing)}",) if missing else ()


def _own_or(other: Callable[[Inventory], Reasons]) -> Callable[[Inventory], Reasons]:
    return lambda figure: () if figure.own else other(figure)


def _has_schedule(figure: Inventory) -> Reasons:
    if figure.own and figure.origin.kind != "recipe":
        return ("the figure was not made by a recipe that computes a schedule",)
    if figure.own and not figure.lanes:
        return ("the figure has no timeline",)
    return ()


OPERATIONS: tuple[Operation, ...] = (
    Operation("set", "Give a parameter another value.", given.Set, _has("parameters", "parameters")),
    Operation(
        "rename-node",
        "Change a node's label; its name and all flows stay.",
        given.RenameNode,
        _has("node with a label", "labelled"),
    ),
    Operation(
        "rename-id",
        "Change a node's name and every reference to it; its label stays.",
        given.RenameId,
        _has("named nodes", "named"),
    ),
    Operation(
        "add-worker",
        "Add a worker after the last one, with the flows that the last one has.",
        given.AddWorker,
        _all(_has("workers", "workers"), _own_or_contract),
    ),
    Operation(
        "remove-worker",
        "Remove a worker with its label and its flows.",
        given.RemoveWorker,
        _all(_has("workers", "workers"), _several_workers, _own_or_contract),
    ),
    Operation("add-lane", "Add a lane to the timelines.", given.AddLane, _all(_has("lanes", "lanes"), _own)),
    Operation(
        "remove-lane",
        "Remove a lane with everything on it.",
        given.RemoveLane,
        _all(_has("lanes", "lanes"), _several_lanes, _own),
    ),
    Operation(
        "change-spacing",
        "Change a distance; all positions follow.",
        given.ChangeSpacing,
        _has("distances among its parameters", "lengths"),
    ),
    Operation(
        "swap-icon",
        "Draw a node with another icon; workers change together.",
        given.SwapIcon,
        _all(_has("node with an icon", "with_icon"), _own_or_contract),
    ),
    Operation(
        "recolor",
        "Give a kind of flow, a phase or a style another palette colour.",
        given.Recolor,
        _has("style with a palette colour", "colored"),
    ),
    Operation("palette", "Use the colours for white paper, or for dark slides.", given.Palette, _own_or(_has_palette)),
    Operation("width", "Fit the figure to a width by its spacing.", given.Width, _own),
    Operation("add-flow", "Draw a flow between two nodes.", given.AddFlow, _all(_two_nodes, _own_or_contract)),
    Operation(
        "remove-flow",
        "Remove the flow between two nodes.",
        given.RemoveFlow,
        _all(_has("flows between named nodes", "flow_sources"), _own_or_contract),
    ),
    Operation(
        "set-schedule",
        "Change the facts of a schedule; all times are computed again.",
        given.SetSchedule,
        _all(_own, _has_schedule),
    ),
)
