"""The workers of a figure as its contract means them, and a change in their number: who was there, who will be."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from fractions import Fraction

from tikzgen.base.errors import EditRefused, quote
from tikzgen.base.record import Record
from tikzgen.edit.foreign.foreign_figure import NUMBERS, SpanReplacements, Subject, line_of, taken_out
from tikzgen.emit.contract_for_programs import ContractPlace, WorkersOfContract
from tikzgen.texfile import (
    Facts,
    Linear,
    NodePosition,
    Replacement,
    SourceFlow,
    SourceNode,
    TextSpan,
    add_sums,
    expand_name,
    list_bindings,
    node_names,
    parse_sum,
    scale_sum,
    spell_sum,
    spot_of,
    subtract_sums,
    with_values,
)


class ForeignWorker(Record):
    """A worker: its number, its name, the index of its node, the macro of its label."""

    number: int
    name: str
    node: int
    label: str


def pattern(names: str) -> re.Pattern[str]:
    """What a name looks like that the contract spells with {n}; the group is its number."""
    return re.compile(re.escape(names).replace(r"\{n\}", "([1-9][0-9]*)"))


def roster(subject: Subject) -> list[ForeignWorker]:
    """The workers from top to bottom; `EditRefused` where their nodes are not written out one by one."""
    workers, facts = subject.workers(), subject.facts
    found: dict[int, ForeignWorker] = {}
    labels = {each.name: one for each in subject.inventory.nodes for one in each.labels[:1] if "label" in one}
    for index in subject.direct():
        for name in node_names(facts, index):
            match = pattern(workers.names).fullmatch(name)
            if match is None:
                continue
            where = line_of(facts, facts.nodes[index].span.start)
            number = int(match[1])
            if facts.statements[facts.nodes[index].statement].loop is not None:
                raise EditRefused("loop", f"a loop draws {quote(name)} ({where})", nearest="write its nodes out")
            if number in found:
                raise EditRefused("several", f"several nodes are called {quote(name)} ({where})")
            if number >= len(NUMBERS):
                raise EditRefused("too-many", f"{quote(name)} has no number in words ({where})")
            found[number] = ForeignWorker(
                number, name, index, labels.get(name) or workers.label.replace("{word}", NUMBERS[number])
            )
    if not found:
        raise EditRefused("no-workers", f"the figure has no workers called {workers.names}")
    step = next(iter(sum_of(workers.step)), "")

    def order(worker: ForeignWorker) -> tuple[Fraction, int]:
        """By how many steps high it stands, 0 where that cannot be told."""
        place = spot_of(facts, facts.nodes[worker.node])
        return -place.y.get(step, Fraction(0)) if place else Fraction(0), worker.number

    return sorted(found.values(), key=order)


def sum_of(text: str) -> Linear:
    """A sum that the contract says; `EditRefused` where it is none."""
    found = parse_sum(text)
    if found is None:
        raise EditRefused("contract-invalid", f"{quote(text)} is no sum of numbers and macros")
    return found


def spot(facts: Facts, node: SourceNode) -> NodePosition:
    """Where a node stands; `EditRefused` where that is no pair of sums."""
    found = spot_of(facts, node)
    if found is None:
        raise refuse_moved(facts, node)
    return found


def refuse_moved(facts: Facts, node: SourceNode, home: Linear | None = None) -> EditRefused:
    """Return the error for a node that is not where the contract puts it: at the height of `home`."""
    what = quote(node.name) if node.name else f"the node {(node.text or '').strip()}"
    return EditRefused(
        "moved-by-hand",
        f"{what} was moved by hand ({line_of(facts, node.span.start)})",
        invariant="positions follow from the parameters",
        nearest="put it back"
        + (f" at the height {spell_sum(home)}" if home is not None else " where the contract has it"),
    )


def height(workers: WorkersOfContract, index: int, count: int) -> Linear:
    """How high the worker of this index stands among `count`."""
    return scale_sum(sum_of(workers.step), Fraction(count - 1 - 2 * index, 2))


def values(workers: WorkersOfContract, place: ContractPlace, count: int) -> tuple[Linear, Linear]:
    """The sums of a place among `count` workers."""
    ends = {"\\top": height(workers, 0, count), "\\bottom": height(workers, count - 1, count)}
    return with_values(sum_of(place.x), ends), with_values(sum_of(place.y), ends)


def shift_position(actual: Linear, before: Linear, after: Linear) -> Linear | None:
    """Where something goes that stood at `before`, a little aside by hand; None where that is no mere shift."""
    aside = subtract_sums(actual, before)
    return add_sums(after, aside) if set(aside) <= {""} else None


_VARIABLE = re.compile(r"\\[A-Za-z@]+$")


@dataclass
class WorkerPlan:
    """Who was there before a worker comes or goes, and who is after; `out` are the statements that go."""

    subject: Subject
    workers: WorkersOfContract
    before: list[ForeignWorker]
    after: list[ForeignWorker]
    change: SpanReplacements = field(default_factory=SpanReplacements)
    out: set[int] = field(default_factory=set)

    @property
    def facts(self) -> Facts:
        return self.subject.facts

    @property
    def kept_workers(self) -> list[ForeignWorker]:
        """The workers that exist before and after."""
        return [worker for worker in self.before if worker in self.after]

    def replace(self, span: TextSpan, new: str) -> None:
        """Ask for other words at a span."""
        if new != span.extract_from(self.facts.text):
            self.change.replacements.append(Replacement.make_for_span(self.facts.text, span, new))

    def take_out(self, statement: int) -> None:
        """Ask for a statement to go, once."""
        if statement not in self.out:
            self.out.add(statement)
            self.change.replacements.append(taken_out(self.facts, self.facts.statements[statement].span))


def flow_of(facts: Facts, statement: int, worker: str) -> SourceFlow:
    """The one flow of a statement; `EditRefused` where the statement does more than join a worker to another node."""
    flows = [each for each in facts.flows if each.statement == statement]
    used = [each for each in facts.references if each.statement == statement]
    where = line_of(facts, facts.statements[statement].span.start)
    if len(flows) != 1 or len(used) != 2:
        message = f"one statement draws more than the flow of {quote(worker)} ({where})"
        raise EditRefused("shared-statement", message, nearest="give each flow a line of its own")
    return flows[0]


def only_of(facts: Facts, statement: int) -> None:
    """Refuse where a statement declares several nodes."""
    if sum(node.statement == statement for node in facts.nodes) > 1:
        where = line_of(facts, facts.statements[statement].span.start)
        raise EditRefused(
            "shared-statement", f"one statement declares several nodes ({where})", nearest="give each a line of its own"
        )


def no_loop_makes(facts: Facts, names: Collection[str], what: str) -> None:
    r"""Refuse where a loop puts one of the names together, as `w\i` does: its list holds none that could be changed."""
    for reference in facts.references:
        if "\\" not in reference.name or reference.statement is None or _VARIABLE.match(reference.name):
            continue
        loop = facts.statements[reference.statement].loop
        if any(expand_name(reference.name, values) in names for values in list_bindings(facts, loop)):
            where = line_of(facts, reference.span.start)
            raise EditRefused("loop", f"a loop puts {what} together ({where})", nearest="list whole names")
