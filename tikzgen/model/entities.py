"""The things a topology shows: workers, servers, data sources, plain nodes, and the ellipsis for those not drawn."""

from typing import Annotated, Literal

from pydantic import Field

from tikzgen.model.base import Id, Part, Words, empty
from tikzgen.model.look import Color
from tikzgen.text import Text


class Shard(Part):
    """A part drawn inside its owner: a parameter shard, a queue cell."""

    label: Text
    """What stands in the cell."""
    color: Color = "otorange"
    """A palette name for its fill."""


class Entity(Part):
    """What every entity has. Drawn as an icon with its label below, or as a box with its label inside."""

    id: Id
    """The node's name in the figure."""
    label: Text = ""
    """The entity's text."""
    sublabel: Text = ""
    """A second line, below the label."""
    icon: str | None = None
    """An icon by name (`tikzgen icons` lists them); null draws a box."""
    color: Color | None = None
    """A palette name; null takes the icon's or the role's own."""
    parts: list[Shard] = Field(default_factory=empty, max_length=64)
    """Cells drawn inside a box, left to right."""
    replicas: int = Field(default=1, ge=1, le=4)
    """How many sheets a stack shows."""
    state: Literal["normal", "highlighted", "failed", "idle"] = "normal"
    """Its condition: highlighted has a heavy border, failed a dashed one and a cross, idle is washed out."""
    role: Words = ""
    """What it is, in the words of the contract; the kind's own name where empty."""


class Worker(Entity):
    """A processor that computes: a GPU, a rank, a machine."""

    kind: Literal["worker"] = "worker"
    """Tells a worker from the other entities."""
    icon: str | None = "gpu"
    """An icon by name; null draws a box."""


class Server(Entity):
    """A parameter server, or any service that holds state."""

    kind: Literal["server"] = "server"
    """Tells a server from the other entities."""
    icon: str | None = "server"
    """An icon by name; null draws a box."""
    rule: Text = ""
    """The update rule, set after the label inside the box; maths welcome."""


class DataSource(Entity):
    """Where the training data come from."""

    kind: Literal["data-source"] = "data-source"
    """Tells a data source from the other entities."""
    icon: str | None = "dataset"
    """An icon by name; null draws a box."""


class Node(Entity):
    """Any other box."""

    kind: Literal["node"] = "node"
    """Tells a plain node from the other entities."""


class Dots(Part):
    """Three dots for the entities that are not drawn."""

    kind: Literal["ellipsis"] = "ellipsis"
    """Tells the dots from the other entities."""
    id: Id = "dots"
    """The node's name in the figure."""


AnyEntity = Annotated[Worker | Server | DataSource | Node | Dots, Field(discriminator="kind")]
