"""Raft's replication: a leader has a majority take over its log; what is committed when is computed."""

from fractions import Fraction
from typing import Literal

from pydantic import Field

from tikzgen.base.plain_words import counted
from tikzgen.model.base import Duration, Part, Time, Words
from tikzgen.model.figure import Figure
from tikzgen.model.options import Slug
from tikzgen.recipe.raft_election import RaftLabels, RaftServers
from tikzgen.schedule.protocols.run_raft import Agreement
from tikzgen.text import Text


class Command(Part):
    """What the client asks of the leader."""

    at: Time
    """When it asks."""
    text: Words = "set x"
    """What it asks."""


class ReplicationLabels(RaftLabels):
    """The texts of a replication."""

    client: Text = "client"
    """At the client."""
    committed: Text = ""
    """Before the commands that a server knows to be committed, at its end."""


class RaftReplication(RaftServers):
    """Replication of Raft's log: commands in, what each server knows to be committed out. The first server leads."""

    schedule_facts = ("servers", "commands", "heartbeat", "delay", "until", "crashes", "lost")

    recipe: Literal["raft-replication"] = "raft-replication"
    """Names the recipe."""
    id: Slug = "raft-replication"
    until: Duration = Fraction(7)
    """When the diagram ends."""
    commands: list[Command] = Field(default=[Command(at=Fraction(1))], min_length=1, max_length=32)
    """What the client asks, and when."""
    labels: ReplicationLabels = Field(default_factory=ReplicationLabels)
    """The texts."""

    def gist(self) -> str:
        what = f"{len(self.outcome().committed)} of {counted(len(self.commands), 'command')} committed"
        return f"Replication of Raft's log on {counted(self.servers, 'server')}: {what}"

    def ids(self) -> list[str]:
        """The servers, with the client at the end."""
        return [*super().ids(), "client"]

    def outcome(self) -> Agreement:
        """What its run comes to; nobody waits so long for the leader that there would be another one."""
        waits = [[self.until + 1]] * self.servers
        return self.agreed(waits, 0, commands=[(one.at, one.text) for one in self.commands])

    def expand(self) -> Figure:
        """The messages of its run, with what each server knows to be committed at its end."""
        found, texts = self.outcome(), self.labels
        feet = {}
        for node, (log, commit) in enumerate(zip(found.logs, found.commits, strict=True)):
            if commit and self.stays(node):
                feet[node] = texts.committed + ", ".join(command for _, command in log[:commit])
        happened = [("commit", "commit", "diamond")]
        heads = [*self.heads(), (texts.client, "otgray")]
        return self.drawn(found.run, heads, texts, feet, happened)  # type: ignore[arg-type]
