"""Chunks on each rank after each step of a ring: reduce-scatter, all-gather, or both."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tikzgen.base.plain_words import count_of
from tikzgen.model.cells import EMPTY, MOST_TEXTS, CellArray, CellFlow, CellKey, CellMark, Cells, Header
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import Phase
from tikzgen.model.panel_parts import Legend
from tikzgen.model.part import Part
from tikzgen.recipe.arrays.computed_arrays import LETTERS, ComputedArrays, write_fill, write_keys
from tikzgen.recipe.shared_facts import iterate_distinct
from tikzgen.recipe.simulated_recipe import Told
from tikzgen.schedule.held import ImpossibleFacts, RingPhase, RingState, list_ring_states
from tikzgen.text import Numbered, Text, fill_number

_MOST_SPELLED = 4  # addends in a cell that are listed; of more, the first and the last
_LIGHTEST, _DARKEST = 16, 80  # percent of blue for the fewest and the most addends


class RingStepsLabels(Part):
    """Labels of the steps of a ring."""

    rank: Numbered = "rank {n}"
    """Label of each row."""
    start: Text = "start"
    """Label of the first state."""
    step: Numbered = "after step {n}"
    """Label of the state after a step."""
    addends: Numbered = "{n} addends"
    """Name of a fill in the description: chunks with the addends of `{n}` ranks."""
    all: Text = r"$\Sigma$"
    """Text of a chunk with the addends of all ranks, if there are more than four."""


class RingSteps(ComputedArrays):
    """The chunks on each rank after each step of a ring, with the addends that they contain."""

    field_group = "arrays"
    common = ("ranks: 4", "phase: reduce-scatter")
    schedule_facts: ClassVar[tuple[str, ...]] = ("ranks", "phase", "steps")

    recipe: Literal["ring-steps"] = "ring-steps"
    """Name of the recipe."""
    id: Slug = "ring-steps"
    ranks: int = Field(default=4, ge=2, le=12)
    """Number of ranks and of chunks."""
    phase: RingPhase = "reduce-scatter"
    """`reduce-scatter`: each rank ends with the sum of one chunk; `all-gather`: each rank gets the other sums; `both`
    is an all-reduce."""
    steps: list[Annotated[int, Field(ge=0)]] | None = Field(default=None, min_length=1, max_length=24)
    """Drawn states: 0 is the start, n the state after step n. Null draws all."""
    labels: RingStepsLabels = Field(default_factory=RingStepsLabels)
    """Labels of the figure."""

    @property
    def _states(self) -> list[RingState]:
        return self.compute_once("states", lambda: list_ring_states(self.ranks, self.phase))

    def _list_drawn(self) -> list[int]:
        """Return the drawn states. Raise an error for an unknown or repeated one."""
        last = len(self._states) - 1
        drawn = list(range(last + 1)) if self.steps is None else list(iterate_distinct(self.steps, "steps"))
        for place, step in enumerate(drawn):
            if step > last:
                message = f"unknown step {step} of {self.ranks} ranks"
                raise ImpossibleFacts(message, "steps", place, hint=f"use 0 to {last}")
        if (texts := len(drawn) * self.ranks**2) > MOST_TEXTS:
            message = f"{len(drawn)} states of {self.ranks} ranks have {texts} chunks, more than {MOST_TEXTS}"
            hint = f"draw fewer states, such as steps: [0, 1, {last}]"
            raise ImpossibleFacts(message, "steps" if self.steps else "ranks", hint=hint)
        return drawn

    @property
    def measured_names(self) -> Sequence[str]:
        """Names of the ranks."""
        return [fill_number(self.labels.rank, rank) for rank in range(self.ranks)]

    def measure_arrays(self) -> Told:
        """Return the steps, and the chunks that each rank sends."""
        self._list_drawn()
        sends = [send.source for state in self._states for send in state.sends]
        return {"steps": len(self._states) - 1, "chunks_sent": tuple(map(sends.count, range(self.ranks)))}

    def summary(self) -> str:
        kind = "all-reduce" if self.phase == "both" else self.phase
        return f"A ring {kind} over {self.ranks} ranks in {count_of(len(self._states) - 1, 'step')}"

    def list_derivations(self) -> list[str]:
        """Return the last state: the chunks with the addends of all ranks."""
        reduced = self._states[-1].find_reduced()
        if len(reduced) == self.ranks**2:
            return ["at the end every rank has the sum of every chunk"]
        return ["at the end " + ", ".join(f"rank {rank} has the sum of chunk {chunk}" for rank, chunk in reduced)]

    def expand(self) -> FigureModel:
        """Return one array for each state, with the sends of the next step."""
        arrays, flows, drawn = [], [], self._list_drawn()
        for step in drawn:
            arrays.append(self._draw_state(step, is_first=step == drawn[0]))
            for send in self._states[step].sends:
                ends = (f"s{step}[{rank},{send.chunk}]" for rank in (send.source, send.target))
                source, target = ends
                route: Literal["wrap", "auto"] = "wrap" if send.target == 0 else "auto"
                flows.append(CellFlow(source=source, target=target, kind="message", route=route))
        keys = {LETTERS[many]: CellKey(role=f"addends-{many}") for many in range(1, self.ranks + 1)}
        cells = Cells(arrays=arrays, flows=flows, keys=keys)
        shown = {name for name, _ in cells.phases()}
        phases = {
            f"addends-{many}": Phase(
                label=fill_number(self.labels.addends, many),
                color="otblue",
                tint=_LIGHTEST + (_DARKEST - _LIGHTEST) * (many - 1) // (self.ranks - 1),
            ).with_legible_tint()
            for many in range(1, self.ranks + 1)
            if f"addends-{many}" in shown
        }
        return self.figure_of(cells, phases=phases, legend=Legend(position="none"))

    def _draw_state(self, step: int, *, is_first: bool) -> CellArray:
        state, ranks = self._states[step], range(self.ranks)
        letters, values = {}, []
        for rank in ranks:
            values.append([self._spell_addends(chunk, state.addends[rank][chunk]) for chunk in ranks])
            for chunk in ranks:
                many = len(state.addends[rank][chunk])
                letters[rank, chunk] = LETTERS[many] if many else EMPTY
        before = set(self._states[step - 1].find_reduced()) if step else set()
        held = [each for each in state.find_reduced() if each not in before] if self.phase != "all-gather" else []
        if not step or len(held) != self.ranks:
            held = []
        return CellArray(
            id=f"s{step}",
            label=fill_number(self.labels.step, step) if step else self.labels.start,
            label_at="below",
            rows=Header(text=self.labels.rank, side="before" if is_first else "none"),
            fill=write_fill(self.ranks, self.ranks, letters),
            values=values,
            marks=[CellMark(at=write_keys((rank, rank + 1), (chunk, chunk + 1))) for rank, chunk in held],
        )

    def _spell_addends(self, chunk: int, addends: frozenset[int]) -> Text | None:
        """Return the addends of a chunk as letters, in the order in which the ring adds them."""
        names = [ascii_lowercase[rank] for rank in sorted(addends)]
        if len(addends) == self.ranks > _MOST_SPELLED:
            return self.labels.all
        if len(addends) > _MOST_SPELLED:
            first, last = chunk, (chunk + len(addends) - 1) % self.ranks
            return f"${ascii_lowercase[first]}..{ascii_lowercase[last]}$"
        return f"${''.join(names)}$" if names else None
