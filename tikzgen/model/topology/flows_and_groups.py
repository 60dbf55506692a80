"""Flows between the nodes of a topology, and groups of nodes."""

from typing import Any, Literal, TypeAlias

from pydantic import Field, model_validator

from tikzgen.model.part import Id, Part, Ref, fail
from tikzgen.model.topology.entities import Pin
from tikzgen.model.topology.topology_layouts import Arrangement
from tikzgen.text import Text

LabelSide: TypeAlias = Literal["auto", "left", "right"]
LabelAt: TypeAlias = Literal["beside", "on", "sloped"]
FlowDirection: TypeAlias = Literal["forward", "backward", "both", "none"]
Route: TypeAlias = Literal["auto", "straight", "bend", "elbow", "around", "curved", "bus", "loop"]


class Flow(Part):
    """A flow from one node to another, such as data, gradients, weights or messages."""

    source: Ref
    """The id of the entity, or of the frame, that it leaves."""
    target: Ref
    """The id of the entity, or of the frame, that it reaches."""
    kind: str = "data"
    """What moves: a name of `kinds` or a built-in one (data, gradient, weight, push, fetch, control, …)."""
    id: Id | None = None
    """A name, for links that end on this flow."""
    label: Text = ""
    """Text beside the flow."""
    side: LabelSide = "auto"
    """On which side of its direction the label stands; auto takes the outer side."""
    label_at: LabelAt = "beside"
    """Where the label stands: beside the flow, on it with paper behind, or beside it and turned as it runs."""
    direction: FlowDirection = "forward"
    """Which ends have arrow heads."""
    route: Route = "auto"
    """How it runs; auto is straight where the layout was stated and nothing is in the way, but bends beside an opposite
    flow; else it turns right angles around what stands there. Elbow and around always turn right angles, curved rounds
    these corners. A bus turns them, too, and buses share their trunk with those of their kind that have an end with
    them. Bend is a curve; beside flows of right angles, it is as curved. Straight is refused where it cannot be. A loop
    leaves a node and comes back to it from above, as every flow from a node to itself does."""
    step: int | None = Field(default=None, ge=1, le=99)
    """A number in a circle on the flow, to tell the order of events."""

    @model_validator(mode="before")
    @classmethod
    def _one_target(cls, facts: Any) -> Any:
        """Raise an error for a list of ends: a message may have several targets, but a flow has one."""
        for end in ("source", "target"):
            if isinstance(facts, dict) and isinstance(facts.get(end), list):
                fail(f"a flow has one {end}", end, hint="write a flow for each; with route: bus they share a trunk")
        return facts


class Group(Part):
    """A box around nodes or other groups, with a label."""

    id: Id
    """The frame's node name."""
    members: list[Id] = Field(min_length=1)
    """The ids of what stands inside."""
    label: Text = ""
    """The frame's text."""
    label_at: Literal["auto", "top left", "top", "top right", "bottom left", "bottom", "bottom right"] = "auto"
    """Where in the frame its text stands; auto is at the upper left, or below a frame around what a layout other than
    auto has placed, where that stands clear."""
    layout: Arrangement | None = None
    """How its members are placed; null lets the topology's layout decide."""
    like: Id | None = None
    """A frame whose members are placed the same way, one for one."""
    pin: Pin | None = None
    """Keeps the frame in a layer where the layout is auto."""
    collapse: int | None = Field(default=None, ge=2, le=64)
    """How many are drawn at most of members that are alike, with dots for the others; null is as the topology says."""
