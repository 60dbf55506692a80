"""What each recipe's figure shows, in a few words, from the recipe's facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tikzgen.describe.english import counted, joined, listed
from tikzgen.recipe.shared_facts import TITLES

if TYPE_CHECKING:
    from tikzgen.model.figure import Recipe
    from tikzgen.recipe.data_parallel import DataParallel
    from tikzgen.recipe.ddp import Ddp
    from tikzgen.recipe.fsdp import Fsdp
    from tikzgen.recipe.gradient_accumulation import GradientAccumulation
    from tikzgen.recipe.local_sgd import LocalSgd
    from tikzgen.recipe.parameter_server import ParameterServer
    from tikzgen.recipe.pipeline import Pipeline
    from tikzgen.recipe.ring_all_reduce import RingAllReduce
    from tikzgen.recipe.shared_facts import Crowd
    from tikzgen.recipe.stale_synchronous import StaleSynchronous

__all__ = ["gist"]


def gist(recipe: Recipe | None) -> str:
    """The subject of a recipe's figure, without a full stop; empty for a figure that was said part by part."""
    name = getattr(recipe, "recipe", "")
    return _GISTS[name](recipe) if name in _GISTS else ""


def _workers(workers: Crowd) -> str:
    drawn = f" ({len(workers.drawn)} drawn)" if workers.hidden else ""
    return counted(workers.count, "worker") + drawn


def _data_parallel(recipe: DataParallel) -> str:
    return f"Data-parallel training: {_workers(recipe.workers)} and a parameter server"


def _parameter_server(recipe: ParameterServer) -> str:
    modes = joined(recipe.modes).capitalize()
    return f"{modes} updates of a parameter server by {_workers(recipe.workers)}: who talks to whom, and when"


def _gradient_accumulation(recipe: GradientAccumulation) -> str:
    devices = counted(recipe.devices or len(recipe.steps[0]), "device")
    after = ["every micro-step" if many == 1 else f"every {many} accumulated micro-steps" for many in recipe.accumulate]
    return f"Gradient accumulation on {devices}, with an update after {listed(after)}"


def _pipeline(recipe: Pipeline) -> str:
    what = [TITLES[name] for name in recipe.schedule or ["1f1b"]]
    if recipe.operations is not None:
        order = f" in the order of {what[0]}" if recipe.schedule else ""
        return f"Pipeline schedule of {counted(len(recipe.operations), 'device')} with given operations{order}"
    head = f"Pipeline schedule{'s' if len(what) > 1 else ''} {listed(what, 10)}"
    work = f"{counted(recipe.devices, 'device')} and {counted(recipe.microbatches, 'microbatch')}"
    return f"{head} with {work}"


def _ddp(recipe: Ddp) -> str:
    overlap = joined("during" if each else "after" for each in recipe.overlap)
    buckets = counted(len(recipe.buckets), "gradient bucket")
    step = f"a data-parallel step (DDP) of {counted(recipe.workers, 'worker')}"
    return f"{step[0].upper()}{step[1:]}: {buckets} reduced {overlap} the backward"


def _fsdp(recipe: Fsdp) -> str:
    ahead = joined(map(str, recipe.prefetch))
    sharded = f"Sharded data parallelism (FSDP) with {counted(recipe.layers, 'layer')}"
    return f"{sharded} on {counted(recipe.workers, 'worker')}, all-gathers prefetched {ahead} layers ahead"


def _ring(recipe: RingAllReduce) -> str:
    return f"Ring all-reduce over {counted(recipe.ranks, 'rank')} in {counted(2 * (recipe.ranks - 1), 'step')}"


def _local_sgd(recipe: LocalSgd) -> str:
    between = joined("every step" if steps == 1 else f"every {steps} steps" for steps in recipe.local_steps)
    return f"Local SGD of {counted(recipe.workers, 'worker')}: {counted(recipe.steps, 'step')}, averages {between}"


def _stale(recipe: StaleSynchronous) -> str:
    kinds = [
        "asynchronous" if each is None else f"at most {each} ahead" if each else "synchronous" for each in recipe.bound
    ]
    return f"{counted(recipe.workers, 'worker')} at a parameter server: {joined(kinds)}"


_GISTS: Mapping[str, Callable[[Any], str]] = {
    "data-parallel": _data_parallel,
    "parameter-server": _parameter_server,
    "gradient-accumulation": _gradient_accumulation,
    "pipeline": _pipeline,
    "ddp": _ddp,
    "fsdp": _fsdp,
    "ring-all-reduce": _ring,
    "local-sgd": _local_sgd,
    "stale-synchronous": _stale,
}
