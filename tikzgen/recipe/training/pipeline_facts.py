"""Parameters of a pipeline: durations, messages, and additional work around its stages."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tikzgen.model.exact_fields import Cost
from tikzgen.model.looks import Phase
from tikzgen.model.part import fail
from tikzgen.recipe.schedule_display import Displayed, ScheduleLabels, look_of
from tikzgen.schedule import Around, Besides, StageCut, durations_of_stages, make_costs, part_of, read_extra_work
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
    """Label of the first brace."""
    steady: Text = "steady"
    """Label of the second brace."""
    cool_down: Text = "cool-down"
    """Label of the third brace."""
    memory: Numbered = "in flight, GPU {n}"
    """Label of the strip of activations."""
    versions: Text = "weight versions {exact}"
    """Label next to the measure of PipeDream's pipelines, which keep several versions of the weights."""
    recompute: Text = "recomputation"
    """Legend entry for recomputed activations."""
    embedding: Text = "embedding"
    """Legend entry for embeddings."""
    vocabulary: Text = "vocabulary"
    """Legend entry for the projection onto the vocabulary."""
    loss: Text = "loss"
    """Legend entry for the loss."""
    dispatch: Text = "dispatch"
    """Legend entry for the dispatch of tokens to experts."""
    combine: Text = "combine"
    """Legend entry for the return of tokens from experts."""
    message: Text = "message"
    """Legend entry for messages, if they have lanes."""
    send: Text = "send"
    """Label of the send lane of a device."""
    receive: Text = "receive"
    """Label of the receive lane of a device."""
    offload: Text = "offload"
    """Label of the lane of activations that move to the host, and their legend entry."""
    reload: Text = "reload"
    """Label of the lane of activations that return, and their legend entry."""


class PipelineFacts(Displayed):
    """Durations of stages, of messages, and of additional work."""

    field_group = "durations"
    field_groups = ("communication: latency node_latency p2p links per_node dispatch combine all_reduce",)

    tables: ClassVar[tuple[str, ...]] = ("forward", "backward", "input_grad", "weight_grad", "recompute")
    """Parameters that can be the name of a CSV file with one line per stage."""

    forward: Costs = Fraction(1)
    """Duration of a forward, in time units. A list has one value per stage, per device, or per chunk of the schedule
    with the most chunks. An entry may be a list with one value per microbatch. A CSV file in the spec's folder has
    a line per entry."""
    backward: Costs | None = None
    """Duration of an entire backward, in time units; null is the sum of both gradients, or twice the forward."""
    input_grad: Costs | None = None
    """Duration of the input gradient, in time units; null follows from `backward` and `weight_grad`, or is half of
    `backward`."""
    weight_grad: Costs | None = None
    """Duration of the weight gradient, in time units; null follows from `backward` and `input_grad`, or is half of
    `backward`."""
    overlapped: Cost | None = None
    """Duration of an overlapped forward and backward (DualPipe's F&B), in time units; null is their sum."""
    durations: Literal["stage", "device"] | None = None
    """Meaning of one duration, or of one per device. `stage`: for one stage (one chunk, one slice). `device`: for all
    chunks of a device and all slices of a microbatch together. Null is `stage`, or `device` if several schedules
    cut the same model into different numbers of parts."""
    latency: Cost = Fraction(0)
    """Latency of a message between devices, in time units."""
    node_latency: Cost | None = None
    """Latency of a message between devices of two nodes, if `per_node` sets the nodes; null is `latency`."""
    p2p: Literal["async", "sender", "rendezvous"] = "async"
    """Blocking device while a message is in flight. `async`: none. `sender`: its sender. `rendezvous`: both until both
    are ready, as in batched sends and receives of Megatron-LM and PyTorch without overlap."""
    links: bool = False
    """Whether devices have lanes for sends and receives, with one message at a time on each."""
    recompute: Costs | None = None
    """Duration of the recomputation of activations before a backward, when its gradient has arrived, in time units;
    null keeps the activations."""
    kept: Cost = Fraction(0)
    """Share of the activations that stays in memory in spite of recomputation."""
    offload: Cost = Fraction(0)
    """Duration of the transfer of a forward's activations to the host, in parallel with computation, in time units.
    They stay if their backward follows immediately."""
    reload: Cost | None = None
    """Duration of the return of offloaded activations, in parallel with the operation before their backward, in time
    units; null is `offload`."""
    embedding: BothWays = Fraction(0)
    """Duration of the first stage's embedding, in time units: a forward and an equal backward, or a list of both."""
    vocabulary: BothWays = Fraction(0)
    """Duration of the last stage's projection onto the vocabulary, in time units: a forward, with a backward of twice
    that, or a list of both."""
    loss: Cost = Fraction(0)
    """Duration of the loss at the last stage, in time units."""
    dispatch: Cost = Fraction(0)
    """Latency of tokens to their experts within a stage, and of gradients back, in time units; in parallel with
    computation in shared cells."""
    combine: Cost | None = None
    """Latency of tokens that return from their experts, in time units; null is `dispatch`."""
    experts: Cost = Fraction(1, 2)
    """Share of the experts in a stage's time."""
    all_reduce: Cost = Fraction(0)
    """Duration of the all-reduce of each device's gradients over its replicas, after all its computation, in time
    units."""
    update: Cost = Fraction(0)
    """Duration of each device's optimizer step after the all-reduce, in time units."""
    labels: PipelineLabels = Field(default_factory=PipelineLabels)
    """Labels of the figure."""

    def costs_of(self, cut: StageCut) -> tuple[Durations, Around | None]:
        """Return the durations of stages and of additional work."""
        given = {name: getattr(self, name) for name in (*_STAGES, "recompute")}
        found: dict[str, Any] = {
            name: None if value is None else durations_of_stages(value, name, cut) for name, value in given.items()
        }
        stages, microbatches = cut.plan.stages, cut.plan.microbatches
        if self.node_latency is not None and self.per_node is None:
            fail("needs per_node, the number of devices per node", "node_latency", hint="per_node: 8")
        links = {name: getattr(self, name) for name in _LINKS}
        own = {name: found[name] for name in _STAGES}
        more = {name: getattr(self, name) for name in _AROUND_FIELDS} | {"recompute": found["recompute"]}
        return (
            make_costs(stages, microbatches=microbatches, **own, **links),
            read_extra_work(stages, microbatches=microbatches, **more),
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

    def label_streams(self) -> dict[str, str]:
        """Return the labels of lanes, including additional streams."""
        return super().label_streams() | {
            name: getattr(self.labels, name) for name in ("send", "receive", "offload", "reload")
        }

    def make_looks(self) -> dict[str, Phase]:
        """Return the styles of additional work."""
        texts, paler = self.labels, "north east lines"  # in the color of related work
        found = {
            "recompute": look_of("forward", texts.recompute, hatch=paler),
            "embedding": Phase(label=texts.embedding, color="otgray", tint=45, hatch="dots"),
            "vocabulary": Phase(label=texts.vocabulary, color="otorange", tint=75, hatch="north west lines"),
            "loss": Phase(label=texts.loss, color="otgray", tint=165),
            "dispatch": look_of("communication", texts.dispatch),
            "combine": look_of("communication", texts.combine, tint=60, hatch=paler),
            "send": look_of("communication", texts.message),
            "offload": look_of("communication", texts.offload),
            "reload": look_of("communication", texts.reload, tint=60, hatch=paler),
        }
        kinds = {operation.kind for plan in self.compute_plans() for operation in plan.schedule.operations}
        return {name: look for name, look in found.items() if name in kinds}
