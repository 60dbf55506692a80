"""Dispatch of tokens to experts of limited capacity, and the tokens that they drop.

The capacity of an expert is ceil(f T k / E) for factor f, T tokens, k choices of each and E experts. Tokens are
dispatched in order, all first choices before the second ones. Sources: Lepikhin et al., "GShard" (2020); Fedus, Zoph
and Shazeer, "Switch Transformers" (2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from random import Random

from tikzgen.base.record import Record
from tikzgen.schedule.held.impossible_facts import ImpossibleFacts


class Dispatched(Record):
    """Tokens in the slots of each expert, and dropped tokens, each with the number of its choice."""

    capacity: int
    slots: tuple[tuple[tuple[int, int], ...], ...]
    dropped: tuple[tuple[int, int], ...]

    @property
    def load(self) -> tuple[int, ...]:
        """Number of tokens of each expert."""
        return tuple(map(len, self.slots))


def choose_experts(tokens: int, experts: int, top: int, seed: int) -> list[list[int]]:
    """Return random choices of distinct experts for each token, the same ones for the same seed."""
    source = Random(seed)
    return [source.sample(range(experts), top) for _ in range(tokens)]


def dispatch_tokens(choices: Sequence[Sequence[int]], experts: int, factor: Fraction) -> Dispatched:
    """Dispatch tokens to the experts of their choices; each token has equally many."""
    for token, chosen in enumerate(choices):
        if len(chosen) != len(choices[0]):
            message = f"token {token} has {len(chosen)} choices, but token 0 has {len(choices[0])}"
            raise ImpossibleFacts(message, "choices", token, hint="give each token equally many")
        for place, expert in enumerate(chosen):
            if not 0 <= expert < experts:
                hint = f"the experts are 0 to {experts - 1}"
                raise ImpossibleFacts(f"unknown expert {expert}", "choices", token, place, hint=hint)
            if expert in chosen[:place]:
                message = f"token {token} chooses expert {expert} twice"
                raise ImpossibleFacts(message, "choices", token, place, hint="choose distinct experts")
    capacity = ceil(factor * len(choices) * len(choices[0]) / experts)
    slots: list[list[tuple[int, int]]] = [[] for _ in range(experts)]
    dropped: list[tuple[int, int]] = []
    for place in range(len(choices[0])):
        for token, chosen in enumerate(choices):
            room = slots[chosen[place]]
            (room if len(room) < capacity else dropped).append((token, place))
    return Dispatched(capacity, tuple(map(tuple, slots)), tuple(dropped))


def count_moved_tokens(found: Dispatched, token_rank: Sequence[int], expert_rank: Sequence[int]) -> list[list[int]]:
    """Return the tokens that each rank sends to each rank in the all-to-all, by sender."""
    ranks = max(*token_rank, *expert_rank) + 1
    moved = [[0] * ranks for _ in range(ranks)]
    for expert, slots in enumerate(found.slots):
        for token, _ in slots:
            moved[token_rank[token]][expert_rank[expert]] += 1
    return moved
