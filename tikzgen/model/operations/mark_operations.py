"""Operations on what stands on a timeline beside its spans: moments with a sign, arrows between spans."""

from typing import Any, ClassVar, Literal

from tikzgen.base.errors import EditRefused, quoted
from tikzgen.base.suggest import suggestion
from tikzgen.model.base import Id, Time
from tikzgen.model.figure import Figure
from tikzgen.model.marks import Dependency, Event
from tikzgen.model.operations.operation_model import Name, Operation
from tikzgen.model.operations.parts_of_figures import Renames, changed_first, changed_parts, copied, parts
from tikzgen.model.timeline import Timeline
from tikzgen.text import Text

Mark = Literal["dot", "diamond", "triangle", "cross"]
ArrowKind = Literal["dependency", "message", "critical"]


class AddEvent(Operation):
    """Mark a moment on a lane, or on the time arrow."""

    do: Literal["add-event"]
    """The operation."""
    time: Time
    """When, in time units."""
    lane: Id | None = None
    """The lane; null is the time arrow."""
    label: Text = ""
    """The text at the sign."""
    mark: Mark = "diamond"
    """The sign."""
    id: Id | None = None
    """A name; null takes `event<k>`."""

    hand = "add a node of the style of the sign at its time and its lane, with its label beside it"
    needs = ("lanes",)
    names: ClassVar = {"lane": "lanes"}
    undoes = ("remove-event",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """The moment in the first timeline that has its lane."""
        event = Event(**{name: getattr(self, name) for name in self.arguments()})

        def grown(part: Timeline) -> tuple[Timeline, Renames] | None:
            if self.lane not in (None, *(lane.id for lane in part.lanes)):
                return None
            return copied(part, events=[*part.events, event]), {}

        made = changed_first(figure, Timeline, grown)
        if made is None:
            raise EditRefused("no-lane", f"no timeline has {quoted(str(self.lane))}", nearest=_lanes(figure))
        return made


class SetEvent(Operation):
    """Change a marked moment: when it is, its sign, what it says."""

    do: Literal["set-event"]
    """The operation."""
    event: Name
    """Its name: `event<k>` where it has none of its own."""
    time: Time | None = None
    """When, in time units."""
    label: Text | None = None
    """The text at the sign."""
    mark: Mark | None = None
    """The sign."""

    hand = "change the coordinate of its node, its style or the macro of its label"
    needs = ("events",)
    names: ClassVar = {"event": "events"}
    about = ("event",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """The moment with what was given."""
        changes = {name: value for name, value in self.given().items() if name != "event" and value is not None}
        return _with_event(figure, self.event, lambda event: copied(event, **changes))


class RemoveEvent(Operation):
    """Remove a marked moment."""

    do: Literal["remove-event"]
    """The operation."""
    event: Name
    """Its name: `event<k>` where it has none of its own."""

    hand = "take out its node and its label"
    needs = ("events",)
    names: ClassVar = {"event": "events"}
    undoes = ("add-event",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """The moment away."""
        return _with_event(figure, self.event, lambda event: None)


class AddArrow(Operation):
    """Draw an arrow from the end of one span to the beginning of another."""

    do: Literal["add-arrow"]
    """The operation."""
    source: Name
    """The span that comes first."""
    target: Name
    """The span that waits."""
    kind: ArrowKind = "dependency"
    """A thin arrow, a dashed one for a message, or a heavy one on the critical path."""
    label: Text = ""
    """Text beside it."""

    hand = "draw an arrow from (<span>.east) to (<span>.west) in the style of its kind"
    needs = ("span_pairs",)
    names: ClassVar = {"source": "spans", "target": "spans"}
    undoes = ("remove-arrow",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """The arrow in the first timeline that has both spans."""

        def grown(part: Timeline) -> tuple[Timeline, Renames] | None:
            if not {self.source, self.target} <= set(part.names()):
                return None
            for arrow in part.dependencies:
                if (arrow.source, arrow.target) == (self.source, self.target):
                    message = f"there is an arrow from {self.source} to {self.target} already"
                    raise EditRefused("arrow-exists", message, nearest=f"set-arrow {self.source} {self.target}")
            arrow = Dependency(source=self.source, target=self.target, kind=self.kind, label=self.label)
            return copied(part, dependencies=[*part.dependencies, arrow]), {}

        made = changed_first(figure, Timeline, grown)
        if made is None:
            known = [name for _, part in parts(figure, Timeline) for name in part.names()]
            unknown = next((name for name in (self.source, self.target) if name not in known), self.target)
            hint = suggestion(unknown, known, "the spans are", most=12)
            message = f"no timeline holds both {quoted(self.source)} and {quoted(self.target)}"
            raise EditRefused("no-span", message, nearest=hint)
        return made


class SetArrow(Operation):
    """Change the kind or the text of an arrow between spans."""

    do: Literal["set-arrow"]
    """The operation."""
    source: Name
    """The span that comes first."""
    target: Name
    """The span that waits."""
    kind: ArrowKind | None = None
    """A thin arrow, a dashed one for a message, or a heavy one on the critical path."""
    label: Text | None = None
    """Text beside it."""

    hand = "change the style of its line, or the macro of its text"
    needs = ("arrow_sources",)
    names: ClassVar = {"source": "arrow_sources", "target": "arrow_targets"}
    about = ("source", "target")
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """The arrow with what was given."""
        changes = {name: getattr(self, name) for name in ("kind", "label") if getattr(self, name) is not None}
        return _with_arrow(figure, self.source, self.target, lambda arrow: copied(arrow, **changes))


class RemoveArrow(Operation):
    """Remove an arrow between spans."""

    do: Literal["remove-arrow"]
    """The operation."""
    source: Name
    """The span that comes first."""
    target: Name
    """The span that waits."""

    hand = "take out its line and its text"
    needs = ("arrow_sources",)
    names: ClassVar = {"source": "arrow_sources", "target": "arrow_targets"}
    undoes = ("add-arrow",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """The arrow away."""
        return _with_arrow(figure, self.source, self.target, lambda arrow: None)


def event_names(part: Timeline) -> list[str]:
    """What the moments of a timeline are called."""
    return [event.id or f"event{place}" for place, event in enumerate(part.events, start=1)]


def _lanes(figure: Figure) -> str:
    ids = dict.fromkeys(lane.id for _, part in parts(figure, Timeline) for lane in part.lanes)
    return f"the lanes are {', '.join(ids)}"


def _with_event(figure: Figure, name: str, change: Any) -> Figure:
    def changed(part: Timeline) -> tuple[Timeline, Renames] | None:
        names = event_names(part)
        if name not in names:
            return None
        made = [change(one) if own == name else one for one, own in zip(part.events, names, strict=True)]
        return copied(part, events=[one for one in made if one is not None]), {}

    made = changed_parts(figure, Timeline, changed)
    if made is None:
        known = [own for _, part in parts(figure, Timeline) for own in event_names(part)]
        nearest = f"the events are {', '.join(dict.fromkeys(known))}" if known else "add-event"
        raise EditRefused("no-event", f"there is no event {quoted(name)}", nearest=nearest)
    return made


def _with_arrow(figure: Figure, source: str, target: str, change: Any) -> Figure:
    def changed(part: Timeline) -> tuple[Timeline, Renames] | None:
        hit = [(one.source, one.target) == (source, target) for one in part.dependencies]
        if not any(hit):
            return None
        made = [change(one) if yes else one for one, yes in zip(part.dependencies, hit, strict=True)]
        return copied(part, dependencies=[one for one in made if one is not None]), {}

    made = changed_parts(figure, Timeline, changed)
    if made is None:
        arrows = [f"{one.source} {one.target}" for _, part in parts(figure, Timeline) for one in part.dependencies]
        nearest = f"the arrows are {', '.join(arrows[:12])}" if arrows else f"add-arrow {source} {target}"
        raise EditRefused("no-arrow", f"there is no arrow from {quoted(source)} to {quoted(target)}", nearest=nearest)
    return made


MARK_OPERATIONS: tuple[type[Operation], ...] = (AddEvent, SetEvent, RemoveEvent, AddArrow, SetArrow, RemoveArrow)
