"""Two-phase commit: a coordinator asks workers to prepare, and all commit or all abort.

The outcome is computed.
"""

from fractions import Fraction
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tikzgen.base.plain_words import count_of, join_words
from tikzgen.model.exact_fields import Cost, Duration
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import Color
from tikzgen.model.part import Part, fail, make_empty_list
from tikzgen.recipe.protocols.protocol_diagram import ProtocolOfMany
from tikzgen.schedule.protocols import Commit, two_phase_commit
from tikzgen.text import Numbered, Text, fill_number


class TwoPhaseCommitLabels(Part):
    """Labels of a two-phase commit."""

    coordinator: Text = "coordinator"
    """Label of the coordinator."""
    worker: Numbered = "worker {n}"
    """Label of each worker."""
    prepare: Text = "prepare"
    """Label of the coordinator's first request."""
    save: Text = ""
    """Label of the preparation at a worker."""
    yes: Text = "yes"
    """Label of a vote to commit."""
    no: Text = "no"
    """Label of a vote to abort."""
    decide: Text = ""
    """Label of the decision's write at the coordinator."""
    commit: Text = "commit"
    """Label of the decision to commit."""
    abort: Text = "abort"
    """Label of the decision to abort."""
    done: Text = "done"
    """Label of the reply to a decision."""
    ask: Text = "decision?"
    """Label of the question of a recovered worker without a decision."""
    committed: Text = "committed"
    """Label at the end of each node that committed."""
    aborted: Text = "aborted"
    """Label at the end of each node that aborted."""
    doubt: Text = "in doubt"
    """Label at the end of each node that voted yes and has no decision."""
    working: Text = ""
    """Label at the end of each node that did not vote."""


_ENDS = {"committed": "committed", "aborted": "aborted", "doubt": "in doubt", "working": "without a vote"}


class TwoPhaseCommit(ProtocolOfMany):
    """Two-phase commit of a transaction, or of a checkpoint, by workers and a coordinator that may fail."""

    field_group = "protocol"
    field_groups = ("durations: delay prepare decide timeout",)
    common = ("workers: 3", "no: [2]", "crashes", "lost", "delay", "timeout")

    alike = "workers"
    schedule_facts = ("workers", "no", "delay", "prepare", "decide", "timeout", "crashes", "lost")
    looks: ClassVar = {
        "prepare": ("control", False),
        "yes": ("message", True),
        "no": ("message", True),
        "commit": ("decision", False),
        "abort": ("decision", False),
        "done": ("message", True),
        "ask": ("control", True),
    }

    recipe: Literal["two-phase-commit"] = "two-phase-commit"
    """Name of the recipe."""
    id: Slug = "two-phase-commit"
    workers: int = Field(default=2, ge=1, le=64)
    """Number of workers; their ids are w1, w2, …, and the coordinator's is c."""
    no: list[Annotated[int, Field(ge=1)]] = Field(default_factory=make_empty_list)
    """Numbers of the workers that vote no."""
    delay: Cost | list[Cost] = Fraction(1)
    """Latency of messages, in time units: one value, or a list with one value per worker."""
    prepare: Cost = Fraction(1)
    """Duration of a worker's preparation before its vote, in time units."""
    decide: Cost = Fraction(1)
    """Duration of the decision's write at the coordinator, in time units."""
    timeout: Duration = Fraction(6)
    """Time that the coordinator waits for votes before it aborts, in time units."""
    labels: TwoPhaseCommitLabels = Field(default_factory=TwoPhaseCommitLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        found = self.compute_outcome()
        what = f"the coordinator decides to {found.decision}" if found.decision else "the coordinator takes no decision"
        told = join_words(f"{found.ends.count(end)} {words}" for end, words in _ENDS.items() if end in found.ends)
        return f"Two-phase commit by {count_of(self.workers, 'worker')}: {what}; at the end {told}"

    @model_validator(mode="after")
    def _check_workers(self) -> Self:
        if isinstance(self.delay, list) and len(self.delay) != self.workers:
            text = f"{len(self.delay)} values for {self.workers} workers"
            fail(text, "delay", hint="give one value, or one for each worker")
        for index, number in enumerate(self.no):
            if number > self.workers:
                fail(f"unknown worker {number}", "no", index, hint=f"the workers are 1 to {self.workers}")
        self.read_faults()
        return self

    def list_ids(self) -> list[str]:
        """Return the ids of the coordinator, then the workers."""
        return ["c", *(f"w{number}" for number in range(1, self.workers + 1))]

    def compute_outcome(self) -> Commit:
        """Return the result of the run."""
        delays = self.delay if isinstance(self.delay, list) else [self.delay] * self.workers
        return two_phase_commit(
            delays,
            no=self.no,
            prepare=self.prepare,
            decide=self.decide,
            timeout=self.timeout,
            faults=self.read_faults(),
        )

    def expand(self) -> FigureModel:
        """Return the messages of the run, with the final state of each worker."""
        found, texts = self.compute_outcome(), self.labels
        heads: list[tuple[str, Color]] = [(texts.coordinator, "otblue")]
        heads += [(fill_number(texts.worker, number), "otteal") for number in range(1, self.workers + 1)]
        feet = {node: getattr(texts, end) for node, end in enumerate(found.ends, 1)}
        return self.make_diagram(found.run, heads, texts, feet)
