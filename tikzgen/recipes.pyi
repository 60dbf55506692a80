# What type checkers and editors know of recipes.py: made by `python tools/typed_recipes.py`, from the models.

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

from tikzgen.api import Figure
from tikzgen.model.figure_options import Font, Measured, Meta, RawTex
from tikzgen.model.looks.phase_and_flow_looks import Phase
from tikzgen.model.looks.spacing import Spacing
from tikzgen.model.looks.style import Style
from tikzgen.model.operations.operation_model import Operation
from tikzgen.model.panel_parts import Legend
from tikzgen.model.slides import Slides
from tikzgen.recipe.arrays.attention_mask import MaskLabels, MaskShape
from tikzgen.recipe.arrays.block_table import BlockTableLabels, CachedRequest, CacheEvent
from tikzgen.recipe.arrays.dispatch import DispatchLabels
from tikzgen.recipe.arrays.memory_bars import Activations, MemoryBarsLabels
from tikzgen.recipe.arrays.partitions import PartitionsLabels, PartitionStep
from tikzgen.recipe.arrays.replicated_log import ReplicatedLogLabels
from tikzgen.recipe.arrays.ring_steps import RingStepsLabels
from tikzgen.recipe.arrays.sharding import ShardingLabels
from tikzgen.recipe.few_of_many import Crowd
from tikzgen.recipe.inference.rlhf import RlhfLabels
from tikzgen.recipe.inference.rollouts import RolloutsLabels
from tikzgen.recipe.inference.serving import Request, ServingLabels
from tikzgen.recipe.inference.serving_system import ServingSystemLabels
from tikzgen.recipe.measured.compared_pipeline import Comparison
from tikzgen.recipe.measured.measured_trace import MeasuredParallelism
from tikzgen.recipe.protocols.all_reduce import AllReduceLabels
from tikzgen.recipe.protocols.paxos import PaxosLabels
from tikzgen.recipe.protocols.protocol_diagram import Crash, Loss
from tikzgen.recipe.protocols.raft import Command, RaftLabels, ReplicationLabels
from tikzgen.recipe.protocols.two_phase_commit import TwoPhaseCommitLabels
from tikzgen.recipe.recipe_names import NAMES, recipe
from tikzgen.recipe.schedule_display import Zoom
from tikzgen.recipe.schedule_marks import timeline
from tikzgen.recipe.systems.cluster import ClusterLabels
from tikzgen.recipe.systems.data_parallel import DataParallelIcons, DataParallelLabels
from tikzgen.recipe.systems.federated import FederatedLabels
from tikzgen.recipe.systems.mapreduce import MapreduceLabels
from tikzgen.recipe.systems.moe import MoeLabels
from tikzgen.recipe.systems.parallel3d import Parallel3dLabels
from tikzgen.recipe.training.ddp import DdpLabels
from tikzgen.recipe.training.fsdp import FsdpLabels
from tikzgen.recipe.training.gradient_accumulation import GradientAccumulationLabels
from tikzgen.recipe.training.local_sgd import LocalSgdLabels
from tikzgen.recipe.training.parameter_server import ParameterServerLabels
from tikzgen.recipe.training.pipeline_facts import PipelineLabels
from tikzgen.recipe.training.recovery import Failure, RecoveryLabels
from tikzgen.recipe.training.ring_all_reduce import RingLabels
from tikzgen.recipe.training.stale_synchronous import StaleLabels
from tikzgen.text import Tex

__all__ = [
    "NAMES",
    "all_reduce",
    "attention_mask",
    "block_table",
    "cluster",
    "data_parallel",
    "ddp",
    "dispatch",
    "federated",
    "fsdp",
    "gradient_accumulation",
    "local_sgd",
    "mapreduce",
    "memory_bars",
    "moe",
    "parallel_3d",
    "parameter_server",
    "partitions",
    "paxos",
    "pipeline",
    "raft_election",
    "raft_replication",
    "recipe",
    "recovery",
    "replicated_log",
    "ring_all_reduce",
    "ring_steps",
    "rlhf",
    "rollouts",
    "serving",
    "serving_system",
    "sharding",
    "stale_synchronous",
    "timeline",
    "trace",
    "two_phase_commit",
]

_Text: TypeAlias = str | int | float | Tex
_Time: TypeAlias = int | float | str | Fraction | Decimal
_BubbleMeasureName: TypeAlias = Literal["none", "auto", "total", "ideal", "span", "peak"]
_ColorByName: TypeAlias = Literal["phase", "microbatch", "layer", "bucket", "chunk", "lane"]
_LanesName: TypeAlias = Literal["auto", "stream", "class", "rank", "annotations", "thread"]
_PolicyName: TypeAlias = Literal["static", "continuous", "chunked", "disaggregated"]
_ScheduleName: TypeAlias = Literal[
    "gpipe",
    "1f1b",
    "eager-1f1b",
    "interleaved-1f1b",
    "zb-h1",
    "zb-h2",
    "zb-v",
    "dualpipe",
    "dualpipev",
    "chimera",
    "interleaved-zb",
    "looped-bfs",
    "v-half",
    "v-min",
    "hanayo",
    "pipedream",
    "pipedream-2bw",
    "terapipe",
    "seq1f1b",
    "seq1f1b-interleaved",
    "overlapped-1f1b",
    "ScheduleGPipe",
    "Schedule1F1B",
    "ScheduleInterleaved1F1B",
    "ScheduleZBVZeroBubble",
    "ScheduleDualPipeV",
    "ScheduleInterleavedZeroBubble",
    "ScheduleLoopedBFS",
]
_SlidesName: TypeAlias = Literal["none", "time", "microbatch", "flows", "panels"]
_StagesName: TypeAlias = Literal[0, 1, 2, 3]
_StepName: TypeAlias = Literal["last-complete", "first", "median", "all"]

class _FigureOptions(TypedDict, total=False):
    """What every figure takes."""

    id: str
    """Identifier for the metadata, in kebab case."""
    title: _Text | bool
    """Title above the figure. True takes the name in the metadata or of the recipe, which is the default with `slides`.
    False shows none."""
    language: str | None
    """Language of the labels, as a BCP 47 tag: en, zh-Hans, fr. PDF, SVG and `tikzgen watch` contain it for screen
    readers. None leaves it open."""
    palette: Literal["light", "dark"]
    """Colors for a white page (`light`) or for dark slides (`dark`)."""
    width: float | str | None
    """Width of the figure; None takes the natural width."""
    height: float | str | None
    """Maximum height of the figure, reached with smaller gaps between lanes and rows. None is the height of a slide for
    `width: beamer`. At most 10 cm of width, None is 9 cm if the rows can be so close. tikzgen reports more than 23 cm,
    a page."""
    font: Font | Mapping[str, Any]
    """Font family and size."""
    spacing: Spacing | Mapping[str, Any]
    """Distances in the figure; None distances are computed."""
    style: Style | Mapping[str, Any] | Literal["default", "plain", "vivid"]
    """House style: a file, or the built-in `default`, `plain` or `vivid`. Without this field, `tikzgen-style.yaml` in
    the spec's folder or the nearest parent folder."""
    color_by: _ColorByName
    """Meaning of the fills of timeline cells. Lanes, and numbers of microbatches, layers, buckets or chunks, have the
    fills of owners; phases then differ in their hatch."""
    slides: Slides | Mapping[str, Any] | _SlidesName | None
    """Steps in which the figure appears: `time`, `microbatch`, `flows`, `panels`, or a mapping. Steps are Beamer
    overlays, PDF pages, numbered SVG and PNG. None has one step."""
    meta: Meta | Mapping[str, Any]
    """Contents of the metadata file."""
    measured: Sequence[Measured | Mapping[str, Any]]
    """Exact sizes of labels whose size tikzgen can only estimate; `tikzgen render --measure` writes them."""
    tex: RawTex | Mapping[str, Any]
    """Additional commands that raw TeX (`!tex`) may use."""
    overrides: Sequence[Mapping[str, Any] | Operation]
    """Changes of the recipe's figure, as operations of `tikzgen edit`, which adds them here."""

class _ScheduleOptions(_FigureOptions, total=False):
    """What every schedule takes."""

    bubbles: bool
    """Whether idle time is drawn."""
    bubble_measure: _BubbleMeasureName
    """Measure in the figure: idle time of `total` (idle/total), of `ideal` (idle/busy), or within a device's `span`;
    `peak` of microbatches in flight; `none`. `auto` is `total`, or the measure in which the panels differ."""
    arrows: Literal["none", "messages", "critical"]
    """Arrows for all messages between devices, for messages on the critical path, or for none."""
    critical: bool
    """Whether operations on the critical path have a heavy border."""
    ticks: _Time | Literal["none"] | None
    """Distance of tick marks on the time arrow, in time units; None chooses one, `none` draws none."""
    unit: str
    """Unit of all times, such as ms."""
    per_node: int | Sequence[int] | None
    """Number of devices per node, or a list with the number for each node; a bracket marks each node. None draws no
    nodes."""
    direction: Literal["right", "up", "down"]
    """Direction of time."""
    zoom: Zoom | Mapping[str, Any] | None
    """Period to draw again below, enlarged to the length of the figure."""
    first: Literal[0, 1]
    """Number of the first device, microbatch, bucket or layer."""
    phases: Mapping[str, Phase | Mapping[str, Any]]
    """Styles of phases, over the built-in ones; `cell: "F{n}"` sets the numbers in cells, `label` the legend entry."""
    legend: Legend | Mapping[str, Any]
    """The legend, which explains the fills."""

def data_parallel(
    *,
    workers: int | Crowd | Mapping[str, Any] = 3,
    icons: DataParallelIcons | Mapping[str, Any] = {},
    labels: DataParallelLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """Data-parallel training with a parameter server.

    Args:
        workers: Number of workers: a number, or `{count: 64, show: 3}`, which draws three. Without `show`, dots replace
            most of more than eight workers.
        icons: Icons of the figure.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def gradient_accumulation(
    *,
    devices: int | None = None,
    show: int | None = None,
    steps: Sequence[Sequence[_Time]] = ((2.8, 4, 3.2, 3), (3.7, 2.8, 3.2, 4)),
    update: _Time = 1,
    accumulate: Sequence[int] = (1, 2),
    first: Literal[0, 1] = 0,
    arrange: Literal["auto", "row", "column"] = "auto",
    labels: GradientAccumulationLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """Lanes of unequal steps and updates that wait for the slowest device.

    Args:
        devices: Number of devices; None takes the number of columns of `steps`. With more devices, the columns repeat.
        show: Number of devices with lanes; dots before the last one replace the rest. None draws up to 16, or a
            selection of more.
        steps: Durations in time units: one row per micro-step, one number per device.
        update: Duration of an update, in time units.
        accumulate: Number of micro-steps per update, for each panel.
        first: Number in the first device's label.
        arrange: Panels in a row, or in a column with one time scale; `auto` is a row if the figure's width allows it.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def parameter_server(
    *,
    workers: int | Crowd | Mapping[str, Any] = 3,
    shards: Sequence[_Text] = ("$W_o$, $b_o$", "$W_h$, $b_h$"),
    timeline: Literal["auto", "beside", "below"] = "auto",
    nodes: int | None = None,
    modes: Sequence[Literal["synchronous", "asynchronous"]] = ("synchronous", "asynchronous"),
    first: Literal[0, 1] = 0,
    rounds: int = 1,
    fetch: _Time = 1,
    compute: Sequence[_Time] = (6, 4, 4),
    push: _Time = 1,
    update: _Time | None = None,
    shared_updates: bool = False,
    labels: ParameterServerLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """Topology and timeline of a parameter server, one panel per mode.

    Args:
        workers: Number of workers: a number, or `{count: 64, show: 3}`. If there are more than 12, a selection has
            lanes; `show` is the number of workers with lanes.
        shards: Labels of the parameter shards in the server box.
        timeline: Position of the timelines: next to the workers with time upward, or below them with time to the right.
            `auto` is `beside` if wide enough.
        nodes: Number of workers in the topology; an ellipsis replaces the rest. None draws up to eight, four of more,
            or as many as fit the figure's width.
        modes: Modes, with one panel each.
        first: Number in the first worker's label; names of nodes count from 1.
        rounds: Number of rounds of each worker.
        fetch: Duration of a fetch, in time units.
        compute: Duration of the computation of each worker, in time units; with more workers, the list repeats.
        push: Duration of a push, in time units.
        update: Duration of an update at the server, in time units. None is 1, or less if more than eight workers have
            separate updates, so that work takes most of the time.
        shared_updates: Whether the asynchronous server applies gradients that arrive at the same time in one update.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def pipeline(
    *,
    schedule: _ScheduleName | Sequence[_ScheduleName] | None = None,
    devices: int = 4,
    microbatches: int = 8,
    chunks: int | None = None,
    group: int | None = None,
    slices: int | None = None,
    operations: Sequence[Sequence[str]] | None = None,
    unshard: _Time = 0,
    reduce_grad: _Time = 0,
    allow_invalid: bool = False,
    braces: int | None = None,
    warm_up: Literal["torch", "megatron"] = "torch",
    memory: Literal["none", "worst", "all"] = "none",
    cap: _Time | None = None,
    forward: _Time | Sequence[_Time | Sequence[_Time]] = 1,
    backward: _Time | Sequence[_Time | Sequence[_Time]] | None = None,
    input_grad: _Time | Sequence[_Time | Sequence[_Time]] | None = None,
    weight_grad: _Time | Sequence[_Time | Sequence[_Time]] | None = None,
    overlapped: _Time | None = None,
    durations: Literal["stage", "device"] | None = None,
    latency: _Time = 0,
    node_latency: _Time | None = None,
    p2p: Literal["async", "sender", "rendezvous"] = "async",
    links: bool = False,
    recompute: _Time | Sequence[_Time | Sequence[_Time]] | None = None,
    kept: _Time = 0,
    offload: _Time = 0,
    reload: _Time | None = None,
    embedding: _Time | Sequence[_Time] = 0,
    vocabulary: _Time | Sequence[_Time] = 0,
    loss: _Time = 0,
    dispatch: _Time = 0,
    combine: _Time | None = None,
    experts: _Time = 0.5,
    all_reduce: _Time = 0,
    update: _Time = 0,
    labels: PipelineLabels | Mapping[str, Any] = {},
    **options: Unpack[_ScheduleOptions],
) -> Figure:
    """Pipeline schedules: GPipe, 1F1B, zero bubble, DualPipe and others, one panel each on one time axis.

    Args:
        schedule: Schedules to draw, one panel each, by their names in tikzgen or classes of PyTorch; None is 1f1b. With
            `operations`, the schedule whose rules they must satisfy.
        devices: Number of devices (p).
        microbatches: Number of microbatches (m).
        chunks: Number of chunks of the model on each device; None is 2 for interleaved-1f1b, otherwise the schedule's
            own number.
        group: Number of consecutive microbatches per chunk in interleaved-1f1b (N), at least p, or all if there are
            fewer; None is the smallest possible number.
        slices: Number of slices of each microbatch's sequences (n), if the schedule cuts them; None is 2.
        operations: Operations of each rank in PyTorch's notation, as an alternative to a schedule: 0F0, 0SEND_F0,
            0UNSHARD …
        unshard: Duration of an UNSHARD in `operations`, in time units; 0 omits it.
        reduce_grad: Duration of a REDUCE_GRAD in `operations`, in time units; 0 omits it.
        allow_invalid: Whether operations that violate rules are drawn and marked, instead of an error.
        braces: Number of the device, from 0, whose warm-up, steady state and cool-down are marked; None marks none.
        warm_up: Definition of warm-up and cool-down. `torch`: the warm-up ends with the forward before the first
            backward, the cool-down begins after the last forward. `megatron`: the warm-up of device r is p-1-r forwards
            of 1F1B, or 2(p-1-r)+(v-1)N of interleaved-1f1b; the steady state consists of pairs of a forward and a
            backward.
        memory: Strip with the number of microbatches in flight: of the device with the most, of all devices, or none.
        cap: Limit in the strip, in microbatches.
        forward: Duration of a forward, in time units. A list has one value per stage, per device, or per chunk of the
            schedule with the most chunks. An entry may be a list with one value per microbatch. A CSV file in the
            spec's folder has a line per entry.
        backward: Duration of an entire backward, in time units; None is the sum of both gradients, or twice the
            forward.
        input_grad: Duration of the input gradient, in time units; None follows from `backward` and `weight_grad`, or is
            half of `backward`.
        weight_grad: Duration of the weight gradient, in time units; None follows from `backward` and `input_grad`, or
            is half of `backward`.
        overlapped: Duration of an overlapped forward and backward (DualPipe's F&B), in time units; None is their sum.
        durations: Meaning of one duration, or of one per device. `stage`: for one stage (one chunk, one slice).
            `device`: for all chunks of a device and all slices of a microbatch together. None is `stage`, or `device`
            if several schedules cut the same model into different numbers of parts.
        latency: Latency of a message between devices, in time units.
        node_latency: Latency of a message between devices of two nodes, if `per_node` sets the nodes; None is
            `latency`.
        p2p: Blocking device while a message is in flight. `async`: none. `sender`: its sender. `rendezvous`: both until
            both are ready, as in batched sends and receives of Megatron-LM and PyTorch without overlap.
        links: Whether devices have lanes for sends and receives, with one message at a time on each.
        recompute: Duration of the recomputation of activations before a backward, when its gradient has arrived, in
            time units; None keeps the activations.
        kept: Share of the activations that stays in memory in spite of recomputation.
        offload: Duration of the transfer of a forward's activations to the host, in parallel with computation, in time
            units. They stay if their backward follows immediately.
        reload: Duration of the return of offloaded activations, in parallel with the operation before their backward,
            in time units; None is `offload`.
        embedding: Duration of the first stage's embedding, in time units: a forward and an equal backward, or a list of
            both.
        vocabulary: Duration of the last stage's projection onto the vocabulary, in time units: a forward, with a
            backward of twice that, or a list of both.
        loss: Duration of the loss at the last stage, in time units.
        dispatch: Latency of tokens to their experts within a stage, and of gradients back, in time units; in parallel
            with computation in shared cells.
        combine: Latency of tokens that return from their experts, in time units; None is `dispatch`.
        experts: Share of the experts in a stage's time.
        all_reduce: Duration of the all-reduce of each device's gradients over its replicas, after all its computation,
            in time units.
        update: Duration of each device's optimizer step after the all-reduce, in time units.
        labels: Labels of the figure.
        bubbles, arrows, zoom and others: what every schedule takes.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def ddp(
    *,
    workers: int = 2,
    buckets: Sequence[_Time] = (2, 2, 2, 2),
    all_reduce: _Time | Sequence[_Time] = 3,
    forward: _Time | Sequence[_Time] = 4,
    update: _Time = 0,
    overlap: bool | Sequence[bool] = (True,),
    show: int | None = None,
    labels: DdpLabels | Mapping[str, Any] = {},
    **options: Unpack[_ScheduleOptions],
) -> Figure:
    """One data-parallel step (PyTorch DDP) that reduces a bucket while it computes the next one.

    Args:
        workers: Number of workers.
        buckets: Duration of the backward of each bucket, in time units, in the order in which they become ready.
        all_reduce: Duration of the all-reduce of a bucket, in time units: one value, or one per bucket.
        forward: Duration of the forward, in time units: one value, or one per worker.
        update: Duration of the optimizer step after the last all-reduce, in time units; 0 omits it.
        overlap: Whether buckets are reduced as they become ready, or all after the backward; a list gives one panel
            each.
        show: Number of devices with lanes; dots before the last one replace the rest. None draws all, or a selection if
            there are many.
        labels: Labels of the figure.
        bubbles, arrows, zoom and others: what every schedule takes.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def fsdp(
    *,
    workers: int = 2,
    layers: int = 4,
    gather: _Time | Sequence[_Time] = 1,
    forward: _Time | Sequence[_Time] = 2,
    backward: _Time | Sequence[_Time] | None = None,
    reduce_scatter: _Time | Sequence[_Time] = 0,
    prefetch: int | Sequence[int] = (1,),
    reshard_last: bool = False,
    show: int | None = None,
    labels: FsdpLabels | Mapping[str, Any] = {},
    **options: Unpack[_ScheduleOptions],
) -> Figure:
    """Sharded data parallelism (FSDP, ZeRO-3): all-gathers hidden behind the layers that compute.

    Args:
        workers: Number of workers.
        layers: Number of sharded layers.
        gather: Duration of the all-gather of a layer, in time units: one value, or one per layer.
        forward: Duration of a layer's forward, in time units: one value, or one per layer.
        backward: Duration of a layer's backward, in time units: one value, or one per layer; None shows only the
            forward.
        reduce_scatter: Duration of the reduce-scatter after a layer's backward, in time units; 0 omits it.
        prefetch: Number of layers gathered ahead: 0 overlaps nothing. A list gives one panel each.
        reshard_last: Whether the last layer's parameters are freed after its forward, and gathered again for its
            backward. PyTorch's torchtitan keeps them for the backward.
        show: Number of devices with lanes; dots before the last one replace the rest. None draws all, or a selection if
            there are many.
        labels: Labels of the figure.
        bubbles, arrows, zoom and others: what every schedule takes.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def ring_all_reduce(
    *,
    ranks: int = 4,
    size: _Time = 1,
    bandwidth: _Time = 1,
    latency: _Time = 0,
    labels: RingLabels | Mapping[str, Any] = {},
    **options: Unpack[_ScheduleOptions],
) -> Figure:
    """A ring all-reduce: the chunks that each rank sends over time, with the chunk in each cell.

    Args:
        ranks: Number of ranks (N).
        size: Amount of data on each rank.
        bandwidth: Amount of data that a link transfers per time unit.
        latency: Additional duration of each step, in time units.
        labels: Labels of the figure.
        bubbles, arrows, zoom and others: what every schedule takes.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def local_sgd(
    *,
    workers: int = 4,
    steps: int = 8,
    local_steps: int | Sequence[int] = (4,),
    step: _Time | Sequence[_Time] = 1,
    average: _Time = 1,
    show: int | None = None,
    labels: LocalSgdLabels | Mapping[str, Any] = {},
    **options: Unpack[_ScheduleOptions],
) -> Figure:
    """Local SGD: workers train independently and average their weights periodically.

    Args:
        workers: Number of workers.
        steps: Total number of steps of each worker.
        local_steps: Number of steps (H) between two averages; a list gives one panel each.
        step: Duration of a step, in time units: one value, or one per worker.
        average: Duration of an average, in time units.
        show: Number of devices with lanes; dots before the last one replace the rest. None draws all, or a selection if
            there are many.
        labels: Labels of the figure.
        bubbles, arrows, zoom and others: what every schedule takes.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def stale_synchronous(
    *,
    workers: int = 3,
    steps: int = 3,
    until: _Time | None = None,
    bound: int | Sequence[int | None] | None = (0, 1, None),
    joint: bool = True,
    fetch: _Time | Sequence[_Time] = 0.5,
    compute: _Time | Sequence[_Time | Sequence[_Time]] | None = None,
    push: _Time | Sequence[_Time] = 0.5,
    update: _Time | None = None,
    show: int | None = None,
    labels: StaleLabels | Mapping[str, Any] = {},
    **options: Unpack[_ScheduleOptions],
) -> Figure:
    """Synchronous, stale-synchronous and asynchronous workers at a parameter server, with staleness.

    Args:
        workers: Number of workers.
        steps: Number of steps (clocks) of each worker.
        until: End time, instead of `steps`: workers continue until then.
        bound: Maximum number of steps that a worker can be ahead of the slowest: 0 is BSP, None is ASP. A list gives
            one panel each.
        joint: Whether the server applies one update for all workers, or one for each, with bound 0.
        fetch: Duration of a fetch, in time units: one value, or one per worker.
        compute: Duration of a step's computation, in time units: one value, or one per worker (lists repeat by step).
            None is 2, but 4 for the last worker.
        push: Duration of a push, in time units: one value, or one per worker.
        update: Duration of an update at the server, in time units. None is 1/2, or less if more than eight workers have
            separate updates, so that the server keeps pace.
        show: Number of devices with lanes; dots before the last one replace the rest. None draws all, or a selection if
            there are many.
        labels: Labels of the figure.
        bubbles, arrows, zoom and others: what every schedule takes.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def serving(
    *,
    requests: Sequence[Request | Mapping[str, Any]] = (
        {"prompt": 8, "output": 6},
        {"arrival": 1, "prompt": 4, "output": 3},
        {"arrival": 2, "prompt": 12, "output": 4},
        {"arrival": 3, "prompt": 4, "output": 5},
    ),
    policy: _PolicyName | Sequence[_PolicyName] = ("static", "continuous", "chunked"),
    batch: int = 3,
    budget: int = 6,
    cache: int | None = None,
    step: _Time = 1,
    prefill: _Time = 0.25,
    decode: _Time = 0,
    transfer: _Time = 0.125,
    rows: Literal["requests", "machines"] = "requests",
    signs: bool = False,
    labels: ServingLabels | Mapping[str, Any] = {},
    **options: Unpack[_ScheduleOptions],
) -> Figure:
    """Requests served by a language model, iteration by iteration, with the prompt tokens in each cell.

    Args:
        requests: The requests, which are served in the order of their arrival.
        policy: Batching policy. `static`: a batch ends when its last request is done. `continuous`: requests join
            before every iteration, as in Orca. `chunked`: prompts are split, as in Sarathi-Serve. `disaggregated`: two
            machines, as in DistServe. A list gives one panel per policy.
        batch: Maximum number of requests in one iteration.
        budget: Maximum number of tokens in one iteration with chunked prefills; decodes have priority.
        cache: Maximum number of tokens in the cache. If it is full, the latest request loses its place and is prefilled
            again. None is unlimited.
        step: Minimum duration of an iteration, in time units.
        prefill: Additional duration per prompt token, in time units.
        decode: Additional duration per decoded request, in time units.
        transfer: Latency of the cache transfer per prompt token to the decode machine, in time units.
        rows: Meaning of a lane: a request, or a machine with the number of requests in its iterations.
        signs: Whether markers show each request's arrival and first token; the time between them is its TTFT.
        labels: Labels of the figure.
        bubbles, arrows, zoom and others: what every schedule takes.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def rollouts(
    *,
    generators: int = 3,
    lengths: Sequence[_Time] = (2, 6, 3, 4, 2, 5),
    batch: int = 3,
    steps: int = 3,
    train: _Time = 3,
    sync: _Time = 1,
    bound: int | Sequence[int | None] | None = (0, 1, None),
    labels: RolloutsLabels | Mapping[str, Any] = {},
    **options: Unpack[_ScheduleOptions],
) -> Figure:
    """Synchronous and asynchronous reinforcement learning, with the weight version of each rollout.

    Args:
        generators: Number of generators.
        lengths: Duration of each rollout, in their start order; the list repeats.
        batch: Number of rollouts per training step.
        steps: Number of training steps.
        train: Duration of a training step, in time units.
        sync: Latency of the transfer of new weights to the generators, in time units.
        bound: Maximum number of versions between a rollout and the current weights: 0 is synchronous, 1 one step off,
            None unbounded. A list gives one panel each.
        labels: Labels of the figure.
        bubbles, arrows, zoom and others: what every schedule takes.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def recovery(
    *,
    workers: int = 3,
    steps: int = 8,
    step: _Time = 2,
    failures: Sequence[Failure | Mapping[str, Any]] = ({"at": 12, "worker": 1},),
    means: Literal["checkpoint", "redundant", "rerouted"] | Sequence[Literal["checkpoint", "redundant", "rerouted"]] = (
        "checkpoint",
        "redundant",
    ),
    every: int = 3,
    save: _Time = 0.5,
    restart: _Time = 3,
    redundancy: _Time = 0.5,
    failover: _Time = 1,
    stages: int = 1,
    microbatches: int = 4,
    inside: bool = False,
    show: int | None = None,
    labels: RecoveryLabels | Mapping[str, Any] = {},
    **options: Unpack[_ScheduleOptions],
) -> Figure:
    """Training through failures: lost and repeated work, and the goodput, with the step in each cell.

    Args:
        workers: Number of workers that train together.
        steps: Number of steps.
        step: Duration of a step, in time units.
        failures: Times of failures, with their workers; failures after the last step have no effect.
        means: Recovery method. `checkpoint`: all work since the last save is lost. `redundant`: each worker also
            computes a part of its neighbor's work, as in Bamboo; only the current step is lost. `rerouted`: peers in
            other pipelines take the failed worker's microbatches, as in ReCycle; the current step is lost, and later
            ones take longer. A list gives one panel each.
        every: Number of steps between two checkpoints; 0 never saves.
        save: Duration of a checkpoint, in time units.
        restart: Time to detect the failure, to get another worker and to load the checkpoint, in time units.
        redundancy: Additional duration of a step with redundant computation, in time units.
        failover: Time until the neighbor or the peers take over, in time units.
        stages: Number of stages of a pipeline with `means: rerouted`; this number of consecutive workers is one
            pipeline.
        microbatches: Number of microbatches of a pipeline in one step, with `means: rerouted`.
        inside: Whether to show one step by microbatch, with `means: rerouted`: with all workers (by 1F1B, with duration
            `step`), and without the failed ones.
        show: Number of devices with lanes; dots before the last one replace the rest. None draws all, or a selection if
            there are many.
        labels: Labels of the figure.
        bubbles, arrows, zoom and others: what every schedule takes.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def two_phase_commit(
    *,
    workers: int = 2,
    no: Sequence[int] = (),
    delay: _Time | Sequence[_Time] = 1,
    prepare: _Time = 1,
    decide: _Time = 1,
    timeout: _Time = 6,
    direction: Literal["right", "down"] = "right",
    time: _Text = "",
    crashes: Sequence[Crash | Mapping[str, Any]] = (),
    lost: Sequence[Loss | Mapping[str, Any]] = (),
    show: int | None = None,
    labels: TwoPhaseCommitLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """Two-phase commit of a transaction, or of a checkpoint, by workers and a coordinator that may fail.

    Args:
        workers: Number of workers; their ids are w1, w2, …, and the coordinator's is c.
        no: Numbers of the workers that vote no.
        delay: Latency of messages, in time units: one value, or a list with one value per worker.
        prepare: Duration of a worker's preparation before its vote, in time units.
        decide: Duration of the decision's write at the coordinator, in time units.
        timeout: Time that the coordinator waits for votes before it aborts, in time units.
        direction: Direction of time; tikzgen takes the other one if the figure is too wide. All labels stay horizontal.
        time: Text at a time arrow next to the lifelines; empty draws no arrow.
        crashes: Failures of nodes.
        lost: Messages that are lost.
        show: Number of similar nodes with lifelines, with dots for the rest. None draws all, or a selection. Nodes with
            unusual messages or final states are always drawn.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def paxos(
    *,
    values: Sequence[str] = ("A",),
    starts: Sequence[_Time] | None = None,
    acceptors: int = 3,
    delay: _Time | Sequence[_Time] = 1,
    timeout: _Time = 8,
    rounds: int = 2,
    direction: Literal["right", "down"] = "right",
    time: _Text = "",
    crashes: Sequence[Crash | Mapping[str, Any]] = (),
    lost: Sequence[Loss | Mapping[str, Any]] = (),
    show: int | None = None,
    labels: PaxosLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """Single-decree Paxos with proposers that compete and acceptors that may fail.

    Args:
        values: Value that each proposer proposes; the ids of the proposers are p1, p2, …
        starts: Start time of each proposer; None starts each one 5 time units after the previous one.
        acceptors: Number of acceptors; their ids are a1, a2, …
        delay: Latency of messages, in time units: one value, or a list with one value per acceptor.
        timeout: Time that a proposer waits before it tries a greater ballot number, in time units.
        rounds: Maximum number of attempts of each proposer.
        direction: Direction of time; tikzgen takes the other one if the figure is too wide. All labels stay horizontal.
        time: Text at a time arrow next to the lifelines; empty draws no arrow.
        crashes: Failures of nodes.
        lost: Messages that are lost.
        show: Number of similar nodes with lifelines, with dots for the rest. None draws all, or a selection. Nodes with
            unusual messages or final states are always drawn.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def raft_election(
    *,
    leader: int | None = 1,
    timeouts: Sequence[_Time | Sequence[_Time]] | None = None,
    direction: Literal["right", "down"] = "down",
    time: _Text = "",
    crashes: Sequence[Crash | Mapping[str, Any]] = ({"id": "s1", "at": 1},),
    lost: Sequence[Loss | Mapping[str, Any]] = (),
    servers: int = 3,
    delay: _Time | Sequence[_Time] = 1,
    heartbeat: _Time = 4,
    until: _Time = 12,
    labels: RaftLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """A leader election of Raft: from timeouts to the leader of each term.

    Args:
        leader: Number of the server that leads term 1 from the start; None starts without a leader.
        timeouts: Wait of each server for a leader, in time units: one value, or a repeated list. None is 6 for the
            first server, and 3/2 more for each next one.
        direction: Direction of time; tikzgen takes the other one if the figure is too wide. All labels stay horizontal.
        time: Text at a time arrow next to the lifelines; empty draws no arrow.
        crashes: Failures of servers.
        lost: Messages that are lost.
        servers: Number of servers; their ids are s1, s2, …
        delay: Latency of messages, in time units: one value, or one per server; a message then takes the mean for its
            sender and its receiver.
        heartbeat: Interval between the heartbeats of a leader, in time units.
        until: End of the diagram, in time units.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def raft_replication(
    *,
    commands: Sequence[Command | Mapping[str, Any]] = ({"at": 1},),
    direction: Literal["right", "down"] = "down",
    time: _Text = "",
    crashes: Sequence[Crash | Mapping[str, Any]] = (),
    lost: Sequence[Loss | Mapping[str, Any]] = (),
    servers: int = 3,
    delay: _Time | Sequence[_Time] = 1,
    heartbeat: _Time = 4,
    until: _Time = 7,
    labels: ReplicationLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """Replication of Raft's log: from commands to the committed entries of each server.

    Args:
        commands: Commands of the client, with their times.
        direction: Direction of time; tikzgen takes the other one if the figure is too wide. All labels stay horizontal.
        time: Text at a time arrow next to the lifelines; empty draws no arrow.
        crashes: Failures of nodes.
        lost: Messages that are lost.
        servers: Number of servers; their ids are s1, s2, …
        delay: Latency of messages, in time units: one value, or one per server; a message then takes the mean for its
            sender and its receiver.
        heartbeat: Interval between the heartbeats of a leader, in time units.
        until: End of the diagram, in time units.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def all_reduce(
    *,
    ranks: int = 4,
    algorithm: Literal["ring", "doubling"] = "ring",
    delay: _Time | Sequence[_Time] = 1,
    add: _Time = 0.5,
    direction: Literal["right", "down"] = "right",
    time: _Text = "",
    crashes: Sequence[Crash | Mapping[str, Any]] = (),
    lost: Sequence[Loss | Mapping[str, Any]] = (),
    labels: AllReduceLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """An all-reduce as messages between ranks: around a ring, or by recursive doubling.

    Args:
        ranks: Number of ranks; their ids are r0, r1, …
        algorithm: Ring with 2(p-1) steps, or recursive doubling with log2 p steps, for p ranks.
        delay: Latency of messages, in time units: one value, or a list with one value for each rank's link to the next
            one of the ring.
        add: Duration of adding a received chunk, in time units.
        direction: Direction of time; tikzgen takes the other one if the figure is too wide. All labels stay horizontal.
        time: Text at a time arrow next to the lifelines; empty draws no arrow.
        crashes: Failures of nodes.
        lost: Messages that are lost.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def cluster(
    *,
    nodes: int = 2,
    gpus: int = 4,
    rails: int = 1,
    spines: int = 0,
    most: int = 4,
    labels: ClusterLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """Machines with GPUs, the switches within them, and the network that joins them.

    Args:
        nodes: Number of machines.
        gpus: Number of GPUs per machine.
        rails: Number of switches to which every machine is linked.
        spines: Number of spine switches, each linked to every rail, as in a fat tree; 0 draws no spines.
        most: Maximum number of drawn cells per box; about half as many machines are drawn. Dots replace the rest.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def parallel_3d(
    *,
    tensor: int = 2,
    pipeline: int = 3,
    data: int = 2,
    most: int = 4,
    labels: Parallel3dLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """Tensor, pipeline and data parallelism: cells are GPUs, boxes are stages, groups are replicas.

    Args:
        tensor: Number of GPUs that share every layer of a stage (TP).
        pipeline: Number of pipeline stages (PP).
        data: Number of replicas of the model (DP).
        most: Maximum number of drawn cells, stages and replicas, with fewer replicas if they fill the page; dots
            replace the rest.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def rlhf(
    *,
    rollouts: int = 2,
    trainers: int = 2,
    most: int = 3,
    reference: bool = True,
    labels: RlhfLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """Reinforcement learning from feedback: rollout pool, buffer, reward model, trainers.

    Args:
        rollouts: Number of workers that generate answers.
        trainers: Number of workers that train.
        most: Maximum number of drawn workers per pool; dots replace the rest.
        reference: Whether there is a reference policy, as in PPO and GRPO.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def serving_system(
    *,
    prefill: int = 2,
    decode: int = 2,
    most: int = 3,
    labels: ServingSystemLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """Serving of language models with prefill and decode on separate workers, or together.

    Args:
        prefill: Number of prefill workers.
        decode: Number of decode workers; with 0, the first pool also decodes and no caches are transferred.
        most: Maximum number of drawn workers per pool; dots replace the rest.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def federated(
    *,
    clients: int = 3,
    most: int = 3,
    data: bool = True,
    icon: str = "edge-device",
    labels: FederatedLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """Federated learning: a server, clients, and the data that stay where they are.

    Args:
        clients: Number of clients.
        most: Maximum number of drawn clients; dots replace the rest.
        data: Whether the data of each client are drawn.
        icon: Name of the clients' icon.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def mapreduce(
    *,
    maps: int = 3,
    reduces: int = 2,
    most: int = 4,
    direction: Literal["auto", "right", "down"] = "auto",
    labels: MapreduceLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """A MapReduce job: every map task sends to every reduce task.

    Args:
        maps: Number of map tasks, which is also the number of parts of the input.
        reduces: Number of reduce tasks, which is also the number of parts of the output.
        most: Maximum number of drawn tasks of one type; dots replace the rest.
        direction: Direction from the input to the output; `auto` is right, or down if four columns are wider than the
            figure.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def moe(
    *,
    experts: int = 4,
    top: int | None = None,
    most: int = 4,
    labels: MoeLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """A mixture of experts, with the experts that one token goes to.

    Args:
        experts: Number of experts.
        top: Number of experts per token; the other experts are gray. None is 2, or 1 if there is a single expert.
        most: Maximum number of drawn experts; dots replace the rest.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def sharding(
    *,
    shape: Sequence[int] = (8, 8),
    mesh: Mapping[str, int] = {"dp": 2, "tp": 4},
    ranks: int | None = None,
    placements: Sequence[str] = ("Shard(0)", "Shard(1)"),
    then: Sequence[str] | None = None,
    parts: bool | None = None,
    labels: ShardingLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """A tensor on a mesh of ranks: the part of each rank, and the collectives to another placement.

    Args:
        shape: Elements along each dimension of the tensor. Dimensions of more than 16 have cells of several elements.
        mesh: Axes of the mesh with their numbers of ranks, such as `{dp: 2, tp: 4}`; ranks count along the last axis
            first.
        ranks: Number of ranks, to check the mesh; None is the product of its axes.
        placements: Placement along each axis of the mesh, as in PyTorch: `Shard(d)` cuts dimension d into pieces of
            ceil(n/m) elements, from the left axis to the right one. A `StridedShard(d)` cuts after all axes to its
            right.
        then: Placements after a redistribution, which tikzgen computes axis by axis. None has none.
        parts: Whether the part on each rank is also drawn. None draws it if there is a redistribution.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def ring_steps(
    *,
    ranks: int = 4,
    phase: Literal["reduce-scatter", "all-gather", "both"] = "reduce-scatter",
    steps: Sequence[int] | None = None,
    labels: RingStepsLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """The chunks on each rank after each step of a ring, with the addends that they contain.

    Args:
        ranks: Number of ranks and of chunks.
        phase: `reduce-scatter`: each rank ends with the sum of one chunk; `all-gather`: each rank gets the other sums;
            `both` is an all-reduce.
        steps: Drawn states: 0 is the start, n the state after step n. None draws all.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def attention_mask(
    *,
    tokens: int | None = None,
    blocks: int | None = None,
    mask: Literal["full", "causal"] | MaskShape | Mapping[str, Any] = "causal",
    ranks: int | None = None,
    split: Literal["contiguous", "zigzag", "striped"] = "contiguous",
    steps: bool = True,
    labels: MaskLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """The mask of an attention layer and, with ranks, the steps of a ring.

    Args:
        tokens: Number of tokens, one per row and column. None without `blocks` is 8.
        blocks: Number of blocks of tokens, instead of tokens. Half of a block on the diagonal of a causal mask is
            computed.
        mask: Keys that each query uses: `full`, `causal`, or a causal mask with `{window: 3}` or `{documents: [3, 1,
            4]}`.
        ranks: Number of ranks that share the positions (context parallelism), and the steps of their ring. None has
            none.
        split: Positions of each rank: `contiguous`, `zigzag` (pieces r and 2P - 1 - r of 2P) or `striped` (position mod
            P).
        steps: Whether the steps of the ring are drawn.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def block_table(
    *,
    block: int = 4,
    pool: int = 8,
    free: Sequence[int] | None = None,
    requests: Sequence[CachedRequest | Mapping[str, Any]] = (
        {"id": "A", "tokens": 10},
        {"id": "B", "tokens": 1, "prefix_of": "A"},
    ),
    events: Sequence[CacheEvent | Mapping[str, Any]] = (),
    sides: Literal["both", "left"] = "both",
    labels: BlockTableLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """A paged key-value cache: the block tables of requests, and the physical blocks.

    Args:
        block: Tokens in a block.
        pool: Number of physical blocks.
        free: Free blocks in the order of their use; other blocks are occupied. None has all free, and uses the lowest.
        requests: Requests in the order of their arrival.
        events: Events after the arrival of all requests, in order.
        sides: Requests at both sides of the blocks, the first one at the left, or all at the left; tikzgen takes `left`
            if the figure is too wide.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def replicated_log(
    *,
    logs: Sequence[str | int | Sequence[int]] = (
        (1, 1, 1, 2, 3, 3, 3, 3),
        (1, 1, 1, 2, 3, 3),
        (1, 1, 1, 2, 3, 3, 3, 3),
        (1, 1, 1),
        (1, 1, 1, 2, 2, 2),
    ),
    leader: int = 1,
    term: int | None = None,
    committed: int = 0,
    commands: Sequence[Sequence[_Text]] = (),
    labels: ReplicatedLogLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """The logs of Raft servers: entries by term, conflicts with the leader, committed entries.

    Args:
        logs: Terms of the entries of each server: a list, or digits such as `"11123333"`.
        leader: Number of the leader, from 1.
        term: Term of the leader; None is the least possible one: the greatest in the logs, or one more.
        committed: Index of the last entry that was committed before.
        commands: Commands of the entries of each server, one list per server.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def memory_bars(
    *,
    parameters: int | str = 7500000000,
    ranks: int = 64,
    stages: Sequence[_StagesName] = (0, 1, 2, 3),
    optimizer_bytes: int = 12,
    activations: Activations | Mapping[str, Any] | None = None,
    device: _Time | None = None,
    labels: MemoryBarsLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """The memory of a rank that trains a model, in the stages of ZeRO, as scaled bars.

    Args:
        parameters: Parameters of the model (Ψ): a number, or `7.5B`, `350M`.
        ranks: Ranks of the data parallelism (N).
        stages: Stages of ZeRO, one bar each; 0 is data parallelism without ZeRO.
        optimizer_bytes: Bytes of optimizer states for each parameter (K); 12 for Adam in mixed precision.
        activations: Sizes for the activations; None leaves them out.
        device: Memory of a device, in GB; None draws no limit.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def partitions(
    *,
    datasets: Mapping[str, int] = {"A": 3, "B": 3, "C": 2, "D": 2, "E": 2, "F": 4, "G": 3},
    steps: Sequence[PartitionStep | Mapping[str, Any]] = (
        {"do": "group", "of": ("A",), "to": "B"},
        {"do": "map", "of": ("C",), "to": "D"},
        {"do": "union", "of": ("D", "E"), "to": "F"},
        {"do": "join", "of": ("B", "F"), "to": "G"},
    ),
    labels: PartitionsLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """The partitions of datasets: narrow and wide dependencies, and the stages that wide ones end.

    Args:
        datasets: Datasets with their numbers of partitions.
        steps: Transformations, in order.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def dispatch(
    *,
    choices: Sequence[int | Sequence[int]] | None = None,
    tokens: int | None = None,
    seed: int | None = None,
    experts: int = 4,
    top: int | None = None,
    capacity_factor: _Time = 1,
    ranks: int | None = None,
    labels: DispatchLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """The dispatch of tokens to experts of limited capacity, with the dropped tokens.

    Args:
        choices: Experts of each token, first choice first: a number, or a list. None takes random choices.
        tokens: Number of tokens with random choices; None is 8.
        seed: Seed of random choices; equal seeds have equal choices. None is 0.
        experts: Number of experts.
        top: Number of experts per token (k) with random choices; None is 1.
        capacity_factor: Factor f of the capacity: ceil(f T k / E) slots for each of E experts, with T tokens.
        ranks: Number of ranks that share tokens and experts in equal parts; None has none.
        labels: Labels of the figure.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def trace(
    *,
    source: str | Sequence[str] | Mapping[int, str],
    format: str = "auto",
    ranks: Sequence[int] | Literal["all"] | None = None,
    step: _StepName | int = "last-complete",
    window: tuple[_Time, _Time] | None = None,
    streams: Mapping[str, Literal["auto", "hide"] | int | Sequence[int | str]] = {},
    lanes: _LanesName = "auto",
    operations: str = "auto",
    begin: Literal["work", "annotation"] = "work",
    timing: Literal["auto", "device", "thread"] = "auto",
    parallelism: MeasuredParallelism | Mapping[str, Any] | None = None,
    replica: int | None = None,
    classes: Mapping[str, Sequence[str]] = {},
    clock: Literal["auto", "raw", "collectives"] | Mapping[int, _Time] = "auto",
    detail: _Time = 0.0015625,
    marks: Sequence[Literal["idle", "exposed", "step"]] = (),
    compare: Comparison | Mapping[str, Any] | None = None,
    unit: Literal["us", "ms", "s"] = "ms",
    time: _Text = "time",
    phases: Mapping[str, Phase | Mapping[str, Any]] = {},
    legend: Legend | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """A measured run: traces of torch.profiler, JAX, rocprofv3 or Nsight Systems, or a table of times.

    Args:
        source: Trace files, relative to the spec's folder: a name, a pattern such as `rank{0..3}.json.gz` or
            `traces/*.json`, a list of these, or one file per rank.
        format: Format of the files, or the program that wrote them: `kineto` (PyTorch), `jax`, `tensorflow`, `horovod`,
            `nccl`, `ray`, `dask`, `viztracer`, `pipelining`, `generic` (lanes of threads), `rocprof`, `nsight` or
            `csv`. `auto` recognizes it by the contents.
        ranks: Ranks to draw. None draws the first eight; `all` is an error if a rank of the run is missing.
        step: Step to draw, by its number or position; `all` draws the entire trace.
        window: Period to draw instead of a step, in ms from the first event.
        streams: Additional lanes, which precede the others, by name. Each lists its streams or classes, or is `auto`
            for the class of that name (compute, communication, copies, or one of `classes`). `hide` removes a class or
            a stream from the figure.
        lanes: Meaning of a lane. `auto` is a stream if the trace has events of a device, otherwise annotated
            operations, otherwise a thread.
        operations: Names of annotated operations: a regular expression with the groups `phase`, `microbatch` and,
            optionally, `stage`.
        begin: Start of an operation: the first computation inside its annotation (`work`), or the start of the
            annotation.
        timing: Times of operations: of their kernels on devices, or of their annotations on threads. `auto` is `device`
            if kernels of an operation are known; `begin` is for threads.
        parallelism: Axes of parallelism, such as `{pp: 4, dp: 2}`. None takes them from labels, process groups and
            annotations.
        replica: Pipeline to draw: its number among the positions on the axes other than pp. It is a copy of the model
            if these axes are only dp. None draws all.
        classes: Custom classes of kernels: regular expressions by class name. They take precedence over the built-in
            ones.
        clock: Clock correction of ranks. `raw` keeps the timestamps, `collectives` shifts ranks so that their
            collectives end together, numbers shift ranks by ms. `auto` is `raw` on a single host.
        detail: Merge slices that are closer than this share of the drawn time.
        marks: Additional marks: idle time, braces over exposed communication (for one or two ranks), and braces over
            steps.
        compare: Simulated pipeline to draw below the measured operations, on the same axis.
        unit: Unit of the axis and of all measures; `window` and `clock` are in ms.
        time: Label of the time arrow.
        phases: Styles of classes and operations, over the built-in ones.
        legend: The legend, which explains the fills.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """
