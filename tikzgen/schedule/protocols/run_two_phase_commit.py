"""Two-phase commit with a coordinator (node 0) and participants (1, 2, …): all commit or all abort.

Gray, "Notes on Data Base Operating Systems" (1978); Bernstein, Hadzilacos and Goodman, "Concurrency Control and
Recovery in Database Systems" (1987), chapter 7. Votes and decisions are on stable storage, and survive a failure.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.schedule.protocols.message_network import Faults, Letter, Network


class Commit(Record):
    """Result of a run: the coordinator's decision, or None, and the final state of each participant.

    States are `committed`, `aborted`, `doubt` (it voted yes and knows no decision) and `working` (it never voted).
    """

    run: Network
    decision: str | None
    ends: tuple[str, ...]


def two_phase_commit(
    delays: list[Fraction],
    *,
    no: Collection[int] = (),
    prepare: Fraction,
    decide: Fraction,
    timeout: Fraction,
    faults: Faults,
) -> Commit:
    """Run two-phase commit, with the link delay of each participant.

    The participants `no` vote no. `prepare` is the time that each participant works before its vote. The coordinator
    writes its decision for `decide`, and waits for votes for at most `timeout`.
    """
    everyone = range(1, len(delays) + 1)
    run = Network(lambda source, target: delays[max(source, target) - 1], faults)
    ends = dict.fromkeys(everyone, "working")
    yes: set[int] = set()
    acknowledged: set[int] = set()
    decision: list[str] = []
    deciding: list[str] = []

    def decide_outcome(outcome: str) -> None:
        if not deciding:
            deciding.append(outcome)
            run.schedule_work(0, decide, "decide", announce_decision)

    def announce_decision() -> None:
        decision.append(deciding[0])
        run.mark(0, decision[0])
        run.send(0, [each for each in everyone if ends[each] != "aborted" or each not in no], decision[0])

    def cast_vote(node: int) -> None:
        if ends[node] != "working":  # it received an abort in the meantime
            return
        ends[node] = "aborted" if node in no else "doubt"
        run.send(node, [0], "no" if node in no else "yes")

    def handle_letter(letter: Letter) -> None:
        node, source = letter.target, letter.source
        match letter.says:
            case "prepare":
                run.schedule_work(node, prepare, "save", lambda: cast_vote(node))
            case "yes":
                yes.add(source)
                if len(yes) == len(everyone):
                    decide_outcome("commit")
            case "no":
                decide_outcome("abort")
            case "commit" | "abort":
                ends[node] = "committed" if letter.says == "commit" else "aborted"
                run.send(node, [0], "done")
            case "done":
                acknowledged.add(source)
            case "ask":
                if decision:
                    run.send(0, [source], decision[0])

    def resume_node(node: int) -> None:
        if node and ends[node] == "doubt":
            run.send(node, [0], "ask")
        elif node and ends[node] == "working":
            ends[node] = "aborted"  # it has not voted, so it may abort alone
            run.send(node, [0], "no")
        elif not node and decision:
            run.send(0, [each for each in everyone if each not in acknowledged], decision[0])
        elif not node:
            deciding.clear()
            decide_outcome("abort")

    run.send(0, everyone, "prepare")
    run.schedule_after_delay(0, timeout, lambda: decide_outcome("abort"))
    run.run_until(handle_letter, resume_node)
    return Commit(run, decision[0] if decision else None, tuple(ends[each] for each in everyone))
