"""The kinds of what a panel may hold: a kind is registered here, and what draws and tells it is found by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, get_args

from pydantic import Field

from tikzgen.model.content import Content
from tikzgen.model.spacetime import SpaceTime
from tikzgen.model.timeline import Timeline
from tikzgen.model.topology import Topology

AnyContent = Annotated[Topology | Timeline | SpaceTime, Field(discriminator="type")]

_MODELS: tuple[type[Content], ...] = get_args(get_args(AnyContent)[0])
KINDS: Mapping[str, type[Content]] = {model.model_fields["type"].default: model for model in _MODELS}
"""Every kind by its name."""
