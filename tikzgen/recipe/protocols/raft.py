"""Raft: leader election and log replication.

The server with the shortest timeout becomes a candidate for the next term. The leaders of terms, and the times of
commits, are computed.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tikzgen.base.plain_words import count_of, list_names
from tikzgen.model.exact_fields import Cost, Duration, Time
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.part import Part, Words, fail
from tikzgen.recipe.protocols.protocol_diagram import Crash, Protocol
from tikzgen.schedule import ScheduleError
from tikzgen.schedule.protocols import Agreement, Faults, NodeFailure, simulate_raft
from tikzgen.text import Numbered, Text, fill_number, fill_placeholders


class RaftLabels(Part):
    """Labels of Raft: `{n}` is a term, `{i}` the index of an entry in the log, `{v}` a command."""

    server: Numbered = "S{n}"
    """Label of each server."""
    request: Text = "vote {n}?"
    """Label of a candidate's request for votes."""
    vote: Text = "yes"
    """Label of a reply with a vote."""
    deny: Text = "no"
    """Label of a reply without a vote."""
    heartbeat: Text = "heartbeat"
    """Label of a leader's message without new entries."""
    append: Text = "append {i}"
    """Label of a leader's message with new entries."""
    ok: Text = "ok {i}"
    """Label of the reply of a server that appended the entries."""
    refuse: Text = "no"
    """Label of the reply of a server that misses earlier entries, or that knows a greater term."""
    command: Text = "{v}"
    """Label of a client's command."""
    reply: Text = "done"
    """Label of the reply to the client when its command is committed."""
    timeout: Text = "timeout"
    """Label of the time at which a server's timeout expires."""
    leader: Text = "leader of {n}"
    """Label of the time at which a server gets a majority, and at the end of each leader."""
    follower: Text = ""
    """Label at the end of each follower."""
    candidate: Text = ""
    """Label at the end of each candidate."""
    commit: Text = "{i} committed"
    """Label of the time at which a leader learns that a majority has an entry."""


class RaftServers(Protocol):
    """Shared parts of Raft recipes."""

    field_group = "protocol"
    field_groups = ("durations: delay heartbeat until",)

    looks: ClassVar = {
        "request": ("control", False),
        "vote": ("message", True),
        "deny": ("message", True),
        "heartbeat": ("control", False),
        "append": ("decision", False),
        "ok": ("message", True),
        "refuse": ("message", True),
        "command": ("control", False),
        "reply": ("message", True),
    }

    direction: Literal["right", "down"] = "down"
    """Direction of time; tikzgen takes the other one if the figure is too wide. All labels stay horizontal."""
    servers: int = Field(default=3, ge=1, le=9)
    """Number of servers; their ids are s1, s2, …"""
    delay: Cost | list[Cost] = Fraction(1)
    """Latency of messages, in time units: one value, or one per server; a message then takes the mean for its sender
    and its receiver."""
    heartbeat: Duration = Fraction(4)
    """Interval between the heartbeats of a leader, in time units."""
    until: Duration = Fraction(12)
    """End of the diagram, in time units."""
    labels: RaftLabels = Field(default_factory=RaftLabels)
    """Labels of the figure."""

    @model_validator(mode="after")
    def _check_servers(self) -> Self:
        for field in ("delay", "timeouts"):
            values = getattr(self, field, None)
            if isinstance(values, list) and len(values) != self.servers:
                text = f"{len(values)} values for {self.servers} servers"
                fail(text, field, hint="give one for each server")
        self.read_faults()
        return self

    def list_ids(self) -> list[str]:
        """Return the ids of the servers."""
        return [f"s{number}" for number in range(1, self.servers + 1)]

    def compute_delay(self, source: int, target: int) -> Fraction:
        """Return the delay of a message; a client has the default distance."""
        if not isinstance(self.delay, list):
            return self.delay
        ends = [self.delay[end] for end in (source, target) if end < self.servers]
        return sum(ends, Fraction(0)) / 2 + (Fraction(1, 2) if len(ends) == 1 else 0)

    def read_faults(self) -> Faults:
        """Return the faults up to the end of the diagram."""
        found, failures = super().read_faults(), {}
        for node, failure in found.failures.items():
            if failure.at <= self.until:
                is_back = failure.back is not None and failure.back <= self.until
                failures[node] = failure if is_back else NodeFailure(failure.at)
        return Faults(failures, found.lost)

    def is_up(self, node: int) -> bool:
        """Return whether a node is up at the end of the diagram."""
        failure = self.read_faults().failures.get(node)
        return failure is None or failure.back is not None

    def compute_run(self) -> Agreement:
        """Run the protocol and return its result."""
        raise NotImplementedError

    def compute_outcome(self) -> Agreement:
        """Return the result of the run, which is computed once."""
        return self.compute_once("outcome", self.compute_run)

    def run_servers(self, timeouts: Sequence[Sequence[Fraction]], leader: int | None, **more: Any) -> Agreement:
        """Run servers with these election timeouts; `leader`, if any, leads from the beginning."""
        facts: dict[str, Any] = {"heartbeat": self.heartbeat, "delay": self.compute_delay, "until": self.until}
        try:
            return simulate_raft(
                self.servers, timeouts=timeouts, leader=leader, faults=self.read_faults(), **facts, **more
            )
        except ScheduleError as error:
            fail(error.message, "heartbeat", hint=error.hint)

    def list_heads(self) -> list[tuple[str, Literal["otteal"]]]:
        """Return labels and colors of the servers."""
        return [(fill_number(self.labels.server, number), "otteal") for number in range(1, self.servers + 1)]


class RaftElection(RaftServers):
    """A leader election of Raft: from timeouts to the leader of each term."""

    field_group = "protocol"
    field_groups = ("durations: timeouts",)
    common = ("servers: 3", "crashes: [{id: s1, at: 1}]", "timeouts", "heartbeat", "until: 12")

    schedule_facts = ("servers", "leader", "timeouts", "heartbeat", "delay", "until", "crashes", "lost")

    recipe: Literal["raft-election"] = "raft-election"
    """Name of the recipe."""
    id: Slug = "raft-election"
    leader: int | None = Field(default=1, ge=1)
    """Number of the server that leads term 1 from the start; null starts without a leader."""
    timeouts: list[Duration | list[Duration]] | None = None
    """Wait of each server for a leader, in time units: one value, or a repeated list. Null is 6 for the first server,
    and 3/2 more for each next one."""
    crashes: list[Crash] = Field(default=[Crash(id="s1", at=Fraction(1))])
    """Failures of servers."""

    def summary(self) -> str:
        terms = [f"{self.list_ids()[node]} leads term {term}" for term, node in self.compute_outcome().leaders]
        return (
            f"Leader election of Raft among {count_of(self.servers, 'server')}: {list_names(terms) or 'nobody leads'}"
        )

    @model_validator(mode="after")
    def _check_leader(self) -> Self:
        if self.leader is not None and self.leader > self.servers:
            fail(f"unknown server {self.leader}", "leader", hint=f"the servers are 1 to {self.servers}")
        self.compute_outcome()
        return self

    def compute_run(self) -> Agreement:
        usual = [Fraction(12 + 3 * place, 2) for place in range(self.servers)]
        timeouts = self.timeouts if self.timeouts is not None else usual
        waits = [each if isinstance(each, list) else [each] for each in timeouts]
        return self.run_servers(waits, None if self.leader is None else self.leader - 1)

    def expand(self) -> FigureModel:
        """Return the messages of the run, with the roles of servers at the end."""
        found, texts = self.compute_outcome(), self.labels
        feet = {
            node: fill_placeholders(getattr(texts, role), n=term)
            for node, (role, term) in enumerate(zip(found.roles, found.terms, strict=True))
            if self.is_up(node)
        }
        happened = [("timeout", "timeout", "triangle"), ("leader", "leader", "diamond")]
        return self.make_diagram(found.run, self.list_heads(), texts, feet, happened)


class Command(Part):
    """Command of the client to the leader."""

    at: Time
    """Send time."""
    text: Words = "set x"
    """Text of the command."""


class ReplicationLabels(RaftLabels):
    """Labels of a log replication."""

    client: Text = "client"
    """Label of the client."""
    committed: Text = ""
    """Label before the commands that a server knows to be committed, at its end."""


class RaftReplication(RaftServers):
    """Replication of Raft's log: from commands to the committed entries of each server."""

    field_group = "protocol"
    common = ("servers: 3", "commands: [{at: 1}]", "lost", "crashes", "heartbeat", "until: 7")

    schedule_facts = ("servers", "commands", "heartbeat", "delay", "until", "crashes", "lost")

    recipe: Literal["raft-replication"] = "raft-replication"
    """Name of the recipe."""
    id: Slug = "raft-replication"
    until: Duration = Fraction(7)
    """End of the diagram, in time units."""
    commands: list[Command] = Field(default=[Command(at=Fraction(1))], min_length=1, max_length=32)
    """Commands of the client, with their times."""
    labels: ReplicationLabels = Field(default_factory=ReplicationLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        what = f"{len(self.compute_outcome().committed)} of {count_of(len(self.commands), 'command')} committed"
        return f"Replication of Raft's log on {count_of(self.servers, 'server')}: {what}"

    def list_ids(self) -> list[str]:
        """Return the ids of the servers, then the client."""
        return [*super().list_ids(), "client"]

    @model_validator(mode="after")
    def _check_outcome(self) -> Self:
        self.compute_outcome()
        return self

    def compute_run(self) -> Agreement:
        """Run the protocol with timeouts longer than the diagram, so that the first server remains the leader."""
        waits = [[self.until + 1]] * self.servers
        return self.run_servers(waits, 0, commands=[(one.at, one.text) for one in self.commands])

    def expand(self) -> FigureModel:
        """Return the messages of the run, with the committed entries of each server at its end."""
        found, texts = self.compute_outcome(), self.labels
        feet = {}
        for node, (log, commit) in enumerate(zip(found.logs, found.commits, strict=True)):
            if commit and self.is_up(node):
                feet[node] = texts.committed + ", ".join(command for _, command in log[:commit])
        happened = [("commit", "commit", "diamond")]
        heads = [*self.list_heads(), (texts.client, "otgray")]
        return self.make_diagram(found.run, heads, texts, feet, happened)
