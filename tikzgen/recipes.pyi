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
from tikzgen.recipe.few_of_many import Crowd
from tikzgen.recipe.inference.rlhf import RlhfLabels
from tikzgen.recipe.inference.rollouts import RolloutsLabels
from tikzgen.recipe.inference.serving import Request, ServingLabels
from tikzgen.recipe.inference.serving_system import ServingSystemLabels
from tikzgen.recipe.measured.compared_pipeline import Comparison
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
    "cluster",
    "data_parallel",
    "ddp",
    "federated",
    "fsdp",
    "gradient_accumulation",
    "local_sgd",
    "mapreduce",
    "moe",
    "parallel_3d",
    "parameter_server",
    "paxos",
    "pipeline",
    "raft_election",
    "raft_replication",
    "recipe",
    "recovery",
    "ring_all_reduce",
    "rlhf",
    "rollouts",
    "serving",
    "serving_system",
    "stale_synchronous",
    "timeline",
    "trace",
    "two_phase_commit",
]

_Text: TypeAlias = str | int | float | Tex
_Time: TypeAlias = int | float | str | Fraction | Decimal
_BubbleMeasureName: TypeAlias = Literal["none", "auto", "total", "ideal", "span", "peak"]
_ColorByName: TypeAlias = Literal["phase", "microbatch", "layer", "bucket", "chunk", "lane"]
_LanesName: TypeAlias = Literal["auto", "stream", "class", "rank", "annotations"]
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
_StepName: TypeAlias = Literal["last-complete", "first", "median", "all"]

class _FigureOptions(TypedDict, total=False):
    """What every figure takes."""

    id: str
    """Identifier for the metadata, in kebab case."""
    title: _Text | bool
    """Title above the figure. True takes the name from the metadata or from the recipe. Slides have no caption, so they
    show that name unless this is false."""
    language: str | None
    """Language of the labels, as a BCP 47 tag: en, zh-Hans, fr. PDF, SVG and the page of `tikzgen watch` pass it to
    screen readers. None leaves the language open."""
    palette: Literal["light", "dark"]
    """Colors for a white page (`light`) or for dark slides (`dark`)."""
    width: float | str | None
    """Width of the figure; None takes the natural width."""
    height: float | str | None
    """Maximum height of the figure: tikzgen reduces the gaps between lanes and rows to reach it. None takes the natural
    height, with a warning above the text height of a page, 23 cm."""
    font: Font | Mapping[str, Any]
    """Font family and size."""
    spacing: Spacing | Mapping[str, Any]
    """Distances in the figure; None distances are computed."""
    style: Style | Mapping[str, Any] | Literal["default", "plain", "vivid"]
    """House style: a file, or one of the built-in styles `default`, `plain` and `vivid`. Without this field, tikzgen
    uses the first `tikzgen-style.yaml` in the spec's folder or a parent folder."""
    color_by: _ColorByName
    """Meaning of the hues of timeline cells; phases still differ in lightness. A microbatch, layer, bucket or chunk is
    the number in a cell; four hues alternate."""
    slides: Slides | Mapping[str, Any] | _SlidesName | None
    """Steps in which the figure appears: `time`, `microbatch`, `flows`, `panels`, or a detailed setting. None shows
    everything in one step. Steps are Beamer overlays, pages of the PDF, and numbered SVG and PNG files."""
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
    """The measure that is written out: idle time of total (idle/total), of ideal (idle/busy) or within a device's span;
    the peak of microbatches in flight; none. auto is of total, or the measure in which the panels differ."""
    arrows: Literal["none", "messages", "critical"]
    """Arrows for all messages between devices, or for those on the critical path."""
    critical: bool
    """Whether the operations of the critical path have a heavy border."""
    ticks: _Time | Literal["none"] | None
    """The distance of tick marks on the time arrow; None picks one."""
    unit: str
    """The unit of all times, such as ms."""
    per_node: int | Sequence[int] | None
    """How many devices make a node, which gets a bracket, or a list with the number for each node; None draws none."""
    direction: Literal["right", "up", "down"]
    """Where time runs."""
    zoom: Zoom | Mapping[str, Any] | None
    """A period that is drawn once more below, as long as the whole, so that its cells can be read."""
    first: Literal[0, 1]
    """The number of the first device, microbatch, bucket or layer."""
    phases: Mapping[str, Phase | Mapping[str, Any]]
    """Looks of phases, over the built-in ones; `cell: "F{n}"` sets the numbers inside, `label` the legend's text."""
    legend: Legend | Mapping[str, Any]
    """What the fills mean."""

def data_parallel(
    *,
    workers: int | Crowd | Mapping[str, Any] = 3,
    icons: DataParallelIcons | Mapping[str, Any] = {},
    labels: DataParallelLabels | Mapping[str, Any] = {},
    **options: Unpack[_FigureOptions],
) -> Figure:
    """Data-parallel training with a parameter server.

    Args:
        workers: How many workers: a number, or `{count: 64, show: 3}`. From nine on the last ones but one are dots,
            unless `show` says how many are drawn.
        icons: The icons.
        labels: The texts.
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
        devices: How many devices; None takes as many as `steps` has columns. More repeat its columns.
        show: How many devices have lanes; the others are dots before the last. None draws all, or a few of more than
            16.
        steps: Durations: one row a micro-step, one number a device, in time units.
        update: The duration of an update, in time units.
        accumulate: One panel each: after how many micro-steps the devices update.
        first: The number in the first device's label.
        arrange: Panels side by side, or one below the other on one time scale; auto is a row where the width allows
            one.
        labels: The texts.
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
        workers: How many workers: a number, or `{count: 64, show: 3}`. Of more than 12 a few have lanes, unless `show`
            says how many.
        shards: The parameter shards in the server box.
        timeline: Where the timelines stand: beside the workers, with time upwards, or below them, with time to the
            right. Auto is beside where the figure's width allows it.
        nodes: How many workers the topology draws; the others are an ellipsis there, and keep their lanes in the
            timeline. None draws all up to eight, four of more, or as many as fit the figure's width.
        modes: The panels.
        first: The number in the first worker's labels; names of nodes count from 1.
        rounds: How often each worker goes round.
        fetch: How long a fetch takes, in time units.
        compute: How long each worker computes; repeated where there are more workers.
        push: How long a push takes.
        update: How long the server takes to apply an update; None is 1, but less where it has one for each of more than
            eight workers, so that most of the time is theirs.
        shared_updates: Whether the asynchronous server applies gradients that arrive at the same moment in one update.
        labels: The texts.
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
        schedule: The schedule's name, here or as a class of PyTorch, or several; None is 1f1b. With `operations`, the
            schedule whose rules these must keep.
        devices: How many devices (p).
        microbatches: How many microbatches (m).
        chunks: How many parts of the model each device holds; None is 2 for interleaved-1f1b, and what the others have.
        group: How many microbatches go round together in interleaved-1f1b (N): at least p, or all if there are fewer;
            None is the least that works.
        slices: Into how many parts each microbatch's sequences are cut, where the schedule does (n); None is 2.
        operations: In place of a schedule, the operations of each rank, as PyTorch writes them: 0F0, 0SEND_F0, 0UNSHARD
            …
        unshard: How long an UNSHARD among the operations takes; 0 leaves it out.
        reduce_grad: How long a REDUCE_GRAD among the operations takes; 0 leaves it out.
        allow_invalid: Whether operations that break rules are drawn all the same, and marked.
        braces: The device, from 0, whose warm-up, steady state and cool-down are shown; None shows none.
        warm_up: The definition of these. torch: the warm-up ends with the forward before the first backward, the
            cool-down begins after the last forward. megatron: the warm-up of device r is p-1-r forwards of 1F1B,
            2(p-1-r)+(v-1)N of interleaved-1f1b; the steady state is made of pairs, a forward and then a backward.
        memory: A strip with the microbatches in flight: of the device that holds most, or of all devices.
        cap: A limit in the strip, in microbatches.
        forward: How long a forward takes: one duration for all stages, or a list with one for each stage, for each
            device, or for each chunk of the schedule that cuts the model finest. An entry may be a list with one for
            each microbatch. A CSV file in the folder of the spec has a line for each entry.
        backward: How long a whole backward takes; None is its two halves together, else twice the forward.
        input_grad: How long the gradient of the inputs takes; None follows from `backward` and `weight_grad`, else is
            half of it.
        weight_grad: How long the gradient of the weights takes; None follows from `backward` and `input_grad`, else is
            half of it.
        overlapped: How long a forward and a backward take that overlap (DualPipe's F&B); None is their sum.
        durations: Whether one duration, or one for each device, is for one stage (one chunk, one slice), or for all
            chunks of a device and all slices of a microbatch together: the same model then. None is for a stage, but
            for a device if several schedules cut the model into different numbers of parts: they do the same work then.
        latency: How long a message between devices is under way.
        node_latency: How long one between devices of two nodes is, where `per_node` says how many devices make a node;
            None is `latency`.
        p2p: Who waits while a message is under way: nobody but who has nothing else to do; its sender; or sender and
            receiver, until both are there (Megatron-LM's and PyTorch's batched sends and receives, unless they
            overlap).
        links: Whether devices have lanes for what they send and receive, one message at a time each.
        recompute: How long activations are computed again before a backward, once its gradient has arrived; None keeps
            them.
        kept: Which share of the activations is held all the same where they are recomputed, for the memory.
        offload: How long the activations of a forward take to the host, beside computation; those stay whose backward
            follows.
        reload: How long they take back, beside the operation before their backward; None is as long as there.
        embedding: How long the first stage's embedding takes: forward, and as long again backward, or the two.
        vocabulary: How long the last stage's projection onto the vocabulary takes: forward, and twice that backward; or
            the two.
        loss: How long the loss takes, at the last stage.
        dispatch: How long tokens travel to their experts within a stage, there and, for gradients, back; beside
            computation where forward and backward share a cell.
        combine: How long they travel back; None is as long as there.
        experts: The experts' share of a stage's time.
        all_reduce: How long each device's gradients are summed over its replicas, once it has computed them all.
        update: How long each device's optimizer then takes.
        labels: The texts.
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
        workers: How many workers.
        buckets: How long the backward of each bucket takes, in the order in which they become ready.
        all_reduce: How long the all-reduce of a bucket takes: one duration, or one for each.
        forward: How long the forward takes: one duration for all workers, or one for each.
        update: How long the optimiser takes after the last all-reduce; 0 leaves it out.
        overlap: Whether buckets are reduced as they become ready, or all after the backward; a list gives a panel each.
        show: How many devices have lanes; the others are dots before the last. None draws all, or a few of many.
        labels: The texts.
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
        workers: How many workers.
        layers: How many layers are sharded.
        gather: How long the all-gather of a layer takes: one duration, or one for each layer.
        forward: How long a layer's forward takes: one duration, or one for each layer.
        backward: How long a layer's backward takes; None shows the forward only.
        reduce_scatter: How long the reduce-scatter after a layer's backward takes; 0 leaves it out.
        prefetch: How many layers are gathered ahead: 0 overlaps nothing. A list gives a panel each.
        reshard_last: Whether the last layer's parameters are freed after its forward, and gathered again for its
            backward. PyTorch's torchtitan keeps them, for they are needed again at once.
        show: How many devices have lanes; the others are dots before the last. None draws all, or a few of many.
        labels: The texts.
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
        ranks: How many ranks (N).
        size: How much data each rank has.
        bandwidth: How much data a link carries in a time unit.
        latency: How long each step takes besides, in time units.
        labels: The texts.
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
        workers: How many workers.
        steps: How many steps each worker takes in all.
        local_steps: How many steps (H) are taken between two averages; a list gives a panel each.
        step: How long a step takes: one duration for all workers, or one for each.
        average: How long an average takes.
        show: How many devices have lanes; the others are dots before the last. None draws all, or a few of many.
        labels: The texts.
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
        workers: How many workers.
        steps: How many steps (clocks) each worker takes.
        until: In place of `steps`, the moment up to which workers go on.
        bound: How many steps a worker may be ahead of the slowest: 0 is BSP, None is ASP. A list gives a panel each.
        joint: Whether with bound 0 the server applies one update for all workers, or one for each.
        fetch: How long a fetch takes: one duration for all workers, or one for each.
        compute: How long a step computes: for all, or for each worker (a list goes round by step); None is 2, the
            last's 4.
        push: How long a push takes: one duration for all workers, or one for each.
        update: How long the server takes to apply an update; None is 1/2, but less where it has one for each of more
            than eight workers, so that it keeps up.
        show: How many devices have lanes; the others are dots before the last. None draws all, or a few of many.
        labels: The texts.
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
        requests: The requests; first come, first served.
        policy: Who is served together: static (a batch leaves when its last request is done), continuous (places are
            taken before every iteration, as in Orca), chunked (prompts in pieces, as in Sarathi-Serve), disaggregated
            (two machines, as in DistServe). A list gives a panel each.
        batch: How many requests are served at once.
        budget: How many tokens an iteration has room for where prefills are chunked; decodes come first.
        cache: How many tokens of all requests the machine can hold: who came last loses its place, and is prefilled
            again. None is as many as are wanted.
        step: How long an iteration takes at least.
        prefill: How much longer it takes for each token of a prompt.
        decode: How much longer it takes for each request that is decoded.
        transfer: How long the cache of one token of a prompt travels to the machine that decodes.
        rows: Whether a lane is a request, or a machine with the number of requests in its iterations.
        signs: Whether each request has signs where it arrives and where its first token comes: between them is its
            TTFT.
        labels: The texts.
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
        generators: How many generators there are.
        lengths: How long each rollout takes, in the order in which they begin; they repeat.
        batch: How many rollouts make a training step.
        steps: How many training steps there are.
        train: How long a training step takes.
        sync: How long its weights then travel to the generators.
        bound: How many versions a rollout may be ahead of the weights: 0 is synchronous, 1 one step off, None
            asynchronous without a bound. A list gives a panel each.
        labels: The texts.
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
        workers: How many workers train together.
        steps: How many steps they take.
        step: How long a step takes.
        failures: When which worker fails; failures after the last step do not count.
        means: What is done about it: checkpoint (all since the last save is lost), redundant (each worker also computes
            some of what its neighbour does, as in Bamboo: only the step that runs is lost), rerouted (its peers in
            other pipelines take its microbatches, as in ReCycle: the step that runs is lost, and others take longer). A
            list gives a panel each.
        every: After how many steps the state is saved; 0 never saves.
        save: How long a save takes.
        restart: How long it takes to find the failure, to get another worker and to load what was saved.
        redundancy: How much longer a step takes that is computed twice.
        failover: How long it takes the neighbour, or the peers, to take over.
        stages: How many stages a pipeline has, where microbatches are rerouted: so many workers, one after another, are
            one.
        microbatches: How many microbatches a pipeline has in a step, where they are rerouted.
        inside: Whether one step is shown, microbatch by microbatch, in place of the run: with all workers by 1F1B,
            which takes `step`, and without those that fail; for `means: rerouted`.
        show: How many devices have lanes; the others are dots before the last. None draws all, or a few of many.
        labels: The texts.
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
        workers: How many workers; they are w1, w2, …, and the coordinator is c.
        no: The numbers of workers that vote no.
        delay: How long messages travel: all of them, or those of each worker.
        prepare: How long a worker prepares before it votes.
        decide: How long the coordinator writes its decision.
        timeout: How long the coordinator waits for votes before it aborts.
        direction: Where time runs; the other way where the width does not allow it. All texts are upright.
        time: Text at an arrow of time beside the lifelines; empty draws none.
        crashes: Who fails, and when.
        lost: Which messages never arrive.
        show: How many that do alike have lifelines; the others are dots. None draws all, or a few of many. Who says,
            hears or ends otherwise than most is always drawn.
        labels: The texts.
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
        values: What each proposer would have chosen; the proposers are p1, p2, …
        starts: When each proposer begins; None lets each begin 5 time units after the one before.
        acceptors: How many acceptors; they are a1, a2, …
        delay: How long messages travel: all of them, or those of each acceptor.
        timeout: How long a proposer waits before it tries a greater number.
        rounds: How often it tries.
        direction: Where time runs; the other way where the width does not allow it. All texts are upright.
        time: Text at an arrow of time beside the lifelines; empty draws none.
        crashes: Who fails, and when.
        lost: Which messages never arrive.
        show: How many that do alike have lifelines; the others are dots. None draws all, or a few of many. Who says,
            hears or ends otherwise than most is always drawn.
        labels: The texts.
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
        leader: The number of the server that leads term 1 from the beginning; None is nobody.
        timeouts: How long each server waits for a leader: always, or one wait after the other, round and round. None
            has the first wait 6 time units, and each other one 3/2 longer than the one before.
        direction: Where time runs; the other way where the width does not allow it. All texts are upright.
        time: Text at an arrow of time beside the lifelines; empty draws none.
        crashes: Who fails, and when.
        lost: Which messages never arrive.
        servers: How many servers; they are s1, s2, …
        delay: How long messages travel: all of them, or for each server half of the way to it and from it.
        heartbeat: After how long a leader tells the others again that it leads.
        until: When the diagram ends.
        labels: The texts.
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
        commands: What the client asks, and when.
        direction: Where time runs; the other way where the width does not allow it. All texts are upright.
        time: Text at an arrow of time beside the lifelines; empty draws none.
        crashes: Who fails, and when.
        lost: Which messages never arrive.
        servers: How many servers; they are s1, s2, …
        delay: How long messages travel: all of them, or for each server half of the way to it and from it.
        heartbeat: After how long a leader tells the others again that it leads.
        until: When the diagram ends.
        labels: The texts.
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
        ranks: How many ranks; they are r0, r1, …
        algorithm: Around a ring in 2(p-1) steps, or by recursive doubling in log2 p steps.
        delay: How long a message travels: all of them, or those of each rank's link to the next one of the ring.
        add: How long it takes to add what was received.
        direction: Where time runs; the other way where the width does not allow it. All texts are upright.
        time: Text at an arrow of time beside the lifelines; empty draws none.
        crashes: Who fails, and when.
        lost: Which messages never arrive.
        labels: The texts.
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
        nodes: How many machines there are.
        gpus: How many GPUs each has.
        rails: How many switches every machine is linked to.
        spines: How many switches every rail is linked to, as in a fat tree; 0 is none.
        most: How many cells of a box are drawn at most, and about half as many machines; dots stand for the others.
        labels: The texts.
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
    """Tensor, pipeline and data parallelism: cells are GPUs, boxes stages, frames replicas.

    Args:
        tensor: GPUs that share every layer of a stage (TP).
        pipeline: Stages one after the other (PP).
        data: Replicas of the whole (DP).
        most: How many of a kind are drawn at most, and fewer replicas where these fill the page; dots stand for the
            others.
        labels: The texts.
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
        rollouts: Workers that write answers.
        trainers: Workers that learn.
        most: How many of a pool are drawn at most; dots stand for the others.
        reference: Whether there is a reference policy, as PPO and GRPO have it.
        labels: The texts.
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
        prefill: Workers that read prompts.
        decode: Workers that write tokens; 0 where the first pool does both, and nothing is handed over.
        most: How many of a pool are drawn at most; dots stand for the others.
        labels: The texts.
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
        clients: How many clients take part.
        most: How many of them are drawn at most; dots stand for the others.
        data: Whether the data of each client are drawn.
        icon: The clients' icon, by name.
        labels: The texts.
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
        maps: How many map tasks there are, one a split of the input.
        reduces: How many reduce tasks there are, one a part of the output.
        most: How many of a kind are drawn at most; dots stand for the others.
        direction: Where the output stands; auto is right, and down where four columns of these texts are wider than the
            figure.
        labels: The texts.
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
        experts: How many experts there are.
        top: How many of them a token goes to; the others are gray. None is 2, or 1 of 1.
        most: How many experts are drawn at most; dots stand for the others.
        labels: The texts.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """

def trace(
    *,
    source: str | Sequence[str] | Mapping[int, str],
    ranks: Sequence[int] | Literal["all"] | None = None,
    step: _StepName | int = "last-complete",
    window: tuple[_Time, _Time] | None = None,
    streams: Mapping[str, Literal["auto", "hide"] | int | Sequence[int | str]] = {},
    lanes: _LanesName = "auto",
    operations: str = "auto",
    begin: Literal["work", "annotation"] = "work",
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
        source: The files, beside the spec or below it: a name, a pattern such as `rank{0..3}.json.gz` or
            `traces/*.json`, a list of these, or one file a rank.
        ranks: The ranks that are drawn; None draws the first eight, all refuses a run of which one is missing.
        step: The step by its number or place; all draws everything.
        window: A stretch of time in ms from the first event, in place of a step.
        streams: Lanes by name, before the others: the streams or classes of each, or auto for all of the class of that
            name (compute, communication, copies, or one of `classes`); hide leaves a class, or a stream, out of the
            drawing.
        lanes: What a lane is; auto is a stream where something ran on a device, else annotated operations.
        operations: How operations are annotated: a regular expression with the groups phase, microbatch and, if need
            be, stage.
        begin: Whether an operation begins at the first thing that is computed inside of its annotation, or with that.
        classes: Classes of kernels by name: regular expressions, before the built-in ones.
        clock: Whose clock: raw takes the stamps, collectives moves ranks so that those end together, numbers move them
            by ms. auto is raw on one host.
        detail: What is nearer together than this share of the time is drawn as one cell.
        marks: What is drawn besides: idle time, braces over exposed communication (of one rank or two), and over steps.
        compare: A pipeline that is simulated below the measured operations, on the same axis.
        unit: The unit of the axis and of all measures; `window` and `clock` are in ms.
        time: At the time arrow.
        phases: Looks of classes and operations, over the built-in ones.
        legend: What the fills mean.
        title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them.
    """
