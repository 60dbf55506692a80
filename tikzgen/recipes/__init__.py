"""Few facts in, a `Figure` out. Each function takes the fields of its recipe as keywords and returns the figure.

>>> from tikzgen import recipes
>>> recipes.data_parallel(workers=4).title
'Distributed data-parallel training'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure
    from tikzgen.recipes.base import Recipe

__all__ = [
    "NAMES",
    "data_parallel",
    "ddp",
    "fsdp",
    "gradient_accumulation",
    "local_sgd",
    "parameter_server",
    "pipeline",
    "recipe",
    "ring_all_reduce",
    "stale_synchronous",
]

# Where each recipe lives. No module has the name of a function here: importing it would hide the function.
_HOMES = {
    "data-parallel": ("dataparallel", "DataParallel"),
    "gradient-accumulation": ("gradientaccumulation", "GradientAccumulation"),
    "parameter-server": ("parameterserver", "ParameterServer"),
    "pipeline": ("pipelineparallel", "Pipeline"),
    "ddp": ("bucketoverlap", "Ddp"),
    "fsdp": ("fullysharded", "Fsdp"),
    "ring-all-reduce": ("ringallreduce", "RingAllReduce"),
    "local-sgd": ("localsgd", "LocalSgd"),
    "stale-synchronous": ("stalesynchronous", "StaleSynchronous"),
}
NAMES = tuple(_HOMES)


def recipe(name: str) -> type[Recipe]:
    """The recipe's model, by the name that stands after `recipe:` in a spec; `KeyError` where there is none."""
    module, model = _HOMES[name]
    found: type[Recipe] = getattr(import_module(f"tikzgen.recipes.{module}"), model)
    return found


def data_parallel(**facts: Any) -> Figure:
    """Data-parallel training with a parameter server; the facts are the fields of `DataParallel`."""
    return recipe("data-parallel")(**facts).figure()


def gradient_accumulation(**facts: Any) -> Figure:
    """Updates after every step beside updates after several; the facts are the fields of `GradientAccumulation`."""
    return recipe("gradient-accumulation")(**facts).figure()


def parameter_server(**facts: Any) -> Figure:
    """A synchronous and an asynchronous parameter server; the facts are the fields of `ParameterServer`."""
    return recipe("parameter-server")(**facts).figure()


def pipeline(**facts: Any) -> Figure:
    """Pipeline schedules with exact times; the facts are the fields of `Pipeline`."""
    return recipe("pipeline")(**facts).figure()


def ddp(**facts: Any) -> Figure:
    """Data-parallel steps whose gradient buckets are reduced during the backward; the facts are the fields of `Ddp`."""
    return recipe("ddp")(**facts).figure()


def fsdp(**facts: Any) -> Figure:
    """Sharded data parallelism with prefetched all-gathers; the facts are the fields of `Fsdp`."""
    return recipe("fsdp")(**facts).figure()


def ring_all_reduce(**facts: Any) -> Figure:
    """A ring all-reduce, step by step; the facts are the fields of `RingAllReduce`."""
    return recipe("ring-all-reduce")(**facts).figure()


def local_sgd(**facts: Any) -> Figure:
    """Local SGD: steps alone, then an average; the facts are the fields of `LocalSgd`."""
    return recipe("local-sgd")(**facts).figure()


def stale_synchronous(**facts: Any) -> Figure:
    """Workers at a parameter server: BSP, SSP and ASP; the facts are the fields of `StaleSynchronous`."""
    return recipe("stale-synchronous")(**facts).figure()
