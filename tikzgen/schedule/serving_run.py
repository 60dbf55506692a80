"""Serving of a language model, iteration by iteration: prefills, decodes and waiting of requests.

- static: a batch starts when the previous one has left; it leaves when its longest output is complete.
- continuous: before every iteration, waiting requests take free slots. Prompts are prefilled in one iteration,
  together
  with decodes of other requests (Orca, OSDI 2022, iteration-level scheduling).
- chunked: an iteration has a budget of tokens: decodes first, then the rest of a started prompt, then new prompts
  (Sarathi-Serve, OSDI 2024, arXiv 2403.02310: stall-free batches).
- disaggregated: one machine prefills, one prompt at a time. The cache is then sent to another machine, which decodes
  (DistServe, OSDI 2024, arXiv 2401.09670, which also batches short prompts).

A prompt's last prefill produces the first token, every decode one more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

from tikzgen.base.record import Record
from tikzgen.schedule.exact_numbers import ScheduleError, check_operation_count

Policy: TypeAlias = Literal["static", "continuous", "chunked", "disaggregated"]


class Demand(Record):
    """Request: arrival time, number of prompt tokens and of output tokens."""

    arrival: Fraction
    prompt: int
    output: int


class Rates(Record):
    """Durations: an iteration takes `step`, plus `prefill` per prefilled token and `decode` per decoded request.

    `transfer` is the time to send the cache of one prompt token to the machine that decodes.
    """

    step: Fraction
    prefill: Fraction
    decode: Fraction
    transfer: Fraction


class Work(Record):
    """Work of one iteration for one request: prefill of `tokens` prompt tokens, or one decode if 0."""

    request: int
    tokens: int


class Iteration(Record):
    """Batch on a machine: 0, or 1 for the decoding machine in disaggregated serving."""

    machine: int
    start: Fraction
    end: Fraction
    works: tuple[Work, ...]


class Served(Record):
    """Result: all iterations by start and, per request, cache transfer, token times and end.

    `preempted` has the times of preemptions, per request.
    """

    iterations: tuple[Iteration, ...]
    transfers: tuple[tuple[Fraction, Fraction] | None, ...]
    tokens: tuple[tuple[Fraction, ...], ...]
    left: tuple[Fraction, ...]
    preempted: tuple[tuple[Fraction, ...], ...]


@dataclass
class _State:
    """State of one request; `due` tokens must be prefilled before its next token.

    They are its prompt, and after a preemption also its output so far.
    """

    due: int
    held: int = 0  # tokens in the cache
    tokens: list[Fraction] = field(default_factory=list)
    transfer: tuple[Fraction, Fraction] | None = None
    preempted: list[Fraction] = field(default_factory=list)
    left: Fraction = Fraction(0)


def serve(
    demands: Sequence[Demand],
    policy: Policy,
    rates: Rates,
    *,
    batch: int,
    budget: int = 1,
    cache: int | None = None,
) -> Served:
    """Serve all requests in order of arrival: at most `batch` at a time, with `cache` tokens at most.

    If the cache is full, the latest request is preempted and loses its cache. It is prefilled again later, including
    its output tokens (vLLM's preemption by recomputation, arXiv 2309.06180). Raise `ScheduleError` for a request that
    does not fit into the cache alone.
    """
    check_operation_count(sum(demand.prompt + demand.output for demand in demands))
    for number, demand in enumerate(demands):
        if cache is not None and demand.prompt + demand.output - 1 > cache:
            most = demand.prompt + demand.output - 1
            raise ScheduleError(
                f"requests[{number}]: {most} tokens do not fit into a cache of {cache}", hint=f"cache: {most}"
            )
    states = [_State(demand.prompt) for demand in demands]
    order = sorted(range(len(demands)), key=lambda number: (demands[number].arrival, number))
    arrivals = deque((demands[number].arrival, number) for number in order)
    server = _Server(demands, states, rates, batch, budget, cache)
    if policy == "disaggregated":
        arrivals = server.run_prefills(arrivals)
        server.run_machine(arrivals, "continuous", machine=1)
    else:
        server.run_machine(arrivals, policy, machine=0)
    return Served(
        tuple(sorted(server.iterations, key=lambda each: (each.start, each.machine))),
        tuple(state.transfer for state in states),
        tuple(tuple(state.tokens) for state in states),
        tuple(state.left for state in states),
        tuple(tuple(state.preempted) for state in states),
    )


@dataclass
class _Server:
    demands: Sequence[Demand]
    states: list[_State]
    rates: Rates
    batch: int
    budget: int
    cache: int | None
    iterations: list[Iteration] = field(default_factory=list)

    def run_prefills(self, arrivals: deque[tuple[Fraction, int]]) -> deque[tuple[Fraction, int]]:
        """Prefill each prompt alone, in order; return the arrivals at the decoder, for more than one token."""
        now = Fraction(0)
        there = []
        for arrival, number in arrivals:
            state, demand = self.states[number], self.demands[number]
            begin = max(now, arrival)
            now = begin + self.rates.step + demand.prompt * self.rates.prefill
            self.iterations.append(Iteration(0, begin, now, (Work(number, demand.prompt),)))
            state.tokens.append(now)
            state.due = 0
            state.held = demand.prompt
            state.left = now
            if demand.output > 1:
                state.transfer = (now, now + demand.prompt * self.rates.transfer)
                there.append((state.transfer[1], number))
        return deque(sorted(there))

    def run_machine(self, arrivals: deque[tuple[Fraction, int]], policy: Policy, machine: int) -> None:
        """Run iterations on one machine until all requests have left."""
        now = Fraction(0)
        waiting: deque[int] = deque()
        running: list[int] = []
        while arrivals or waiting or running:
            if not running and not waiting:
                now = max(now, arrivals[0][0])
            while arrivals and arrivals[0][0] <= now:
                waiting.append(arrivals.popleft()[1])
            if policy != "static" or not running:
                self._admit_requests(waiting, running)
            works = self._fit_to_cache(policy, waiting, running, now)
            prefilled = sum(work.tokens for work in works)
            decoded = sum(not work.tokens for work in works)
            end = now + self.rates.step + prefilled * self.rates.prefill + decoded * self.rates.decode
            self.iterations.append(Iteration(machine, now, end, tuple(works)))
            now = end
            self._finish_iteration(works, running, policy, now)

    def _admit_requests(self, waiting: deque[int], running: list[int]) -> None:
        """Admit waiting requests in order while slots are free and their prompts fit into the cache."""
        while waiting and len(running) < self.batch:
            state = self.states[waiting[0]]
            taken = sum(max(self.states[each].held, self.states[each].due) for each in running)
            if self.cache is not None and running and taken + max(state.due, state.held) > self.cache:
                return
            running.append(waiting.popleft())

    def _list_work(self, policy: Policy, running: list[int]) -> list[Work]:
        """Return the work of the next iteration, decodes first."""
        works = [Work(each, 0) for each in running if not self.states[each].due and not self._is_finished(each)]
        left = self.budget - len(works) if policy == "chunked" else None
        for each in running:
            due = self.states[each].due
            tokens = due if left is None else min(due, left)
            if tokens > 0:
                works.append(Work(each, tokens))
                left = None if left is None else left - tokens
        return works

    def _fit_to_cache(self, policy: Policy, waiting: deque[int], running: list[int], now: Fraction) -> list[Work]:
        """Preempt the latest requests until the added tokens fit into the cache; return the work."""
        while True:
            works = self._list_work(policy, running)
            added = sum(work.tokens or 1 for work in works)
            held = sum(self.states[each].held for each in running)
            if self.cache is None or len(running) == 1 or held + added <= self.cache:
                return works
            victim = running.pop()
            state = self.states[victim]
            state.due, state.held = self.demands[victim].prompt + len(state.tokens), 0
            state.preempted.append(now)
            waiting.appendleft(victim)

    def _finish_iteration(self, works: Sequence[Work], running: list[int], policy: Policy, now: Fraction) -> None:
        """Record the tokens. Finished requests leave, in a static batch only together."""
        for work in works:
            state = self.states[work.request]
            state.held += work.tokens or 1
            state.due = max(0, state.due - work.tokens)
            if not state.due:
                state.tokens.append(now)
        gone = [each for each in running if self._is_finished(each)]
        if policy == "static" and len(gone) < len(running):
            return
        for each in gone:
            running.remove(each)
            self.states[each].left = now

    def _is_finished(self, number: int) -> bool:
        return len(self.states[number].tokens) >= self.demands[number].output
