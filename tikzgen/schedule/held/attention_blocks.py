"""Masks of attention, and the work of ranks that pass keys and values around a ring.

Query q may use key k: all (full), k <= q (causal), k in (q - w, q] (window w), or the earlier keys of its document.
In step t of the ring, rank r has the keys of rank (r - t) mod P (Liu et al., "Ring Attention", 2023). A split is
contiguous, zigzag (rank r has blocks r and 2P - 1 - r; Llama 3 report, 3.3.2) or striped (position mod P; Brandon et
al., "Striped Attention", 2023).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from tikzgen.base.record import Record
from tikzgen.schedule.held.impossible_facts import ImpossibleFacts

Split: TypeAlias = Literal["contiguous", "zigzag", "striped"]


class AttentionMask(Record):
    """Mask with the positions in rows (queries) and columns (keys); `halves` marks blocks on the diagonal.

    A block on the diagonal of a causal mask contains half of the work of a full block.
    """

    used: tuple[tuple[bool, ...], ...]
    halves: bool = False

    def __len__(self) -> int:
        return len(self.used)

    def count_used(self) -> int:
        """Return the number of cells that attention computes."""
        return sum(map(sum, self.used))

    def measure_cell(self, query: int, key: int) -> Fraction:
        """Return the work of a cell, in full cells."""
        return Fraction(self.used[query][key]) / (2 if self.halves and query == key else 1)


def make_mask(
    count: int,
    *,
    causal: bool = True,
    window: int | None = None,
    documents: Sequence[int] = (),
    blocks: bool = False,
) -> AttentionMask:
    """Return the mask of `count` tokens, or of blocks of tokens.

    Raise `ImpossibleFacts` for a window below 1 and for documents with another number of tokens.
    """
    if window is not None and window < 1:
        raise ImpossibleFacts(f"a window of {window} has no key", "mask", "window", hint="use 1 or more")
    if window is not None and blocks:
        message = "the edge of a window cuts blocks"
        raise ImpossibleFacts(message, "mask", "window", hint="give tokens instead of blocks")
    if documents and sum(documents) != count:
        message = f"the documents have {sum(documents)} positions, not {count}"
        raise ImpossibleFacts(message, "mask", "documents", hint="their lengths add up to the number of positions")
    owner = [index for index, length in enumerate(documents or [count]) for _ in range(length)]

    def is_used(query: int, key: int) -> bool:
        reached = not causal or (key <= query and (window is None or key > query - window))
        return reached and owner[query] == owner[key]

    return AttentionMask(tuple(tuple(is_used(q, k) for k in range(count)) for q in range(count)), blocks and causal)


def split_positions(count: int, ranks: int, split: Split) -> list[int]:
    """Return the rank of each position. Raise `ImpossibleFacts` if the split is uneven."""
    pieces = 2 * ranks if split == "zigzag" else ranks
    if count % pieces:
        message = f"{split}: {pieces} pieces do not divide {count} positions"
        raise ImpossibleFacts(message, "split", hint=f"use a multiple of {pieces}, or another split")
    if split == "striped":
        return [position % ranks for position in range(count)]
    piece = [position * pieces // count for position in range(count)]
    return piece if split == "contiguous" else [min(each, pieces - 1 - each) for each in piece]


def measure_ring_work(mask: AttentionMask, owner: Sequence[int], ranks: int) -> list[list[Fraction]]:
    """Return the work of each rank in each step of the ring, by step."""
    work = [[Fraction(0)] * ranks for _ in range(ranks)]
    for query in range(len(mask)):
        for key in range(len(mask)):
            if mask.used[query][key]:
                work[find_ring_step(owner, query, key, ranks)][owner[query]] += mask.measure_cell(query, key)
    return work


def find_ring_step(owner: Sequence[int], query: int, key: int, ranks: int) -> int:
    """Return the step in which the rank of a query has a key."""
    return (owner[query] - owner[key]) % ranks
