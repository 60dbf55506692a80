"""Which recipes there are, by the names that stand after `recipe:` in a spec."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tikzgen.model.figure import Recipe

# The modules are imported when a recipe is first asked for: a spec names one of them.
_MODELS = {
    "data-parallel": "DataParallel",
    "gradient-accumulation": "GradientAccumulation",
    "parameter-server": "ParameterServer",
    "pipeline": "Pipeline",
    "ddp": "Ddp",
    "fsdp": "Fsdp",
    "ring-all-reduce": "RingAllReduce",
    "local-sgd": "LocalSgd",
    "stale-synchronous": "StaleSynchronous",
    "serving": "Serving",
    "rollouts": "Rollouts",
    "recovery": "Recovery",
    "two-phase-commit": "TwoPhaseCommit",
    "paxos": "Paxos",
    "raft-election": "RaftElection",
    "raft-replication": "RaftReplication",
    "all-reduce": "AllReduce",
    "cluster": "Cluster",
    "3d-parallel": "Parallel3d",
    "rlhf": "Rlhf",
    "serving-system": "ServingSystem",
    "federated": "Federated",
    "mapreduce": "Mapreduce",
    "moe": "Moe",
    "trace": "Trace",
}
NAMES = tuple(_MODELS)
NEEDS = {"trace": {"source": "traces/rank{0..3}.json.gz"}}
"""The recipes that draw nothing without a fact, with what it may be."""
_FILES = {
    "3d-parallel": "parallel3d",  # no module begins with a digit
    "raft-election": "raft",
    "raft-replication": "raft",
    "trace": "measured_trace",  # trace is a room
}
_FUNCTIONS = {"3d-parallel": "parallel-3d"}


def function_name(name: str) -> str:
    """What its function in `tikzgen.recipes` is called."""
    return _FUNCTIONS.get(name, name).replace("-", "_")


def recipe(name: str) -> type[Recipe]:
    """The recipe's model, by the name that stands after `recipe:` in a spec; `KeyError` where there is none."""
    model = _MODELS[name]
    found: type[Recipe] = getattr(import_module(f"tikzgen.recipe.{_FILES.get(name, name).replace('-', '_')}"), model)
    return found
