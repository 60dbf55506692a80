"""Recipes by the names after `recipe:` in a spec: the table `RECIPES`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tikzgen.base.extensions import Table

if TYPE_CHECKING:
    from tikzgen.model.figure import Recipe


def _problem_of(name: str, model: Any) -> str:
    """Return the problem with the fields of a recipe; `tikzgen edit` changes figures through `overrides`."""
    fields = getattr(model, "model_fields", {})
    for field in ("recipe", "id", "overrides"):
        if field not in fields:
            return f"lacks the field {field}"
    default = fields["recipe"].default
    return "" if default == name else f"has the field recipe={default!r}, not {name!r}"


RECIPES: Table[type[Recipe]] = Table(
    "recipes",
    {
        "data-parallel": "tikzgen.recipe.systems.data_parallel:DataParallel",
        "gradient-accumulation": "tikzgen.recipe.training.gradient_accumulation:GradientAccumulation",
        "parameter-server": "tikzgen.recipe.training.parameter_server:ParameterServer",
        "pipeline": "tikzgen.recipe.training.pipeline:Pipeline",
        "ddp": "tikzgen.recipe.training.ddp:Ddp",
        "fsdp": "tikzgen.recipe.training.fsdp:Fsdp",
        "ring-all-reduce": "tikzgen.recipe.training.ring_all_reduce:RingAllReduce",
        "local-sgd": "tikzgen.recipe.training.local_sgd:LocalSgd",
        "stale-synchronous": "tikzgen.recipe.training.stale_synchronous:StaleSynchronous",
        "serving": "tikzgen.recipe.inference.serving:Serving",
        "rollouts": "tikzgen.recipe.inference.rollouts:Rollouts",
        "recovery": "tikzgen.recipe.training.recovery:Recovery",
        "two-phase-commit": "tikzgen.recipe.protocols.two_phase_commit:TwoPhaseCommit",
        "paxos": "tikzgen.recipe.protocols.paxos:Paxos",
        "raft-election": "tikzgen.recipe.protocols.raft:RaftElection",
        "raft-replication": "tikzgen.recipe.protocols.raft:RaftReplication",
        "all-reduce": "tikzgen.recipe.protocols.all_reduce:AllReduce",
        "cluster": "tikzgen.recipe.systems.cluster:Cluster",
        "3d-parallel": "tikzgen.recipe.systems.parallel3d:Parallel3d",
        "rlhf": "tikzgen.recipe.inference.rlhf:Rlhf",
        "serving-system": "tikzgen.recipe.inference.serving_system:ServingSystem",
        "federated": "tikzgen.recipe.systems.federated:Federated",
        "mapreduce": "tikzgen.recipe.systems.mapreduce:Mapreduce",
        "moe": "tikzgen.recipe.systems.moe:Moe",
        "sharding": "tikzgen.recipe.arrays.sharding:Sharding",
        "ring-steps": "tikzgen.recipe.arrays.ring_steps:RingSteps",
        "attention-mask": "tikzgen.recipe.arrays.attention_mask:AttentionMaskRecipe",
        "block-table": "tikzgen.recipe.arrays.block_table:BlockTable",
        "replicated-log": "tikzgen.recipe.arrays.replicated_log:ReplicatedLog",
        "memory-bars": "tikzgen.recipe.arrays.memory_bars:MemoryBars",
        "partitions": "tikzgen.recipe.arrays.partitions:Partitions",
        "dispatch": "tikzgen.recipe.arrays.dispatch:Dispatch",
        "trace": "tikzgen.recipe.measured.measured_trace:Trace",
    },
    needed=("expand", "summary"),
    classes=True,
    problem_of=_problem_of,
)
NAMES = tuple(RECIPES.built_in)
NEEDS = {"trace": {"source": "traces/rank{0..3}.json.gz"}}
"""Recipes with a required parameter, and an example value of it."""


def function_name(name: str) -> str:
    """Return the name of the recipe's function in `tikzgen.recipes`.

    >>> function_name("ring-all-reduce"), function_name("3d-parallel")
    ('ring_all_reduce', 'parallel_3d')
    """
    first, *others = name.split("-")
    return "_".join([*others, first] if first[0].isdigit() else [first, *others])


def recipe(name: str) -> type[Recipe]:
    """Return the recipe's model; `KeyError` for an unknown name."""
    return RECIPES[name]
