"""Slides: the steps in which a figure appears in a talk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from tikzgen.model.exact_fields import Time
from tikzgen.model.part import Part, Ref, Words, fail, make_empty_list

By = Literal["time", "microbatch", "flows", "panels", "groups"]
MOST_SLIDES_COUNT = 999
"""Maximum number of slides."""


class Slides(Part):
    """The parts that appear on each slide. No slide depends on a later one."""

    by: By = "groups"
    """Order of the slides: by start times of spans, by numbers in their cells, by steps of flows, by panels, or by
    named groups."""
    at: list[Time] = Field(default_factory=make_empty_list, max_length=MOST_SLIDES_COUNT - 1)
    """For `time`: start times of the second and each later slide; empty takes all times at which a span starts."""
    groups: dict[Words, list[Ref]] = Field(default_factory=dict, max_length=MOST_SLIDES_COUNT)
    """For `groups`: ids that appear together, as in links. Elements in no group appear first, or with the element to
    which they belong."""

    @model_validator(mode="after")
    def _check_fields(self) -> Self:
        if self.by == "groups" and not self.groups:
            fail("needs groups", "groups", hint="name some: groups: {first: [a], then: [b, c]}")
        for field, by in (("at", "time"), ("groups", "groups")):
            if getattr(self, field) and self.by != by:
                fail(f'only slides by: {by} have "{field}"', field, hint=f"use by: {by}, or leave it out")
        if self.at != sorted({*self.at}) or self.at[:1] == [0]:
            fail("must be increasing times after 0", "at", hint="sort them")
        named: dict[str, str] = {}
        for group, names in self.groups.items():
            for place, name in enumerate(names):
                if name in named:
                    message = f'"{name}" already appears with "{named[name]}"'
                    fail(message, "groups", group, place, hint="name it in one group")
                named[name] = group
        return self

    def with_names(self, called: Callable[[str], str | None]) -> Slides | None:
        """Return the slides with current names; drop names mapped to None, empty groups, and empty slides."""
        named = {
            group: [now for name in names if (now := called(name)) is not None] for group, names in self.groups.items()
        }
        groups = {group: names for group, names in named.items() if names or not self.groups[group]}
        return None if self.groups and not groups else self.model_copy(update={"groups": groups})


def _read_slides(value: Any) -> Any:
    """Return the data of slides: a word becomes the field `by`, and `none` becomes None."""
    if value == "none":
        return None
    return {"by": value} if isinstance(value, str) else value


AnySlides = Annotated[
    Slides | None,
    BeforeValidator(
        _read_slides, json_schema_input_type=Slides | Literal["none", "time", "microbatch", "flows", "panels"] | None
    ),
]
