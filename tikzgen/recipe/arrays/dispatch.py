"""Dispatch of tokens to experts of limited capacity, and the all-to-all between ranks."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from tikzgen.base.plain_words import count_of, join_words, spell_rounded
from tikzgen.model.cells import EMPTY, CellArray, CellKey, CellMark, Cells, Header, HeaderGroup
from tikzgen.model.content import FreeNote
from tikzgen.model.exact_fields import Duration
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import Phase
from tikzgen.model.panel_parts import Legend
from tikzgen.model.part import Part, fail
from tikzgen.recipe.arrays.computed_arrays import LETTERS, ComputedArrays, make_owner_keys, write_fill, write_keys
from tikzgen.recipe.simulated_recipe import Told
from tikzgen.schedule.held import Dispatched, choose_experts, count_moved_tokens, dispatch_tokens
from tikzgen.text import Numbered, Text, fill_placeholders

MOST_TOKENS = 64
_SINGLE_ROW_COUNT = 24  # tokens
_FOLDED_ROW_COUNT = 16  # tokens


def _read_choices(value: Any) -> Any:
    """Return lists of choices; a number is a single choice."""
    return [each if isinstance(each, list) else [each] for each in value] if isinstance(value, list) else value


Choices = Annotated[
    list[list[Annotated[int, Field(ge=0)]]],
    Field(min_length=1, max_length=MOST_TOKENS),
    BeforeValidator(_read_choices, json_schema_input_type=list[int | list[int]]),
]


class DispatchLabels(Part):
    """Labels of a dispatch."""

    tokens: Text = "expert of each token"
    """Label of the choices."""
    choice: Numbered = "choice {n}"
    """Label of the row of each choice, if tokens have several."""
    experts: Text = "tokens in the slots of each expert"
    """Label of the slots."""
    expert: Numbered = "expert {n}"
    """Label of the slots of each expert."""
    load: Text = "{load} of {capacity}"
    """Text about the filled slots of an expert."""
    dropped: Text = "dashed: dropped"
    """Text below the choices if some are dropped."""
    rank: Numbered = "rank {n}"
    """Name of a rank."""
    moved: Text = "tokens sent, by rank"
    """Label of the all-to-all between the ranks."""
    source: Text = "from"
    """Label of its rows."""
    target: Text = "to"
    """Label of its columns."""


class Dispatch(ComputedArrays):
    """The dispatch of tokens to experts of limited capacity, with the dropped tokens."""

    field_group = "arrays"
    common = ("choices: [0, 2, 0, 0, 1, 0, 2, 0]", "experts: 4", "capacity_factor: 1.25", "ranks: 2")
    schedule_facts: ClassVar[tuple[str, ...]] = (
        "choices",
        "tokens",
        "seed",
        "experts",
        "top",
        "capacity_factor",
        "ranks",
    )

    recipe: Literal["dispatch"] = "dispatch"
    """Name of the recipe."""
    id: Slug = "dispatch"
    choices: Choices | None = None
    """Experts of each token, first choice first: a number, or a list. Null takes random choices."""
    tokens: int | None = Field(default=None, ge=1, le=MOST_TOKENS)
    """Number of tokens with random choices; null is 8."""
    seed: int | None = Field(default=None, ge=0, le=2**32)
    """Seed of random choices; equal seeds have equal choices. Null is 0."""
    experts: int = Field(default=4, ge=1, le=64)
    """Number of experts."""
    top: int | None = Field(default=None, ge=1, le=8)
    """Number of experts per token (k) with random choices; null is 1."""
    capacity_factor: Duration = Fraction(1)
    """Factor f of the capacity: ceil(f T k / E) slots for each of E experts, with T tokens."""
    ranks: int | None = Field(default=None, ge=1, le=16)
    """Number of ranks that share tokens and experts in equal parts; null has none."""
    labels: DispatchLabels = Field(default_factory=DispatchLabels)
    """Labels of the figure."""

    def check_facts(self) -> None:
        """Check the parameters that concern each other."""
        if self.choices is not None:
            for field in ("tokens", "seed"):
                if getattr(self, field) is not None:
                    fail("conflicts with choices", field, hint="give one of them")
            if self.top is not None and self.top != len(self.choices[0]):
                hint = f"leave it out, or use {len(self.choices[0])}"
                fail(f"token 0 has {count_of(len(self.choices[0]), 'choice')}", "top", hint=hint)
        elif (self.top or 1) > self.experts:
            fail(f"{self.top} choices of {self.experts} experts", "top", hint=f"at most {self.experts}")
        for what, count in (("tokens", len(self._choices)), ("experts", self.experts)):
            if self.ranks is not None and count % self.ranks:
                hint = f"use a divisor of {count}, or other {what}"
                fail(f"{self.ranks} ranks do not divide {count} {what}", "ranks", hint=hint)

    @property
    def _choices(self) -> list[list[int]]:
        if self.choices is not None:
            return self.choices
        return choose_experts(self.tokens or 8, self.experts, self.top or 1, self.seed or 0)

    @property
    def _result(self) -> Dispatched:
        return self.compute_once("result", lambda: dispatch_tokens(self._choices, self.experts, self.capacity_factor))

    def _count_moved(self) -> list[list[int]]:
        """Return the tokens that each rank sends to each rank."""
        ranks = self.ranks or 1
        tokens, experts = len(self._choices), self.experts
        return count_moved_tokens(
            self._result,
            [token * ranks // tokens for token in range(tokens)],
            [expert * ranks // experts for expert in range(experts)],
        )

    @property
    def measured_names(self) -> Sequence[str]:
        """Names of the experts."""
        return [f"expert {expert}" for expert in range(self.experts)]

    def measure_arrays(self) -> Told:
        """Return the capacity, the load of each expert, and the number of dropped and moved tokens."""
        found = self._result
        told: Told = {"capacity": found.capacity, "load": found.load, "dropped": len(found.dropped)}
        if self.ranks:
            moved = self._count_moved()
            told["moved"] = sum(many for i, row in enumerate(moved) for j, many in enumerate(row) if i != j)
        return told

    def summary(self) -> str:
        tokens = count_of(len(self._choices), "token")
        factor = spell_rounded(self.capacity_factor)
        capacity = count_of(self._result.capacity, "slot")
        return f"Dispatch of {tokens} to {count_of(self.experts, 'expert')} of {capacity} (capacity factor {factor})"

    def list_derivations(self) -> list[str]:
        """Return the dropped tokens."""
        dropped = [str(token) for token, _ in self._result.dropped]
        if not dropped:
            return ["no token is dropped"]
        return [f"{'token' if len(dropped) == 1 else 'tokens'} {join_words(dropped)} dropped"]

    def expand(self) -> FigureModel:
        """Return the choices of the tokens, the slots of the experts, and the all-to-all."""
        arrays = [self._draw_choices(), self._draw_slots()]
        if self.ranks is not None and self.ranks > 1:
            arrays.append(self._draw_moved(self.ranks))
        keys = make_owner_keys(self.ranks) if self.ranks else {LETTERS[0]: CellKey(role="token")}
        notes = [FreeNote(text=self.labels.dropped, about="choices", side="auto")] if self._result.dropped else []
        cells = Cells(arrays=arrays, keys=keys, notes=notes, owner_name=self.labels.rank)
        phases = {} if self.ranks else {"token": Phase(label="token", color="otblue", tint=30)}
        return self.figure_of(cells, phases=phases, legend=Legend(position="none"))

    def _letter(self, token: int) -> str:
        return LETTERS[token * (self.ranks or 1) // len(self._choices)]

    def _list_groups(self, count: int, first: int = 0) -> list[HeaderGroup]:
        """Return the groups of a header for the tokens or experts of each rank, counted from `first`."""
        if self.ranks is None:
            return []
        each = count // self.ranks
        return [
            HeaderGroup(
                cells=f"{first + rank * each}:{first + (rank + 1) * each}",
                label=fill_placeholders(self.labels.rank, n=rank),
            )
            for rank in range(self.ranks)
        ]

    def _draw_choices(self) -> CellArray:
        """Return the choices: a row for each choice, and several such rows for many tokens."""
        choices, width = self._choices, self._row_length
        tokens, top = len(choices), len(choices[0])
        starts = range(0, tokens, width)
        cells = {
            (token // width * top + place, token % width): token for token in range(tokens) for place in range(top)
        }
        values = [
            [str(one[place]) for one in choices[start : start + width]] for start in starts for place in range(top)
        ]
        is_folded = len(starts) > 1
        rows = Header(first=1, text=self.labels.choice, side="before" if top > 1 else "none")
        if is_folded:
            rows = self._make_folded_header(starts, top)
        return CellArray(
            id="choices",
            label=self.labels.tokens,
            rows=rows,
            columns=Header(groups=[] if is_folded else self._list_groups(tokens)),
            fill=write_fill(top * len(starts), width, {cell: self._letter(token) for cell, token in cells.items()}),
            values=values,
            marks=[
                CellMark(at=write_keys((row + 1, row + 2), (column, column + 1)), look="removed")
                for token, place in self._result.dropped
                for row, column in [(token // width * top + place, token % width)]
            ],
        )

    def _make_folded_header(self, starts: Sequence[int], top: int) -> Header:
        """Return the header of choices in several rows, with the first token of each row."""
        first = [f"{start} +" for start in starts]
        if top == 1:
            groups = self._list_groups(len(starts), 1) if self.ranks else []
            return Header(first=1, texts=first, groups=groups)
        texts = [fill_placeholders(self.labels.choice, n=place + 1) for _ in starts for place in range(top)]
        groups = [
            HeaderGroup(cells=f"{at * top + 1}:{(at + 1) * top + 1}", label=label) for at, label in enumerate(first)
        ]
        return Header(first=1, texts=texts, groups=groups)

    @property
    def _row_length(self) -> int:
        """Number of tokens in a row of the choices; with ranks, a row has tokens of one rank."""
        tokens = len(self._choices)
        if tokens <= _SINGLE_ROW_COUNT:
            return tokens
        each = tokens // (self.ranks or 1)
        lengths = [length for length in range(_FOLDED_ROW_COUNT, 3, -1) if each % length == 0]
        return (lengths or [each])[0] if self.ranks else _FOLDED_ROW_COUNT

    def _draw_slots(self) -> CellArray:
        found, texts = self._result, self.labels
        letters = {
            (expert, slot): self._letter(token)
            for expert, slots in enumerate(found.slots)
            for slot, (token, _) in enumerate(slots)
        }
        return CellArray(
            id="experts",
            label=texts.experts,
            rows=Header(
                text=texts.expert,
                groups=self._list_groups(self.experts),
                after=[fill_placeholders(texts.load, load=load, capacity=found.capacity) for load in found.load],
            ),
            columns=Header(side="none"),
            size=[self.experts, found.capacity],
            fill=write_fill(self.experts, found.capacity, letters, EMPTY),
            values=[[str(token) for token, _ in slots] for slots in found.slots],
        )

    def _draw_moved(self, ranks: int) -> CellArray:
        letters = {(row, column): LETTERS[row] for row in range(ranks) for column in range(ranks)}
        return CellArray(
            id="moved",
            label=self.labels.moved,
            rows=Header(label=self.labels.source),
            columns=Header(label=self.labels.target),
            fill=write_fill(ranks, ranks, letters),
            values=[[str(many) for many in row] for row in self._count_moved()],
        )
