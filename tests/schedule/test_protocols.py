"""Protocols are really run: what they promise holds whatever fails, comes back, or is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from conftest import some
from hypothesis import given
from hypothesis import strategies as st

from tikzgen import Figure, SpaceTime, recipes
from tikzgen.base.errors import TikzgenError
from tikzgen.schedule.protocols.message_network import Faults, Network, NodeFailure
from tikzgen.schedule.protocols.run_all_reduce import doubling_letters, ring_letters
from tikzgen.schedule.protocols.run_paxos import simulate_paxos
from tikzgen.schedule.protocols.run_raft import Agreement, simulate_raft
from tikzgen.schedule.protocols.run_two_phase_commit import two_phase_commit

times = st.integers(0, 60).map(lambda half: Fraction(half, 4))
delays = st.integers(1, 12).map(lambda part: Fraction(part, 4))


@st.composite
def faults(draw: st.DrawFn, nodes: int) -> Faults:
    """Any nodes fail, some come back, and any letters are lost."""
    failures = {}
    for node in draw(st.lists(st.integers(0, nodes - 1), unique=True, max_size=nodes)):
        at, later = draw(times), draw(st.none() | delays)
        failures[node] = NodeFailure(at, None if later is None else at + later)
    ends = st.integers(0, nodes - 1)
    return Faults(failures, frozenset(draw(st.lists(st.tuples(ends, ends, st.integers(1, 4)), max_size=8))))


def is_possible(run: Network, trouble: Faults) -> None:
    """Check that no node does anything from its failure on, and that nothing arrives before it was sent."""

    def is_down(node: int, time: Fraction) -> bool:
        failure = trouble.failures.get(node)
        return failure is not None and failure.at <= time and (failure.back is None or time < failure.back)

    for letter in run.letters:
        assert letter.due >= letter.sent
        assert not is_down(letter.source, letter.sent)
        assert letter.lost or not is_down(letter.target, letter.due)
    for stretch in run.stretches:
        assert stretch.start < stretch.end
        failure = trouble.failures.get(stretch.node)
        assert failure is None or stretch.end <= failure.at or (failure.back and failure.back <= stretch.start)
    assert not any(is_down(each.node, each.time) for each in run.happenings)


@given(st.data(), st.integers(1, 4))
def test_all_participants_commit_or_none(data: st.DataObject, many: int) -> None:
    trouble, no = data.draw(faults(many + 1)), data.draw(st.sets(st.integers(1, many)))
    found = two_phase_commit(
        [data.draw(delays) for _ in range(many)],
        no=no,
        prepare=data.draw(delays),
        decide=data.draw(delays),
        timeout=data.draw(times),
        faults=trouble,
    )
    is_possible(found.run, trouble)
    assert not {"committed", "aborted"} <= set(found.ends)
    assert len({each.says for each in found.run.happenings}) <= 1
    if "committed" in found.ends:
        assert found.decision == "commit"
        assert not no
    if not trouble.failures and not trouble.lost:
        assert "doubt" not in found.ends


def test_without_failures_a_transaction_commits() -> None:
    one = Fraction(1)
    found = two_phase_commit([one] * 3, prepare=one, decide=one, timeout=Fraction(9), faults=Faults())
    assert (found.decision, found.ends) == ("commit", ("committed",) * 3)
    assert len(found.run.letters) == 4 * 3  # prepare, vote, decision, done


@given(st.data(), st.integers(1, 3), st.integers(1, 5))
def test_paxos_never_chooses_two_values(data: st.DataObject, proposers: int, acceptors: int) -> None:
    trouble = data.draw(faults(proposers + acceptors))
    travel = {
        (one, other): data.draw(delays) for one in range(proposers) for other in range(proposers, proposers + acceptors)
    }
    found = simulate_paxos(
        "ABC"[:proposers],
        [data.draw(times) for _ in range(proposers)],
        acceptors,
        delay=lambda source, target: travel[min(source, target), max(source, target)],
        timeout=data.draw(delays) * 2,
        rounds=3,
        faults=trouble,
    )
    is_possible(found.run, trouble)
    assert len(found.chosen) <= 1
    assert {each for each in found.learned if each is not None} <= set(found.chosen)
    # brute force, from the letters alone: a value is chosen where a majority said accepted to one ballot
    said: dict[tuple[int, str], set[int]] = {}
    for letter in found.run.letters:
        if letter.says == "accepted":
            said.setdefault((letter.facts["n"], letter.facts["v"]), set()).add(letter.source)
    assert {value for (_, value), who in said.items() if len(who) > acceptors // 2} == set(found.chosen)


def test_paxos_chooses_where_a_majority_lives() -> None:
    found = simulate_paxos(
        "AB",
        [Fraction(0), Fraction(6)],
        3,
        delay=lambda source, target: Fraction(1),
        timeout=Fraction(9),
        rounds=2,
        faults=Faults({4: NodeFailure(Fraction(0))}),
    )
    assert (found.chosen, found.learned) == (("A",), ("A", "A"))


@given(st.data(), st.integers(1, 5), st.booleans())
def test_raft_has_one_leader_a_term_and_keeps_what_is_committed(
    data: st.DataObject, servers: int, begins_led: bool
) -> None:
    trouble = data.draw(faults(servers))
    found = simulate_raft(
        servers,
        timeouts=[[data.draw(delays) * 3 + 1 for _ in range(2)] for _ in range(servers)],
        heartbeat=data.draw(delays),
        delay=lambda source, target: Fraction(1 + (source + target) % 3, 2),
        until=Fraction(25),
        faults=trouble,
        leader=0 if begins_led else None,
        commands=[(time, f"c{place}") for place, time in enumerate(data.draw(st.lists(times, max_size=4)))],
    )
    is_possible(found.run, trouble)
    terms = [term for term, _ in found.leaders]
    assert len(terms) == len(set(terms))
    logs_match(found)
    for index, entry in found.committed:
        assert sum(index <= len(log) and log[index - 1] == entry for log in found.logs) > servers // 2
    assert len({index for index, _ in found.committed}) == len(found.committed)
    assert all(commit <= len(log) for commit, log in zip(found.commits, found.logs, strict=True))


def logs_match(found: Agreement) -> None:
    """Two logs that have an entry of one term at one place have the same entries up to there."""
    for one in found.logs:
        for other in found.logs:
            for place in range(min(len(one), len(other))):
                if one[place][0] == other[place][0]:
                    assert one[: place + 1] == other[: place + 1]


def test_a_leader_that_steps_down_on_a_reply_times_out_again() -> None:
    figure = recipes.raft_election(
        servers=2,
        leader=2,
        crashes=[],
        delay=1,
        heartbeat=4,
        timeouts=[8, 4],
        lost=[
            {"source": "s2", "target": "s1", "number": 1},
            {"source": "s2", "target": "s1", "number": 2},
            {"source": "s1", "target": "s2", "number": 1},
        ],
        until=30,
    )
    ((_, _, part),) = figure.parts(SpaceTime)
    refused = next(each for each in part.messages if each.label == "no" and each.source == "s1")
    assert refused.arrivals == {"s2": 10}
    assert next(event.time for event in part.events if (event.lifeline, event.label) == ("s2", "timeout")) == 14


def test_a_server_receives_and_answers_nothing_at_the_moment_of_its_crash() -> None:
    figure = recipes.raft_replication(crashes=[{"id": "s2", "at": 3}])  # the entry of the leader is due there at 3
    ((_, _, part),) = figure.parts(SpaceTime)
    entry = next(each for each in part.messages if each.label == "append 1")
    assert entry.unreached_targets == {"s2"}
    assert not any(each.source == "s2" for each in part.messages)


def test_a_coordinator_that_crashes_at_once_sends_nothing() -> None:
    figure = recipes.two_phase_commit(crashes=[{"id": "c", "at": 0}])
    ((_, _, part),) = figure.parts(SpaceTime)
    assert part.messages == []


def test_a_client_that_is_back_sends_its_command() -> None:
    figure = recipes.raft_replication(
        commands=[{"at": 1}, {"at": 5, "text": "set y"}], crashes=[{"id": "client", "at": 0, "back": 3}], until=12
    )
    ((_, _, part),) = figure.parts(SpaceTime)
    assert [each.label for each in part.messages if each.source == "client"] == ["set y"]


def test_a_server_that_is_back_after_the_end_does_not_end_as_leader() -> None:
    figure = recipes.raft_election(crashes=[{"id": "s1", "at": 1, "back": 30}], labels={"follower": "follower"})
    ((_, _, part),) = figure.parts(SpaceTime)
    first = part.lifelines[0]
    assert (first.crash, first.restart, first.foot) == (1, None, "")
    assert part.end < 30


def test_commands_at_one_moment_are_one_arrow_with_all_texts() -> None:
    lost = [{"source": "s1", "target": "s2", "number": 1}]
    figure = recipes.raft_replication(commands=[{"at": 1}, {"at": 1, "text": "set y"}], lost=lost, until=14)
    ((_, _, part),) = figure.parts(SpaceTime)
    assert [each.label for each in part.messages if each.source == "client"] == ["set x, set y"]
    assert [each.label for each in part.messages if "client" in each.targets] == ["done, done"]
    assert [event.label for event in part.events] == ["1 committed\n2 committed"]


def test_a_run_without_end_is_refused_at_its_field() -> None:
    with pytest.raises(TikzgenError, match=r"heartbeat: the run needs more than 10000 steps"):
        recipes.raft_election(heartbeat="0.0001", crashes=[], until=9)


MOMENT = st.integers(0, 24).map(lambda half: Fraction(half, 2))
PERIOD = st.integers(1, 20).map(lambda half: Fraction(half, 2))


@st.composite
def troubles(draw: st.DrawFn, ids: list[str]) -> dict[str, Any]:
    """Draw crashes and losses as the fields of a recipe."""
    crashes = []
    for node in draw(st.lists(st.sampled_from(ids), unique=True, max_size=2)):
        at, later = draw(MOMENT), draw(st.none() | PERIOD)
        crashes.append({"id": node, "at": at} | ({} if later is None else {"back": at + later}))
    loss = st.fixed_dictionaries(
        {
            "source": st.sampled_from(ids),
            "target": st.sampled_from(ids),
            "number": st.integers(1, 4),
        }
    )
    return {"crashes": crashes, "lost": draw(st.lists(loss, max_size=4))}


@st.composite
def legal_protocols(draw: st.DrawFn) -> Callable[[], Figure]:
    """Draw a protocol with arguments that its fields allow."""
    name = draw(st.sampled_from(["raft_replication", "raft_election", "paxos", "two_phase_commit"]))
    nodes = draw(st.integers(1, 5))
    delay = st.integers(0, 4).map(lambda half: Fraction(half, 2))
    facts: dict[str, Any] = {"delay": draw(delay | st.lists(delay, min_size=nodes, max_size=nodes))}
    servers = [f"s{number}" for number in range(1, nodes + 1)]
    if name == "raft_replication":
        command = st.fixed_dictionaries({"at": MOMENT, "text": st.sampled_from(["set x", "set y"])})
        facts |= {"servers": nodes, "commands": draw(st.lists(command, min_size=1, max_size=4))}
        facts |= {"heartbeat": draw(PERIOD), "until": draw(PERIOD), **draw(troubles([*servers, "client"]))}
    elif name == "raft_election":
        waits = draw(st.none() | st.lists(PERIOD, min_size=nodes, max_size=nodes))
        facts |= {"servers": nodes, "leader": draw(st.none() | st.integers(1, nodes)), "timeouts": waits}
        facts |= {"heartbeat": draw(PERIOD), "until": draw(PERIOD), **draw(troubles(servers))}
    elif name == "paxos":
        starts = draw(st.lists(MOMENT, min_size=1, max_size=3))
        ids = [f"p{place + 1}" for place in range(len(starts))] + [f"a{place + 1}" for place in range(nodes)]
        facts |= {"values": list("ABC"[: len(starts)]), "starts": starts, "acceptors": nodes}
        facts |= {"timeout": draw(PERIOD), "rounds": draw(st.integers(1, 3)), **draw(troubles(ids))}
    else:
        workers = [f"w{number}" for number in range(1, nodes + 1)]
        facts |= {"workers": nodes, "no": sorted(draw(st.sets(st.integers(1, nodes))))}
        facts |= {"prepare": draw(delay), "decide": draw(delay), "timeout": draw(PERIOD)}
        facts |= draw(troubles(["c", *workers]))
    return partial(getattr(recipes, name), **facts)


@given(legal_protocols())
def test_every_legal_protocol_is_drawn(make: Callable[[], Figure]) -> None:
    ((_, _, part),) = make().parts(SpaceTime)
    for line in part.lifelines:
        if line.crash is None:
            continue
        back = line.restart
        down = [t for t in _times_of(part, line.id) if t >= line.crash and (back is None or t < back)]
        assert down == []


def _times_of(part: SpaceTime, lifeline: str) -> Iterator[Fraction]:
    """Yield the moments at which a lifeline sends, receives, or does something."""
    for message in part.messages:
        if message.source == lifeline:
            yield message.sent
        yield from (
            at for name, at in message.arrivals.items() if name == lifeline and name not in message.unreached_targets
        )
    yield from (event.time for event in part.events if event.lifeline == lifeline)


def test_a_leader_sends_no_heartbeat_where_it_sends_an_entry() -> None:
    found = simulate_raft(
        3,
        timeouts=[[Fraction(9)]] * 3,
        heartbeat=Fraction(4),
        delay=lambda source, target: Fraction(1),
        until=Fraction(9),
        faults=Faults(),
        leader=0,
        commands=[(Fraction(1), "a"), (Fraction(3), "b")],
    )
    sent = [(letter.target, letter.sent) for letter in found.run.letters if letter.source == 0]
    assert len(sent) == len({*sent})
    assert sum(letter.says == "heartbeat" for letter in found.run.letters) == 4  # at 0 and 8, for 4 has an entry


def test_raft_elects_who_waits_least() -> None:
    waits = [[Fraction(9)], [Fraction(4)], [Fraction(7)]]
    found = simulate_raft(
        3,
        timeouts=waits,
        heartbeat=Fraction(3),
        delay=lambda source, target: Fraction(1),
        until=Fraction(12),
        faults=Faults(),
    )
    assert (found.leaders, found.roles) == (((1, 1),), ("follower", "leader", "follower"))


def _moments(run: Network, mark: str) -> list[Fraction]:
    return [each.time for each in run.happenings if each.says == mark]


@pytest.mark.parametrize("servers", range(1, 9))
def test_raft_waits_for_more_than_half_of_any_number_of_servers(servers: int) -> None:
    """A message to or from server k takes k units: the vote that decides comes from server `servers // 2`."""
    long = [[Fraction(99)]] * servers
    elected = simulate_raft(
        servers,
        timeouts=[[Fraction(5), Fraction(99)], *long[1:]],
        heartbeat=Fraction(50),
        delay=lambda source, target: Fraction(max(source, target)),
        until=Fraction(40),
        faults=Faults(),
    )
    assert _moments(elected.run, "leader") == [5 + 2 * (servers // 2)]
    replicated = simulate_raft(
        servers,
        timeouts=long,
        heartbeat=Fraction(50),
        delay=lambda source, target: Fraction(max(source, target) if servers not in (source, target) else 1),
        until=Fraction(40),
        faults=Faults(),
        leader=0,
        commands=[(Fraction(0), "set x")],
    )
    assert _moments(replicated.run, "commit") == [1 + 2 * (servers // 2)]


@pytest.mark.parametrize("acceptors", range(1, 9))
def test_paxos_waits_for_more_than_half_of_any_number_of_acceptors(acceptors: int) -> None:
    """A message to or from acceptor k takes k units: acceptor `acceptors // 2 + 1` decides."""
    enough = acceptors // 2 + 1
    found = simulate_paxos(
        "A",
        [Fraction(0)],
        acceptors,
        delay=lambda source, target: Fraction(max(source, target)),
        timeout=Fraction(99),
        rounds=1,
        faults=Faults(),
    )
    assert {letter.sent for letter in found.run.letters if letter.says == "accept"} == {2 * enough}
    assert _moments(found.run, "chosen") == [4 * enough]


def test_four_servers_commit_at_the_third_acknowledgement() -> None:
    figure = recipes.raft_replication(
        servers=4, commands=[{"at": 0, "text": "set x"}], delay=[1, 1, 2, 3], heartbeat=4, until=12
    )
    ((_, _, part),) = figure.parts(SpaceTime)
    assert [(event.label, event.time) for event in part.events] == [("1 committed", 4)]


@given(st.data(), st.integers(2, 8))
def test_a_ring_ends_with_the_sum_everywhere(data: st.DataObject, ranks: int) -> None:
    values = [[data.draw(st.integers(-9, 9)) for _ in range(ranks)] for _ in range(ranks)]
    found = ring_letters(values, delays=[data.draw(delays) for _ in range(ranks)], add=data.draw(delays))
    assert set(found.held) == {tuple(map(sum, zip(*values, strict=True)))}
    assert found.steps == 2 * (ranks - 1)
    assert all(sum(each.source == rank for each in found.run.letters) == found.steps for rank in range(ranks))
    is_possible(found.run, Faults())


@given(st.data(), st.integers(1, 4))
def test_doubling_ends_with_the_sum_everywhere(data: st.DataObject, steps: int) -> None:
    values = [data.draw(st.integers(-9, 9)) for _ in range(2**steps)]
    found = doubling_letters(values, delay=data.draw(delays), add=data.draw(delays))
    assert set(found.held) == {(sum(values),)}
    assert len(found.run.letters) == steps * 2**steps


def test_of_many_that_do_alike_a_few_are_drawn_and_all_who_do_otherwise() -> None:
    figure = recipes.two_phase_commit(workers=64, no=[7], crashes=[{"id": "w20", "at": 1.5}])
    ((_, _, part),) = figure.parts(SpaceTime)
    drawn = [one.id for one in part.lifelines if not one.ellipsis]
    assert drawn == ["c", "w1", "w2", "w3", "w7", "w20", "w64"]
    assert "64 workers" in figure.description
    assert "63 aborted" in figure.description
    assert {one.label for one in part.messages if one.source == "w7"} == {"no"}


@pytest.mark.parametrize("direction", ["right", "down"])
def test_dots_have_no_line_and_hear_nothing(direction: str) -> None:
    figure = recipes.paxos(acceptors=16, show=3, direction=direction)
    ((_, _, part),) = figure.parts(SpaceTime)
    assert [one.id for one in part.lifelines if one.ellipsis] == ["dots"]
    assert {end for one in part.messages for end in (one.source, *one.targets)} == {"p1", "a1", "a2", "a16"}
    assert [line for line in figure.tex().splitlines() if "draw" in line and "(dots." in line] == []


@pytest.mark.parametrize("workers", some([64, *range(1, 11)]))
def test_any_number_of_workers_fits_a_column(workers: int) -> None:
    assert recipes.two_phase_commit(workers=workers, width=8.4).tex()
