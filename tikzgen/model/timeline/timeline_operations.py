"""Operations on the lanes and the spans of timelines."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Literal

from pydantic import Field

from tikzgen.base.errors import EditRefused, quote
from tikzgen.model.content import Content
from tikzgen.model.exact_fields import Duration, Share, Time
from tikzgen.model.figure import FigureModel
from tikzgen.model.operations.operation_model import Name, Operation
from tikzgen.model.operations.parts_of_figures import (
    Ids,
    Named,
    Pair,
    Pairs,
    Renames,
    Rows,
    changed_first,
    changed_parts,
    copy_with,
    kinds_with_rows,
    list_entry_ids,
    next_id,
    renumber_text,
    with_entries,
)
from tikzgen.model.part import Id, Part
from tikzgen.model.timeline.mark_table import types_on
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.model.timeline.timeline_parts import Lane, Span
from tikzgen.model.topology.entities import Worker
from tikzgen.text import Text

_NAMING_SPANS = {"dependencies": ("source", "target"), "remarks": ("about",), "notes": ("about",)}
"""Marks that refer to spans, with the fields that name the spans."""


def with_spans(part: Timeline, spans: Pairs) -> tuple[Timeline, Renames]:
    """Return the timeline with other spans, and the renames; marks and arrows follow renamed spans."""
    made, renames = with_entries(part, "spans", Timeline.names, spans)
    if not renames:
        return made, renames
    follow = {field: _rename_in_marks(getattr(part, field), ends, renames) for field, ends in _NAMING_SPANS.items()}
    critical = [found for one in part.critical if (found := renames.get(one, one)) is not None]
    # A summary that was measured with removed spans is not valid any longer.
    summary = "" if None in renames.values() else part.summary
    return copy_with(made, **follow, critical=critical, summary=summary), renames


def _rename_in_marks(marks: Sequence[Any], ends: Sequence[str], renames: Renames) -> list[Part]:
    """Rename the spans that marks name; drop the marks of removed spans."""
    kept = [one for one in marks if all(renames.get(getattr(one, end), "") is not None for end in ends)]
    return [copy_with(one, **{end: renames.get(getattr(one, end), getattr(one, end)) for end in ends}) for one in kept]


def without_lane(part: Timeline, name: str) -> tuple[Timeline, Renames] | None:
    """Return the timeline without a lane and everything on it alone, or None if it has no such lane.

    Raise `EditRefused` for the only lane.
    """
    if all(lane.id != name for lane in part.lanes):
        return None
    if len(part.lanes) == 1:
        raise EditRefused("last-lane", f"{quote(name)} is the only lane", invariant="a timeline keeps a lane")
    changes: dict[str, Any] = {"lanes": [lane for lane in part.lanes if lane.id != name]}
    for field in dict.fromkeys(kind.field for kind in types_on(part)):
        kept = [one for one in getattr(part, field) if getattr(one, "lane", None) != name]
        changes[field] = _remove_lane_from(kept, name)
    changes["notes"] = [one for one in part.notes if one.about != name]
    spans = [(span, _without_lane(span, name)) for span in part.spans]
    return with_spans(copy_with(part, **changes), spans)


def _without_lane(span: Span, lane: str) -> Span | None:
    """Return a span without one of its lanes, or None if it has no other lane."""
    if lane not in span.lanes:
        return span
    rest = [one for one in span.lanes if one != lane]
    return copy_with(span, lane=rest) if rest else None


def _remove_lane_from(entries: Sequence[Any], lane: str) -> list[Part]:
    """Return marks without a lane; drop the marks that covered only this lane."""
    lanes = [getattr(one, "lanes", []) for one in entries]
    left = [[each for each in own if each != lane] for own in lanes]
    return [
        copy_with(one, lanes=rest) if len(rest) < len(own) else one
        for one, own, rest in zip(entries, lanes, left, strict=True)
        if rest or not own
    ]


def with_lane_like(part: Timeline, worker: Worker, new: Worker) -> tuple[Timeline, Renames] | None:
    """Return the timeline with a lane for a new worker, a copy of another worker's lane.

    Return None if the other worker has no lane.
    """
    last = next((lane for lane in part.lanes if lane.worker == worker.id), None)
    if last is None:
        return None
    ids = [lane.id for lane in part.lanes]
    owned = [lane for lane in part.lanes if lane.worker]
    name = renumber_text(last.id, worker.id, new.id)
    name = name if name not in ids else next_id([last.id, *ids])
    label = new.label if last.label == worker.label else renumber_text(last.label, worker.id, new.id)
    lane = Lane(id=name, label=label, worker=new.id)
    place = ids.index(last.id) + (1 if owned[-1] is last else 0)
    lanes = [*part.lanes[:place], lane, *part.lanes[place:]]
    order = [one.id for one in lanes]
    spans: list[Pair] = []
    for span in part.spans:
        whole = {one.id for one in owned} <= set(span.lanes)
        grown = (
            copy_with(span, lane=[each for each in order if each in span.lanes or each == name])
            if whole and len(span.lanes) > 1
            else span
        )
        spans.append((span, grown))
        if span.lanes == (last.id,):
            text = renumber_text(span.label, worker.id, new.id)
            spans.append((None, copy_with(span, lane=name, label=text, id=None)))
    return with_spans(copy_with(part, lanes=lanes), spans)


LANES = Named(Timeline, "lanes", "lane", lambda part: list_entry_ids(part.lanes))
SPANS = Named(Timeline, "spans", "span", Timeline.names, with_spans)


def _with_lane(part: Timeline, name: str, label: Text) -> tuple[Timeline, Renames]:
    return copy_with(part, lanes=[*part.lanes, Lane(id=name, label=label)]), {}


ROWS = Rows(lambda part: list_entry_ids(part.lanes), _with_lane, without_lane)


class AddLane(Operation):
    """Add an empty lane after the last one; in a figure of a recipe that counts them, one device more."""

    do: Literal["add-lane"]
    lane: Id | Literal[""] = ""
    """Id of the lane; by default it continues the ids of the existing lanes."""
    label: Text = ""
    """Label of the lane."""

    hand = "{add_lane}"
    needs = ("rows",)
    undoes = ("remove-lane",)
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with an empty lane at the end of every part that has lanes."""
        made: FigureModel | None = None
        for kind, rows in kinds_with_rows(figure).items():
            made = changed_parts(made or figure, kind, partial(self._add_to, rows)) or made
        if made is None:
            raise EditRefused("no-timeline", "the figure has no timeline", nearest="add-worker, for a topology")
        return made

    def _add_to(self, rows: Rows, part: Content) -> tuple[Content, Renames]:
        return rows.add(part, self._choose_lane_name(rows.names(part)), self.label)

    def _choose_lane_name(self, known: list[str]) -> str:
        new = self.lane or next_id(known)
        if new in known:
            nearest = f"add-lane {next_id(known)}"
            raise EditRefused("name-taken", f"there is a lane {quote(new)} already", nearest=nearest)
        return new


class RemoveLane(Operation):
    """Remove a lane with everything on it."""

    do: Literal["remove-lane"]
    lane: str = ""
    """Lane to remove; by default the last one."""

    hand = "{remove_lane}"
    needs = ("rows", "spare_rows")
    names: ClassVar = {"lane": "rows"}
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure without the lane in every part that has it."""
        made: FigureModel | None = None
        kinds = kinds_with_rows(figure)
        for kind, rows in kinds.items():
            made = changed_parts(made or figure, kind, partial(self._remove_from, rows)) or made
        if made is None:
            parts = [part for _, _, part in figure.parts(Content) if type(part) in kinds]
            known = ", ".join(dict.fromkeys(name for part in parts for name in kinds[type(part)].names(part)))
            raise EditRefused("no-lane", f"unknown lane {quote(self.lane)}", nearest=f"the lanes are {known}")
        return made

    def _remove_from(self, rows: Rows, part: Content) -> tuple[Content, Renames] | None:
        return rows.remove(part, self.lane or rows.names(part)[-1])


class SetSpan(Operation):
    """Change a span: its start, its duration, its phase, its label."""

    do: Literal["set-span"]
    span: Name
    """Name of the span: `<lane>-<phase><k>`."""
    start: Time | None = None
    """Start time, in time units."""
    duration: Duration | None = None
    """Duration, in time units."""
    phase: Name | None = None
    """Phase of the span: forward, backward, update …"""
    label: Text | None = None
    """Text in the span."""
    chunk: int | None = Field(default=None, ge=0, le=15)
    """Number of the model chunk; each chunk has its own shade of the phase's color."""
    share: Share | None = None
    """Share of the second part of a split cell."""
    slide: int | None = Field(default=None, ge=1, le=999)
    """First overlay of the Beamer frame that shows it."""

    hand = "{span}"
    names: ClassVar = {"span": "spans"}
    about = ("span",)
    makes_parts = True

    @property
    def moves(self) -> bool:
        """Whether the operation changes times."""
        return self.start is not None or self.duration is not None

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the changed span."""
        return SPANS.change_named(figure, self.span, self._with_changes)

    def collect_changes(self) -> dict[str, Any]:
        """Return the changes; a given null for the slide is one, because it shows the span from the start."""
        return super().collect_changes() | ({"slide": self.slide} if "slide" in self.model_fields_set else {})

    def _with_changes(self, span: Span) -> Span:
        changes = self.collect_changes()
        share = changes.pop("share", None)
        if share is None:
            return copy_with(span, **changes)
        if span.second is None:
            message = f"{quote(self.span)} has no second part"
            raise EditRefused("one-part", message, nearest="share is for cells of two parts")
        return copy_with(span, **changes, second=copy_with(span.second, share=share))


class AddSpan(Operation):
    """Add a span to a lane, or to several adjacent ones."""

    do: Literal["add-span"]
    lane: Ids = Field(min_length=1)
    """Lane of the span, or adjacent lanes that it covers together."""
    start: Time
    """Start time, in time units."""
    duration: Duration
    """Duration, in time units."""
    phase: Name = "compute"
    """Phase of the span: forward, backward, update …"""
    label: Text = ""
    """Text in the span."""
    id: Id | None = None
    """Name of the span; null takes `<lane>-<phase><k>`."""

    hand = "add the line of a span next to the spans of its lane, with its start, its lane and its duration"
    names: ClassVar = {"lane": "lanes"}
    undoes = ("remove-span",)
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the span in the first timeline that has its lanes."""

        def add_span(part: Timeline) -> tuple[Timeline, Renames] | None:
            if not set(self.lane) <= {lane.id for lane in part.lanes}:
                return None
            lane: Any = self.lane[0] if len(self.lane) == 1 else self.lane
            given = {name: getattr(self, name) for name in ("start", "duration", "phase", "label", "id")}
            return with_spans(part, [*((span, span) for span in part.spans), (None, Span(lane=lane, **given))])

        made = changed_first(figure, Timeline, add_span)
        if made is None:
            message = f"no timeline has {' and '.join(map(quote, self.lane))}"
            raise EditRefused("no-lane", message, nearest=LANES.list_names_in(figure))
        return made


class RemoveSpan(Operation):
    """Remove a span with its arrows and its notes."""

    do: Literal["remove-span"]
    span: Name
    """Name of the span: `<lane>-<phase><k>`."""

    hand = "remove its line, and the arrows, notes and links that name it"
    names: ClassVar = {"span": "spans"}
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure without the span."""
        return SPANS.change_named(figure, self.span, lambda span: None)


TIMELINE_OPERATIONS: tuple[type[Operation], ...] = (AddLane, RemoveLane, SetSpan, AddSpan, RemoveSpan)
