"""What a measured run is to be compared with."""

from typing import Literal

from pydantic import Field

from tikzgen.model.base import Cost, Part
from tikzgen.recipe.pipeline import Name
from tikzgen.recipe.pipeline_facts import Costs
from tikzgen.text import Text

Fit = Literal["fit"]


class Comparison(Part):
    """A pipeline that is simulated beside the measured run, on its axis; `fit` takes what was measured."""

    recipe: Literal["pipeline"] = "pipeline"
    """Names the recipe."""
    schedule: Name = "1f1b"
    """The schedule."""
    group: int | None = Field(default=None, ge=1, le=1_000_000)
    """How many microbatches go round together in interleaved-1f1b; null is the least that works."""
    forward: Costs | Fit = "fit"
    """How long a forward takes; fit is the median over the microbatches of each stage."""
    backward: Costs | Fit = "fit"
    """How long a whole backward takes."""
    input_grad: Costs | Fit = "fit"
    """How long the gradient of the inputs takes."""
    weight_grad: Costs | Fit = "fit"
    """How long the gradient of the weights takes."""
    latency: Cost | Fit = "fit"
    """How long a message is under way; fit is the median over those that a rank had nothing to do but wait for."""
    p2p: Literal["async", "sender", "rendezvous"] = "async"
    """Who waits while a message is under way."""
    measured: Text = "measured"
    """Above the measured run."""
    simulated: Text = ""
    """Above the simulated one; empty is the schedule's name."""
