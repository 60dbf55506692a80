"""Memory of a rank in the stages of ZeRO, as scaled bars."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from tikzgen.base.errors import quote
from tikzgen.base.plain_words import count_of, spell_rounded
from tikzgen.model.cells import BarPart, Cells, SizeAxis, SizeBar, SizeLimit
from tikzgen.model.exact_fields import Duration
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import Phase
from tikzgen.model.part import Part, fail
from tikzgen.recipe.arrays.computed_arrays import ComputedArrays
from tikzgen.recipe.simulated_recipe import Told
from tikzgen.schedule.held import (
    MemoryParts,
    Recomputation,
    TransformerLayer,
    ZeroStage,
    divide_memory,
    measure_activations,
)
from tikzgen.text import Text, fill_placeholders

_GB_BYTES = 10**9
_SCALES = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
_UNITS = (("GB", 1), ("MB", 10**3), ("kB", 10**6), ("B", 10**9))
"""Units of the axis, with their number in a GB."""
_COUNT = re.compile(r"(\d+(?:\.\d+)?) ?([KMBT]?)")
_NAMED = (("trillion ", 10**12), ("billion ", 10**9), ("million ", 10**6), ("", 1))
_ROLES = ("parameters", "gradients", "optimizer", "activations")


def _read_count(value: Any) -> Any:
    """Return the number of parameters that a string such as 7.5B states."""
    if isinstance(value, bool) or not isinstance(value, str):
        return value
    found = _COUNT.fullmatch(value)
    if found is None or (count := Fraction(found[1]) * _SCALES[found[2]]).denominator > 1:
        message = "should be a number of parameters such as 7.5B or 350M, not {value}"
        raise PydanticCustomError("tikzgen", message, {"value": quote(value)})
    return int(count)


ParameterCount = Annotated[int, Field(ge=1, le=10**15), BeforeValidator(_read_count, json_schema_input_type=int | str)]


class Activations(Part):
    """Activations of a transformer, for each rank."""

    layers: int = Field(ge=1, le=1000)
    """Number of layers on a rank."""
    sequence: int = Field(ge=1, le=10**8)
    """Tokens of a sequence (s)."""
    batch: int = Field(ge=1, le=10**6)
    """Sequences of a microbatch (b)."""
    hidden: int = Field(ge=1, le=10**6)
    """Size of the hidden states (h)."""
    heads: int = Field(ge=1, le=10**4)
    """Number of attention heads (a)."""
    tensor: int = Field(default=1, ge=1, le=1024)
    """Ranks of the tensor parallelism (t)."""
    sequence_parallel: bool = False
    """Whether the tensor parallelism also divides the sequence outside of attention and MLP."""
    recompute: Recomputation = "none"
    """Recomputed activations: `selective` drops attention scores, `full` keeps only the input of each layer."""

    @model_validator(mode="after")
    def _check_divisors(self) -> Self:
        """Check that heads divide the hidden states, and the tensor parallelism heads and sequence."""
        if self.hidden % self.heads:
            fail(f"{self.heads} heads do not divide {self.hidden}", "heads", hint="use a divisor of hidden")
        if self.heads % self.tensor:
            text = f"{self.tensor} ranks do not divide {count_of(self.heads, 'head')}"
            fail(text, "tensor", hint="use a divisor of heads")
        if self.sequence_parallel and self.sequence % self.tensor:
            text = f"{self.tensor} ranks do not divide {count_of(self.sequence, 'token')}"
            fail(text, "sequence", hint=f"use a multiple of {self.tensor}")
        return self


class MemoryBarsLabels(Part):
    """Labels of memory bars."""

    stages: list[Text] = Field(default=["DDP", "ZeRO-1", "ZeRO-2", "ZeRO-3"], min_length=4, max_length=4)
    """Labels of the stages 0 to 3."""
    parameters: Text = "parameters"
    """Label of the parameters."""
    gradients: Text = "gradients"
    """Label of the gradients."""
    optimizer: Text = "optimizer states"
    """Label of the optimizer states."""
    activations: Text = "activations"
    """Label of the activations."""
    part: Text = r"${n}\Psi$"
    """Text in an undivided segment: the bytes for each of the parameters."""
    device: Text = "{n} GB device"
    """Text at the memory of a device."""


class MemoryBars(ComputedArrays):
    """The memory of a rank that trains a model, in the stages of ZeRO, as scaled bars."""

    field_group = "arrays"
    common = ("parameters: 7.5B", "ranks: 64", "device: 80")
    schedule_facts: ClassVar[tuple[str, ...]] = (
        "parameters",
        "ranks",
        "stages",
        "optimizer_bytes",
        "activations",
        "device",
    )

    recipe: Literal["memory-bars"] = "memory-bars"
    """Name of the recipe."""
    id: Slug = "memory-bars"
    parameters: ParameterCount = 7_500_000_000
    """Parameters of the model (Ψ): a number, or `7.5B`, `350M`."""
    ranks: int = Field(default=64, ge=1, le=10**6)
    """Ranks of the data parallelism (N)."""
    stages: list[ZeroStage] = Field(default=[0, 1, 2, 3], min_length=1, max_length=4)
    """Stages of ZeRO, one bar each; 0 is data parallelism without ZeRO."""
    optimizer_bytes: int = Field(default=12, ge=0, le=64)
    """Bytes of optimizer states for each parameter (K); 12 for Adam in mixed precision."""
    activations: Activations | None = None
    """Sizes for the activations; null leaves them out."""
    device: Duration | None = None
    """Memory of a device, in GB; null draws no limit."""
    labels: MemoryBarsLabels = Field(default_factory=MemoryBarsLabels)
    """Labels of the figure."""

    def check_facts(self) -> None:
        """Check the parameters that concern each other."""
        for index, stage in enumerate(self.stages):
            if stage in self.stages[:index]:
                fail(f"stage {stage} is used twice", "stages", index, hint="one bar each")

    @property
    def measured_names(self) -> Sequence[str]:
        """Names of the stages."""
        return [f"ZeRO-{stage}" if stage else "no ZeRO" for stage in self.stages]

    def measure_arrays(self) -> Told:
        """Return the memory of a rank in each stage, in GB."""
        return {"memory": tuple(sum(sizes.values(), Fraction(0)) for sizes in map(self._list_sizes, self.stages))}

    def _divide(self, stage: ZeroStage) -> MemoryParts:
        return divide_memory(stage, self.ranks, self.optimizer_bytes)

    def _list_sizes(self, stage: ZeroStage) -> dict[str, Fraction]:
        """Return the GB of each segment in a stage."""
        parts, scale = self._divide(stage), Fraction(self.parameters, _GB_BYTES)
        sizes = {role: getattr(parts, role) * scale for role in _ROLES[:3]}
        if self.activations is not None:
            facts = self.activations
            layer = TransformerLayer(
                facts.sequence,
                facts.batch,
                facts.hidden,
                facts.heads,
                facts.tensor,
                facts.sequence_parallel,
                facts.recompute,
            )
            sizes["activations"] = facts.layers * measure_activations(layer) / _GB_BYTES
        return {role: size for role, size in sizes.items() if size}

    def summary(self) -> str:
        name, scale = next((name, scale) for name, scale in _NAMED if self.parameters >= scale)
        size = f"{spell_rounded(Fraction(self.parameters, scale))} {name}parameters"
        return f"Memory of a rank for a model of {size} on {count_of(self.ranks, 'rank')}"

    def expand(self) -> FigureModel:
        """Return one bar for each stage."""
        texts = self.labels
        largest = max(sum(self._list_sizes(stage).values()) for stage in self.stages)
        unit, scale = next((unit, scale) for unit, scale in _UNITS if largest * scale >= 1 or unit == "B")
        bars = []
        for stage in self.stages:
            divided = self._divide(stage)
            parts = []
            for role, size in self._list_sizes(stage).items():
                share = getattr(divided, role, None)
                text = "" if share is None or share.denominator > 1 else fill_placeholders(texts.part, n=share)
                parts.append(BarPart(size=size * scale, role=role, label=text))
            bars.append(SizeBar(id=f"zero{stage}", label=texts.stages[stage], parts=parts))
        limits = []
        if self.device is not None:
            limits.append(
                SizeLimit(at=self.device * scale, label=fill_placeholders(texts.device, n=spell_rounded(self.device)))
            )
        cells = Cells(bars=bars, axis=SizeAxis(unit=unit, limits=limits))
        looks = {role: Phase(label=getattr(texts, role)) for role in _ROLES}
        shown = {name for name, _ in cells.phases()}
        return self.figure_of(cells, phases={name: look for name, look in looks.items() if name in shown})
