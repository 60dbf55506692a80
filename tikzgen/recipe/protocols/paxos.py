"""Paxos: proposers get a majority of acceptors to choose one value; the chosen value is computed."""

from fractions import Fraction
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from tikzgen.base.plain_words import count_of
from tikzgen.model.exact_fields import Cost, Duration, Time
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.part import Part, Words, fail
from tikzgen.recipe.protocols.protocol_diagram import ProtocolOfMany
from tikzgen.schedule.protocols import Choice, simulate_paxos
from tikzgen.text import Numbered, Text, fill_number, fill_placeholders


class PaxosLabels(Part):
    """Labels of Paxos: `{n}` is a ballot number, `{v}` a value, `{m}` the ballot in which it was accepted."""

    proposer: Numbered = "proposer {n}"
    """Label of each proposer."""
    acceptor: Numbered = "acceptor {n}"
    """Label of each acceptor."""
    prepare: Text = "prepare {n}"
    """Label of a proposer's first request."""
    promise: Text = "promise {n}"
    """Label of the reply of an acceptor that has not accepted a value."""
    promise_with: Text = "promise {n}: {m}, {v}"
    """Label of the reply of an acceptor that accepted a value in an earlier ballot."""
    accept: Text = "accept {n}: {v}"
    """Label of a proposer's second request, to a majority."""
    accepted: Text = "accepted {n}"
    """Label of the reply of an acceptor that accepts."""
    chosen: Text = "{v} chosen"
    """Label of the time at which a proposer learns that its value is chosen."""
    holds: Text = "{v}"
    """Label at the end of each acceptor: the value that it accepted last."""


class Paxos(ProtocolOfMany):
    """Single-decree Paxos with proposers that compete and acceptors that may fail."""

    field_group = "protocol"
    field_groups = ("durations: starts delay timeout",)
    common = ("values: [A, B]", "acceptors: 3", "starts", "crashes", "lost", "delay")

    alike = "acceptors"
    schedule_facts = ("values", "starts", "acceptors", "delay", "timeout", "rounds", "crashes", "lost")
    looks: ClassVar = {
        "prepare": ("control", False),
        "promise": ("message", True),
        "promise with": ("message", True),
        "accept": ("decision", False),
        "accepted": ("message", True),
    }

    recipe: Literal["paxos"] = "paxos"
    """Name of the recipe."""
    id: Slug = "paxos"
    values: list[Words] = Field(default=["A"], min_length=1, max_length=8)
    """Value that each proposer proposes; the ids of the proposers are p1, p2, …"""
    starts: list[Time] | None = None
    """Start time of each proposer; null starts each one 5 time units after the previous one."""
    acceptors: int = Field(default=3, ge=1, le=16)
    """Number of acceptors; their ids are a1, a2, …"""
    delay: Cost | list[Cost] = Fraction(1)
    """Latency of messages, in time units: one value, or a list with one value per acceptor."""
    timeout: Duration = Fraction(8)
    """Time that a proposer waits before it tries a greater ballot number, in time units."""
    rounds: int = Field(default=2, ge=1, le=20)
    """Maximum number of attempts of each proposer."""
    labels: PaxosLabels = Field(default_factory=PaxosLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        found = self.compute_outcome()
        what = f"{found.chosen[0]} is chosen" if found.chosen else "no value is chosen"
        who = f"{count_of(len(self.values), 'proposer')} and {count_of(self.acceptors, 'acceptor')}"
        return f"Paxos with {who}: {what}"

    @model_validator(mode="after")
    def _check_proposers_and_acceptors(self) -> Self:
        for field, values, many in (("starts", self.starts, len(self.values)), ("delay", self.delay, self.acceptors)):
            if isinstance(values, list) and len(values) != many:
                whom = "proposers" if field == "starts" else "acceptors"
                fail(f"{len(values)} values for {many} {whom}", field, hint=f"give one for each of the {whom}")
        self.read_faults()
        return self

    def list_ids(self) -> list[str]:
        """Return the ids of proposers, then acceptors."""
        proposers = [f"p{number}" for number in range(1, len(self.values) + 1)]
        return [*proposers, *(f"a{number}" for number in range(1, self.acceptors + 1))]

    def compute_outcome(self) -> Choice:
        """Return the result of the run."""
        many = len(self.values)
        starts = self.starts if self.starts is not None else [Fraction(5 * place) for place in range(many)]
        delays = self.delay if isinstance(self.delay, list) else [self.delay] * self.acceptors
        return simulate_paxos(
            self.values,
            starts,
            self.acceptors,
            delay=lambda source, target: delays[max(source, target) - many],
            timeout=self.timeout,
            rounds=self.rounds,
            faults=self.read_faults(),
        )

    def expand(self) -> FigureModel:
        """Return the messages of the run, with the last value of each acceptor at its end."""
        found, texts, many = self.compute_outcome(), self.labels, len(self.values)
        heads = [(fill_number(texts.proposer, n), "otblue") for n in range(1, many + 1)]
        heads += [(fill_number(texts.acceptor, n), "otteal") for n in range(1, self.acceptors + 1)]
        feet = {
            many + place: fill_placeholders(texts.holds, v=each[-1][1])
            for place, each in enumerate(found.accepted)
            if each
        }
        return self.make_diagram(found.run, heads, texts, feet, [("chosen", "chosen", "diamond")])
