"""A timeline: lanes, the spans on them, frames, barriers, dependencies and an axis. Times are exact."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, Self

from pydantic import Field, model_validator

from tikzgen.model.base import Duration, Id, Part, Ref, Time, fail, spell_time
from tikzgen.model.topology import require
from tikzgen.text import Text

__all__ = ["Axis", "Barrier", "Dependency", "Frame", "Lane", "Span", "Timeline"]


class Lane(Part):
    """What runs one thing at a time: a GPU, a stream, a link."""

    id: Id
    """A name; spans are named after it: `<lane>-<phase><k>`."""
    label: Text = ""
    """Text at the lane's beginning."""


class Span(Part):
    """Something that takes time on one lane, or on several at once."""

    lane: Id | list[Id]
    """The lane's id, or the ids of adjacent lanes that it covers together."""
    start: Time
    """When it begins."""
    duration: Duration
    """How long it takes."""
    phase: str = "compute"
    """What it is: a name of `phases` or a built-in one (forward, backward, update, fetch, push, …)."""
    label: Text = ""
    """Text inside."""
    short: Text = ""
    """Text to use where `label` does not fit."""
    id: Id | None = None
    """A name; null takes `<lane>-<phase><k>`."""

    @property
    def lanes(self) -> tuple[str, ...]:
        """The ids of the lanes it covers."""
        return (self.lane,) if isinstance(self.lane, str) else tuple(self.lane)

    @property
    def end(self) -> Fraction:
        """When it ends, in time units."""
        return self.start + self.duration


class Frame(Part):
    """A box behind the spans of a period; what no span covers inside it is idle time."""

    start: Time
    """When it begins."""
    end: Time
    """When it ends."""
    lanes: list[Id] = Field(default_factory=list)
    """The ids of adjacent lanes; empty means all."""


class Barrier(Part):
    """A moment at which lanes wait for each other: a line across them."""

    time: Time
    """When."""
    lanes: list[Id] = Field(default_factory=list)
    """The ids of adjacent lanes; empty means all."""
    label: Text = ""
    """Text at its end."""


class Dependency(Part):
    """An arrow from the end of one span to the beginning of another."""

    source: Ref
    """The span that comes first, by its name."""
    target: Ref
    """The span that waits, by its name."""


class Axis(Part):
    """The time arrow."""

    label: Text = "time"
    """Text at the arrow."""
    ticks: Duration | None = None
    """The distance of tick marks in time units; null draws none."""


class Timeline(Part):
    """Lanes over time."""

    type: Literal["timeline"] = "timeline"
    """Tells a timeline from a topology."""
    lanes: list[Lane] = Field(min_length=1)
    """The lanes: top to bottom, or left to right where time runs upwards."""
    spans: list[Span] = Field(default_factory=list)
    """What happens, in any order; spans on one lane must not overlap."""
    direction: Literal["right", "up", "down"] = "right"
    """Where time runs."""
    frames: list[Frame] = Field(default_factory=list)
    """Boxes behind the spans, with idle time showing."""
    barriers: list[Barrier] = Field(default_factory=list)
    """Lines across lanes."""
    dependencies: list[Dependency] = Field(default_factory=list)
    """Arrows between spans."""
    axis: Axis | None = Field(default_factory=Axis)
    """The time arrow; null draws none."""
    title: Text = ""
    """Text below the lanes' labels where time runs up, above the lanes otherwise."""

    def names(self) -> list[str]:
        """The node name of every span, in order: `<lane>-<phase><k>`, or `<phase><k>` across several lanes."""
        counts: dict[str, int] = {}
        found = []
        for span in self.spans:
            stem = f"{span.lanes[0]}-{span.phase}" if len(span.lanes) == 1 else span.phase
            counts[stem] = counts.get(stem, 0) + 1
            found.append(span.id or f"{stem}{counts[stem]}")
        return found

    @property
    def end(self) -> Fraction:
        """When the last span or frame ends, in time units."""
        ends = [span.end for span in self.spans] + [frame.end for frame in self.frames]
        return max(ends, default=Fraction(0))

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        order: dict[str, int] = {}
        for index, lane in enumerate(self.lanes):
            if lane.id in order:
                fail(f'the id "{lane.id}" stands twice', "lanes", index, "id", hint="every id names one lane")
            order[lane.id] = index
        known = set(order)
        for index, span in enumerate(self.spans):
            listed = not isinstance(span.lane, str)
            for place, lane_id in enumerate(span.lanes):
                where = ("spans", index, "lane", place) if listed else ("spans", index, "lane")
                if lane_id not in known:
                    require(lane_id, known, *where)
            self._check_adjacent(span.lanes, order, "spans", index, "lane")
        for field in ("frames", "barriers"):
            for index, part in enumerate(getattr(self, field)):
                for place, lane_id in enumerate(part.lanes):
                    require(lane_id, known, field, index, "lanes", place)
                if part.lanes:
                    self._check_adjacent(part.lanes, order, field, index, "lanes")
        for index, frame in enumerate(self.frames):
            if frame.end <= frame.start:
                fail("a frame must end after it starts", "frames", index, "end")
        self._check_overlaps()
        self._check_names()
        return self

    @staticmethod
    def _check_adjacent(lanes: tuple[str, ...] | list[str], order: dict[str, int], *path: str | int) -> None:
        if not lanes:
            fail("needs at least one lane", *path)
        places = sorted(order[lane] for lane in lanes)
        if places != list(range(places[0], places[0] + len(places))):
            fail("the lanes must stand side by side", *path, hint="list each of them once, without a gap")

    def _check_overlaps(self) -> None:
        ordered = sorted(range(len(self.spans)), key=lambda index: (self.spans[index].start, index))
        latest: dict[str, int] = {}
        for index in ordered:
            span = self.spans[index]
            for lane in span.lanes:
                before = latest.get(lane)
                if before is not None and self.spans[before].end > span.start:
                    other = self.spans[before]
                    when = f"{spell_time(other.start)} to {spell_time(other.end)}"
                    message = f'overlaps spans[{before}] ({other.phase}, {when}) in lane "{lane}"'
                    fail(message, "spans", index, "start", hint=f"start at {spell_time(other.end)} or later")
                latest[lane] = index

    def _check_names(self) -> None:
        seen: dict[str, int] = {}
        for index, name in enumerate(self.names()):
            if name in seen:
                fail(f'the id "{name}" stands twice', "spans", index, hint=f"spans[{seen[name]}] has it already")
            seen[name] = index
        known = set(seen)
        for index, dependency in enumerate(self.dependencies):
            require(dependency.source, known, "dependencies", index, "source")
            require(dependency.target, known, "dependencies", index, "target")
