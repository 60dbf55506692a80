"""Masks of attention by rank, and the steps of a ring that passes keys and values."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tikzgen.base.plain_words import count_of, spell_rounded
from tikzgen.base.record import Record
from tikzgen.model.cells import MASKED, CellArray, CellKey, CellMark, CellRegion, Cells, Header
from tikzgen.model.content import FreeNote
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import Phase
from tikzgen.model.panel_parts import Legend, Panel
from tikzgen.model.part import Part, fail
from tikzgen.recipe.arrays.computed_arrays import LETTERS, ComputedArrays, make_owner_keys, write_fill, write_keys
from tikzgen.recipe.simulated_recipe import Told
from tikzgen.schedule.held import (
    AttentionMask,
    ImpossibleFacts,
    Split,
    find_ring_step,
    make_mask,
    measure_ring_work,
    split_positions,
)
from tikzgen.text import Numbered, Text, fill_number

MOST_POSITIONS = 64
_BEFORE, _COMPUTED = "+", "-"  # keys of cells of earlier steps, and of cells without an owner


class MaskShape(Part):
    """Shape of a mask that is not full or causal alone."""

    window: int | None = None
    """Number of keys that a query may use, up to its own; null is all."""
    documents: list[Annotated[int, Field(ge=1)]] = Field(default_factory=list, max_length=MOST_POSITIONS)
    """Lengths of documents in a row, which do not attend to each other."""


class MaskLabels(Part):
    """Labels of a mask."""

    queries: Text = "queries"
    """Label of the rows."""
    queries_by_rank: Text = "queries, by rank"
    """Label of the rows, if each has the number of its rank."""
    queries_by_document: Text = "queries, by document"
    """Label of the rows, if each has the number of its document."""
    keys: Text = "keys and values"
    """Label of the columns."""
    rank: Numbered = "rank {n}"
    """Name of a rank in the description."""
    document: Numbered = "document {n}"
    """Name of a document in the description."""
    step: Numbered = "step {n}"
    """Label of each step of the ring."""
    legend: Text = "colors: computed in this step, by rank; gray: before; below: whose keys and values each rank has"
    """Text below the steps."""


class _Attention(Record):
    """Mask, rank of each position (none without ranks), and work by step and rank."""

    mask: AttentionMask
    owner: tuple[int, ...]
    work: tuple[tuple[Fraction, ...], ...]


class AttentionMaskRecipe(ComputedArrays):
    """The mask of an attention layer and, with ranks, the steps of a ring."""

    field_group = "arrays"
    common = ("blocks: 8", "mask: causal", "ranks: 4", "split: zigzag")
    schedule_facts: ClassVar[tuple[str, ...]] = ("tokens", "blocks", "mask", "ranks", "split")

    recipe: Literal["attention-mask"] = "attention-mask"
    """Name of the recipe."""
    id: Slug = "attention-mask"
    tokens: int | None = Field(default=None, ge=1, le=MOST_POSITIONS)
    """Number of tokens, one per row and column. Null without `blocks` is 8."""
    blocks: int | None = Field(default=None, ge=1, le=MOST_POSITIONS)
    """Number of blocks of tokens, instead of tokens. Half of a block on the diagonal of a causal mask is computed."""
    mask: Literal["full", "causal"] | MaskShape = "causal"
    """Keys that each query uses: `full`, `causal`, or a causal mask with `{window: 3}` or `{documents: [3, 1, 4]}`."""
    ranks: int | None = Field(default=None, ge=1, le=16)
    """Number of ranks that share the positions (context parallelism), and the steps of their ring. Null has none."""
    split: Split = "contiguous"
    """Positions of each rank: `contiguous`, `zigzag` (pieces r and 2P - 1 - r of 2P) or `striped` (position mod P)."""
    steps: bool = True
    """Whether the steps of the ring are drawn."""
    labels: MaskLabels = Field(default_factory=MaskLabels)
    """Labels of the figure."""

    def check_facts(self) -> None:
        """Check the parameters that concern each other."""
        if self.tokens is not None and self.blocks is not None:
            fail("conflicts with tokens", "blocks", hint="give one of them")

    @property
    def _count(self) -> int:
        return self.blocks or self.tokens or 8

    @property
    def _attention(self) -> _Attention:
        return self.compute_once("attention", self._compute_attention)

    def _compute_attention(self) -> _Attention:
        shape = self.mask if isinstance(self.mask, MaskShape) else MaskShape()
        mask = make_mask(
            self._count,
            causal=self.mask != "full",
            window=shape.window,
            documents=shape.documents,
            blocks=self.blocks is not None,
        )
        if self.ranks is None:
            return _Attention(mask, (), ())
        try:
            owner = split_positions(self._count, self.ranks, self.split)
        except ImpossibleFacts as error:
            field = "split" if "split" in self.model_fields_set else "ranks"
            raise ImpossibleFacts(error.message, field, hint=error.hint) from None
        work = measure_ring_work(mask, owner, self.ranks)
        return _Attention(mask, tuple(owner), tuple(map(tuple, work)))

    @property
    def measured_names(self) -> Sequence[str]:
        """Names of the ranks."""
        return [fill_number(self.labels.rank, rank) for rank in range(self.ranks or 0)]

    def measure_arrays(self) -> Told:
        """Return the computed cells; for ranks also the work of each, in cells, and of the slowest."""
        found = self._attention
        told: Told = {"computed": found.mask.count_used()}
        if found.work:
            told["work"] = tuple(sum(column, Fraction(0)) for column in zip(*found.work, strict=True))
            told["slowest_work"] = sum(map(max, found.work), Fraction(0))
        return told

    def summary(self) -> str:
        noun = "block" if self.blocks else "token"
        if isinstance(self.mask, MaskShape):
            window = [f"with a window of {self.mask.window}"] * (self.mask.window is not None)
            documents = [f"of {count_of(len(self.mask.documents), 'document')}"] * bool(self.mask.documents)
            kind = " ".join(["A causal mask", *documents, *window])
        else:
            kind = f"A {self.mask} mask"
        told = f"{kind} for the attention of {count_of(self._count, noun)}"
        if self.ranks:
            told += f" on {count_of(self.ranks, 'rank')}, with a {self.split} split"
        return told

    def list_derivations(self) -> list[str]:
        """Return the number of computed cells, and the work of the ranks in each step."""
        found = self._attention
        told = [f"{found.mask.count_used()} of {self._count**2} cells computed"]
        for step, work in enumerate(found.work):
            amounts = sorted({*work})
            spelled = " to ".join(spell_rounded(each) for each in dict.fromkeys((amounts[0], amounts[-1])))
            told.append(f"step {step}: {spelled} cells of work for each rank")
        return told

    def expand(self) -> FigureModel:
        """Return the mask, then one array for each step of the ring."""
        content = [self._draw_mask()]
        if self.ranks and self.steps:
            content.append(self._draw_steps(self.ranks))
        phases = {
            "computed": Phase(label="computed", color="otblue", tint=45),
            "computed-before": Phase(label="computed before", color="otgray", tint=24),
        }
        shown = {name for part in content for name, _ in part.phases()}
        return FigureModel(
            panels=[Panel(content=content)],
            phases={name: look for name, look in phases.items() if name in shown},
            legend=Legend(position="none"),
            **self.collect_common_options(),
        )

    def _draw_mask(self) -> Cells:
        texts, found, count = self.labels, self._attention, self._count
        owner = self._list_owners()
        letters = {
            (query, key): LETTERS[owner[query]] if owner else _COMPUTED
            for query in range(count)
            for key in range(count)
            if found.mask.used[query][key]
        }
        mask = CellArray(
            id="mask",
            label="",
            rows=Header(side="none" if owner else "before", label="" if owner else texts.queries),
            columns=Header(label=texts.keys),
            fill=write_fill(count, count, letters, MASKED),
            marks=self._mark_diagonal(),
        )
        arrays = [mask]
        if owner:
            arrays.append(
                CellArray(
                    id="owner",
                    label="",
                    rows=Header(side="none", label=texts.queries_by_rank if self.ranks else texts.queries_by_document),
                    columns=Header(side="none"),
                    fill="\n".join(LETTERS[each] for each in owner),
                    values=[[str(each)] for each in owner],
                    beside="mask",
                    side="left",
                )
            )
        keys = make_owner_keys(max(owner) + 1) if owner else {_COMPUTED: CellKey(role="computed")}
        return Cells(arrays=arrays, keys=keys, owner_name=texts.rank if self.ranks else texts.document)

    def _list_owners(self) -> Sequence[int]:
        """Return the rank of each position, or its document; nothing without ranks and documents."""
        if self.ranks:
            return self._attention.owner
        documents = self.mask.documents if isinstance(self.mask, MaskShape) else []
        return [index for index, length in enumerate(documents) for _ in range(length)]

    def _mark_diagonal(self, *queries: int) -> list[CellMark]:
        if not self._attention.mask.halves:
            return []
        return [CellMark(at=write_keys((q, q + 1), (q, q + 1)), look="diagonal") for q in queries or range(self._count)]

    def _draw_steps(self, ranks: int) -> Cells:
        found, count = self._attention, self._count
        arrays = []
        for step in range(ranks):
            letters = {}
            for query in range(count):
                for key in range(count):
                    at = find_ring_step(found.owner, query, key, ranks)
                    if found.mask.used[query][key] and at <= step:
                        letters[query, key] = LETTERS[found.owner[query]] if at == step else _BEFORE
            none = Header(side="none")
            arrays.append(
                CellArray(
                    id=f"t{step}",
                    label=fill_number(self.labels.step, step),
                    rows=none,
                    columns=none,
                    fill=write_fill(count, count, letters, MASKED),
                    marks=self._mark_diagonal(),
                )
            )
            each = count // ranks
            arrays.append(
                CellArray(
                    id=f"kv{step}",
                    label="",
                    size=[1, count],
                    rows=none,
                    columns=none,
                    regions=[
                        CellRegion(
                            at=write_keys((0, 1), (rank * each, (rank + 1) * each)),
                            fill=LETTERS[rank],
                            label=str((rank - step) % ranks),
                            merged=True,
                        )
                        for rank in range(ranks)
                    ],
                    beside=f"t{step}",
                    side="below",
                )
            )
        keys = {**make_owner_keys(ranks), _BEFORE: CellKey(role="computed-before")}
        return Cells(arrays=arrays, keys=keys, notes=[FreeNote(text=self.labels.legend)], owner_name=self.labels.rank)
