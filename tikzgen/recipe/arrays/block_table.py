"""Block tables of a paged key-value cache: requests, their tables, and the physical blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tikzgen.base.plain_words import count_of, format_percent
from tikzgen.model.cells import EMPTY, MASKED, CellArray, CellFlow, CellKey, Cells, Header
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import FlowKind, Phase
from tikzgen.model.panel_parts import Legend
from tikzgen.model.part import Id, Part, fail, make_empty_list
from tikzgen.recipe.arrays.computed_arrays import ComputedArrays, write_fill
from tikzgen.recipe.simulated_recipe import Told
from tikzgen.schedule.held import BlockCache, BlockCopy, BlockEvent, run_block_cache
from tikzgen.text import Numbered, Text, fill_number, fill_placeholders

_MOST_BLOCKS_COUNT = 16
"""Number of blocks that are drawn without dots."""
_SHOWN_BLOCKS_COUNT = 8
"""Number of rows of a larger pool; blocks in use are always drawn."""
_SHARED = "s"
_REQUESTS = "abcd"
_COLORS: tuple[tuple[Literal["otblue", "otorange", "otpurple", "otgray"], int], ...] = (
    ("otblue", 50),
    ("otorange", 30),
    ("otpurple", 75),
    ("otgray", 30),
)


class CachedRequest(Part):
    """A request in the cache."""

    id: Id
    """Name of the request."""
    tokens: int | list[Text] = Field(default=0)
    """Number of its tokens, or their labels; without the tokens of a shared prefix."""
    prefix_of: Id | None = None
    """Earlier request whose first tokens it shares."""
    prefix: int | None = Field(default=None, ge=0, le=4096)
    """Number of shared tokens; null shares all tokens of the other request."""

    @property
    def count(self) -> int:
        """Number of its tokens without the prefix."""
        return self.tokens if isinstance(self.tokens, int) else len(self.tokens)

    @model_validator(mode="after")
    def _check_tokens(self) -> Self:
        if not 0 <= self.count <= 1024:
            fail(f"{self.count} tokens", "tokens", hint="use 0 to 1024")
        if self.prefix is not None and self.prefix_of is None:
            fail("a prefix needs a request to share it with", "prefix", hint="set prefix_of")
        return self


class CacheEvent(Part):
    """Event after the requests: a request gets tokens, or ends."""

    request: Id
    """Name of the request."""
    append: int = Field(default=0, ge=0, le=1024)
    """Number of its new tokens."""
    finish: bool = False
    """Whether the request ends and frees its blocks."""

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if bool(self.append) == self.finish:
            fail("needs either new tokens or an end", "append", hint="write append: 1 or finish: true")
        return self


class BlockTableLabels(Part):
    """Labels of a block table."""

    request: Text = "request {id}"
    """Label of the blocks of a request."""
    table: Text = "table"
    """Label of the table of a request."""
    pool: Text = "physical blocks"
    """Label of the physical blocks."""
    references: Numbered = "refs {n}"
    """Text at a block in use; `{n}` is the number of its references."""
    copy_: Text = Field(default="copy on write", alias="copy")
    """Label of a copy of a block."""
    copy_of: Numbered = "copy of {n}"
    """Text at a copy of block `{n}`, if there is no space for the label."""


class BlockTable(ComputedArrays):
    """A paged key-value cache: the block tables of requests, and the physical blocks."""

    field_group = "arrays"
    common = ("block: 4", "pool: 8", "requests", "events", "free")
    schedule_facts: ClassVar[tuple[str, ...]] = ("block", "pool", "free", "requests", "events")

    recipe: Literal["block-table"] = "block-table"
    """Name of the recipe."""
    id: Slug = "block-table"
    block: int = Field(default=4, ge=1, le=32)
    """Tokens in a block."""
    pool: int = Field(default=8, ge=1, le=64)
    """Number of physical blocks."""
    free: list[Annotated[int, Field(ge=0)]] | None = None
    """Free blocks in the order of their use; other blocks are occupied. Null has all free, and uses the lowest."""
    requests: list[CachedRequest] = Field(
        default=[CachedRequest(id="A", tokens=10), CachedRequest(id="B", tokens=1, prefix_of="A")],
        min_length=1,
        max_length=4,
    )
    """Requests in the order of their arrival."""
    events: list[CacheEvent] = Field(default_factory=make_empty_list, max_length=256)
    """Events after the arrival of all requests, in order."""
    sides: Literal["both", "left"] = "both"
    """Requests at both sides of the blocks, the first one at the left, or all at the left; tikzgen takes `left` if the
    figure is too wide."""
    labels: BlockTableLabels = Field(default_factory=BlockTableLabels)
    """Labels of the figure."""

    def iterate_narrower(self) -> Iterator[BlockTable]:
        """Yield the variant with all requests at the left."""
        if self.sides == "both" and len(self._cache.tables) > 1:
            yield self.model_copy(update={"sides": "left"})

    @property
    def _cache(self) -> BlockCache:
        return self.compute_once(
            "cache", lambda: run_block_cache(self.block, self.pool, [*self._iterate_events()], self.free)
        )

    def _iterate_events(self) -> Iterator[BlockEvent]:
        for index, request in enumerate(self.requests):
            shared, path = self._count_prefix(index), ("requests", index)
            yield BlockEvent("begin", request.id, request.count, request.prefix_of, shared, path)
        for index, event in enumerate(self.events):
            action: Literal["finish", "append"] = "finish" if event.finish else "append"
            yield BlockEvent(action, event.request, event.append, path=("events", index))

    @property
    def measured_names(self) -> Sequence[str]:
        """Names of the physical blocks."""
        return [f"block {block}" for block in range(self.pool)]

    def measure_arrays(self) -> Told:
        """Return the slots of the used blocks, their filled share, and the references."""
        cache = self._cache
        return {
            "slots": cache.slots,
            "filled": cache.filled_count,
            "waste": cache.waste,
            "copies": len(cache.copies),
            "references": cache.references,
        }

    def summary(self) -> str:
        cache = self._cache
        used = sum(1 for each in cache.references if each)
        names = count_of(len(cache.tables), "request")
        return f"Block tables of {names} in {used} of {count_of(self.pool, 'physical block')} of {self.block} tokens"

    def list_derivations(self) -> list[str]:
        """Return the shared blocks, the copies and the waste."""
        cache = self._cache
        told = [f"block {block} has {many} references" for block, many in enumerate(cache.references) if many > 1]
        told += [f"request {copy.request} copies block {copy.source} to block {copy.target}" for copy in cache.copies]
        return [*told, f"{format_percent(cache.waste)} % of the slots are empty"]

    def expand(self) -> FigureModel:
        """Return the first request, the pool and the other requests, with a flow from each entry of a table."""
        cache = self._cache
        names = [*cache.tables]
        at_left = names if self.sides == "left" else names[:1]
        groups = []
        for index, name in enumerate(names):
            above = names[index - 1] if index and (index > 1 or self.sides == "left") else ""
            groups.append([*self._draw_request(name, above, at_left=name in at_left)])
        groups.insert(len(at_left), [self._draw_pool()])
        flows = [
            CellFlow(
                source=f"{_table_id(name)}[{row},0]",
                target=f"pool.row({block})",
                kind="reference",
                route="curved",
            )
            for name, table in cache.tables.items()
            for row, block in enumerate(table)
        ]
        flows += self._iterate_copy_flows()
        keys = {_REQUESTS[index]: CellKey(role=f"request-{index}") for index in range(len(self.requests))}
        cells = Cells(
            arrange="row",
            arrays=[array for group in groups for array in group],
            keys={**keys, _SHARED: CellKey(role="shared")},
            flows=flows,
        )
        looks = {}
        for index, (request, (color, tint)) in enumerate(zip(self.requests, _COLORS, strict=False)):
            label = fill_placeholders(self.labels.request, id=request.id)
            looks[f"request-{index}"] = Phase(label=label, color=color, tint=tint)
        shown = {name for name, _ in cells.phases()}
        kinds = {"reference": FlowKind(color="otgray"), "copy": FlowKind(color="otorange", dash="densely dashed")}
        return self.figure_of(
            cells,
            phases={name: look for name, look in looks.items() if name in shown},
            kinds={name: kinds[name] for name in dict.fromkeys(flow.kind for flow in flows)},
            legend=Legend(position="none"),
        )

    def _list_copies(self) -> list[BlockCopy]:
        """Return the copies whose blocks are both in use."""
        references = self._cache.references
        return [copy for copy in self._cache.copies if references[copy.source] and references[copy.target]]

    def _find_clear_slot(self, copy: BlockCopy) -> int | None:
        """Return the first copied slot that is empty in every block between both blocks, or None.

        A flow in the first such slot leaves the most room for its label.
        """
        between = range(min(copy.source, copy.target) + 1, max(copy.source, copy.target))
        first = max((len(self._cache.contents[block]) for block in between), default=copy.slots)
        return first if first < copy.slots else None

    def _iterate_copy_flows(self) -> Iterator[CellFlow]:
        """Yield flows along copied slots, with a label if there is space; none over filled slots."""
        for copy in self._list_copies():
            clear = self._find_clear_slot(copy)
            slot = copy.slots - 1 if clear is None else clear
            if clear is not None or abs(copy.source - copy.target) == 1:
                yield CellFlow(
                    source=f"pool[{copy.source},{slot}]",
                    target=f"pool[{copy.target},{slot}]",
                    kind="copy",
                    label="" if clear is None else self.labels.copy_,
                    route="auto" if clear is None else "straight",
                )

    def _spell_references(self, block: int) -> Text:
        """Return the text at a block: its references, and its source if no label at a flow shows the copy."""
        many, texts = self._cache.references[block], self.labels
        told = [fill_number(texts.references, many)] * (many > 0)
        for copy in self._list_copies():
            if copy.target == block and self._find_clear_slot(copy) is None:
                told.append(fill_number(texts.copy_of, copy.source))
        return ", ".join(told)

    def _letter(self, block: int) -> str:
        """Return the fill of a block: that of its request, or of shared blocks."""
        cache = self._cache
        if cache.references[block] > 1:
            return _SHARED
        name = next(name for name, table in cache.tables.items() if block in table)
        return _REQUESTS[[request.id for request in self.requests].index(name)]

    def _draw_request(self, name: str, above: str, *, at_left: bool) -> Iterator[CellArray]:
        """Yield the logical blocks of a request, and its table between them and the pool.

        Requests at one side are below each other.
        """
        cache, texts = self._cache, self.labels
        table, length = cache.tables[name], cache.lengths[name]
        rows = max(1, len(table))
        letters = {divmod(token, self.block): self._letter(table[token // self.block]) for token in range(length)}
        contents = [cache.contents[block][: length - row * self.block] for row, block in enumerate(table)]
        yield CellArray(
            id=_array_id(name),
            label=fill_placeholders(texts.request, id=name),
            rows=Header(side="before" if at_left else "after"),
            columns=Header(side="none"),
            size=[rows, self.block],
            fill=write_fill(rows, self.block, letters),
            values=[[self._spell_token(*token) for token in tokens] for tokens in contents],
            beside=_array_id(above) if above else None,
            side="below" if above else "right",
        )
        yield CellArray(
            id=_table_id(name),
            label=texts.table,
            rows=Header(side="none"),
            columns=Header(side="none"),
            size=[rows, 1],
            values=[[str(block)] for block in table],
            beside=_array_id(name),
            side="right" if at_left else "left",
        )

    def _draw_pool(self) -> CellArray:
        """Return the physical blocks, with their references."""
        cache, texts = self._cache, self.labels
        letters = {
            (block, slot): self._letter(block)
            for block, tokens in enumerate(cache.contents)
            for slot in range(len(tokens))
        }
        if self.free is not None:
            letters |= {
                (block, slot): MASKED for block in set(range(self.pool)) - set(self.free) for slot in range(self.block)
            }
        return CellArray(
            id="pool",
            label=texts.pool,
            rows=Header(
                after=[self._spell_references(block) for block in range(self.pool)],
                show=_SHOWN_BLOCKS_COUNT if self.pool > _MOST_BLOCKS_COUNT else None,
                keep=[block for block, many in enumerate(cache.references) if many],
            ),
            columns=Header(side="none"),
            size=[self.pool, self.block],
            fill=write_fill(self.pool, self.block, letters, EMPTY),
            values=[[self._spell_token(*token) for token in tokens] for tokens in cache.contents],
        )

    def _spell_token(self, name: str, position: int) -> Text:
        """Return the text of a token: that of the request that wrote it, or its position."""
        index = [request.id for request in self.requests].index(name)
        texts, own = self.requests[index].tokens, position - self._count_prefix(index)
        return texts[own] if isinstance(texts, list) and own < len(texts) else str(position)

    def _count_prefix(self, index: int) -> int:
        """Return the number of tokens that a request shares when it arrives."""
        request = self.requests[index]
        if request.prefix is not None or request.prefix_of is None:
            return request.prefix or 0
        earlier = [place for place in range(index) if self.requests[place].id == request.prefix_of]
        return self._count_prefix(earlier[0]) + self.requests[earlier[0]].count if earlier else 0


def _array_id(name: str) -> str:
    return f"request-{name}"


def _table_id(name: str) -> str:
    return f"table-{name}"
