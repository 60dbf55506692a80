"""Nodes of a topology: workers, servers, data sources, plain nodes, and the ellipsis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, NoReturn, Self, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import find_outward_sign
from tikzgen.model.looks.owner_fills import MOST_OWNERS_COUNT
from tikzgen.model.looks.palettes import Color
from tikzgen.model.open_names import NameIn
from tikzgen.model.part import Id, LocalId, Part, Words, check_distinct, fail, label_by_id, make_empty_list
from tikzgen.model.topology.node_shapes import SHAPES, NodeShape
from tikzgen.text import Text

LOOKS = {"worker": ("worker", "otteal"), "server": ("server", "otblue"), "data-source": ("source", "otorange")}
"""Style and default color of a box, by the node's kind."""
_UNFILLED = {"icon": "an icon", "text": "a text"}
ShapeName: TypeAlias = Annotated[str, NameIn(SHAPES)]
State: TypeAlias = Literal["normal", "highlighted", "failed", "idle", "slow", "new"]


class Shard(Part):
    """A part drawn inside its owner: a parameter shard, a queue cell."""

    label: Text
    """Text in the cell."""
    id: LocalId | None = None
    """Name of the part in addresses, instead of its number: `table.part(head)`."""
    owner: int | None = Field(default=None, ge=0, lt=MOST_OWNERS_COUNT)
    """Number of its owner, whose fill it gets instead of that of its color."""
    color: Color = "otorange"
    """Color of its border and its fill."""


Shift: TypeAlias = Annotated[float, Field(ge=-100, le=100, allow_inf_nan=False)]


class Pin(Part):
    """The layer in which a node or a group is placed, among the layers that flows make."""

    level: int = Field(ge=0, le=63)
    """Number of the layer in the group that contains it, or in the topology; the first one is 0."""


class Entity(Part):
    """Fields of every node. A node is an icon with its label below, or a box with its label inside."""

    id: Id
    """Name of the node in the figure."""
    label: Text = ""
    """Label of the node. Without this field, the label is the id; an empty string leaves the node blank."""
    sublabel: Text = ""
    """Second line, below the label."""
    icon: str | None = None
    """Name of an icon (`tikzgen icons` lists them); null draws a box."""
    shape: ShapeName | None = None
    """Outline around the label. `card` is a box with an icon above the label; `text` has no border. Null is the icon
    (as a card with parts or replicas), or a box without an icon."""
    color: Color | None = None
    """Color of the border and, much lighter, of the fill; null takes the color of the icon or of the role."""
    owner: int | None = Field(default=None, ge=0, lt=MOST_OWNERS_COUNT)
    """Number of its owner, whose fill it gets instead of that of its color."""
    parts: list[Shard] = Field(default_factory=make_empty_list, max_length=64)
    """Cells inside a box, along one of its sides, or in the slots of a cylinder."""
    cells: Literal["apart", "joined", "rows"] = "apart"
    """Arrangement of the parts: left to right with gaps (`apart`), without gaps (`joined`), or in rows below the
    label, as in a record."""
    part_side: Literal["inside", "above", "below", "left", "right"] = "inside"
    """Position of the parts: inside the box, or outside along one side."""
    replicas: int = Field(default=1, ge=1, le=4)
    """Number of copies in the stack."""
    state: State = "normal"
    """State of the node: `highlighted` has a heavy border, `failed` a dashed border and a cross, `slow` a dotted
    border, `new` long dashes; `idle` is pale except for labels."""
    role: Words = ""
    """Role of the node in the contract; empty takes the name of its kind."""
    pin: Pin | None = None
    """Layer of the node in an `auto` layout."""
    offset: tuple[Shift, Shift] = (0.0, 0.0)
    """Distance in cm by which the node is moved from the position of the layout: to the right, and up."""

    def stated_fields(self) -> frozenset[str]:
        """Return "label" if the label is empty, because without this field, the node shows its id."""
        return frozenset() if self.label else frozenset({"label"})

    @property
    def form(self) -> str:
        """Name of the outline around the label, or "icon" for an icon with its label below."""
        if self.shape is None and self.icon is not None:
            return "card" if self.parts or self.replicas > 1 else "icon"
        return self.shape or "box"

    @model_validator(mode="before")
    @classmethod
    def _label_by_id(cls, data: Any) -> Any:
        return label_by_id(data)

    @model_validator(mode="before")
    @classmethod
    def _shape_over_icon(cls, data: Any) -> Any:
        """Remove the default icon of a node if a shape is given."""
        if isinstance(data, dict) and data.get("shape") not in (None, "card") and "icon" not in data:
            return {**data, "icon": None}
        return data

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        """Check that the shape allows the icon, the parts and the replicas of the node."""
        has_icon = self.shape is None or SHAPES[self.shape].has_icon
        if self.shape and has_icon and self.icon is None:
            fail(f"a {self.shape} needs an icon", "icon", hint="name one, or use shape: box")
        if not has_icon and self.icon is not None:
            fail(f"an icon does not fit into {quote(self.shape)}", "icon", hint="use shape: card, or icon: null")
        if self.parts and not (self.form == "icon" or SHAPES[self.form].parts):
            self._refuse_form("parts", lambda shape: bool(shape.parts))
        if self.replicas > 1 and not (self.form == "icon" or SHAPES[self.form].is_box):
            self._refuse_form("replicas", lambda shape: shape.is_box)
        if self.owner is not None and self.form in _UNFILLED:
            hint = "use a shape with a border, such as box or card"
            fail(f"{_UNFILLED[self.form]} has no fill", "owner", hint=hint)
        named = ((part.id, ("parts", index, "id")) for index, part in enumerate(self.parts) if part.id)
        check_distinct(named, "give each part its own id", " in the node")
        for field in ("cells", "part_side"):
            if getattr(self, field) not in ("apart", "inside") and not self.parts:
                fail("needs parts", field, hint="list parts, or leave it out")
        if self.part_side != "inside":
            self._check_chips()
        return self

    def _refuse_form(self, field: str, fits: Callable[[NodeShape], bool], what: str = "") -> NoReturn:
        """Raise an error for a field that the shape does not allow, with built-in shapes that do."""
        shapes = sorted(SHAPES.built_in, key=lambda name: not SHAPES[name].is_box)
        hint = f"use one of the shapes {', '.join(name for name in shapes if fits(SHAPES[name]))}"
        fail(f"{quote(self.form)} has no {what or field}", field, hint=hint)

    def _check_chips(self) -> None:
        """Check that parts outside of a node are along a straight side that is free."""
        if self.form != "icon" and not SHAPES[self.form].is_box:
            self._refuse_form("part_side", lambda shape: shape.is_box, "side for parts")
        if self.cells == "rows":
            fail("cells: rows needs parts inside of a box", "cells", hint="use cells: joined, or part_side: inside")
        if self.replicas > 1 and self.part_side != "inside" and find_outward_sign(self.part_side) > 0:
            fail("the copies of a stack occupy this side", "part_side", hint="use part_side: below, or left")


class Worker(Entity):
    """A processor that computes: a GPU, a rank, a machine."""

    kind: Literal["worker"] = "worker"
    """Type of the node."""
    icon: str | None = "gpu"
    """Name of an icon; null draws a box."""


class Server(Entity):
    """A parameter server, or any service that holds state."""

    kind: Literal["server"] = "server"
    """Type of the node."""
    icon: str | None = "server"
    """Name of an icon; null draws a box."""
    rule: Text = ""
    """Update rule, set after the label inside the box; it can contain math."""


class DataSource(Entity):
    """A source of training data."""

    kind: Literal["data-source"] = "data-source"
    """Type of the node."""
    icon: str | None = "dataset"
    """Name of an icon; null draws a box."""


class Node(Entity):
    """A plain node: any other box."""

    kind: Literal["node"] = "node"
    """Type of the node."""


class Dots(Part):
    """Three dots for nodes that are not drawn."""

    kind: Literal["ellipsis"] = "ellipsis"
    """Type of the node."""
    id: Id = "dots"
    """Name of the node in the figure."""


_IDS = {
    "worker": pattern_of(r"(?:w|worker|gpu|rank)-?\d*"),
    "server": pattern_of(r"(?:ps|server)-?\d*"),
    "data-source": pattern_of(r"data(?:set)?-?\d*"),
    "ellipsis": pattern_of(r"dots-?\d*"),
}
_ICONS = {**dict.fromkeys(("gpu", "tpu", "cpu"), "worker"), "server": "server", "dataset": "data-source"}


def _kind_told(data: Any) -> Any:
    """Return the data of a node with its kind, if it is left out.

    The id decides (`w1`, `ps`, `data`, `dots`), then the icon; otherwise, it is a plain node.
    """
    if not isinstance(data, dict) or "kind" in data:
        return data
    name, icon = str(data.get("id", "")), data.get("icon")
    told = [kind for kind, pattern in _IDS.items() if pattern.fullmatch(name)]
    return {"kind": told[0] if told else _ICONS.get(icon, "node") if isinstance(icon, str) else "node", **data}


def _without_kind(schema: dict[str, Any]) -> None:
    """Make the kind optional in the schema of a node."""
    schema.pop("required", None)
    schema["anyOf"] = schema.pop("oneOf")


AnyEntity = Annotated[
    Worker | Server | DataSource | Node | Dots,
    Field(discriminator="kind", json_schema_extra=_without_kind),
    BeforeValidator(_kind_told),
]
