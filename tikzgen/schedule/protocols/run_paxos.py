"""Single-decree Paxos: proposers get a majority of acceptors to choose one value, and never two.

Lamport, "The Part-Time Parliament" (1998) and "Paxos Made Simple" (2001). Promises and accepted values are on stable
storage. Proposers are the nodes 0, 1, …; acceptors follow them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from tikzgen.base.record import Record
from tikzgen.schedule.protocols.message_network import Faults, Letter, Network, count_majority


class Choice(Record):
    """Result of a run.

    It has the accepted (ballot, value) pairs of each acceptor, the values accepted by a majority in one ballot, and
    the value that each proposer knows to be chosen.
    """

    run: Network
    accepted: tuple[tuple[tuple[int, str], ...], ...]
    chosen: tuple[str, ...]
    learned: tuple[str | None, ...]


def simulate_paxos(
    values: Sequence[str],
    starts: Sequence[Fraction],
    acceptors: int,
    *,
    delay: Callable[[int, int], Fraction],
    timeout: Fraction,
    rounds: int,
    faults: Faults,
) -> Choice:
    """Run Paxos; each proposer has a value and a start time.

    A proposer without enough replies for `timeout` tries again with a greater number, at most `rounds` times in total.
    """
    proposers, all_acceptors = range(len(values)), range(len(values), len(values) + acceptors)
    run, enough = Network(delay, faults), count_majority(all_acceptors)
    ballots = dict.fromkeys(proposers, 0)
    tries = dict.fromkeys(proposers, 0)
    promises: dict[int, dict[int, tuple[int, str] | None]] = {each: {} for each in proposers}
    acceptances: dict[int, set[int]] = {each: set() for each in proposers}
    proposed: dict[int, str] = {}
    learned: dict[int, str] = {}
    promised = dict.fromkeys(all_acceptors, 0)
    accepted: dict[int, list[tuple[int, str]]] = {each: [] for each in all_acceptors}

    def start_ballot(node: int) -> None:
        if node in learned or tries[node] == rounds:
            return
        tries[node] += 1
        ballots[node] = number = (tries[node] - 1) * len(proposers) + node + 1
        promises[node], acceptances[node] = {}, set()
        proposed.pop(node, None)
        run.send(node, all_acceptors, "prepare", n=number)
        run.schedule_after_delay(node, timeout, lambda: start_ballot(node) if ballots[node] == number else None)

    def handle_letter(letter: Letter) -> None:
        node, source, facts = letter.target, letter.source, letter.facts
        number = facts["n"]
        match letter.says:
            case "prepare" if number > promised[node]:
                promised[node] = number
                last = accepted[node][-1] if accepted[node] else None
                shown: dict[str, Any] = {"m": last[0], "v": last[1]} if last else {}
                run.send(node, [source], "promise with" if last else "promise", n=number, **shown)
            case "accept" if number >= promised[node]:
                promised[node] = number
                accepted[node].append((number, facts["v"]))
                run.send(node, [source], "accepted", n=number, v=facts["v"])
            case "promise" | "promise with" if number == ballots[node] and node not in proposed:
                promises[node][source] = (facts["m"], facts["v"]) if "m" in facts else None
                if len(promises[node]) == enough:
                    held = [each for each in promises[node].values() if each is not None]
                    proposed[node] = max(held)[1] if held else values[node]
                    run.send(node, all_acceptors, "accept", n=number, v=proposed[node])
            case "accepted" if number == ballots[node] and node not in learned:
                acceptances[node].add(source)
                if len(acceptances[node]) == enough:
                    learned[node] = facts["v"]
                    run.mark(node, "chosen", v=facts["v"])

    def resume_proposer(node: int) -> None:
        if node in proposers:
            run.schedule_after_delay(node, max(starts[node] - run.now, Fraction(0)), lambda: start_ballot(node))

    for node in proposers:
        run.schedule_after_delay(node, starts[node], lambda node=node: start_ballot(node))  # type: ignore[misc]
    run.run_until(handle_letter, resume_proposer)
    tally: dict[tuple[int, str], int] = {}
    for each in accepted.values():
        for one in set(each):
            tally[one] = tally.get(one, 0) + 1
    chosen = dict.fromkeys(value for (_, value), count in sorted(tally.items()) if count >= enough)
    return Choice(
        run, tuple(map(tuple, accepted.values())), tuple(chosen), tuple(learned.get(each) for each in proposers)
    )
