"""The workers of a figure as its contract means them."""

from __future__ import annotations

import re
from fractions import Fraction

from tikzgen.base.errors import quoted
from tikzgen.base.record import Record
from tikzgen.contract.program_contract import Place, Workers
from tikzgen.edit.foreign.count_words import NUMBERS
from tikzgen.edit.foreign.foreign_figure import Subject
from tikzgen.edit.foreign.pieces import line_of
from tikzgen.edit.outcome import EditRefused
from tikzgen.texfile import Facts
from tikzgen.texfile.linear import Linear, added, less, linear, scaled, spelled, with_values
from tikzgen.texfile.loops import node_names
from tikzgen.texfile.positions import Spot, spot_of
from tikzgen.texfile.source_facts import Node

__all__ = ["Worker", "height", "moved", "pattern", "roster", "shifted", "spot", "values"]


class Worker(Record):
    """A worker: its number, its name, the index of its node, the macro of its label."""

    number: int
    name: str
    node: int
    label: str


def pattern(workers: Workers) -> re.Pattern[str]:
    """What the name of a worker looks like; the group is its number."""
    return re.compile(re.escape(workers.names).replace(r"\{n\}", "([1-9][0-9]*)"))


def roster(subject: Subject) -> list[Worker]:
    """The workers from top to bottom; `EditRefused` where their nodes are not written out one by one."""
    contract, facts = subject.agreed(), subject.facts
    workers = contract.workers
    if workers is None:
        raise EditRefused("no-workers", "the contract knows no workers")
    found: dict[int, Worker] = {}
    labels = {each.name: one for each in subject.figure.nodes for one in each.labels[:1] if "label" in one}
    for index in subject.direct():
        for name in node_names(facts, index):
            match = pattern(workers).fullmatch(name)
            if match is None:
                continue
            where = line_of(facts, facts.nodes[index].span.start)
            number = int(match[1])
            if facts.statements[facts.nodes[index].statement].loop is not None:
                raise EditRefused("loop", f"a loop draws {quoted(name)} ({where})", nearest="write its nodes out")
            if number in found:
                raise EditRefused("several", f"several nodes are called {quoted(name)} ({where})")
            if number >= len(NUMBERS):
                raise EditRefused("too-many", f"{quoted(name)} has no number in words ({where})")
            found[number] = Worker(
                number, name, index, labels.get(name) or workers.label.replace("{word}", NUMBERS[number])
            )
    if not found:
        raise EditRefused("no-workers", f"the figure has no workers called {workers.names}")
    step = next(iter(linear(workers.step) or {}), "")
    return sorted(found.values(), key=lambda worker: (-_high(facts, worker, step), worker.number))


def _high(facts: Facts, worker: Worker, step: str) -> Fraction:
    """How many steps high a worker stands; 0 where that cannot be told."""
    try:
        return spot(facts, facts.nodes[worker.node]).y.get(step, Fraction(0))
    except EditRefused:
        return Fraction(0)


def spot(facts: Facts, node: Node) -> Spot:
    """Where a node stands; `EditRefused` where that is no pair of sums."""
    found = spot_of(facts, node)
    if found is None:
        raise moved(facts, node)
    return found


def moved(facts: Facts, node: Node, home: Linear | None = None) -> EditRefused:
    """What is said of a node that does not stand where the contract puts it: at the height of `home`."""
    what = quoted(node.name) if node.name else f"the node {(node.text or '').strip()}"
    return EditRefused(
        "moved-by-hand",
        f"{what} was moved by hand ({line_of(facts, node.span.start)})",
        invariant="positions follow from the parameters",
        nearest="put it back"
        + (f" at the height {spelled(home)}" if home is not None else " where the contract has it"),
    )


def height(workers: Workers, index: int, count: int) -> Linear:
    """How high the worker of this index stands among `count`."""
    step = linear(workers.step)
    assert step is not None, "the contract's step is a sum"
    return scaled(step, Fraction(count - 1 - 2 * index, 2))


def values(workers: Workers, place: Place, count: int) -> tuple[Linear, Linear]:
    """The sums of a place among `count` workers."""
    ends = {"\\top": height(workers, 0, count), "\\bottom": height(workers, count - 1, count)}
    x, y = linear(place.x), linear(place.y)
    assert x is not None and y is not None, "the contract's places are sums"
    return with_values(x, ends), with_values(y, ends)


def shifted(actual: Linear, before: Linear, after: Linear) -> Linear | None:
    """Where something goes that stood at `before`, a little aside by hand; None where that is no mere shift."""
    aside = less(actual, before)
    return added(after, aside) if set(aside) <= {""} else None
