"""The measures of a schedule whose times were computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from tikzgen.measures.known_measures import PanelMeasures, Value
from tikzgen.model.figure import Options
from tikzgen.recipe.parameter_server import ParameterServer
from tikzgen.recipe.pipeline import Pipeline
from tikzgen.recipe.ring_all_reduce import RingAllReduce
from tikzgen.recipe.scheduled import Planned
from tikzgen.recipe.stale_synchronous import StaleSynchronous
from tikzgen.schedule import (
    COMMUNICATION,
    COMPUTE,
    Lane,
    Schedule,
    blocked,
    exposed_communication,
    gradient_delay,
    measure,
    ring_bytes,
    server_traffic,
    weight_versions,
)

__all__ = ["measured", "of_plan", "of_recipe"]


def measured(
    panel: str,
    schedule: Schedule,
    more: Mapping[str, Value] = MappingProxyType({}),
    name: Callable[[Lane], str] = lambda lane: f"device {lane.device}",
) -> PanelMeasures:
    """Everything that can be said of `schedule`, and what `more` is known of it; `name` is what a device is called.

    Devices that only communicate count where none computes.
    """
    metrics = measure(schedule)
    lanes = schedule.program.lanes()
    computing = dict.fromkeys(lane.device for lane in lanes if lane.stream == COMPUTE)
    linked = dict.fromkeys(lane.device for lane in lanes if lane.stream == COMMUNICATION)
    devices = tuple(computing or linked)
    values: dict[str, Value] = {
        "devices": len(devices),
        "makespan": metrics.makespan,
        "busy": metrics.busy,
        "bubble_over_total": metrics.bubble_over_total,
        "bubble_over_ideal": metrics.bubble_over_ideal,
        "idle": metrics.idle,
        "span_idle": metrics.span_idle,
        "worst_span_idle": metrics.worst_span_idle,
        "peak_in_flight": metrics.peak_in_flight,
        "blocked": blocked(schedule),
    }
    if linked:
        values["exposed_communication"] = exposed_communication(schedule)
    if linked and not computing:
        counts = Counter(lane for operation in schedule.program.operations for lane in operation.lanes)
        values["steps"] = max(counts.values())
    averages = sum(operation.kind == "average" for operation in schedule.program.operations)
    if averages:
        values["rounds"] = averages
    return PanelMeasures.of(panel, tuple(name(Lane(device)) for device in devices), {**values, **more})


def of_plan(recipe: Options, plan: Planned) -> dict[str, Value]:
    """The measures of one of a recipe's schedules that its times alone do not tell."""
    if isinstance(recipe, Pipeline) and recipe.operations is None and plan.panel == "s1f1b":
        return _without_flush(recipe.devices)
    if isinstance(recipe, RingAllReduce):
        return {"sent": ring_bytes(recipe.ranks, 1)}
    if isinstance(recipe, StaleSynchronous):
        return {**server_load(recipe.workers, 0), **_clocks(recipe.workers, plan, recipe.until)}
    return {}


def _without_flush(stages: int) -> dict[str, Value]:
    """What PipeDream keeps and delays, which runs this order without ever waiting for the last backward."""
    return {
        "pipedream_weight_versions": tuple(weight_versions(stages, stage) for stage in range(stages)),
        "pipedream_gradient_delay": tuple(gradient_delay(stages, stage) for stage in range(stages)),
    }


def _clocks(workers: int, plan: Planned, until: Fraction | None) -> dict[str, Value]:
    """How far each worker came, how long it was blocked on the way, and how old the weights of each update were."""
    schedule = plan.schedule
    done = [0] * workers
    for update in plan.updates:
        if until is None or schedule.end(update.index) <= until:
            for worker in range(workers) if update.worker is None else (update.worker,):
                done[worker] += 1
    staleness = tuple(update.staleness for update in plan.updates)
    return {
        "clocks": tuple(done),
        "blocked": blocked(schedule, until),
        "staleness": staleness,
        "worst_staleness": max(staleness, default=0),
    }


def of_recipe(recipe: Options) -> dict[str, Value]:
    """The measures of a recipe that draws its timelines itself."""
    return server_load(recipe.workers.count, len(recipe.shards)) if isinstance(recipe, ParameterServer) else {}


def server_load(workers: int, shards: int) -> dict[str, Value]:
    """What goes each way in one round, in sizes of the gradient; a server may hold its parameters in shards."""
    worker, server = server_traffic(workers, 1)
    load: dict[str, Value] = {"worker_traffic": worker, "server_traffic": server}
    if shards:
        load["shard_traffic"] = server_traffic(workers, 1, shards).server
    return load
