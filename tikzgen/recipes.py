"""Few facts in, a `Figure` out. Each function takes the fields of its recipe as keywords and returns the figure.

>>> from tikzgen import recipes
>>> recipes.data_parallel(workers=4).title
'Distributed data-parallel training'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tikzgen.api import Figure, made
from tikzgen.recipe import NAMES, recipe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tikzgen.model.timeline import Timeline
    from tikzgen.schedule import Schedule

__all__ = [
    "NAMES",
    "all_reduce",
    "data_parallel",
    "ddp",
    "fsdp",
    "gradient_accumulation",
    "local_sgd",
    "parameter_server",
    "paxos",
    "pipeline",
    "raft_election",
    "raft_replication",
    "recipe",
    "recovery",
    "ring_all_reduce",
    "rollouts",
    "serving",
    "stale_synchronous",
    "timeline",
    "two_phase_commit",
]


def data_parallel(**facts: Any) -> Figure:
    """Data-parallel training with a parameter server, as a topology.

    Facts: `workers` (a number, or `{"count": 64, "show": 3}`), `labels`, `icons`, and what every figure takes: `title`,
    `width` (cm, or a name such as `"ieee-column"`), `palette` (`"light"`, `"dark"`), `font`, `spacing` (cm), `meta`.

    Raises:
        pydantic.ValidationError: a fact that does not exist or cannot be (a `ValueError`); so do all functions here.

    >>> data_parallel(workers=1).panels[0].content[0].nodes[1].id
    'w1'
    """
    return made("data-parallel", facts)


def gradient_accumulation(**facts: Any) -> Figure:
    """Updates after every step beside updates after several.

    Facts: `steps` (a row a micro-step, a duration a device) and `update`, in time units; `accumulate` (one panel each:
    after how many micro-steps the devices update), `devices`, `arrange` (`"row"`, `"column"`), `labels`, and what every
    figure takes.
    """
    return made("gradient-accumulation", facts)


def parameter_server(**facts: Any) -> Figure:
    """A synchronous and an asynchronous parameter server: who talks to whom, beside when.

    Facts: `workers`, `shards` (texts), `timeline` (`"beside"` the topology, `"below"` it, or `"auto"`: by the width),
    `nodes` (how many workers the topology draws), `modes` (`"synchronous"`, `"asynchronous"`), `rounds`, the durations
    `fetch`, `compute` (one a worker), `push`, `update` in time units, `labels`, and what every figure takes.
    """
    return made("parameter-server", facts)


def pipeline(**facts: Any) -> Figure:
    """Pipeline schedules with exact times, one panel each on one time axis.

    Facts: `schedule` (a name of `tikzgen.schedule.FAMILIES`, or several), `devices`, `microbatches`, `chunks`; the
    durations `forward`, `backward` or `input_grad` and `weight_grad`, `overlapped` (F&B) and the `latency` between
    devices, all in time units, exact as int, Fraction or text ("1/3"), one for all stages or a list with one a stage;
    `operations` in place of a schedule; `braces`, `memory`, `cap`, `arrows`, `critical`, `slides`, `labels`, and what
    every figure takes. `tikzgen.metrics` measures the figure.

    Raises:
        pydantic.ValidationError: a fact that cannot be, or that the schedule cannot do, with the reason.

    >>> from tikzgen import metrics
    >>> metrics(pipeline(schedule="1f1b", devices=4, microbatches=8)).as_json()["makespan"]
    33
    """
    return made("pipeline", facts)


def ddp(**facts: Any) -> Figure:
    """Data-parallel steps whose gradient buckets are reduced during the backward (PyTorch DDP).

    Facts: `workers`, `forward`, `buckets` (the backward of each), `all_reduce` (one duration, or one a bucket),
    `update`, in time units; `overlap` (true, false, or several: one panel each), `labels`, and what every figure takes.
    """
    return made("ddp", facts)


def fsdp(**facts: Any) -> Figure:
    """Sharded data parallelism (FSDP, ZeRO-3) with prefetched all-gathers.

    Facts: `workers`, `layers`, the durations `gather`, `forward`, `backward`, `reduce_scatter` of a layer in time
    units; `prefetch` (how many layers ahead; several make one panel each), `labels`, and what every figure takes.
    """
    return made("fsdp", facts)


def ring_all_reduce(**facts: Any) -> Figure:
    """A ring all-reduce: what each rank sends in each of its 2(N-1) steps.

    Facts: `ranks` (N), `size` (of the gradient), `bandwidth` (size a time unit), `latency` (time units a message),
    `labels`, and what every figure takes.
    """
    return made("ring-all-reduce", facts)


def local_sgd(**facts: Any) -> Figure:
    """Local SGD: steps alone, then an average over all workers.

    Facts: `workers`, `steps`, `local_steps` (between averages), the durations `step` (one a worker, or one for all) and
    `average` in time units, `labels`, and what every figure takes.
    """
    return made("local-sgd", facts)


def stale_synchronous(**facts: Any) -> Figure:
    """Workers at a parameter server: synchronous (BSP), stale-synchronous (SSP), asynchronous (ASP).

    Facts: `workers`, the durations `compute` (one a worker), `fetch`, `push`, `update` in time units; `steps` of each
    worker, or `until` when they go on; `bound` (0 is BSP, None ASP; several make one panel each), `joint` (one update
    for all), `labels`, and what every figure takes.
    """
    return made("stale-synchronous", facts)


def serving(**facts: Any) -> Figure:
    """Requests served by a language model, iteration by iteration.

    Facts: `requests` (`{"arrival": 1, "prompt": 8, "output": 4}`), `policy` (static, continuous, chunked,
    disaggregated; several make one panel each), `batch` (requests at once), `budget` (tokens an iteration, chunked),
    `cache` (tokens), the durations `step`, `prefill` (a token), `decode` (a request), `transfer` (a token) in time
    units, `rows` (requests or machines), `labels`, and what every figure takes.
    """
    return made("serving", facts)


def rollouts(**facts: Any) -> Figure:
    """Reinforcement learning: generators, a buffer and a trainer, synchronous or not.

    Facts: `generators`, `lengths` (of the rollouts, in the order in which they begin), `batch` (rollouts a step),
    `steps`, the durations `train` and `sync` in time units, `bound` (how many versions ahead; 0 is synchronous, None
    asynchronous; several make one panel each), `labels`, and what every figure takes.
    """
    return made("rollouts", facts)


def recovery(**facts: Any) -> Figure:
    """Training through failures, with checkpoints or redundant computation.

    Facts: `workers`, `steps`, `failures` (`{"at": 11, "worker": 1}`), `means` (checkpoint, redundant; both make one
    panel each), `every` (steps between saves), the durations `step`, `save`, `restart`, `redundancy`, `failover` in
    time units, `labels`, and what every figure takes.
    """
    return made("recovery", facts)


def two_phase_commit(**facts: Any) -> Figure:
    """Two-phase commit, as messages: the outcome is that of a run.

    Facts: `workers`; `no` (who votes no); the durations `delay` (one for all, or one a worker), `prepare`, `decide`,
    `timeout` in time units; `crashes` (`{"id": "w2", "at": 5, "back": 8}`), `lost` (`{"source": "c", "target": "w1"}`),
    `direction`, `time`, `labels`, and what every figure takes.

    >>> [line.foot for line in two_phase_commit(no=[2]).panels[0].content[0].lifelines]
    ['', 'aborted', 'aborted']
    """
    return made("two-phase-commit", facts)


def paxos(**facts: Any) -> Figure:
    """Single-decree Paxos, as messages: which value is chosen is that of a run.

    Facts: `values` (one a proposer), `starts` (when each begins), `acceptors`, `delay` (one for all, or one an
    acceptor), `timeout`, `rounds`, `crashes`, `lost`, `direction`, `time`, `labels`, and what every figure takes.
    """
    return made("paxos", facts)


def raft_election(**facts: Any) -> Figure:
    """A leader election of Raft, as messages: who leads which term is that of a run.

    Facts: `servers`, `leader` (of term 1), `timeouts` (one a server, or a list of them), `heartbeat`, `delay`, `until`,
    `crashes`, `lost`, `direction`, `time`, `labels`, and what every figure takes.
    """
    return made("raft-election", facts)


def raft_replication(**facts: Any) -> Figure:
    """Replication of Raft's log, as messages: what is committed, and when, is that of a run.

    Facts: `servers`, `commands` (`{"at": 1, "text": "set x"}`), `heartbeat`, `delay`, `until`, `crashes`, `lost`,
    `direction`, `time`, `labels`, and what every figure takes.
    """
    return made("raft-replication", facts)


def all_reduce(**facts: Any) -> Figure:
    """An all-reduce as messages: around a ring, or by recursive doubling.

    Facts: `ranks`, `algorithm` (`"ring"`, `"doubling"`), `delay` (one for all, or one a link of the ring), `add`,
    `direction`, `time`, `labels`, and what every figure takes.
    """
    return made("all-reduce", facts)


def cluster(**facts: Any) -> Figure:
    """A cluster: machines with GPUs and a switch of their own, the rails that join them, spines above.

    Facts: `nodes`, `gpus` (of each), `rails`, `spines` (0 is none), `most` (cells of a box; dots stand for the others),
    `labels`, and what every figure takes.

    >>> [group.label for group in cluster(nodes=64).panels[0].content[0].groups]
    ['Node 0', 'Node 63', 'Machines']
    """
    return made("cluster", facts)


def parallel_3d(**facts: Any) -> Figure:
    """Tensor, pipeline and data parallelism over ranks: a cell is a GPU, a box a stage, a frame a replica.

    Facts: `tensor`, `pipeline`, `data` (how many of each), `most` (drawn of a kind), `labels`, and what every figure
    takes.
    """
    return made("3d-parallel", facts)


def rlhf(**facts: Any) -> Figure:
    """Reinforcement learning from feedback: rollout workers, a buffer, a reward model, trainers.

    Facts: `rollouts`, `trainers` (how many), `reference` (whether there is a reference policy), `most` (drawn of a
    pool), `labels`, and what every figure takes.
    """
    return made("rlhf", facts)


def serving_system(**facts: Any) -> Figure:
    """Serving of language models: a router, a pool for prompts, a pool for tokens, the caches between them.

    Facts: `prefill`, `decode` (how many workers; a `decode` of 0 is one pool for both), `most` (drawn of a pool),
    `labels`, and what every figure takes.
    """
    return made("serving-system", facts)


def federated(**facts: Any) -> Figure:
    """Federated learning: a server that averages, clients, and the data that stay with them.

    Facts: `clients`, `data` (whether they are drawn), `icon` (of a client), `most` (drawn), `labels`, and what every
    figure takes.
    """
    return made("federated", facts)


def mapreduce(**facts: Any) -> Figure:
    """A MapReduce job: splits, map tasks, reduce tasks, parts of the output.

    Facts: `maps`, `reduces`, `most` (drawn of a kind), `labels`, and what every figure takes.
    """
    return made("mapreduce", facts)


def moe(**facts: Any) -> Figure:
    """A mixture of experts: a router, the experts, and what puts their answers together.

    Facts: `experts`, `top` (how many a token goes to), `most` (drawn), `labels`, and what every figure takes.
    """
    return made("moe", facts)


def timeline(
    schedule: Schedule, *, device: str = "GPU {n}", streams: Mapping[str, str] | None = None, first: int = 0
) -> Timeline:
    """The timeline of a schedule that `tikzgen.schedule.simulate` ran, with its idle time, as content of a panel.

    `device` labels the devices, which count from `first`; `streams` the lanes of devices that have several, by stream.
    An operation's kind is the phase of its span: a figure's `phases` say how others than the built-in ones look.

    >>> from fractions import Fraction
    >>> from tikzgen.schedule import Builder, Lane, simulate
    >>> steps = Builder()
    >>> before = steps.add("forward", Lane(0), Fraction(1, 3), name="F")
    >>> after = steps.add("backward", Lane(1), Fraction(2), [before], name="B")
    >>> [str(span.start) for span in timeline(simulate(steps.program())).spans]
    ['0', '1/3']
    """
    from tikzgen.recipe.schedule_marks import timeline

    return timeline(schedule, device=device, streams=streams or {}, first=first)
