"""Who waits for messages: the simulator against times found by repeated relaxation, which shares nothing with it."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import pytest
from conftest import scaled
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tikzgen import SpecError, loads, recipes
from tikzgen.schedule import Deadlock, PipelinePlan, Task, TaskKind, pipeline, plan

FAMILIES = ["gpipe", "1f1b", "eager-1f1b", "zb-h1", "chimera"]
times = st.fractions(min_value=Fraction(1, 4), max_value=6, max_denominator=4)


def relaxed(
    what: PipelinePlan, durations: dict[TaskKind, Fraction], latency: Fraction, mode: Literal["sender", "rendezvous"]
) -> Fraction | None:
    """The makespan: every device's list is walked again and again until no time changes; None if they never rest."""
    home = {task: device for device, cells in enumerate(what.cells) for (task,) in cells}
    gradients = (TaskKind.BACKWARD, TaskKind.INPUT_GRAD)

    def gradient(stage: int, k: int) -> Task:
        return next(task for kind in gradients if (task := Task(kind, stage, k)) in home)

    def used(task: Task) -> Task | None:
        """The task of another stage whose result `task` computes with."""
        if task.kind is TaskKind.FORWARD:
            return Task(TaskKind.FORWARD, task.stage - 1, task.microbatch) if task.stage else None
        if task.kind in gradients and task.stage + 1 < what.stages:
            return gradient(task.stage + 1, task.microbatch)
        return None

    users = {source: task for task in home if (source := used(task)) is not None and home[source] != home[task]}
    sources = {task: source for source, task in users.items()}
    done: dict[Task, Fraction] = {}
    arrived: dict[Task, Fraction] = {}
    asked: dict[tuple[Task, int], Fraction] = {}  # when an end of a message is ready, by its source and device
    for _ in range(4 * len(home) + 8):
        before = (dict(done), dict(arrived), dict(asked))
        for device, cells in enumerate(what.cells):
            now = Fraction(0)
            sent: Task | None = None
            for task in [*(cell[0] for cell in cells), None]:
                outgoing = [sent] if sent in users else []
                incoming = [sources[task]] if task in sources else []
                if mode == "sender":
                    for message in outgoing:
                        now += latency
                        arrived[message] = now
                    now = max([now, *(arrived.get(message, Fraction(0)) for message in incoming)])
                else:
                    together = outgoing and incoming and home[users[outgoing[0]]] == home[incoming[0]]
                    for batch in [outgoing + incoming] if together else [outgoing, incoming]:
                        ends = [now]
                        for message in batch:
                            asked[message, device] = now
                            other = home[users[message]] if home[message] == device else home[message]
                            arrived[message] = max(now, asked.get((message, other), Fraction(0))) + latency
                            ends.append(arrived[message])
                        now = max(ends)
                if task is not None:
                    near = used(task)
                    if near is not None and home[near] == device:
                        now = max(now, done.get(near, Fraction(0)))
                    now += durations[task.kind]
                    done[task] = now
                    sent = task
        if (done, arrived, asked) == before:
            return max(done.values())
    return None


@settings(deadline=None, max_examples=scaled(1200))
@given(
    name=st.sampled_from(FAMILIES),
    p=st.integers(1, 4),
    m=st.integers(1, 7),
    latency=st.just(Fraction(0)) | times,
    forward=times,
    half=times,
    mode=st.sampled_from(["sender", "rendezvous"]),
)
def test_messages_take_the_time_that_relaxation_finds(
    name: str,
    p: int,
    m: int,
    latency: Fraction,
    forward: Fraction,
    half: Fraction,
    mode: Literal["sender", "rendezvous"],
) -> None:
    assume(name != "chimera" or (p % 2 == 0 and m <= p))
    what = plan(name, p, m)
    durations = {
        TaskKind.FORWARD: forward,
        TaskKind.BACKWARD: 2 * half,
        TaskKind.INPUT_GRAD: half,
        TaskKind.WEIGHT_GRAD: half,
    }
    try:
        found = pipeline(name, p, m, forward=forward, backward=2 * half, latency=latency, p2p=mode).makespan
    except Deadlock:
        assert relaxed(what, durations, latency or Fraction(1), mode) is None
        return
    assert found == relaxed(what, durations, latency, mode)
    assert found >= pipeline(name, p, m, forward=forward, backward=2 * half, latency=latency).makespan


@pytest.mark.parametrize("name", ["interleaved-1f1b", "zb-h2", "zb-v", "dualpipe", "dualpipev"])
def test_what_would_hang_is_refused(name: str) -> None:
    with pytest.raises(SpecError, match=rf"p2p: {name} hangs: deadlock: .* \(p2p: sender, or async\)"):
        loads(f"recipe: pipeline\nschedule: {name}\np2p: rendezvous\n")


def test_arrows_go_from_what_makes_a_result_to_what_uses_it() -> None:
    """A message is no span; neither is it in the way of the critical path."""
    drawn = [
        {(each.source, each.target) for each in content.dependencies}
        for mode in ("async", "sender", "rendezvous")
        for content in recipes.pipeline(latency=1, p2p=mode, arrows="messages", microbatches=3).panels[0].content
    ]
    assert drawn[0] == drawn[1] == drawn[2]
    (content,) = recipes.pipeline(latency=1, p2p="sender", arrows="critical", critical=True).panels[0].content
    assert len(content.dependencies) >= 6
