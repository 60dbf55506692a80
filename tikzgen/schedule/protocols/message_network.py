"""Simulated network: nodes exchange messages (letters) over links, and may fail and recover.

A link has a delay and may lose messages. A run is deterministic: simultaneous events happen in the order in which they
were scheduled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from typing import Any

from tikzgen.base.record import NOTHING, Record
from tikzgen.schedule.exact_numbers import ScheduleError

STEP_LIMIT = 10_000
"""Most letters and timers of one run."""


class NodeFailure(Record):
    """Failure of a node: it is down from `at` until `back`, or forever without `back`."""

    at: Fraction
    back: Fraction | None = None

    def is_active(self, time: Fraction) -> bool:
        """Return whether the node is down at this time."""
        return self.at <= time and (self.back is None or time < self.back)


class Faults(Record):
    """Faults of a run: failures by node, and lost messages.

    A lost message is (sender, receiver, n): the nth message between them, from 1.
    """

    failures: Mapping[int, NodeFailure] = NOTHING
    lost: frozenset[tuple[int, int, int]] = frozenset()


class Letter(Record):
    """Message from one node to another: its type, its fields, and the times of sending and arrival."""

    source: int
    target: int
    sent: Fraction
    due: Fraction
    says: str
    facts: Mapping[str, Any]
    lost: bool


class Happening(Record):
    """Event at a node and time, such as a decision, a timeout or an election."""

    node: int
    time: Fraction
    says: str
    facts: Mapping[str, Any]


class BusyPeriod(Record):
    """Period in which a node was busy."""

    node: int
    start: Fraction
    end: Fraction
    says: str


class Network:
    """Simulated run of a protocol.

    A protocol calls `send`, `schedule_after_delay`, `schedule_work` and `mark`, and passes its handlers of messages and
    recoveries to `run_until`.
    """

    def __init__(self, delay: Callable[[int, int], Fraction], faults: Faults) -> None:
        self.now = Fraction(0)
        self.letters: list[Letter] = []
        self.happenings: list[Happening] = []
        self.stretches: list[BusyPeriod] = []
        self._delay, self._faults = delay, faults
        self._queue: list[tuple[Fraction, int, Callable[[], None]]] = []
        self._asked = 0
        self._busy: dict[int, Fraction] = {}
        self._counts: dict[tuple[int, int], int] = {}
        self._read: Callable[[Letter], None] = lambda letter: None

    def is_down(self, node: int, time: Fraction) -> bool:
        """Return whether a node is down at this time."""
        failure = self._faults.failures.get(node)
        return failure is not None and failure.is_active(time)

    def send(self, source: int, targets: Iterable[int], says: str, **facts: Any) -> None:
        """Send a message to each target, unless the sender is down."""
        if self.is_down(source, self.now):
            return
        for target in targets:
            pair = source, target
            count = self._counts[pair] = self._counts.get(pair, 0) + 1
            due = self.now + self._delay(source, target)
            lost = (source, target, count) in self._faults.lost or self.is_down(target, due)
            letter = Letter(source, target, self.now, due, says, facts, lost)
            self.letters.append(letter)
            if not lost:
                self.schedule_action(due, lambda letter=letter: self._read(letter))  # type: ignore[misc]

    def schedule_after_delay(self, node: int, delay: Fraction, act: Callable[[], None]) -> None:
        """Schedule an action of a node after a delay, unless the node fails in the meantime."""
        time, failure = self.now + delay, self._faults.failures.get(node)
        if failure is None or time < failure.at or (failure.back is not None and self.now >= failure.back):
            self.schedule_action(time, act)

    def schedule_work(self, node: int, delay: Fraction, says: str, act: Callable[[], None]) -> None:
        """Schedule work of a node: the node is busy for the delay, or until it fails; work is sequential.

        Call `act` at the end, as `schedule_after_delay` does.
        """
        failure = self._faults.failures.get(node)
        start = max(self.now, self._busy.get(node, self.now))
        end = start + delay
        stop = end if failure is None or self.now >= failure.at else min(end, failure.at)
        if stop > start:
            self.stretches.append(BusyPeriod(node, start, stop, says))
        self._busy[node] = stop
        self.schedule_after_delay(node, end - self.now, act)

    def mark(self, node: int, says: str, **facts: Any) -> None:
        """Record an event at a node."""
        self.happenings.append(Happening(node, self.now, says, facts))

    def run_until(
        self,
        read: Callable[[Letter], None],
        back: Callable[[int], None] = lambda node: None,
        until: Fraction | None = None,
    ) -> None:
        """Run until a time. Call `back` for each recovered node before anything else at that time.

        Raises:
            ScheduleError: If the run has more than `STEP_LIMIT` steps.
        """
        self._read, steps = read, 0
        for turn, (node, failure) in enumerate(self._faults.failures.items(), -len(self._faults.failures)):
            if failure.back is not None:
                heappush(self._queue, (failure.back, turn, lambda node=node: back(node)))  # type: ignore[misc]
        while self._queue:
            time, _, act = heappop(self._queue)
            if until is not None and time > until:
                break
            if steps == STEP_LIMIT:
                raise ScheduleError(
                    f"the run needs more than {STEP_LIMIT} steps", hint="use longer times, or an earlier end"
                )
            self.now, steps = time, steps + 1
            act()

    def schedule_action(self, time: Fraction, act: Callable[[], None]) -> None:
        """Schedule an action at a time, independent of failures."""
        self._asked += 1
        heappush(self._queue, (time, self._asked, act))


def count_majority(of: Sequence[int] | range) -> int:
    """Return the smallest number that is more than half."""
    return len(of) // 2 + 1
