"""A change in the number of workers: who was there, who will be, and the pieces that are copied or taken out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tikzgen.base.errors import quoted
from tikzgen.contract.program_contract import Contract, Workers
from tikzgen.edit.foreign.foreign_figure import Change, Subject
from tikzgen.edit.foreign.pieces import line_of, taken_out
from tikzgen.edit.foreign.roster import Worker
from tikzgen.edit.outcome import EditRefused
from tikzgen.texfile import Facts, Span
from tikzgen.texfile.edits import Replacement
from tikzgen.texfile.loops import bindings, spelt
from tikzgen.texfile.source_facts import Flow

__all__ = ["Plan", "flow_of", "only_of", "written_out"]

_VARIABLE = re.compile(r"\\[A-Za-z@]+$")


@dataclass(slots=True)
class Plan:
    """`new` is the worker that comes, `gone` the one that goes; `text` is the label of a new one.

    `extra` are pieces that come behind the copy of a flow's statement; `out` the statements that go.
    """

    subject: Subject
    contract: Contract
    workers: Workers
    before: list[Worker]
    after: list[Worker]
    new: Worker | None = None
    gone: Worker | None = None
    text: str = ""
    change: Change = field(default_factory=Change)
    out: set[int] = field(default_factory=set)

    @property
    def facts(self) -> Facts:
        return self.subject.facts

    def replace(self, span: Span, new: str) -> None:
        """Ask for other words at a span."""
        if new != span.of(self.facts.text):
            self.change.replacements.append(Replacement.at(self.facts.text, span, new))

    def take_out(self, statement: int) -> None:
        """Ask for a statement to go, once."""
        if statement not in self.out:
            self.out.add(statement)
            self.change.replacements.append(taken_out(self.facts, self.facts.statements[statement].span))


def flow_of(facts: Facts, statement: int, worker: str) -> Flow:
    """The one flow of a statement; `EditRefused` where the statement does more than join a worker to another node."""
    flows = [each for each in facts.flows if each.statement == statement]
    used = [each for each in facts.references if each.statement == statement]
    where = line_of(facts, facts.statements[statement].span.start)
    if len(flows) != 1 or len(used) != 2:
        raise EditRefused(
            "shared-statement",
            f"one statement draws more than the flow of {quoted(worker)} ({where})",
            nearest="give each flow a line of its own",
        )
    return flows[0]


def only_of(facts: Facts, statement: int) -> None:
    """Refuse where a statement declares several nodes."""
    if sum(node.statement == statement for node in facts.nodes) > 1:
        where = line_of(facts, facts.statements[statement].span.start)
        raise EditRefused(
            "shared-statement", f"one statement declares several nodes ({where})", nearest="give each a line of its own"
        )


def written_out(facts: Facts, workers: list[Worker]) -> None:
    """Refuse where a loop puts the names of workers together: its list holds no names that could be changed."""
    names = {worker.name for worker in workers}
    for reference in facts.references:
        if "\\" not in reference.name or reference.statement is None or _VARIABLE.match(reference.name):
            continue
        loop = facts.statements[reference.statement].loop
        if any(spelt(reference.name, values) in names for values in bindings(facts, loop)):
            where = line_of(facts, reference.span.start)
            raise EditRefused("loop", f"a loop puts names of workers together ({where})", nearest="list whole names")
