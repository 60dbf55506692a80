"""Which recipes there are, by the names that stand after `recipe:` in a spec."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tikzgen.model.figure import Recipe

# The modules are imported when a recipe is first asked for: a spec names one of them.
_MODELS = {
    "data-parallel": "systems.data_parallel:DataParallel",
    "gradient-accumulation": "training.gradient_accumulation:GradientAccumulation",
    "parameter-server": "training.parameter_server:ParameterServer",
    "pipeline": "training.pipeline:Pipeline",
    "ddp": "training.ddp:Ddp",
    "fsdp": "training.fsdp:Fsdp",
    "ring-all-reduce": "training.ring_all_reduce:RingAllReduce",
    "local-sgd": "training.local_sgd:LocalSgd",
    "stale-synchronous": "training.stale_synchronous:StaleSynchronous",
    "serving": "inference.serving:Serving",
    "rollouts": "inference.rollouts:Rollouts",
    "recovery": "training.recovery:Recovery",
    "two-phase-commit": "protocols.two_phase_commit:TwoPhaseCommit",
    "paxos": "protocols.paxos:Paxos",
    "raft-election": "protocols.raft:RaftElection",
    "raft-replication": "protocols.raft:RaftReplication",
    "all-reduce": "protocols.all_reduce:AllReduce",
    "cluster": "systems.cluster:Cluster",
    "3d-parallel": "systems.parallel3d:Parallel3d",
    "rlhf": "inference.rlhf:Rlhf",
    "serving-system": "inference.serving_system:ServingSystem",
    "federated": "systems.federated:Federated",
    "mapreduce": "systems.mapreduce:Mapreduce",
    "moe": "systems.moe:Moe",
    "trace": "measured.measured_trace:Trace",
}
NAMES = tuple(_MODELS)
NEEDS = {"trace": {"source": "traces/rank{0..3}.json.gz"}}
"""The recipes that draw nothing without a fact, with what it may be."""
_FUNCTIONS = {"3d-parallel": "parallel-3d"}


def function_name(name: str) -> str:
    """What its function in `tikzgen.recipes` is called."""
    return _FUNCTIONS.get(name, name).replace("-", "_")


def recipe(name: str) -> type[Recipe]:
    """The recipe's model, by the name that stands after `recipe:` in a spec; `KeyError` where there is none."""
    module, _, model = _MODELS[name].partition(":")
    found: type[Recipe] = getattr(import_module(f"tikzgen.recipe.{module}"), model)
    return found
