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

__all__ = ["NAMES", "data_parallel", "gradient_accumulation", "parameter_server", "pipeline", "recipe"]

_CLASSES = {
    "data-parallel": "DataParallel",
    "gradient-accumulation": "GradientAccumulation",
    "parameter-server": "ParameterServer",
    "pipeline": "Pipeline",
}
NAMES = tuple(_CLASSES)


def recipe(name: str) -> type[Recipe]:
    """The recipe's model, by the name that stands after `recipe:` in a spec; `KeyError` where there is none."""
    module = import_module(f"tikzgen.recipes.{name.replace('-', '')}")
    found: type[Recipe] = getattr(module, _CLASSES[name])
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
