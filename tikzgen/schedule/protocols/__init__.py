"""Distributed protocols whose nodes exchange messages: each is executed, and its trace is the result."""

from __future__ import annotations

from tikzgen.schedule.protocols.message_network import Faults, Happening, Letter, Network, NodeFailure
from tikzgen.schedule.protocols.run_all_reduce import Reduced, doubling_letters, ring_letters
from tikzgen.schedule.protocols.run_paxos import Choice, simulate_paxos
from tikzgen.schedule.protocols.run_raft import Agreement, simulate_raft
from tikzgen.schedule.protocols.run_two_phase_commit import Commit, two_phase_commit

__all__ = [
    "Agreement",
    "Choice",
    "Commit",
    "Faults",
    "Happening",
    "Letter",
    "Network",
    "NodeFailure",
    "Reduced",
    "doubling_letters",
    "ring_letters",
    "simulate_paxos",
    "simulate_raft",
    "two_phase_commit",
]
