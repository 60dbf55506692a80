"""Parameters of a pipeline: durations, messages, and additional work around its stages."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tikzgen.model.exact_fields import Cost
from tikzgen.model.looks import Phase
from tikzgen.model.part import fail
from tikzgen.recipe.schedule_display import Displayed, ScheduleLabels, look_of
from tikzgen.schedule import Around, Besides, StageCut, around, costs, durations_of_stages, part_of
from tikzgen.schedule import Costs as Durations
from tikzgen.text import Numbered, Text

Costs = Cost | list[Cost | list[Cost]]
BothWays = Cost | Annotated[list[Cost], Field(min_length=2, max_length=2)]
_STAGES = ("forward", "backward", "input_grad", "weight_grad", "overlapped")
_LINKS = ("latency", "p2p", "per_node", "node_latency", "links")
_AROUND_FIELDS = tuple(Besides.__annotations__)


class PipelineLabels(ScheduleLabels):
    """Labels of a pipeline."""

    warm_up: Text = "warm-up"
    """At the first brace."""
    steady: Text = "steady"
    """At the second brace."""
    cool_down: Text = "cool-down"
    """At the third brace."""
    memory: Numbered = "in flight, GPU {n}"
    """Before the strip of activations."""
    versions: Text = "weight versions {exact}"
    """Beside the measure of PipeDream's pipelines, which keep several versions of the weights."""
    recompute: Text = "recomputation"
    """Legend entry for activations that are computed again."""
    embedding: Text = "embedding"
    """Legend entry for embeddings."""
    vocabulary: Text = "vocabulary"
    """Legend entry for the projection onto the vocabulary."""
    loss: Text = "loss"
    """Legend entry for the loss."""
    dispatch: Text = "dispatch"
    """Legend entry for tokens on their way to experts."""
    combine: Text = "combine"
    """Legend entry for tokens on their way back."""
    message: Text = "message"
    """Legend entry for messages, where they have lanes."""
    send: Text = "send"
    """At the lane of what a device sends."""
    receive: Text = "receive"
    """At the lane of what a device receives."""
    offload: Text = "offload"
    """At the lane of activations that leave for the host, and their legend entry."""
    reload: Text = "reload"
    """At the lane of activations that come back, and their legend entry."""


class PipelineFacts(Displayed):
    """Durations of stages, of messages, and of additional work."""

    tables: ClassVar[tuple[str, ...]] = ("forward", "backward", "input_grad", "weight_grad", "recompute")
    """Facts that may be the name of a CSV file, one line for each stage."""

    forward: Costs = Fraction(1)
    """How long a forward takes: one duration for all stages, or a list with one for each stage, for each device, or for
    each chunk of the schedule that cuts the model finest. An entry may be a list with one for each microbatch. A CSV
    file in the folder of the spec has a line for each entry."""
    backward: Costs | None = None
    """How long a whole backward takes; null is its two halves together, else twice the forward."""
    input_grad: Costs | None = None
    """How long the gradient of the inputs takes; null follows from `backward` and `weight_grad`, else is half of it."""
    weight_grad: Costs | None = None
    """How long the gradient of the weights takes; null follows from `backward` and `input_grad`, else is half of it."""
    overlapped: Cost | None = None
    """How long a forward and a backward take that overlap (DualPipe's F&B); null is their sum."""
    durations: Literal["stage", "device"] | None = None
    """Whether one duration, or one for each device, is for one stage (one chunk, one slice), or for all chunks of a
    device and all slices of a microbatch together: the same model then. Null is for a stage, but for a device if
    several schedules cut the model into different numbers of parts: they do the same work then."""
    latency: Cost = Fraction(0)
    """How long a message between devices is under way."""
    node_latency: Cost | None = None
    """How long one between devices of two nodes is, where `per_node` says how many devices make a node; null is
    `latency`."""
    p2p: Literal["async", "sender", "rendezvous"] = "async"
    """Who waits while a message is under way: nobody but who has nothing else to do; its sender; or sender and
    receiver, until both are there (Megatron-LM's and PyTorch's batched sends and receives, unless they overlap)."""
    links: bool = False
    """Whether devices have lanes for what they send and receive, one message at a time each."""
    recompute: Costs | None = None
    """How long activations are computed again before a backward, once its gradient has arrived; null keeps them."""
    kept: Cost = Fraction(0)
    """Which share of the activations is held all the same where they are recomputed, for the memory."""
    offload: Cost = Fraction(0)
    """How long the activations of a forward take to the host, beside computation; those stay whose backward follows."""
    reload: Cost | None = None
    """How long they take back, beside the operation before their backward; null is as long as there."""
    embedding: BothWays = Fraction(0)
    """How long the first stage's embedding takes: forward, and as long again backward, or the two."""
    vocabulary: BothWays = Fraction(0)
    """How long the last stage's projection onto the vocabulary takes: forward, and twice that backward; or the two."""
    loss: Cost = Fraction(0)
    """How long the loss takes, at the last stage."""
    dispatch: Cost = Fraction(0)
    """How long tokens travel to their experts within a stage, there and, for gradients, back; beside computation where
    forward and backward share a cell."""
    combine: Cost | None = None
    """How long they travel back; null is as long as there."""
    experts: Cost = Fraction(1, 2)
    """The experts' share of a stage's time."""
    all_reduce: Cost = Fraction(0)
    """How long each device's gradients are summed over its replicas, once it has computed them all."""
    update: Cost = Fraction(0)
    """How long each device's optimizer then takes."""
    labels: PipelineLabels = Field(default_factory=PipelineLabels)
    """The texts."""

    def costs_of(self, cut: StageCut) -> tuple[Durations, Around | None]:
        """Return the durations of stages and of additional work."""
        given = {name: getattr(self, name) for name in (*_STAGES, "recompute")}
        found: dict[str, Any] = {
            name: None if value is None else durations_of_stages(value, name, cut) for name, value in given.items()
        }
        stages, microbatches = cut.plan.stages, cut.plan.microbatches
        if self.node_latency is not None and self.per_node is None:
            fail("nobody says which devices make a node", "node_latency", hint="per_node: 8")
        links = {name: getattr(self, name) for name in _LINKS}
        own = {name: found[name] for name in _STAGES}
        more = {name: getattr(self, name) for name in _AROUND_FIELDS} | {"recompute": found["recompute"]}
        return (
            costs(stages, microbatches=microbatches, **own, **links),
            around(stages, microbatches=microbatches, **more),
        )

    def assumed_of(self, cuts: Sequence[StageCut]) -> Iterator[str]:
        """Yield, for each list without one entry per stage, the assumed meaning of its entries."""
        said: dict[str, list[str]] = {}
        for name in self.tables:
            value = getattr(self, name)
            parts = {part_of(len(value), cut) for cut in cuts} if isinstance(value, list) else set()
            if "device" in parts:
                shared = ", which its chunks share" if all(cut.whole for cut in cuts) else " and each of its chunks"
                said.setdefault(f"one value for each device{shared}", []).append(name)
            if "chunk" in parts:
                said.setdefault(f"one value for each of {len(value)} chunks of the model", []).append(name)
        for what, names in said.items():
            yield f"{', '.join(names)}: {what}"

    def _around_said(self) -> str:
        """Return the first parameter of additional work."""
        return next(name for name in _AROUND_FIELDS if name in self.model_fields_set)

    def streams(self) -> dict[str, str]:
        """Return the labels of lanes, including additional streams."""
        return super().streams() | {
            name: getattr(self.labels, name) for name in ("send", "receive", "offload", "reload")
        }

    def looks(self) -> dict[str, Phase]:
        """Return the styles of additional work."""
        texts, paler = self.labels, "north east lines"  # in the color of related work
        found = {
            "recompute": look_of("forward", texts.recompute, tint=35, hatch=paler),
            "embedding": Phase(label=texts.embedding, color="otgray", tint=45, hatch="dots"),
            "vocabulary": Phase(label=texts.vocabulary, color="otorange", tint=45, hatch="north west lines"),
            "loss": Phase(label=texts.loss, color="otgray", tint=165),
            "dispatch": look_of("communication", texts.dispatch),
            "combine": look_of("communication", texts.combine, tint=45, hatch=paler),
            "send": look_of("communication", texts.message),
            "offload": look_of("communication", texts.offload),
            "reload": look_of("communication", texts.reload, tint=45, hatch=paler),
        }
        kinds = {operation.kind for plan in self.plans() for operation in plan.schedule.operations}
        return {name: look for name, look in found.items() if name in kinds}
