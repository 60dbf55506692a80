"""What a system is made of, in a few words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tikzgen.describe.english import counted

if TYPE_CHECKING:
    from tikzgen.recipe.cluster import Cluster
    from tikzgen.recipe.federated import Federated
    from tikzgen.recipe.mapreduce import Mapreduce
    from tikzgen.recipe.moe import Moe
    from tikzgen.recipe.parallel3d import Parallel3d
    from tikzgen.recipe.rlhf import Rlhf
    from tikzgen.recipe.serving_system import ServingSystem


def _cluster(recipe: Cluster) -> str:
    above = f" under {counted(recipe.spines, 'spine')}" if recipe.spines else ""
    machines = f"{counted(recipe.nodes, 'machine')} with {counted(recipe.gpus, 'GPU')} each"
    return f"A cluster of {machines}, joined by {counted(recipe.rails, 'rail')}{above}"


def _parallel3d(recipe: Parallel3d) -> str:
    ranks = counted(recipe.tensor * recipe.pipeline * recipe.data, "GPU")
    ways = f"{recipe.tensor} tensor-parallel, {recipe.pipeline} pipeline-parallel, {recipe.data} data-parallel"
    return f"3D parallelism over {ranks}: {ways}"


def _rlhf(recipe: Rlhf) -> str:
    who = f"{counted(recipe.rollouts, 'rollout worker')}, {counted(recipe.trainers, 'trainer')}"
    return f"Reinforcement learning from feedback: {who}, a buffer and a reward model"


def _serving_system(recipe: ServingSystem) -> str:
    if not recipe.decode:
        return f"A serving system of {counted(recipe.prefill, 'worker')} behind a router"
    return f"A serving system of {recipe.prefill} prefill and {counted(recipe.decode, 'decode worker')} behind a router"


def _federated(recipe: Federated) -> str:
    return f"Federated learning of {counted(recipe.clients, 'client')} and a server that averages"


def _mapreduce(recipe: Mapreduce) -> str:
    return f"A MapReduce job of {counted(recipe.maps, 'map task')} and {counted(recipe.reduces, 'reduce task')}"


def _moe(recipe: Moe) -> str:
    return f"A mixture of {counted(recipe.experts, 'expert')}, of which each token goes to {recipe.chosen}"


SYSTEM_GISTS: Mapping[str, Callable[[Any], str]] = {
    "cluster": _cluster,
    "3d-parallel": _parallel3d,
    "rlhf": _rlhf,
    "serving-system": _serving_system,
    "federated": _federated,
    "mapreduce": _mapreduce,
    "moe": _moe,
}
