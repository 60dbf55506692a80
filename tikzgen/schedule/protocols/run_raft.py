"""Raft: servers elect a leader for a term, which replicates its log to a majority.

Ongaro and Ousterhout, "In Search of an Understandable Consensus Algorithm" (2014), sections 5.1 to 5.4. Term, vote and
log are on stable storage; log entries count from 1. The client, if any, is the node after the servers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.schedule.protocols.message_network import Faults, Letter, Network, count_majority

Entry = tuple[int, str]
"""The term in which it was taken, and the command."""


class Agreement(Record):
    """Result of a run: leaders with their terms, final state of each server, and all committed entries.

    The state of a server is its role (`leader`, `candidate`, `follower`), its term, its log, and the number of entries
    that it knows to be committed.
    """

    run: Network
    leaders: tuple[tuple[int, int], ...]
    roles: tuple[str, ...]
    terms: tuple[int, ...]
    logs: tuple[tuple[Entry, ...], ...]
    commits: tuple[int, ...]
    committed: tuple[tuple[int, Entry], ...]


class _Server:
    """State of a server; `term`, `voted` and `log` survive a failure."""

    def __init__(self) -> None:
        self.term, self.voted = 0, -1
        self.log: list[Entry] = []
        self.waits = 0
        self.reset_lost_state()

    def reset_lost_state(self) -> None:
        """Reset the state that a failure loses."""
        self.role, self.commit, self.leader, self.alarm = "follower", 0, -1, 0
        self.votes: set[int] = set()
        self.next: dict[int, int] = {}
        self.told: dict[int, Fraction] = {}
        self.match: dict[int, int] = {}

    def find_last_entry(self) -> tuple[int, int]:
        """Return the term of the last entry, and its index."""
        return (self.log[-1][0] if self.log else 0), len(self.log)


def simulate_raft(
    servers: int,
    *,
    timeouts: Sequence[Sequence[Fraction]],
    heartbeat: Fraction,
    delay: Callable[[int, int], Fraction],
    until: Fraction,
    faults: Faults,
    leader: int | None = None,
    commands: Sequence[tuple[Fraction, str]] = (),
) -> Agreement:
    """Run Raft until a time.

    `timeouts` are the successive election timeouts of each server, repeated cyclically. `leader` leads term 1 from the
    beginning; a client sends it each command at its time.
    """
    everyone, client = range(servers), servers
    run, enough = Network(delay, faults), count_majority(range(servers))
    known = [_Server() for _ in everyone]
    leaders: list[tuple[int, int]] = []
    committed: dict[tuple[int, Entry], None] = {}

    def other_servers(node: int) -> list[int]:
        return [each for each in everyone if each != node]

    def wait(node: int) -> None:
        me = known[node]
        me.alarm += 1
        alarm, times = me.alarm, timeouts[node]
        run.schedule_after_delay(
            node, times[me.waits % len(times)], lambda: start_election(node) if me.alarm == alarm else None
        )

    def start_election(node: int) -> None:
        me = known[node]
        if me.role == "leader":
            return
        me.waits += 1
        me.term, me.voted, me.role, me.votes = me.term + 1, node, "candidate", {node}
        run.mark(node, "timeout", n=me.term)
        term, index = me.find_last_entry()
        run.send(node, other_servers(node), "request", n=me.term, last=(term, index))
        wait(node)
        if len(me.votes) >= enough:
            win_election(node)

    def win_election(node: int) -> None:
        run.mark(node, "leader", n=known[node].term)
        become_leader(node)

    def become_leader(node: int) -> None:
        me = known[node]
        me.role, me.leader = "leader", node
        me.alarm += 1
        me.next = {each: len(me.log) for each in other_servers(node)}
        me.match = dict.fromkeys(other_servers(node), 0)
        leaders.append((me.term, node))
        schedule_heartbeat(node, me.term)

    def schedule_heartbeat(node: int, term: int) -> None:
        me = known[node]
        if me.role == "leader" and me.term == term:
            run.schedule_after_delay(
                node, Fraction(0), lambda: send_heartbeat(node, term)
            )  # after all other events at this time
            run.schedule_after_delay(node, heartbeat, lambda: schedule_heartbeat(node, term))

    def send_heartbeat(node: int, term: int) -> None:
        me = known[node]
        if me.role == "leader" and me.term == term:
            append(node, [each for each in other_servers(node) if me.told.get(each) != run.now])

    def append(node: int, targets: Sequence[int]) -> None:
        me = known[node]
        for place in sorted({me.next[each] for each in targets}):  # one message for equal entries
            entries = tuple(me.log[place:])
            before = (me.log[place - 1][0] if place else 0), place
            says = "append" if entries else "heartbeat"
            same = [each for each in targets if me.next[each] == place]
            run.send(node, same, says, n=me.term, i=len(me.log), prev=before, entries=entries, commit=me.commit)
            for each in same:
                me.next[each], me.told[each] = len(me.log), run.now

    def follow(node: int, term: int) -> None:
        me = known[node]
        if term > me.term:
            me.term, me.voted = term, -1
        led, me.role = me.role == "leader", "follower"
        if led:  # a leader has no election timer
            wait(node)

    def take(node: int, letter: Letter) -> None:
        me, facts = known[node], letter.facts
        if facts["n"] < me.term:
            run.send(node, [letter.source], "refuse", n=me.term, match=0)
            return
        follow(node, facts["n"])
        me.leader = letter.source
        wait(node)
        term, place = facts["prev"]
        if place > len(me.log) or (place and me.log[place - 1][0] != term):
            run.send(node, [letter.source], "refuse", n=me.term, match=min(place - 1, len(me.log)))
            return
        for offset, entry in enumerate(facts["entries"]):
            if place + offset < len(me.log) and me.log[place + offset] != entry:
                del me.log[place + offset :]
            if place + offset == len(me.log):
                me.log.append(entry)
        match = place + len(facts["entries"])
        commit_entries(node, min(facts["commit"], match))
        if facts["entries"]:
            run.send(node, [letter.source], "ok", n=me.term, i=match, match=match)

    def commit_entries(node: int, index: int) -> None:
        me = known[node]
        for place in range(me.commit, index):
            committed[place + 1, me.log[place]] = None
        me.commit = max(me.commit, index)

    def count(node: int) -> None:
        me, first = known[node], known[node].commit
        index = sorted([len(me.log), *me.match.values()], reverse=True)[enough - 1]
        if index > first and me.log[index - 1][0] == me.term:
            commit_entries(node, index)
            run.mark(node, "commit", i=index)
            for place in range(first, index) if commands else ():
                run.send(node, [client], "reply", i=place + 1, v=me.log[place][1])

    def handle_letter(letter: Letter) -> None:
        node, facts = letter.target, letter.facts
        if node == client:
            return
        me = known[node]
        if facts.get("n", 0) > me.term:
            follow(node, facts["n"])
        match letter.says:
            case "request":
                fresh = (
                    facts["n"] == me.term and me.voted in (-1, letter.source) and facts["last"] >= me.find_last_entry()
                )
                if fresh:
                    me.voted = letter.source
                    wait(node)
                run.send(node, [letter.source], "vote" if fresh else "deny", n=me.term)
            case "vote" if me.role == "candidate" and facts["n"] == me.term:
                me.votes.add(letter.source)
                if len(me.votes) == enough:
                    win_election(node)
            case "append" | "heartbeat":
                take(node, letter)
            case "ok" if me.role == "leader" and facts["n"] == me.term:
                me.match[letter.source] = max(me.match[letter.source], facts["match"])
                count(node)
            case "refuse" if me.role == "leader" and facts["n"] == me.term:
                me.next[letter.source] = max(0, min(facts["match"], len(me.log)))
                append(node, [letter.source])
            case "command" if me.role == "leader":
                me.log.append((me.term, facts["v"]))
                append(node, other_servers(node))
                count(node)

    def resume_server(node: int) -> None:
        if node in everyone:
            known[node].reset_lost_state()
            wait(node)

    if leader is not None:
        for each in known:
            each.term, each.voted = 1, leader
        become_leader(leader)
    for node in everyone:
        if node != leader:
            wait(node)
    for time, command in commands:
        run.schedule_action(time, lambda command=command: run.send(client, [leader or 0], "command", v=command))  # type: ignore[misc]
    run.run_until(handle_letter, resume_server, until)
    return Agreement(
        run,
        tuple(leaders),
        tuple(each.role for each in known),
        tuple(each.term for each in known),
        tuple(tuple(each.log) for each in known),
        tuple(each.commit for each in known),
        tuple(committed),
    )
