"""What a recipe's facts add to the measures of its schedules: traffic, clocks, weight versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.measures.catalogue import Value

if TYPE_CHECKING:
    from tikzgen.model.figure import Options
    from tikzgen.recipes.scheduled import Planned

__all__ = ["of_plan", "of_recipe"]


def of_plan(recipe: Options, plan: Planned) -> dict[str, Value]:
    """The measures of one of a recipe's schedules that its times alone do not tell."""
    from tikzgen.recipes.pipeline import Pipeline
    from tikzgen.schedule import gradient_delay, weight_versions

    values: dict[str, Value] = {}
    if isinstance(recipe, Pipeline) and recipe.operations is None and plan.panel == "s1f1b":
        stages = range(recipe.devices)
        values["pipedream_weight_versions"] = tuple(weight_versions(recipe.devices, stage) for stage in stages)
        values["pipedream_gradient_delay"] = tuple(gradient_delay(recipe.devices, stage) for stage in stages)
    return values


def of_recipe(recipe: Options) -> dict[str, Value]:
    """The measures of a recipe that draws its timelines itself."""
    from tikzgen.recipes.parameterserver import ParameterServer

    return server_load(recipe.workers.count, len(recipe.shards)) if isinstance(recipe, ParameterServer) else {}


def server_load(workers: int, shards: int) -> dict[str, Value]:
    """What goes each way in one round, in sizes of the gradient; a server may hold its parameters in shards."""
    from tikzgen.schedule import server_traffic

    worker, server = server_traffic(workers, 1)
    load: dict[str, Value] = {"worker_traffic": worker, "server_traffic": server}
    if shards:
        load["shard_traffic"] = server_traffic(workers, 1, shards).server
    return load
