"""Flows as products: from each of some sources to each of some targets, without additional flows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

Pair: TypeAlias = tuple[str, str]
"""A source and a target."""
Product: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""Sources and targets: each source has a flow to each target."""


def split_into_products(pairs: Iterable[Pair]) -> list[Product]:
    """Return products with exactly the given pairs, each once, in the order of their first pairs.

    >>> split_into_products([("a", "c"), ("b", "c"), ("a", "d"), ("b", "d")])
    [(('a', 'b'), ('c', 'd'))]
    >>> split_into_products([("a", "c"), ("b", "d")])
    [(('a',), ('c',)), (('b',), ('d',))]
    """
    found = list(dict.fromkeys(pairs))
    by_source = _merge_sources(found)
    by_target = [
        (sources, targets) for targets, sources in _merge_sources([(target, source) for source, target in found])
    ]
    return min(by_source, by_target, key=len)


def _merge_sources(pairs: Sequence[Pair]) -> list[Product]:
    """Return products of sources that have the same targets."""
    targets: dict[str, dict[str, None]] = {}
    for source, target in pairs:
        targets.setdefault(source, {})[target] = None
    merged: dict[frozenset[str], tuple[list[str], list[str]]] = {}
    for source, own in targets.items():
        merged.setdefault(frozenset(own), ([], list(own)))[0].append(source)
    return [(tuple(sources), tuple(own)) for sources, own in merged.values()]


def find_ring(pairs: Sequence[Pair]) -> list[str]:
    """Return the members of a ring in order, or [] if the pairs are not one ring of at least three.

    >>> find_ring([("a", "b"), ("b", "c"), ("c", "a")]), find_ring([("a", "b"), ("b", "a")])
    (['a', 'b', 'c'], [])
    """
    after = dict(pairs)
    members = [pairs[0][0]]
    while (then := after.get(members[-1], members[0])) not in members:
        members.append(then)
    closed = after.get(members[-1]) == members[0]
    return members if closed and len(members) == len(pairs) == len(set(pairs)) > 2 else []


def find_group(pairs: Sequence[Pair], *, both_ways: bool) -> list[str]:
    """Return the members if there is a flow from each to each other one and no further flow, else [].

    With `both_ways`, every pair also includes the reverse flow.
    """
    known = set(pairs) | ({(target, source) for source, target in pairs} if both_ways else set())
    members = list(dict.fromkeys(name for pair in pairs for name in pair))
    is_complete = known == {(one, other) for one in members for other in members if one != other}
    return members if is_complete and len(members) > 1 else []
