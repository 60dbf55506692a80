"""The arguments of each operation. A field that chooses among a figure's names says among which."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Arguments"]

_ID = r"^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*$"


class Arguments(BaseModel):
    """What an operation is told; unknown arguments are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def _one_of(choice: str, description: str, default: Any = ...) -> Any:
    """A name out of those that a figure has."""
    return Field(default=default, description=description, json_schema_extra={"choices": choice})


class Set(Arguments):
    parameter: str = _one_of("parameters", "The parameter, without its backslash.")
    value: str | float = Field(description="Its value: a number in the parameter's unit, or text.")


class RenameNode(Arguments):
    node: str = _one_of("labelled", "The node, or the lane.")
    label: str = Field(description="What it is called from now on.")


class RenameId(Arguments):
    old: str = _one_of("named", "The node, the span or the lane.")
    new: str = Field(pattern=_ID, max_length=60, description="Its name from now on: letters, digits, single hyphens.")


class AddWorker(Arguments):
    label: str = Field(default="", description="Its label; by default it continues those of the others.")


class RemoveWorker(Arguments):
    worker: str = _one_of("workers", "Which one; by default the last.", "")


class AddLane(Arguments):
    lane: str = Field(default="", description="Its id; by default it continues those of the others.")
    label: str = Field(default="", description="Its label; by default it continues those of the others.")


class RemoveLane(Arguments):
    lane: str = _one_of("lanes", "Which one; by default the last.", "")


class ChangeSpacing(Arguments):
    parameter: str = _one_of("lengths", "The distance, without its backslash.")
    value: float = Field(ge=0, le=40, description="In cm.")


class SwapIcon(Arguments):
    node: str = _one_of("with_icon", "The node.")
    icon: str | None = _one_of("icons", "The icon; null draws a box.")


class Recolor(Arguments):
    what: str = _one_of("colored", "A kind of flow, a phase or a style.")
    color: Literal["otblue", "otorange", "otteal", "otpurple", "otgray"] = Field(description="A palette colour.")


class Palette(Arguments):
    palette: Literal["light", "dark"] = Field(description="For white paper, or for dark slides.")


class Width(Arguments):
    width: float | str | None = Field(description="In cm, with a unit (3.25in), or a venue's; null: as wide as it is.")


class AddFlow(Arguments):
    source: str = _one_of("nodes", "Where it begins.")
    target: str = _one_of("nodes", "Where it ends.")
    kind: str = Field(default="data", description="Its kind: data, gradient, weight …")
    label: str = Field(default="", description="Text beside it.")


class RemoveFlow(Arguments):
    source: str = _one_of("flow_sources", "Where it begins.")
    target: str = _one_of("flow_targets", "Where it ends.")
    kind: str | None = Field(default=None, description="Its kind, where several flows join the two.")


class SetSchedule(Arguments):
    # a recipe has facts of its own besides these
    model_config = ConfigDict(extra="allow")

    schedule: str | None = Field(default=None, description="The kind of schedule: gpipe, 1f1b …")
    devices: int | None = Field(default=None, ge=1, description="How many devices, or pipeline stages.")
    microbatches: int | None = Field(default=None, ge=1, description="How many microbatches.")
