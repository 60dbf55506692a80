"""Replicated logs of Raft: the entries of each server, and the committed entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from tikzgen.base.errors import quote
from tikzgen.base.plain_words import count_of
from tikzgen.model.cells import HOLE, CellArray, CellKey, CellLine, CellMark, Cells, Header
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.part import Part, fail, make_empty_list
from tikzgen.recipe.arrays.computed_arrays import LETTERS, ComputedArrays, write_fill, write_keys
from tikzgen.recipe.simulated_recipe import Told
from tikzgen.schedule.held import MatchedLogs, find_least_term, match_logs
from tikzgen.text import Numbered, Text, fill_placeholders


def _read_terms(value: Any) -> Any:
    """Return the terms that digits spell: "1123" is [1, 1, 2, 3]."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return value
    if str(value) and not str(value).isdecimal():
        message = "should be digits such as 1123, or a list of terms, not {value}"
        raise PydanticCustomError("tikzgen", message, {"value": quote(value)})
    return [int(digit) for digit in str(value)]


Terms = Annotated[
    list[Annotated[int, Field(ge=1, le=60)]],
    Field(max_length=64),
    BeforeValidator(_read_terms, json_schema_input_type=str | int | list[int]),
]


class ReplicatedLogLabels(Part):
    """Labels of replicated logs."""

    server: Numbered = "S$_{n}$"
    """Label of each server."""
    leader: Text = "leader, term {term}"
    """Text at the leader."""
    follower: Text = "match {match}, next {next}"
    """Text at each follower: the last matching entry, and the next entry to send to it."""
    entry: Text = "{term}: {command}"
    """Text of an entry with a command."""
    committed: Text = r"committed $\le$ {n}"
    """Text at the line after the committed entries."""
    term: Numbered = "term {n}"
    """Name of a term in the description."""


class ReplicatedLog(ComputedArrays):
    """The logs of Raft servers: entries by term, conflicts with the leader, committed entries."""

    field_group = "arrays"
    common = ("logs: ['11123333', '111233', '111222']", "leader: 1", "term: 3")
    schedule_facts: ClassVar[tuple[str, ...]] = ("logs", "leader", "term", "committed")

    recipe: Literal["replicated-log"] = "replicated-log"
    """Name of the recipe."""
    id: Slug = "replicated-log"
    logs: list[Terms] = Field(
        default=[[1, 1, 1, 2, 3, 3, 3, 3], [1, 1, 1, 2, 3, 3], [1, 1, 1, 2, 3, 3, 3, 3], [1, 1, 1], [1, 1, 1, 2, 2, 2]],
        min_length=1,
        max_length=9,
    )
    """Terms of the entries of each server: a list, or digits such as `"11123333"`."""
    leader: int = Field(default=1, ge=1)
    """Number of the leader, from 1."""
    term: int | None = Field(default=None, ge=1, le=60)
    """Term of the leader; null is the least possible one: the greatest in the logs, or one more."""
    committed: int = Field(default=0, ge=0)
    """Index of the last entry that was committed before."""
    commands: list[list[Text]] = Field(default_factory=make_empty_list, max_length=9)
    """Commands of the entries of each server, one list per server."""
    labels: ReplicatedLogLabels = Field(default_factory=ReplicatedLogLabels)
    """Labels of the figure."""

    def check_facts(self) -> None:
        """Check the parameters that concern each other."""
        if self.leader > len(self.logs):
            fail(f"unknown server {self.leader}", "leader", hint=f"the servers are 1 to {len(self.logs)}")
        self._check_commands()

    @property
    def _term(self) -> int:
        return self.term or find_least_term(self.logs, self.leader - 1)

    @property
    def _matches(self) -> MatchedLogs:
        return self.compute_once("matched", lambda: match_logs(self.logs, self.leader - 1, self._term, self.committed))

    def _check_commands(self) -> None:
        """Check that each entry has one command, the same one on all servers with its index and term."""
        if self.commands and len(self.commands) != len(self.logs):
            text = f"{count_of(len(self.commands), 'list')} for {count_of(len(self.logs), 'server')}"
            fail(text, "commands", hint="give one list for each server")
        known: dict[tuple[int, int], Text] = {}
        for server, (log, commands) in enumerate(zip(self.logs, self.commands, strict=False)):
            if len(commands) != len(log):
                text = f"{count_of(len(commands), 'command')} for {count_of(len(log), 'entry')}"
                fail(text, "commands", server, hint="give one for each entry")
            for index, (term, command) in enumerate(zip(log, commands, strict=True), 1):
                if known.setdefault((index, term), command) != command:
                    text = f"entry {index} of term {term} has another command on a server before"
                    fail(text, "commands", server, index - 1, hint=f"write {known[index, term]}")

    @property
    def measured_names(self) -> Sequence[str]:
        """Names of the servers."""
        return [f"server {server}" for server in range(1, len(self.logs) + 1)]

    def measure_arrays(self) -> Told:
        """Return the last matching entry and the removed entries of each server, and the commit index."""
        found = self._matches
        removed = tuple(
            len(log) + 1 - first if first else 0 for log, first in zip(self.logs, found.removed_from, strict=True)
        )
        return {"matching": found.match, "removed": removed, "commit": found.commit}

    def summary(self) -> str:
        servers = count_of(len(self.logs), "server")
        commit = self._matches.commit
        committed = f"entries up to {commit} are committed" if commit else "no entry is committed"
        return f"The logs of {servers}: server {self.leader} leads term {self._term}, {committed}"

    def list_derivations(self) -> list[str]:
        """Return the entries that the leader overwrites."""
        told = []
        for server, (log, first) in enumerate(zip(self.logs, self._matches.removed_from, strict=True), 1):
            if first:
                word = "and" if len(log) == first + 1 else "to"
                entries = f"entry {first}" if first == len(log) else f"entries {first} {word} {len(log)}"
                told.append(f"{entries} of server {server} will be overwritten")
        return told

    def expand(self) -> FigureModel:
        """Return one row for each server, with the conflicts and the committed entries."""
        found, texts, term = self._matches, self.labels, self._term
        wide = max(1, *map(len, self.logs))
        letters = {
            (server, index): LETTERS[entry] for server, log in enumerate(self.logs) for index, entry in enumerate(log)
        }
        after = [
            fill_placeholders(texts.leader, term=term)
            if server == self.leader - 1
            else fill_placeholders(texts.follower, match=match, next=match + 1)
            for server, match in enumerate(found.match)
        ]
        marks = [
            CellMark(at=write_keys((server + 1, server + 2), (first, len(log) + 1)), look="removed")
            for server, (log, first) in enumerate(zip(self.logs, found.removed_from, strict=True))
            if first
        ]
        lines = []
        if found.commit:
            lines.append(CellLine(after=found.commit, label=fill_placeholders(texts.committed, n=found.commit)))
        logs = CellArray(
            id="logs",
            label="",
            size=[len(self.logs), wide],
            rows=Header(first=1, text=texts.server, apart=True, after=after),
            columns=Header(first=1),
            fill=write_fill(len(self.logs), wide, letters, HOLE),
            values=[
                [self._spell_entry(server, index) for index in range(len(log))] for server, log in enumerate(self.logs)
            ],
            marks=marks,
            lines=lines,
        )
        keys = {LETTERS[entry]: CellKey(owner=entry) for entry in sorted({term for log in self.logs for term in log})}
        return self.figure_of(Cells(arrays=[logs], keys=keys, owner_name=texts.term))

    def _spell_entry(self, server: int, index: int) -> Text:
        term = self.logs[server][index]
        if not self.commands:
            return str(term)
        return fill_placeholders(self.labels.entry, term=term, command=self.commands[server][index])
