"""Serving of a language model: static, continuous and chunked batches, or prefill and decode machines."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from tikzgen.base.plain_words import count_of, join_words
from tikzgen.base.record import replace
from tikzgen.model.exact_fields import Cost, Duration, Time
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import Phase
from tikzgen.model.part import Part, fail
from tikzgen.model.timeline import Bubble, Event
from tikzgen.recipe.schedule_display import Displayed, ScheduleLabels, look_of
from tikzgen.recipe.schedule_lanes import LanesOfSchedule, Naming, lanes_of_schedule
from tikzgen.recipe.shared_facts import as_list, iterate_distinct
from tikzgen.recipe.simulated_recipe import PanelSchedule, Told
from tikzgen.schedule import (
    COMPUTE,
    Demand,
    Policy,
    Rates,
    ScheduledOperation,
    ScheduleLane,
    Served,
    schedule_at,
    serve,
)
from tikzgen.text import Numbered, Text

_PREFILL = "prefill"
_DECODE = "decode"
_PREFILL_AND_DECODE = "prefill-decode"


class Request(Part):
    """Request: arrival time, prompt length, and number of output tokens."""

    arrival: Time = Fraction(0)
    """Arrival time."""
    prompt: int = Field(ge=1, le=1_000_000)
    """Number of tokens in the prompt."""
    output: int = Field(ge=1, le=100_000)
    """Number of generated tokens."""


def _make_requests() -> list[Request]:
    facts = ((0, 8, 6), (1, 4, 3), (2, 12, 4), (3, 4, 5))
    return [Request(arrival=Fraction(arrival), prompt=prompt, output=output) for arrival, prompt, output in facts]


class ServingLabels(ScheduleLabels):
    """Labels of served requests."""

    device: Numbered = "GPU {n}"
    """Label of the lane of each machine, if `rows` is `machines`."""
    request: Numbered = "request {n}"
    """Label of the lane of each request."""
    prefill: Text = "prefill"
    """Legend entry for the prefill of prompts."""
    decode: Text = "decode"
    """Legend entry for decoding of tokens."""
    both: Text = "prefill and decode"
    """Legend entry for iterations with both."""
    transfer: Text = "cache transfer"
    """Legend entry for transfers of the cache from the prefill machine to the decode machine."""
    waiting: Text = "idle"
    """Legend entry for waiting requests."""
    arrival: Text = "arrival"
    """Label of the marker at the first request's arrival, if `signs` is true."""
    first_token: Text = "first token"
    """Label of the marker at its first token."""
    preempted: Text = "preempted"
    """Label of the wait of a request that lost its place."""
    names: dict[Policy, Text] = Field(
        default={
            "static": "static batches",
            "continuous": "continuous batches",
            "chunked": "chunked prefill",
            "disaggregated": "prefill and decode apart",
        }
    )
    """Captions, if there are several panels."""


Policies = Annotated[list[Policy], BeforeValidator(as_list, json_schema_input_type=Policy | list[Policy])]


class Serving(Displayed):
    """Requests served by a language model, iteration by iteration, with the prompt tokens in each cell."""

    field_group = "schedule"
    field_groups = ("durations: step prefill decode transfer", "display: rows signs")
    common = ("policy: [static, continuous]", "requests", "batch: 3", "step", "prefill", "rows")

    recipe: Literal["serving"] = "serving"
    """Name of the recipe."""
    id: Slug = "serving"
    requests: list[Request] = Field(default_factory=_make_requests, min_length=1, max_length=512)
    """The requests, which are served in the order of their arrival."""
    policy: Policies = Field(default=["static", "continuous", "chunked"], min_length=1, max_length=4)
    """Batching policy. `static`: a batch ends when its last request is done. `continuous`: requests join before every
    iteration, as in Orca. `chunked`: prompts are split, as in Sarathi-Serve. `disaggregated`: two machines, as in
    DistServe. A list gives one panel per policy."""
    batch: int = Field(default=3, ge=1, le=4096)
    """Maximum number of requests in one iteration."""
    budget: int = Field(default=6, ge=1, le=1_000_000)
    """Maximum number of tokens in one iteration with chunked prefills; decodes have priority."""
    cache: int | None = Field(default=None, ge=1, le=10**9)
    """Maximum number of tokens in the cache. If it is full, the latest request loses its place and is prefilled again.
    Null is unlimited."""
    step: Duration = Fraction(1)
    """Minimum duration of an iteration, in time units."""
    prefill: Cost = Fraction(1, 4)
    """Additional duration per prompt token, in time units."""
    decode: Cost = Fraction(0)
    """Additional duration per decoded request, in time units."""
    transfer: Cost = Fraction(1, 8)
    """Latency of the cache transfer per prompt token to the decode machine, in time units."""
    rows: Literal["requests", "machines"] = "requests"
    """Meaning of a lane: a request, or a machine with the number of requests in its iterations."""
    signs: bool = False
    """Whether markers show each request's arrival and first token; the time between them is its TTFT."""
    labels: ServingLabels = Field(default_factory=ServingLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        policies = join_words(self.labels.names.get(policy, policy) for policy in self.policy)
        return f"{count_of(len(self.requests), 'request')} served by a language model: {policies}"

    def _plan(self) -> Iterator[PanelSchedule]:
        demands = [Demand(each.arrival, each.prompt, each.output) for each in self.requests]
        rates = Rates(self.step, self.prefill, self.decode, self.transfer)
        for policy in iterate_distinct(self.policy, "policy"):
            run = serve(demands, policy, rates, batch=self.batch, budget=self.budget, cache=self.cache)
            yield PanelSchedule(policy, schedule_at(_on_machines(run)), run=run)

    @model_validator(mode="after")
    def _own_marks(self) -> Self:
        for field, none in (("critical", False), ("arrows", "none")):
            if getattr(self, field) != none:
                fail("requests wait for places, not for each other's results", field, hint="leave it out")
        return self

    def draw(self, plan: PanelSchedule) -> LanesOfSchedule:
        """Return the lanes of requests, or of machines."""
        if self.rows == "machines":
            return super().draw(plan)
        schedule = schedule_at(_by_request(plan.run))
        numbers = {i: each.number if each.kind == _PREFILL else None for i, each in enumerate(schedule.operations)}
        return lanes_of_schedule(schedule, self._naming_requests(), numbers=numbers)

    def number_cells(self, plan: PanelSchedule) -> Mapping[int, int | None]:
        """Return the number of requests in each iteration of a machine."""
        return {i: each.number for i, each in enumerate(plan.schedule.operations)}

    def _naming_requests(self) -> Naming:
        return replace(self.lane_names(), stem="r", device=self.labels.request)

    def make_marks(self, plan: PanelSchedule) -> dict[str, Any]:
        """Return the waiting times of requests from their arrival, and their preemptions."""
        if self.rows == "machines":
            return {}
        run, naming = plan.run, self._naming_requests()
        bubbles = []
        for number, request in enumerate(self.requests):
            lane = naming.make_id(ScheduleLane(number))
            now = request.arrival
            for start, end in _list_service_periods(run, number):
                if start > now:
                    label = self.labels.preempted if now in run.preempted[number] else ""
                    bubbles.append(Bubble(lane=lane, start=now, end=start, label=label))
                now = max(now, end)
            if run.left[number] > now:
                bubbles.append(Bubble(lane=lane, start=now, end=run.left[number]))
        return {
            "bubbles": bubbles if self.bubbles else [],
            "events": list(self._arrival_events(run)) if self.signs else [],
        }

    def _arrival_events(self, run: Served) -> Iterator[Event]:
        """Yield the arrivals of requests and their first tokens; the first event of each kind is labeled."""
        naming = self._naming_requests()
        for number, request in enumerate(self.requests):
            lane, texts = naming.make_id(ScheduleLane(number)), self.labels
            said = (texts.arrival, texts.first_token) if not number else ("", "")
            yield Event(lane=lane, time=request.arrival, label=said[0], mark="triangle")
            yield Event(lane=lane, time=run.tokens[number][0], label=said[1], mark="dot")

    def list_captions(self) -> list[str]:
        """Return the labels of the policies."""
        return [self.labels.names.get(policy, policy) for policy in self.policy]

    def make_looks(self) -> dict[str, Phase]:
        """Return the styles of prefills and decodes."""
        texts = self.labels
        return {
            _PREFILL: look_of("backward", texts.prefill),
            _DECODE: look_of("forward", texts.decode),
            _PREFILL_AND_DECODE: look_of("input-grad", texts.both),
            "transfer": look_of("communication", texts.transfer),
            "idle": look_of("idle", texts.waiting),
        }

    def extra_measures(self, plan: PanelSchedule) -> Told:
        """Return for each request its queueing time, time to first token, time between tokens and end.

        If caches are transferred, also return the duration of the transfer, which does not overlap with other work of
        the request.
        """
        run: Served = plan.run
        moved = {"transferring": tuple(end - start for start, end in (each or (0, 0) for each in run.transfers))}
        first = [_list_service_periods(run, number)[0][0] for number in range(len(self.requests))]
        return {
            "queueing": tuple(start - each.arrival for start, each in zip(first, self.requests, strict=True)),
            "ttft": tuple(tokens[0] - each.arrival for tokens, each in zip(run.tokens, self.requests, strict=True)),
            "tpot": tuple(
                (tokens[-1] - tokens[0]) / (len(tokens) - 1) if len(tokens) > 1 else Fraction(0)
                for tokens in run.tokens
            ),
            "latency": tuple(left - each.arrival for left, each in zip(run.left, self.requests, strict=True)),
            "preemptions": tuple(map(len, run.preempted)),
            **(moved if any(run.transfers) else {}),
        }


def _on_machines(run: Served) -> Iterator[tuple[Fraction, ScheduledOperation]]:
    """Yield an operation per iteration; its number is the number of its requests."""
    for each in run.iterations:
        kinds = {_PREFILL if work.tokens else _DECODE for work in each.works}
        kind = _PREFILL_AND_DECODE if len(kinds) > 1 else kinds.pop()
        lanes = (ScheduleLane(each.machine, COMPUTE),)
        count = len(each.works)
        yield each.start, ScheduledOperation(f"{kind} of {count}", kind, lanes, each.end - each.start, number=count)


def _by_request(run: Served) -> Iterator[tuple[Fraction, ScheduledOperation]]:
    """Yield an operation per request and iteration, and per transfer; a prefill's number is its tokens."""
    for each in run.iterations:
        for work in each.works:
            kind = _PREFILL if work.tokens else _DECODE
            lanes = (ScheduleLane(work.request),)
            yield (
                each.start,
                ScheduledOperation(f"{kind} of {work.request}", kind, lanes, each.end - each.start, number=work.tokens),
            )
    for number, transfer in enumerate(run.transfers):
        if transfer and transfer[1] > transfer[0]:
            name = f"transfer of {number}"
            yield transfer[0], ScheduledOperation(name, "transfer", (ScheduleLane(number),), transfer[1] - transfer[0])


def _list_service_periods(run: Served, number: int) -> list[tuple[Fraction, Fraction]]:
    """Return the periods in which a request is served or transferred, in chronological order."""
    found = [(each.start, each.end) for each in run.iterations if any(work.request == number for work in each.works)]
    transfer = run.transfers[number]
    return sorted([*found, transfer] if transfer else found)
