"""The kinds of what a panel may hold: a kind is registered here, and what draws and tells it is found by its name."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Annotated, cast

from tikzgen.model.content import Content
from tikzgen.model.tagged import Tagged

_MODELS = {"topology": "Topology", "timeline": "Timeline", "spacetime": "SpaceTime"}
KINDS = tuple(_MODELS)
"""Every kind by its name."""


@cache
def model_of_kind(name: str) -> type[Content]:
    """The model of a kind, in the module of its name: figures without one go without what it imports."""
    return cast(type[Content], getattr(import_module(f"tikzgen.model.{name}"), _MODELS[name]))


AnyContent = Annotated[Content, Tagged("type", KINDS, model_of_kind)]
