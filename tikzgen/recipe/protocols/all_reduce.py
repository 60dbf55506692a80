"""All-reduce as messages: every rank ends with the sum; steps and times are from a run with numbers."""

from fractions import Fraction
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from tikzgen.base.plain_words import count_of
from tikzgen.model.exact_fields import Cost
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import TEXT_WIDE, width_in_cm
from tikzgen.model.part import Part, fail
from tikzgen.recipe.protocols.protocol_diagram import Protocol
from tikzgen.schedule.protocols import Reduced, doubling_letters, ring_letters
from tikzgen.text import Numbered, Text, fill_number

_LABEL_SPACE_CM = 1.6  # cm next to the lifelines of ranks
_RING_STEP_CM = 0.6  # cm of a ring step with room for a number


class AllReduceLabels(Part):
    """Labels of an all-reduce."""

    rank: Numbered = "rank {n}"
    """Label of each rank."""
    reduce: Numbered = "{n}"
    """Label of a chunk that the receiver adds; `{n}` is its number."""
    gather: Numbered = "{n}"
    """Label of a completed chunk; `{n}` is its number."""
    exchange: Text = ""
    """Label of an exchange between two ranks in recursive doubling; `{n}` is the step."""
    add: Text = ""
    """Label of the addition at a rank."""
    sum: Text = "sum"
    """Label at the end of each rank that has the entire sum."""


class AllReduce(Protocol):
    """An all-reduce as messages between ranks: around a ring, or by recursive doubling."""

    field_group = "protocol"
    field_groups = ("durations: delay add",)
    common = ("ranks: 4", "algorithm: doubling", "delay", "add")

    schedule_facts = ("ranks", "algorithm", "delay", "add")
    looks: ClassVar = {"reduce": ("message", False), "gather": ("decision", False), "exchange": ("message", False)}

    recipe: Literal["all-reduce"] = "all-reduce"
    """Name of the recipe."""
    id: Slug = "all-reduce"
    ranks: int = Field(default=4, ge=2, le=16)
    """Number of ranks; their ids are r0, r1, …"""
    algorithm: Literal["ring", "doubling"] = "ring"
    """Ring with 2(p-1) steps, or recursive doubling with log2 p steps, for p ranks."""
    delay: Cost | list[Cost] = Fraction(1)
    """Latency of messages, in time units: one value, or a list with one value for each rank's link to the next one of
    the ring."""
    add: Cost = Fraction(1, 2)
    """Duration of adding a received chunk, in time units."""
    labels: AllReduceLabels = Field(default_factory=AllReduceLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        how = "around a ring" if self.algorithm == "ring" else "by recursive doubling"
        return (
            f"All-reduce of {count_of(self.ranks, 'rank')} {how}, in {count_of(self.compute_outcome().steps, 'step')}"
        )

    @model_validator(mode="after")
    def _check_ranks(self) -> Self:
        doubling = self.algorithm == "doubling"
        if doubling and self.ranks & (self.ranks - 1):
            fail(f"{self.ranks} ranks are no power of two", "ranks", hint="use 2, 4, 8 or 16 ranks, or the ring")
        if isinstance(self.delay, list) and (doubling or len(self.delay) != self.ranks):
            text = "recursive doubling has one delay" if doubling else f"{len(self.delay)} for {self.ranks} ranks"
            fail(text, "delay", hint="give one value, or one for each rank of a ring")
        for field in ("crashes", "lost"):
            if getattr(self, field):
                fail("an all-reduce cannot continue after a loss", field, hint="leave it out")
        return self

    def list_ids(self) -> list[str]:
        """Return the ids of the ranks."""
        return [f"r{rank}" for rank in range(self.ranks)]

    def compute_outcome(self) -> Reduced:
        """Return the result of the run.

        Each rank begins with a different power of two, so that a sum identifies its terms.
        """
        if self.algorithm == "doubling":
            assert not isinstance(self.delay, list)
            return doubling_letters([1 << rank for rank in range(self.ranks)], delay=self.delay, add=self.add)
        delays = self.delay if isinstance(self.delay, list) else [self.delay] * self.ranks
        return ring_letters([[1 << rank] * self.ranks for rank in range(self.ranks)], delays=delays, add=self.add)

    def expand(self) -> FigureModel:
        """Return the messages of the run; the end of a lifeline is marked if the rank has the complete sum."""
        found, texts = self.compute_outcome(), self._choose_labels()
        whole = (1 << self.ranks) - 1
        feet = {rank: texts.sum for rank, held in enumerate(found.held) if set(held) == {whole}}
        heads = [(fill_number(texts.rank, rank), "otteal") for rank in range(self.ranks)]
        return self.make_diagram(found.run, heads, texts, feet)

    def _choose_labels(self) -> AllReduceLabels:
        """Return the labels, without chunk numbers if arrows are too close together."""
        room = width_in_cm(self.width) if self.width is not None else TEXT_WIDE
        own = {name: "" for name in ("reduce", "gather") if name not in self.labels.stated_fields()}
        dense = (room - _LABEL_SPACE_CM) / (2 * self.ranks - 2) < _RING_STEP_CM
        return self.labels.model_copy(update=own) if dense else self.labels
