"""Blocks of a paged key-value cache: block tables, reference counts, copies on write.

A request takes a free block when its last block is full. A request with a prefix of another one shares its blocks. A
write to a block with several references copies it first. Source: Kwon et al., "Efficient Memory Management for Large
Language Model Serving with PagedAttention" (SOSP 2023).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal

from tikzgen.base.errors import quote
from tikzgen.base.record import Record
from tikzgen.schedule.held.impossible_facts import ImpossibleFacts


class BlockEvent(Record):
    """Event in a cache: a request begins with tokens, gets more, or ends and frees its blocks.

    A new request shares `prefix` tokens with the request `prefix_of`. `path` leads to its field.
    """

    action: Literal["begin", "append", "finish"]
    request: str
    tokens: int = 0
    prefix_of: str | None = None
    prefix: int = 0
    path: tuple[str | int, ...] = ()


class BlockCopy(Record):
    """Copy of a shared block before a write; `slots` are the copied tokens."""

    source: int
    target: int
    request: str
    slots: int


class BlockCache(Record):
    """Result: tables and lengths of requests, references and tokens of each block, copies.

    A token in a block is the request that wrote it and its position there.
    """

    tables: Mapping[str, tuple[int, ...]]
    lengths: Mapping[str, int]
    references: tuple[int, ...]
    contents: tuple[tuple[tuple[str, int], ...], ...]
    copies: tuple[BlockCopy, ...]
    size: int

    @property
    def slots(self) -> int:
        """Number of slots in the blocks with a reference."""
        return self.size * sum(1 for each in self.references if each)

    @property
    def filled_count(self) -> int:
        """Number of slots with a token."""
        return sum(map(len, self.contents))

    @property
    def waste(self) -> Fraction:
        """Share of empty slots in the blocks with a reference."""
        return Fraction(self.slots - self.filled_count, self.slots) if self.slots else Fraction(0)


def run_block_cache(
    size: int, pool: int, events: Sequence[BlockEvent], free: Sequence[int] | None = None
) -> BlockCache:
    """Run the events in order.

    `free` lists the free blocks in the order of their use; by default the lowest block is next.

    Raise `ImpossibleFacts` for a pool without a free block, an unknown request or a prefix that is too long.
    """
    for place, block in enumerate(free or ()):
        if not 0 <= block < pool:
            raise ImpossibleFacts(f"unknown block {block}", "free", place, hint=f"the blocks are 0 to {pool - 1}")
        if block in (free or ())[:place]:
            raise ImpossibleFacts(f"block {block} is listed twice", "free", place, hint="list each block once")
    run = _Run(size, pool, free)
    for event in events:
        run.handle_event(event)
    return run.collect_result()


class _Run:
    """State of a cache during a run."""

    def __init__(self, size: int, pool: int, free: Sequence[int] | None) -> None:
        self._size = size
        self._lowest_first = free is None
        self._free = list(range(pool) if free is None else free)
        self._references = [0] * pool
        self._contents: list[list[tuple[str, int]]] = [[] for _ in range(pool)]
        self._tables: dict[str, list[int]] = {}
        self._lengths: dict[str, int] = {}
        self._copies: list[BlockCopy] = []

    def handle_event(self, event: BlockEvent) -> None:
        name = event.request
        if event.action == "begin":
            if name in self._tables:
                hint = "give each request its own id"
                raise ImpossibleFacts(f"request {quote(name)} exists already", *event.path, "id", hint=hint)
            self._tables[name], self._lengths[name] = [], 0
            if event.prefix_of is not None:
                self._share_prefix(event, event.prefix_of)
        elif name not in self._tables:
            hint = f"the requests in the cache are {', '.join(self._tables) or 'none'}"
            raise ImpossibleFacts(f"unknown request {quote(name)} in the cache", *event.path, hint=hint)
        if event.action == "finish":
            self._finish(name)
        else:
            for _ in range(event.tokens):
                self._write_token(event)

    def _share_prefix(self, event: BlockEvent, parent: str) -> None:
        if parent not in self._tables or parent == event.request:
            message = f"unknown request {quote(parent)} in the cache"
            raise ImpossibleFacts(message, *event.path, "prefix_of", hint="list the parent before the request")
        if event.prefix > self._lengths[parent]:
            message = f"the prefix has {event.prefix} tokens, but request {parent} has {self._lengths[parent]}"
            raise ImpossibleFacts(message, *event.path, "prefix", hint=f"use at most {self._lengths[parent]}")
        shared = self._tables[parent][: -(-event.prefix // self._size)]
        for block in shared:
            self._references[block] += 1
        self._tables[event.request], self._lengths[event.request] = list(shared), event.prefix

    def _write_token(self, event: BlockEvent) -> None:
        name, slot = event.request, self._lengths[event.request] % self._size
        table = self._tables[name]
        if slot == 0:
            table.append(self._take_block(event))
        elif self._references[table[-1]] > 1:
            source = table[-1]
            table[-1] = self._take_block(event)
            self._references[source] -= 1
            self._contents[table[-1]] = self._contents[source][:slot]
            self._copies.append(BlockCopy(source, table[-1], name, slot))
        block = table[-1]
        self._contents[block] = [*self._contents[block][:slot], (name, self._lengths[name])]
        self._lengths[name] += 1

    def _take_block(self, event: BlockEvent) -> int:
        if not self._free:
            message = f"no block is free for token {self._lengths[event.request]} of request {event.request}"
            raise ImpossibleFacts(message, *event.path, hint="enlarge the pool, or finish a request before")
        block = min(self._free) if self._lowest_first else self._free[0]
        self._free.remove(block)
        self._references[block] = 1
        self._contents[block] = []
        return block

    def _finish(self, name: str) -> None:
        for block in self._tables.pop(name):
            self._references[block] -= 1
            if not self._references[block]:
                self._free.append(block)
        del self._lengths[name]

    def collect_result(self) -> BlockCache:
        """Return the state. A block contains the tokens of the request with the most tokens in it."""
        used = [0] * len(self._references)
        for name, table in self._tables.items():
            for place, block in enumerate(table):
                used[block] = max(used[block], min(self._size, self._lengths[name] - place * self._size))
        contents = tuple(tuple(tokens[:most]) for tokens, most in zip(self._contents, used, strict=True))
        tables = {name: tuple(table) for name, table in self._tables.items()}
        return BlockCache(
            tables, dict(self._lengths), tuple(self._references), contents, tuple(self._copies), self._size
        )
