"""What a recipe's facts add to the measures of its schedules: traffic, clocks, weight versions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tikzgen.measures.known_measures import Value

if TYPE_CHECKING:
    from tikzgen.model.figure import Options
    from tikzgen.recipe.scheduled import Planned

__all__ = ["of_plan", "of_recipe"]


def of_plan(recipe: Options, plan: Planned) -> dict[str, Value]:
    """The measures of one of a recipe's schedules that its times alone do not tell."""
    from tikzgen.recipe.pipeline import Pipeline
    from tikzgen.recipe.ring_all_reduce import RingAllReduce
    from tikzgen.recipe.stale_synchronous import StaleSynchronous

    if isinstance(recipe, Pipeline) and recipe.operations is None and plan.panel == "s1f1b":
        return _without_flush(recipe.devices)
    if isinstance(recipe, RingAllReduce):
        from tikzgen.schedule import ring_bytes

        return {"sent": ring_bytes(recipe.ranks, 1)}
    if isinstance(recipe, StaleSynchronous):
        return {**server_load(recipe.workers, 0), **_clocks(recipe.workers, plan, recipe.until)}
    return {}


def _without_flush(stages: int) -> dict[str, Value]:
    """What PipeDream keeps and delays, which runs this order without ever waiting for the last backward."""
    from tikzgen.schedule import gradient_delay, weight_versions

    return {
        "pipedream_weight_versions": tuple(weight_versions(stages, stage) for stage in range(stages)),
        "pipedream_gradient_delay": tuple(gradient_delay(stages, stage) for stage in range(stages)),
    }


def _clocks(workers: int, plan: Planned, until: Fraction | None) -> dict[str, Value]:
    """How far each worker came, how long it was blocked on the way, and how old the weights of each update were."""
    from tikzgen.schedule import blocked

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
    from tikzgen.recipe.parameter_server import ParameterServer

    return server_load(recipe.workers.count, len(recipe.shards)) if isinstance(recipe, ParameterServer) else {}


def server_load(workers: int, shards: int) -> dict[str, Value]:
    """What goes each way in one round, in sizes of the gradient; a server may hold its parameters in shards."""
    from tikzgen.schedule import server_traffic

    worker, server = server_traffic(workers, 1)
    load: dict[str, Value] = {"worker_traffic": worker, "server_traffic": server}
    if shards:
        load["shard_traffic"] = server_traffic(workers, 1, shards).server
    return load
