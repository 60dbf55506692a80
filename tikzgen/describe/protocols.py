"""What came of a protocol's run, in a few words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tikzgen.describe.english import counted, joined, listed

if TYPE_CHECKING:
    from tikzgen.recipe.all_reduce import AllReduce
    from tikzgen.recipe.paxos import Paxos
    from tikzgen.recipe.raft_election import RaftElection
    from tikzgen.recipe.raft_replication import RaftReplication
    from tikzgen.recipe.two_phase_commit import TwoPhaseCommit


_ENDS = {"committed": "committed", "aborted": "aborted", "doubt": "in doubt", "working": "without a vote"}


def _two_phase_commit(recipe: TwoPhaseCommit) -> str:
    found = recipe.outcome()
    what = f"the coordinator decides to {found.decision}" if found.decision else "the coordinator takes no decision"
    told = joined(f"{found.ends.count(end)} {words}" for end, words in _ENDS.items() if end in found.ends)
    return f"Two-phase commit by {counted(recipe.workers, 'worker')}: {what}; at the end {told}"


def _paxos(recipe: Paxos) -> str:
    found = recipe.outcome()
    what = f"{found.chosen[0]} is chosen" if found.chosen else "no value is chosen"
    who = f"{counted(len(recipe.values), 'proposer')} and {counted(recipe.acceptors, 'acceptor')}"
    return f"Paxos with {who}: {what}"


def _raft_election(recipe: RaftElection) -> str:
    terms = [f"{recipe.ids()[node]} leads term {term}" for term, node in recipe.outcome().leaders]
    return f"Leader election of Raft among {counted(recipe.servers, 'server')}: {listed(terms) or 'nobody leads'}"


def _raft_replication(recipe: RaftReplication) -> str:
    what = f"{len(recipe.outcome().committed)} of {counted(len(recipe.commands), 'command')} committed"
    return f"Replication of Raft's log on {counted(recipe.servers, 'server')}: {what}"


def _all_reduce(recipe: AllReduce) -> str:
    how = "around a ring" if recipe.algorithm == "ring" else "by recursive doubling"
    return f"All-reduce of {counted(recipe.ranks, 'rank')} {how}, in {counted(recipe.outcome().steps, 'step')}"


PROTOCOL_GISTS: Mapping[str, Callable[[Any], str]] = {
    "two-phase-commit": _two_phase_commit,
    "paxos": _paxos,
    "raft-election": _raft_election,
    "raft-replication": _raft_replication,
    "all-reduce": _all_reduce,
}
