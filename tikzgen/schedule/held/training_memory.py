"""Memory of a rank that trains a model: parameters, gradients, optimizer states and activations.

Bytes for each parameter, with N ranks and K bytes of optimizer states: 4 + K. In stages 1 to 3 of ZeRO: 4 + K/N,
2 + (2 + K)/N, (4 + K)/N (Rajbhandari et al., "ZeRO", SC 2020). Activations of a transformer
layer: Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models" (2022), equations 1 to 4.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, TypeAlias

from tikzgen.base.record import Record

ZeroStage: TypeAlias = Literal[0, 1, 2, 3]
Recomputation: TypeAlias = Literal["none", "selective", "full"]

_WEIGHT_BYTES = 2
_GRADIENT_BYTES = 2


class MemoryParts(Record):
    """Bytes on a rank, for each parameter of the model."""

    parameters: Fraction
    gradients: Fraction
    optimizer: Fraction

    @property
    def total(self) -> Fraction:
        """All bytes for each parameter."""
        return self.parameters + self.gradients + self.optimizer


def divide_memory(stage: ZeroStage, ranks: int, optimizer_bytes: int) -> MemoryParts:
    """Return the bytes for each parameter in a stage of ZeRO."""

    def share(size: int, first: int) -> Fraction:
        return Fraction(size, ranks if stage >= first else 1)

    return MemoryParts(share(_WEIGHT_BYTES, 3), share(_GRADIENT_BYTES, 2), share(optimizer_bytes, 1))


class TransformerLayer(Record):
    """Sizes of a transformer layer and of its tensor parallelism."""

    sequence: int
    batch: int
    hidden: int
    heads: int
    tensor: int = 1
    sequence_parallel: bool = False
    recompute: Recomputation = "none"


def measure_activations(layer: TransformerLayer) -> Fraction:
    """Return the bytes of activations that a rank keeps for one layer."""
    size = layer.sequence * layer.batch * layer.hidden
    if layer.recompute == "full":
        return Fraction(2 * size, layer.tensor if layer.sequence_parallel else 1)
    linear = Fraction(34, layer.tensor) if layer.sequence_parallel else 10 + Fraction(24, layer.tensor)
    scores = Fraction(5 * layer.heads * layer.sequence, layer.hidden * layer.tensor)
    return size * (linear + (scores if layer.recompute == "none" else 0))
