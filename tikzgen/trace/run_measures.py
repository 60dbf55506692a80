"""What ranks did together: how much of the time from the first work to the last end nothing was computed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.trace.event_classes import COMMUNICATION, COPIES, ClassRules
from tikzgen.trace.intervals import Interval, Moments, joined, length
from tikzgen.trace.run_model import RankTrace
from tikzgen.trace.stamps import Time


class RunMeasures(Record):
    """Times in ns. `span_idle` is how long each rank is idle between its first and its last work."""

    makespan: Time
    busy: Mapping[int, Time]
    span_idle: Mapping[int, Time]

    @property
    def work(self) -> Time:
        """What all ranks computed."""
        return sum(self.busy.values(), 0)

    @property
    def bubble_over_total(self) -> Fraction:
        """Idle time as a share of all time."""
        room = Fraction(self.makespan * len(self.busy))
        return (room - self.work) / room if room else Fraction(0)

    @property
    def bubble_over_ideal(self) -> Fraction:
        """Idle time in terms of the work."""
        room = Fraction(self.makespan * len(self.busy))
        return (room - self.work) / self.work if self.work else Fraction(0)


def measure_run(work: Mapping[int, Moments], window: Interval | None = None) -> RunMeasures:
    """Measure what each rank worked, from the first begin to the last end of all, or in a window."""
    done = {number: moments for number, moments in work.items() if moments}
    first = min((moments[0][0] for moments in done.values()), default=0)
    last = max((moments[-1][1] for moments in done.values()), default=0)
    start, end = window or (first, last)
    busy = {number: length(moments) for number, moments in work.items()}
    within = {
        number: moments[-1][1] - moments[0][0] - busy[number] if moments else 0 for number, moments in work.items()
    }
    return RunMeasures(end - start, busy, within)


def computing(rank: RankTrace, rules: ClassRules, places: Collection[int] | None = None) -> list[Interval]:
    """When a rank's device computes anything, in all its events or in some."""
    counted = [rules.of(kind) not in (COMMUNICATION, *COPIES) for kind in rank.kinds]
    return joined((start, end) for start, end, kind, _ in rank.events.by_start(places) if counted[kind])
