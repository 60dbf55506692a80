"""A second simulator, event by event: it shares no code with tikzgen's, and knows operations by their names only."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction

from conftest import NIGHTLY, scaled

Name = Hashable


@dataclass
class Second:
    """Operations: how long each takes, the lanes that it holds, what must have ended how long before it begins.

    A lane runs what it has in the order in which it was told; but `queued` operations begin in the order in which they
    could, those told first where several could at once.
    """

    lasts: dict[Name, Fraction] = field(default_factory=dict)
    lanes: dict[Name, list[Name]] = field(default_factory=dict)
    needs: dict[Name, list[tuple[Name, Fraction]]] = field(default_factory=dict)
    queued: set[Name] = field(default_factory=set)

    def add(self, name: Name, lasts: Fraction, *lanes: Name, after: list[Name], queued: bool = False) -> None:
        """Tell an operation; what it comes after may be told later, and be a pair with a time in between."""
        assert name not in self.lasts
        self.lasts[name] = Fraction(lasts)
        self.needs[name] = [
            each if isinstance(each, tuple) and each[0] == "later" else ("later", each, 0) for each in after
        ]
        if queued:
            self.queued.add(name)
        for lane in lanes:
            self.lanes.setdefault(lane, []).append(name)

    def run(self) -> dict[Name, Fraction]:
        """When each operation begins."""
        begun: dict[Name, Fraction] = {}
        free: dict[Name, Fraction] = {}
        told = {name: place for place, name in enumerate(self.lasts)}
        held: dict[Name, list[Name]] = {name: [] for name in self.lasts}
        lists: dict[Name, deque[Name]] = {}
        for lane, own in self.lanes.items():
            lists[lane] = deque(name for name in own if name not in self.queued)
            for name in own:
                held[name].append(lane)
        users: dict[Name, list[Name]] = {name: [] for name in self.lasts}
        for name, wanted in self.needs.items():
            for _, each, _ in wanted:
                users[each].append(name)
        lacking = {name: len(wanted) for name, wanted in self.needs.items()}
        could = {name for name, count in lacking.items() if not count}
        while could:
            ready = []
            for name in could:
                times = [begun[each] + self.lasts[each] + time for _, each, time in self.needs[name]]
                if name not in self.queued:
                    if any(lists[lane][0] != name for lane in held[name]):
                        continue
                    times += [free.get(lane, Fraction(0)) for lane in held[name]]
                ready.append((max(times, default=Fraction(0)), told[name], name))
            assert ready, "operations wait for each other"
            clock, _, name = min(ready)
            begun[name] = max([clock, *(free.get(lane, Fraction(0)) for lane in held[name])])
            for lane in held[name]:
                free[lane] = begun[name] + self.lasts[name]
                if name not in self.queued:
                    lists[lane].popleft()
            could.remove(name)
            for user in users[name]:
                lacking[user] -= 1
                if not lacking[user]:
                    could.add(user)
        assert len(begun) == len(self.lasts)
        return begun


def later(name: Name, time: Fraction) -> tuple[str, Name, Fraction]:
    """What an operation comes after, with a time in between."""
    return "later", name, time


def chances(family: str, count: int) -> Iterator[random.Random]:
    """Sources of chance for a tenth of `count` cases; for all, and others every night, in the nightly run."""
    night = date.today().toordinal() if NIGHTLY else 0
    for number in range(scaled(count)):
        yield random.Random(f"{family} {night} {number}")


def some_time(chance: random.Random, most: int = 6, *, none: bool = False) -> Fraction:
    """A duration in quarters, thirds or halves."""
    if none and chance.random() < 0.3:
        return Fraction(0)
    low = chance.choice((2, 3, 4))
    return Fraction(chance.randint(1, most * low), low)
