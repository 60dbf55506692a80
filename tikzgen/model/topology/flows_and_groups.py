"""Flows between the nodes of a topology, and groups of nodes."""

from typing import Any, Literal, TypeAlias

from pydantic import Field, model_validator

from tikzgen.base.errors import quote
from tikzgen.model.addresses import PartEnd
from tikzgen.model.part import End, Id, Part, fail
from tikzgen.model.topology.entities import Pin
from tikzgen.model.topology.topology_layouts import Arrangement
from tikzgen.text import Text

LabelSide: TypeAlias = Literal["auto", "left", "right"]
LabelAt: TypeAlias = Literal["beside", "on", "sloped"]
FlowDirection: TypeAlias = Literal["forward", "backward", "both", "none"]
Side: TypeAlias = Literal["left", "right", "top", "bottom"]
Route: TypeAlias = Literal["auto", "straight", "bend", "elbow", "around", "curved", "bus", "loop"]

_SIDE_NAMES: dict[str, Side] = {"left": "left", "right": "right", "top": "top", "bottom": "bottom"}
_SIDE_NAMES |= {"west": "left", "east": "right", "north": "top", "south": "bottom"}  # anchors of TikZ


class Flow(Part):
    """A flow from one node to another, such as data, gradients, weights or messages."""

    source: End
    """Id of the node or group where the flow starts; a part of a node: `table.part(2)`; or with its side: `a.right`."""
    target: End
    """Id of the node or group where the flow ends; a part of a node: `table.part(2)`; or with its side: `a.left`."""
    kind: str = "data"
    """Kind of the flow: a name of `kinds` or a built-in one (data, gradient, weight, push, fetch, control, …)."""
    id: Id | None = None
    """Name of the flow, for links that end on it."""
    label: Text = ""
    """Text next to the flow."""
    side: LabelSide = "auto"
    """Side of the label, relative to the flow's direction; `auto` takes the outer side."""
    label_at: LabelAt = "beside"
    """Position of the label: next to the flow, on it over a background, or next to it and rotated along the flow."""
    direction: FlowDirection = "forward"
    """Ends with arrow heads."""
    route: Route = "auto"
    """Shape of the line. `auto`: straight in a stated layout if no node is in the way, bent if there is an opposite
    flow; otherwise orthogonal. `elbow` and `around`: orthogonal. `curved`: orthogonal with round corners. `bus`:
    orthogonal, with one trunk for buses of one kind with a common end. `bend`: a curve, or `curved` next to
    orthogonal flows. `straight`: an error if impossible. `loop`: from a node to itself, above it, like every such
    flow."""
    from_side: Side | None = None
    """Side of the source where the flow starts; null lets the layout choose."""
    to_side: Side | None = None
    """Side of the target where the flow ends; null lets the layout choose."""
    step: int | None = Field(default=None, ge=1, le=99)
    """Number in a circle on the flow, to show the order of events."""
    feedback: bool | None = None
    """`true`: the flow makes no layers, and runs around them. `false`: it runs forward, and other flows of its cycle
    run back. Null lets the layout choose."""

    @property
    def has_free_ends(self) -> bool:
        """Whether it may end anywhere at its nodes: neither at a part nor at a stated side, nor as feedback."""
        return self.is_whole and self.from_side is None and self.to_side is None and not self.feedback

    @property
    def is_whole(self) -> bool:
        """Whether it ends at whole nodes, not at parts of them."""
        return not isinstance(self.source, PartEnd) and not isinstance(self.target, PartEnd)

    @model_validator(mode="before")
    @classmethod
    def _one_target(cls, facts: Any) -> Any:
        """Raise an error for a list of ends: a message may have several targets, but a flow has one."""
        for end in ("source", "target"):
            if isinstance(facts, dict) and isinstance(facts.get(end), list):
                fail(f"a flow has one {end}", end, hint="write a flow for each; with route: bus they share a trunk")
        return _split_sides(facts) if isinstance(facts, dict) else facts


class Group(Part):
    """A box around nodes or other groups, with a label."""

    id: Id
    """Name of the group in the figure."""
    members: list[Id] = Field(min_length=1)
    """Ids of the nodes and groups inside."""
    label: Text = ""
    """Label of the group."""
    label_at: Literal["auto", "top left", "top", "top right", "bottom left", "bottom", "bottom right"] = "auto"
    """Position of the label. `auto` is the upper left, or below the group if a layout other than `auto` placed its
    members and that area is free."""
    layout: Arrangement | None = None
    """Layout of its members; null uses the layout of the topology."""
    like: Id | None = None
    """Id of a group whose layout this group copies, member by member."""
    pin: Pin | None = None
    """Layer of the group in an `auto` layout."""
    collapse: int | None = Field(default=None, ge=2, le=64)
    """Maximum number of similar members that are drawn, with dots for the rest; null takes the topology's value."""


def _split_sides(facts: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a flow with `source: a.right` as `source: a` and `from_side: right`."""
    found = dict(facts)
    for end, field in (("source", "from_side"), ("target", "to_side")):
        value = found.get(end)
        name, dot, word = value.rpartition(".") if type(value) is str else ("", "", "")
        side = _SIDE_NAMES.get(word) if dot else None
        if side is None:
            continue
        if found.get(field) not in (None, side):
            message = f"{quote(value)} conflicts with {field}: {found[field]}"
            fail(message, end, hint=f"keep one of both, as {end}: {name}")
        found |= {end: name, field: side}
    return found


def check_loop(flow: Flow, index: int) -> None:
    """Check that a flow is a loop if, and only if, it runs from a node to itself."""
    if flow.source == flow.target:
        if flow.route not in ("auto", "loop"):
            fail("a flow from a node to itself is a loop", "flows", index, "route", hint="use route: loop")
        if flow.side == "right":
            fail("the label of a loop is always outside it", "flows", index, "side", hint="use side: auto")
        for field in ("from_side", "to_side"):
            if getattr(flow, field) is not None:
                fail("a loop starts and ends above its node", "flows", index, field, hint="remove it")
    elif flow.route == "loop":
        message = f'a loop ends where it begins, and this flow runs from "{flow.source}" to "{flow.target}"'
        fail(message, "flows", index, "route", hint="use route: bend")


def check_sides(flow: Flow, index: int) -> None:
    """Check that the stated sides of a flow are possible: a part of a node and a bus have other ends."""
    for end, field in ((flow.source, "from_side"), (flow.target, "to_side")):
        if isinstance(end, PartEnd) and getattr(flow, field) is not None:
            fail("a part of a node has its own sides", "flows", index, field, hint="remove it")
    if flow.route == "bus" and not flow.has_free_ends:
        fail("a bus chooses its sides", "flows", index, "route", hint="use route: elbow, or leave it out")
