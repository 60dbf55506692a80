"""What a recipe's figure shows otherwise than its facts say: changes that are made to it, one after the other.

Each is an operation of `tikzgen edit` with its arguments. They are made again whenever the recipe's figure is: so a
figure that was edited goes on following its facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from tikzgen.base.errors import EditRefused, Problem, SpecError
from tikzgen.model.base import Id, Part, shortest
from tikzgen.model.changes import CHANGES
from tikzgen.model.look import Color
from tikzgen.text import Text

__all__ = ["Override", "other_parts", "overridden"]

Name = Annotated[str, Field(min_length=1, max_length=200)]


class RenameNode(Part):
    """Another label for a node, a lane, a frame or a flow."""

    do: Literal["rename-node"]
    """The change."""
    node: Id
    """Its id."""
    label: Text
    """What it is called."""


class SetText(Part):
    """Another text for what has no id of its own."""

    do: Literal["set-text"]
    """The change."""
    at: list[Name] = Field(min_length=1)
    """Where the text stands, such as `panels.main.caption` or `phases.forward.label`."""
    text: Text
    """What stands there."""


class RenameId(Part):
    """Another id, in every place that speaks of it."""

    do: Literal["rename-id"]
    """The change."""
    old: Name
    """What it was called."""
    new: Id
    """What it is called from there on, also by the overrides that follow."""


class Recolor(Part):
    """Another colour for a kind of flow, a phase, or a node."""

    do: Literal["recolor"]
    """The change."""
    what: Name
    """The kind, the phase, or the node's id."""
    color: Color
    """A palette colour."""


class SwapIcon(Part):
    """Another icon for a node; for one of several workers, for all of them."""

    do: Literal["swap-icon"]
    """The change."""
    node: Id
    """Its id."""
    icon: str | None
    """The icon; null draws a box."""


class AddWorker(Part):
    """A worker after the last one, with the flows that the last one has."""

    do: Literal["add-worker"]
    """The change."""
    label: Text = ""
    """Its label; by default it continues those of the others."""


class RemoveWorker(Part):
    """A worker away, with its flows."""

    do: Literal["remove-worker"]
    """The change."""
    worker: str = ""
    """Which one; by default the last."""


class AddLane(Part):
    """An empty lane after the last one."""

    do: Literal["add-lane"]
    """The change."""
    lane: str = ""
    """Its id; by default it continues those of the others."""
    label: Text = ""
    """Its label."""


class RemoveLane(Part):
    """A lane away, with all that stands on it."""

    do: Literal["remove-lane"]
    """The change."""
    lane: str = ""
    """Which one; by default the last."""


class AddFlow(Part):
    """A flow between two nodes of one topology."""

    do: Literal["add-flow"]
    """The change."""
    source: Id
    """Where it begins."""
    target: Id
    """Where it ends."""
    kind: str = "data"
    """Its kind."""
    label: Text = ""
    """Text beside it."""


class RemoveFlow(Part):
    """A flow away."""

    do: Literal["remove-flow"]
    """The change."""
    source: Id
    """Where it begins."""
    target: Id
    """Where it ends."""
    kind: str | None = None
    """Its kind, where several flows join the two."""


_Any = (
    RenameNode
    | SetText
    | RenameId
    | Recolor
    | SwapIcon
    | AddWorker
    | RemoveWorker
    | AddLane
    | RemoveLane
    | AddFlow
    | RemoveFlow
)
Override = Annotated[_Any, Field(discriminator="do")]

_PARTS = (AddWorker, RemoveWorker, AddLane, RemoveLane, AddFlow, RemoveFlow)


def other_parts(overrides: Sequence[_Any]) -> bool:
    """Whether a figure has other parts than its recipe's facts say."""
    return any(isinstance(override, _PARTS) for override in overrides)


def overridden(data: dict[str, Any], overrides: Sequence[_Any], *, strict: bool) -> dict[str, Any]:
    """A figure's plain data with the overrides made; what finds nothing to change is left out, unless `strict`.

    `SpecError` then, at the override that the figure does not allow.
    """
    for index, override in enumerate(overrides):
        arguments = {field: value for field, value in shortest(override).items() if field != "do"}
        try:
            data = CHANGES[override.do](data, **arguments)
        except EditRefused as refused:
            if strict:
                raise SpecError([Problem(refused.message, f"overrides[{index}]", hint=refused.nearest)]) from None
    return data
