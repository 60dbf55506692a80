"""Matching of a leader's log with the logs of its followers in Raft, and the index that it commits.

An AppendEntries that disagrees removes all entries from the first conflict on (5.3). The commit index is the largest
index on a majority whose entry has the leader's term (5.4.2). Source: Ongaro and Ousterhout, "In Search of an
Understandable Consensus Algorithm" (2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

from tikzgen.base.plain_words import count_of
from tikzgen.base.record import Record
from tikzgen.schedule.held.impossible_facts import ImpossibleFacts


class MatchedLogs(Record):
    """Per server: the last index that matches the leader's log, and the first index to remove, or None."""

    match: tuple[int, ...]
    removed_from: tuple[int | None, ...]
    commit: int


def find_least_term(logs: Sequence[Sequence[int]], leader: int) -> int:
    """Return the least term in which a server can lead: that of its last entry, or one that no log has."""
    greatest = max([1, *(term for log in logs for term in log)])
    has_all = all(
        list(logs[leader][index : index + 1]) == [greatest]
        for log in logs
        for index, term in enumerate(log)
        if term == greatest
    )
    return greatest if has_all else greatest + 1


def match_logs(logs: Sequence[Sequence[int]], leader: int, term: int, committed: int = 0) -> MatchedLogs:
    """Return the matching entries of logs of terms; `leader` counts from 0, indices of entries from 1.

    Raise `ImpossibleFacts` for logs that no run of Raft makes.
    """
    _check_terms(logs, term)
    _check_log_matching(logs)
    own = logs[leader]
    for server, log in enumerate(logs):
        for index in range(len(log)):
            if log[index] == term and list(own[index : index + 1]) != [term]:
                message = (
                    f"entry {index + 1} of server {server + 1} has the leader's term {term}, but the leader lacks it"
                )
                raise ImpossibleFacts(message, "term", hint=f"use {term + 1}, or the leader of term {term}")
    if committed > len(own):
        message = f"entry {committed} is committed, but the leader's log has {count_of(len(own), 'entry')}"
        raise ImpossibleFacts(message, "committed", hint=f"use at most {len(own)}")
    match = tuple(count_common_entries(own, log) for log in logs)
    removed = tuple(
        common + 1 if common < min(len(own), len(log)) else None for common, log in zip(match, logs, strict=True)
    )
    if committed and 2 * sum(each >= committed for each in match) <= len(logs):
        message = f"entry {committed} of the leader is not on a majority, so it cannot be committed"
        raise ImpossibleFacts(message, "committed", hint=f"use at most {sorted(match)[(len(match) - 1) // 2]}")
    majority = sorted(match)[(len(match) - 1) // 2]
    own_term = [index for index in range(1, majority + 1) if own[index - 1] == term]
    return MatchedLogs(match, removed, max([committed, *own_term]))


def count_common_entries(log: Sequence[int], other: Sequence[int]) -> int:
    """Return the number of entries before the first difference of two logs."""
    pairs = zip(log, other, strict=False)
    return next((index for index, (one, two) in enumerate(pairs) if one != two), min(len(log), len(other)))


def _check_terms(logs: Sequence[Sequence[int]], term: int) -> None:
    for server, log in enumerate(logs):
        for index, (before, after) in enumerate(pairwise(log), 2):
            if after < before:
                message = f"entry {index} has term {after}, after term {before}"
                raise ImpossibleFacts(message, "logs", server, hint="terms in a log never fall")
        for index, each in enumerate(log, 1):
            if each > term:
                message = f"the leader's term {term} is below term {each} of entry {index} of server {server + 1}"
                raise ImpossibleFacts(message, "term", hint=f"use {max(map(max, filter(None, logs)))} or more")


def _check_log_matching(logs: Sequence[Sequence[int]]) -> None:
    for (one, log), (two, other) in combinations(enumerate(logs), 2):
        common = count_common_entries(log, other)
        for index in range(common, min(len(log), len(other))):
            if log[index] == other[index]:
                message = f"entry {index + 1} has term {log[index]} on servers {one + 1} and {two + 1}"
                hint = "equal entries follow equal logs (log matching)"
                raise ImpossibleFacts(f"{message}, but entry {common + 1} differs", "logs", two, hint=hint)
        for term in sorted({*log} & {*other}):
            begins = list(log).index(term) + 1, list(other).index(term) + 1
            if begins[0] != begins[1]:
                places = f"entry {begins[0]} on server {one + 1}, at entry {begins[1]} on server {two + 1}"
                message = f"term {term} begins at {places}"
                raise ImpossibleFacts(message, "logs", two, hint="one leader writes all entries of a term")
