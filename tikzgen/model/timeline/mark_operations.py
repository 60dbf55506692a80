"""Operations on the marks of a timeline: events, and arrows between spans."""

from collections.abc import Callable
from typing import ClassVar, Literal

from tikzgen.base.errors import EditRefused, quote
from tikzgen.model.exact_fields import Time
from tikzgen.model.figure import FigureModel
from tikzgen.model.operations.operation_model import Name, Operation
from tikzgen.model.operations.parts_of_figures import Named, Renames, changed_first, copy_with
from tikzgen.model.part import Id
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.model.timeline.timeline_marks import Dependency, Event
from tikzgen.model.timeline.timeline_operations import LANES, SPANS
from tikzgen.text import Text

Mark = Literal["dot", "diamond", "triangle", "cross"]
ArrowKind = Literal["dependency", "message", "critical"]


def _event_names(part: Timeline) -> list[str]:
    """Return the names of the events of a timeline: their ids, or `event<k>`."""
    return [event.id or f"event{place}" for place, event in enumerate(part.events, start=1)]


def _arrow_names(part: Timeline) -> list[str]:
    return [f"{arrow.source} {arrow.target}" for arrow in part.dependencies]


EVENTS = Named(Timeline, "events", "event", _event_names, otherwise="add-event")
_ARROWS = Named(Timeline, "dependencies", "arrow", _arrow_names, otherwise="add-arrow")


class AddEvent(Operation):
    """Mark a time on a lane, or on the time arrow."""

    do: Literal["add-event"]
    time: Time
    """Time of the event, in time units."""
    lane: Id | None = None
    """Lane of the event; null is the time arrow."""
    label: Text = ""
    """Text at the marker."""
    mark: Mark = "diamond"
    """Shape of the marker."""
    id: Id | None = None
    """Name of the event; null takes `event<k>`."""

    hand = "add a node in the style of the marker at its time and lane, with its label next to it"
    needs = ("lanes",)
    names: ClassVar = {"lane": "lanes"}
    undoes = ("remove-event",)
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the event in the first timeline that has its lane."""
        event = Event(**{name: getattr(self, name) for name in self.list_arguments()})

        def add_event(part: Timeline) -> tuple[Timeline, Renames] | None:
            if self.lane not in (None, *(lane.id for lane in part.lanes)):
                return None
            return copy_with(part, events=[*part.events, event]), {}

        made = changed_first(figure, Timeline, add_event)
        if made is None:
            raise EditRefused(
                "no-lane", f"no timeline has {quote(str(self.lane))}", nearest=LANES.list_names_in(figure)
            )
        return made


class SetEvent(Operation):
    """Change an event: its time, its marker, its label."""

    do: Literal["set-event"]
    event: Name
    """Name of the event: `event<k>` if it has no other."""
    time: Time | None = None
    """Time of the event, in time units."""
    label: Text | None = None
    """Text at the marker."""
    mark: Mark | None = None
    """Shape of the marker."""

    hand = "change the coordinate of its node, its style or the macro of its label"
    names: ClassVar = {"event": "events"}
    about = ("event",)
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the changed event."""
        return EVENTS.change_named(figure, self.event, lambda event: copy_with(event, **self.collect_changes()))


class RemoveEvent(Operation):
    """Remove an event."""

    do: Literal["remove-event"]
    event: Name
    """Name of the event: `event<k>` if it has no other."""

    hand = "remove its node and its label"
    names: ClassVar = {"event": "events"}
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure without the event."""
        return EVENTS.change_named(figure, self.event, lambda event: None)


class _Arrow(Operation):
    """Base class of operations on an arrow between two spans."""

    source: Name
    """Name of the earlier span."""
    target: Name
    """Name of the waiting span."""

    makes_parts = True


class AddArrow(_Arrow):
    """Draw an arrow from the end of one span to the beginning of another."""

    do: Literal["add-arrow"]
    kind: ArrowKind = "dependency"
    """Thin arrow, dashed arrow for a message, or heavy arrow on the critical path."""
    label: Text = ""
    """Text next to the arrow."""

    hand = "draw an arrow from (<span>.east) to (<span>.west) in the style of its kind"
    needs = ("span_pairs",)
    names: ClassVar = {"source": "spans", "target": "spans"}
    undoes = ("remove-arrow",)

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the arrow in the first timeline that has both spans."""

        def add_arrow(part: Timeline) -> tuple[Timeline, Renames] | None:
            if not {self.source, self.target} <= set(part.names()):
                return None
            for arrow in part.dependencies:
                if (arrow.source, arrow.target) == (self.source, self.target):
                    message = f"there is an arrow from {self.source} to {self.target} already"
                    raise EditRefused("arrow-exists", message, nearest=f"set-arrow {self.source} {self.target}")
            arrow = Dependency(source=self.source, target=self.target, kind=self.kind, label=self.label)
            return copy_with(part, dependencies=[*part.dependencies, arrow]), {}

        made = changed_first(figure, Timeline, add_arrow)
        if made is None:
            known = SPANS.names_in(figure)
            unknown = next((name for name in (self.source, self.target) if name not in known), self.target)
            message = f"no timeline holds both {quote(self.source)} and {quote(self.target)}"
            raise EditRefused("no-span", message, nearest=SPANS.suggest_name(figure, unknown))
        return made


class _DrawnArrow(_Arrow):
    """Base class of operations on an existing arrow."""

    names: ClassVar = {"source": "arrow_sources", "target": "arrow_targets"}

    def _change_arrow(self, figure: FigureModel, change: Callable[[Dependency], Dependency | None]) -> FigureModel:
        called = f"from {quote(self.source)} to {quote(self.target)}"
        return _ARROWS.change_named(figure, f"{self.source} {self.target}", change, called)


class SetArrow(_DrawnArrow):
    """Change the kind or the text of an arrow between spans."""

    do: Literal["set-arrow"]
    kind: ArrowKind | None = None
    """Thin arrow, dashed arrow for a message, or heavy arrow on the critical path."""
    label: Text | None = None
    """Text next to the arrow."""

    hand = "change the style of its line, or the macro of its text"
    about = ("source", "target")

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the changed arrow."""
        return self._change_arrow(figure, lambda arrow: copy_with(arrow, **self.collect_changes()))


class RemoveArrow(_DrawnArrow):
    """Remove an arrow between spans."""

    do: Literal["remove-arrow"]

    hand = "remove its line and its text"

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure without the arrow."""
        return self._change_arrow(figure, lambda arrow: None)


MARK_OPERATIONS: tuple[type[Operation], ...] = (AddEvent, SetEvent, RemoveEvent, AddArrow, SetArrow, RemoveArrow)
