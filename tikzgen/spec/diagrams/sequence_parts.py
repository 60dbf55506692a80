"""Lifelines, messages, regions and activations of a sequence diagram, with a time for each event."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tikzgen.base.errors import quote
from tikzgen.model.exact_fields import spell_time
from tikzgen.spec.diagrams.diagram_source import DiagramSource, Located
from tikzgen.spec.diagrams.label_text import escape_dollars

_STEP = Fraction(1)  # time units from one message to the next
_LOOP = Fraction(1, 2)  # time units that a message to its own sender takes
_HEAD = Fraction(3, 4)  # time units for the label and the guard of a region
_BORDER = Fraction(1, 2)  # time units from a border of a region to the next message
_BOTTOM = Fraction(1, 4)  # time units below a region, so that borders of nested regions differ


class _OpenRegion:
    def __init__(self, region: Located | None, offset: int) -> None:
        self.region = region
        self.offset = offset
        self.names: dict[str, None] = {}


class SequenceParts:
    """The parts of a space-time diagram whose time runs down, by their names in the diagram."""

    def __init__(self, source: DiagramSource) -> None:
        self._source = source
        self._now = _STEP
        self.last_time = _STEP
        """Time of the end of the last message."""
        self._lifelines: dict[str, Located] = {}
        self._messages: list[Located] = []
        self._notes: list[Located] = []
        self._regions: list[Located] = []
        self._activations: list[Located] = []
        self._busy: dict[str, list[tuple[Fraction, int]]] = {}
        self._busy_until: dict[str, list[Fraction]] = {}
        self._open: list[_OpenRegion] = []

    @property
    def next_time(self) -> Fraction:
        """Time of the next message."""
        return self._now

    @property
    def depth(self) -> int:
        """Number of open regions."""
        return len(self._open)

    @property
    def open_offset(self) -> int:
        """Location of the innermost open region."""
        return self._open[-1].offset

    def add_lifeline(self, name: str, offset: int, label: str | None = None) -> None:
        """Add a lifeline, or a label to one that exists."""
        if name not in self._lifelines:
            self._source.count_part(offset)
            own = self._source.id_of(name, offset)
            self._lifelines[name] = Located(offset, id=own, **({} if own == name else {"label": escape_dollars(name)}))
        if label is not None:
            self._lifelines[name]["label"] = label

    def add_message(self, source: str, target: str, offset: int, label: str, **fields: Any) -> None:
        """Add a message at the current time."""
        for name in (source, target):
            self.add_lifeline(name, offset)
            self._extend_region(name)
        self._source.count_part(offset)
        ends = {"source": self._id_of(source), "target": self._id_of(target)}
        travel = _LOOP if source == target else Fraction(0)
        times = {"sent": spell_time(self._now), "travel": spell_time(travel)}
        self._messages.append(Located(offset, **ends, **times, **({"label": label} if label else {}), **fields))
        self.last_time = self._now + travel
        self._now += _STEP + travel

    def add_note(self, name: str, offset: int, text: str, side: str = "auto") -> None:
        """Add a note at the current time."""
        self._source.count_part(offset)
        self._extend_region(name)
        where = {} if side == "auto" else {"side": side}
        self._notes.append(Located(offset, lifeline=self._id_of(name), time=spell_time(self._now), text=text, **where))
        self._now += _STEP

    def start_activation(self, name: str, offset: int) -> None:
        """Make a lifeline busy from the time of the last message."""
        stack = self._busy.setdefault(name, [])
        if stack:
            self._source.report(f"second activation of {quote(name)}", offset, "end the first one before")
        stack.append((self.last_time, offset))

    def end_activation(self, name: str, offset: int) -> None:
        """End the last activation of a lifeline at the time of the last message."""
        if not self._busy.get(name):
            self._source.report(f"{quote(name)} is not active", offset, "activate it before")
            return
        start, begin = self._busy[name].pop()
        if not self._busy[name]:
            self.add_activation(name, start, self.last_time, begin)

    def add_activation(self, name: str, start: Fraction, end: Fraction, offset: int) -> None:
        """Make a lifeline busy in a period, after its earlier activations."""
        own = self._id_of(name)
        end = max(end, start + _BORDER)
        start = max([start, *self._busy_until.get(own, [])])
        if start < end:
            self._busy_until[own] = [end]
            fields = {"lifeline": own, "start": spell_time(start), "end": spell_time(end)}
            self._activations.append(Located(offset, **fields))

    def open_region(self, offset: int, *, is_drawn: bool = True, **fields: Any) -> None:
        """Begin a region at the current time; an undrawn one only groups statements."""
        self._source.check_depth(len(self._open) + 1, offset)
        region = None
        if is_drawn:
            self._source.count_part(offset)
            region = Located(offset, start=spell_time(self._now - _BORDER), end="", lifelines=[], **fields)
            self._regions.append(region)
            self._now += _HEAD if "label" in fields else _BORDER
        self._open.append(_OpenRegion(region, offset))

    def add_case(self, offset: int, guard: str) -> None:
        """Begin another alternative of the innermost region."""
        region = self._open[-1].region
        if region is not None:
            case = Located(offset, time=spell_time(self._now - _BORDER), **({"guard": guard} if guard else {}))
            region.setdefault("cases", []).append(case)
            self._now += _BORDER

    def close_region(self) -> None:
        """End the innermost region at the current time."""
        closed = self._open.pop()
        if closed.region is not None:
            closed.region["end"] = spell_time(self._now - _BORDER)
            order = list(self._lifelines)
            rows = sorted(order.index(name) for name in closed.names)
            names = order[rows[0] : rows[-1] + 1] if rows else []
            closed.region["lifelines"] = names
            self._now += _BOTTOM
        for name in closed.names:
            self._extend_region(name)

    def make_data(self) -> dict[str, Any]:
        """Return the data of a spec. Raise `SpecError` for a diagram without lifelines."""
        if not self._lifelines:
            self._source.refuse_empty("the diagram has no participants", "add a message")
        for name, stack in self._busy.items():
            if stack:
                start, offset = stack[0]
                self.add_activation(name, start, max(self.last_time, self._now - _BORDER), offset)
        for region in self._regions:
            names = [name for name in self._lifelines if name in region["lifelines"]]
            region["lifelines"] = [self._id_of(name) for name in names]
            if not names or len(names) == len(self._lifelines):
                del region["lifelines"]
        parts = {"messages": self._messages, "activations": self._activations, "regions": self._regions}
        content = {"type": "spacetime", "direction": "down", "lifelines": list(self._lifelines.values())}
        content |= {name: part for name, part in parts.items() if part}
        return {"panels": [{"content": content | ({"notes": self._notes} if self._notes else {})}]}

    def _id_of(self, name: str) -> str:
        return str(self._lifelines[name]["id"])

    def _extend_region(self, name: str) -> None:
        """Extend the innermost region over a lifeline."""
        if self._open:
            self._open[-1].names[name] = None
