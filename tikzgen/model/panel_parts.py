"""Panels of a figure, links across them, and the legend."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from tikzgen.model.content import AnyContent
from tikzgen.model.part import Id, Part, Ref, check_distinct
from tikzgen.text import Text


def _as_list(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else [value]


class Panel(Part):
    """A panel: one or more topologies, timelines or space-time diagrams, with a caption."""

    id: Id = "main"
    """Name of the panel. In a figure with several panels, node names begin with it; panels without a name are
    `panel1`, `panel2` …"""
    content: Annotated[
        list[AnyContent],
        BeforeValidator(_as_list, json_schema_input_type=AnyContent | Annotated[list[AnyContent], Field(min_length=1)]),
    ] = Field(min_length=1, max_length=8)
    """Contents of the panel, left to right or top to bottom."""
    arrange: Literal["auto", "row", "column"] = "auto"
    """Parts in a row or in a column; `auto` is a row if the figure's width allows it."""
    caption: Text = ""
    """Caption below the panel; above and bold, if it has one line and all panels with a caption are single timelines
    to the right."""

    def stated_fields(self) -> frozenset[str]:
        """Return "id" if it was given, because a panel without an id may get a number."""
        return frozenset({"id"} & self.model_fields_set)

    @model_validator(mode="after")
    def _check_distinct_ids(self) -> Self:
        named = ((name, ("content", index)) for index, one in enumerate(self.content) for name, _ in one.named_parts())
        check_distinct(named, "give its nodes, or its lanes, distinct ids", " in the panel")
        return self


def told_apart(panels: list[Panel]) -> list[Panel]:
    """Return the panels; if there are several, number the panels without an id."""
    if len(panels) == 1:
        return panels
    return [
        panel if "id" in panel.model_fields_set else panel.model_copy(update={"id": f"panel{number}"})
        for number, panel in enumerate(panels, 1)
    ]


class Link(Part):
    """A thin arrow between parts of a figure, such as a span and the node where it runs."""

    source: Ref
    """`panel.id`, or `id` if the figure has one panel."""
    target: Ref
    """`panel.id`, or `panel.flow@0.3` for a point on a flow, measured from its source."""
    direction: Literal["forward", "backward", "both", "none"] = "both"
    """Ends with arrow heads."""


class Legend(Part):
    """A legend of fills, lines and markers. It lists only the entries that the figure uses."""

    position: Literal["top", "bottom", "none"] = "top"
    """Position of the legend."""
    entries: list[str] | None = None
    """Phase names, in order; null lists the phases that the figure uses and that have a label."""
    of: list[Literal["phases", "roles", "kinds", "steps", "states", "owners"]] = Field(default=["phases"])
    """Contents of the legend: phases of timelines, roles and states of nodes, kinds of flow, numbers of steps,
    owners."""
    texts: dict[str, Text] = Field(default_factory=dict)
    """Labels of roles, kinds, steps, states and owners in the legend, by name or number; by default their names. Steps
    without a label are left out."""
