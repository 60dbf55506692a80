"""Slices of Chrome traces: complete events (X), and pairs of begin and end (B/E and b/e).

The reader is independent of the writer. It counts events that it cannot use, and leaves them out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from tikzgen.base.record import NOTHING
from tikzgen.trace.exact_times import Time, nanoseconds

NOT_SET_NS = 1000 * 10**9
"""A timestamp of 0 was never set if most of the others are later than this."""
_NUMBER_CHARS = 30  # characters of a number


class Slice(NamedTuple):
    """Event with a duration; `phase` is the phase of its begin."""

    process: str
    thread: str
    category: str
    name: str
    start: Time
    end: Time
    args: Mapping[str, Any]
    phase: str


class _Half(NamedTuple):
    """Begin or end of a slice, with its position in the file."""

    time: Time
    place: int
    event: Mapping[str, Any]


class TraceEvents:
    """Passes the slices of events to `take`, and keeps names, tasks of Dask and the counts of lost events."""

    def __init__(self, take: Callable[[Slice], object]) -> None:
        self.names: dict[tuple[str, str], str] = {}
        """Names of processes and, with a thread, of threads."""
        self.epoch_us: object = None
        """Begin of a Horovod timeline, in microseconds since 1970."""
        self.tasks: list[Mapping[str, Any]] = []
        self.lost: Counter[str] = Counter()
        self._take = take
        self._stacked: defaultdict[tuple[str, str], list[_Half]] = defaultdict(list)
        self._joined: defaultdict[tuple[str, ...], list[_Half]] = defaultdict(list)
        self._zero: list[Slice] = []
        self._late = self._count = self._place = 0

    def add(self, event: Mapping[str, Any]) -> None:
        """Add an event, in the order of the file."""
        self._place += 1
        phase = event.get("ph")
        if phase == "M":
            self._add_name(event)
        elif phase is None and isinstance(event.get("startstops"), list):
            self.tasks.append(event)
        if phase not in ("X", "B", "E", "b", "e"):
            return
        try:
            start = nanoseconds(event["ts"])
            length = nanoseconds(event.get("dur", 0)) if phase == "X" else 0
        except (KeyError, ValueError):
            self.lost["without a time"] += 1
            return
        if length < 0:
            self.lost["without a time"] += 1
        elif phase == "X":
            self._pass(event, event, start, start + length)
        else:
            half = _Half(start, self._place, event)
            if phase in "BE":
                self._stacked[_text(event, "pid"), _text(event, "tid")].append(half)
            else:
                self._joined[_async_key(event)].append(half)

    def finish(self) -> None:
        """Pass the slices of pairs; call this after the last event."""
        for halves in self._stacked.values():
            self._join_stacked(halves)
        for halves in self._joined.values():
            self._join_async(halves)
        if 2 * self._late > self._count + len(self._zero):
            self.lost["timestamp never set"] += len(self._zero)
        else:
            for each in self._zero:
                self._take(each)
        self.lost = +self.lost

    def _add_name(self, event: Mapping[str, Any]) -> None:
        args = event.get("args")
        if not isinstance(args, dict):
            return
        kind, process = event.get("name"), _text(event, "pid")
        self.epoch_us = args.get("start_time_since_epoch_in_micros", self.epoch_us)
        if kind in ("process_name", "thread_name") and "name" in args:
            self.names[process, "" if kind == "process_name" else _text(event, "tid")] = str(args["name"])

    def _pass(self, event: Mapping[str, Any], ending: Mapping[str, Any], start: Time, end: Time) -> None:
        args = event.get("args")
        args = args if isinstance(args, dict) else NOTHING
        if ending is not event and isinstance(more := ending.get("args"), dict):
            args = {**args, **more}
        category, name = str(event.get("cat", "")), str(event.get("name", ""))
        found = Slice(
            _text(event, "pid"), _text(event, "tid"), category, name, start, end, args, str(event.get("ph", ""))
        )
        if start == 0:
            self._zero.append(found)
            return
        self._count += 1
        self._late += start > NOT_SET_NS
        self._take(found)

    def _join_stacked(self, halves: list[_Half]) -> None:
        """Join the begins and ends of a thread: an end with a name closes the innermost slice of that name."""
        ascends = all(one.time <= other.time for one, other in pairwise(halves))
        begins = [each.event.get("ph") == "B" for each in halves]
        order = sorted(
            range(len(halves)),
            key=lambda at: (halves[at].time, 0 if ascends else begins[at], halves[at].place),
        )
        stack: list[_Half | None] = []
        by_name: defaultdict[str, list[int]] = defaultdict(list)
        for at in order:
            half = halves[at]
            name = str(half.event.get("name", ""))
            if begins[at]:
                by_name[name].append(len(stack))
                stack.append(half)
                continue
            while stack and stack[-1] is None:
                stack.pop()
            places = by_name[name] if name else [len(stack) - 1] if stack else []
            while places and (places[-1] >= len(stack) or stack[places[-1]] is None):
                places.pop()
            begun = stack[places[-1]] if places else None
            if begun is None:
                self.lost["end without begin"] += 1
                continue
            stack[places[-1]] = None
            self._pass(begun.event, half.event, begun.time, half.time)
        self.lost["begin without end"] += sum(each is not None for each in stack)

    def _join_async(self, halves: list[_Half]) -> None:
        """Join the begins and ends of one id and name, the last begun first, on any thread."""
        stack: list[_Half] = []
        for half in sorted(halves, key=lambda each: (each.time, each.place)):
            if half.event.get("ph") == "b":
                stack.append(half)
            elif not stack:
                self.lost["end without begin"] += 1
            else:
                begun = stack.pop()
                self._pass(begun.event, half.event, begun.time, half.time)
        self.lost["begin without end"] += len(stack)


def _text(event: Mapping[str, Any], key: str) -> str:
    value = event.get(key)
    return "" if value is None else str(value)


def _async_key(event: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the key that joins an asynchronous begin with its end; a global id joins processes."""
    scope = event.get("id2")
    shared = isinstance(scope, dict) and "global" in scope
    process = "" if shared else _text(event, "pid")
    return (process, _text(event, "cat"), str(event.get("id", scope or "")), _text(event, "name"))


def natural_number(value: object) -> int | None:
    """Return a natural number, which may be a string of digits; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= _NUMBER_CHARS:
        return int(value)
    return value if type(value) is int and value >= 0 else None
