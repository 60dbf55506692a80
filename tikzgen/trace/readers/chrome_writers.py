"""Writers of Chrome traces: evidence for each, and the meaning of categories, processes and threads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tikzgen.base.record import Record
from tikzgen.trace.exact_times import Time, nanoseconds
from tikzgen.trace.readers.trace_events import Slice, TraceEvents, natural_number
from tikzgen.trace.run_model import Annotation, RankBuilder, Role, Stream

DEVICE_ROLES = {
    "kernel": "kernel",
    "Kernel": "kernel",
    "gpu_memcpy": "memcpy",
    "Memcpy": "memcpy",
    "gpu_memset": "memset",
    "Memset": "memset",
    "mtia_ccp_events": "kernel",
}
"""Device work of Kineto by category."""
ANNOTATED, SHADOW = "user_annotation", "gpu_user_annotation"
LAUNCHED = ("cuda_runtime", "cuda_driver", "Runtime", "mtia_runtime")
OPERATORS = ("cpu_op", "Operator")
KINETO_CATEGORIES = frozenset((*DEVICE_ROLES, ANNOTATED, SHADOW, *LAUNCHED, *OPERATORS))
_NCCL = frozenset(("GROUP", "COLL", "P2P", "PROXY", "NET", "GPU", "GROUP_API", "COLL_API", "P2P_API", "KERNEL_LAUNCH"))
_JAX_DEVICE = re.compile(r"/device:(?:GPU|TPU|CUSTOM)[^\d]*(\d+)")
_JAX_STREAM = re.compile(r"Stream #(\w+)")
_JAX_OPERATIONS = re.compile("(?:Async )?XLA Ops")
"""Threads with the work of a TPU."""
_TENSORFLOW = re.compile(r"/(job:.*)/device:(\w+:\d+)(/stream:(\w+)|/memcpy)? Compute\Z")
_PLANNED = re.compile(r"\d+[A-Z]")
_PLANNED_WORK = re.compile(r"\d+[FBIW]\d+\Z")
_COPIES = re.compile(r"memcpy|^copy(device|host)to|copyBuffer|^copy-(start|done)", re.IGNORECASE)
_FILLS = re.compile(r"memset|fillBuffer", re.IGNORECASE)
_WAITS = re.compile("NEGOTIATE_|QUEUE|WAIT_")
_MOVES = re.compile("(?:NCCL|MPI|GLOO|CCL|ADASUM)_")
_TASK_HASH = re.compile(r"[-_][0-9a-f]{4,}.*|-\d+\Z")
_ROUND = (1_000_000, 2_000_000)  # events per file
"""Converters to JSON stop at such a number of events."""


class HeldSlices:
    """All slices of a file whose format is known only at its end."""

    def __init__(self) -> None:
        self.found: list[Slice] = []
        self.categories: set[str] = set()
        self.phases: set[str] = set()

    def take(self, each: Slice) -> None:
        """Keep a slice."""
        self.found.append(each)
        self.categories.add(each.category)
        self.phases.add(each.phase)


class TraceFacts(Record):
    """Contents of a file, by which its format is known."""

    header: Mapping[str, Any]
    held: HeldSlices
    events: TraceEvents

    @property
    def processes(self) -> Iterator[str]:
        """Names of processes."""
        return (name for (_, thread), name in self.events.names.items() if not thread)


class TraceTable(Record):
    """Writer of Chrome traces: title, evidence, function that fills the ranks of a file, noun of a lane."""

    title: str
    is_known: Callable[[TraceFacts], bool]
    fill: Callable[[TraceFacts, RankBuilder], Iterable[RankBuilder]] | None = None
    lane_noun: str = "thread"


def find_writer(facts: TraceFacts) -> str:
    """Return the first writer whose evidence is in the file; `generic` needs none."""
    return next(name for name, table in TABLES.items() if table.is_known(facts))


def _knows_dask(facts: TraceFacts) -> bool:
    return bool(facts.events.tasks) and not facts.held.found


def _knows_viztracer(facts: TraceFacts) -> bool:
    categories = facts.held.categories
    return "viztracer_metadata" in facts.header or (bool(categories) and categories <= {"FEE", "fee"})


def _knows_horovod(facts: TraceFacts) -> bool:
    negotiated = any(each.name.startswith("NEGOTIATE_") for each in facts.held.found)
    return facts.events.epoch_us is not None or negotiated


def _knows_jax(facts: TraceFacts) -> bool:
    return any(map(_JAX_DEVICE.match, facts.processes))


def _knows_tensorflow(facts: TraceFacts) -> bool:
    return any(map(_TENSORFLOW.match, facts.processes))


def _knows_nccl(facts: TraceFacts) -> bool:
    categories = facts.held.categories
    return bool(categories & _NCCL) and categories <= _NCCL | {""} and "b" in facts.held.phases


def _knows_kineto(facts: TraceFacts) -> bool:
    return is_kineto_header(facts.header) or bool(facts.held.categories & KINETO_CATEGORIES)


def is_kineto_header(header: Mapping[str, Any]) -> bool:
    """Return whether the header of a file is from Kineto."""
    return "distributedInfo" in header or "deviceProperties" in header


def _knows_ray(facts: TraceFacts) -> bool:
    categories = facts.held.categories
    return bool(categories) and all(each.startswith("task") or each in ("driver", "worker") for each in categories)


def _knows_plan(facts: TraceFacts) -> bool:
    slices, categories = facts.held.found, facts.held.categories
    planned = all(_PLANNED.match(each.name) and each.process == each.thread for each in slices)
    return bool(categories) and categories <= {"computation", "communication"} and planned


def _fill_jax(facts: TraceFacts, file: RankBuilder) -> Iterator[RankBuilder]:
    """One rank per device; other threads of a device repeat the times of its streams.

    A TPU has no streams: its work is on `XLA Ops` and `Async XLA Ops`.
    """
    names = facts.events.names
    devices = {
        process: int(match[1])
        for (process, thread), name in names.items()
        if not thread and (match := _JAX_DEVICE.match(name))
    }
    count = file.counts.total()
    if count in _ROUND:
        file.warnings.append(f"{file.source}: holds exactly {count} events; a converter stops there")
    ranks = {}
    for process, number in sorted(devices.items(), key=lambda item: item[1]):
        source = f"{file.source}, device {number}" if len(devices) > 1 else file.source
        ranks[process] = file.copy_file(source)
    streams = {key: match[1] for key, name in names.items() if key[1] and (match := _JAX_STREAM.match(name))}
    with_streams = {process for process, _ in streams}
    for each in facts.held.found:
        key = each.process, each.thread
        stream = streams.get(key)
        if stream is None and each.process not in with_streams:
            operations = _JAX_OPERATIONS.match(names.get(key, ""))
            stream = operations[0] if operations else None
        if each.process in ranks and stream is not None:
            place = Stream(str(devices[each.process]), stream)
            ranks[each.process].event(each.start, each.end, _kind_of_name(each.name), each.name, place)
    yield from ranks.values()


def _kind_of_name(name: str) -> str:
    return "memcpy" if _COPIES.search(name) else "memset" if _FILLS.search(name) else "kernel"


def _fill_tensorflow(facts: TraceFacts, rank: RankBuilder) -> Iterator[RankBuilder]:
    """Streams of devices; `stream:all` repeats the others, and a process without a stream is the executor.

    A device of one of several tasks is named with its task.
    """
    names = facts.events.names
    tasks = {place[1] for place in map(_TENSORFLOW.match, facts.processes) if place}
    shared = set.intersection(*(set(task.split("/")) for task in tasks)) if tasks else set()
    repeated = any("/stream:all" in name for name in facts.processes)
    for each in facts.held.found:
        place = _TENSORFLOW.search(names.get((each.process, ""), ""))
        if not place:
            continue
        task, device, memory_or_stream, stream = place.groups()
        device = "/".join([*(part for part in task.split("/") if part not in shared), device])
        if memory_or_stream is None:
            rank.spans.append(Annotation(each.name, f"{device}/executor {each.thread}", each.start, each.end))
        elif stream in (None, "all") or not repeated:
            kind = "memcpy" if stream is None else "kernel"
            rank.event(each.start, each.end, kind, each.name, Stream(device, stream or "memcpy"))
    yield rank


def _fill_nccl(facts: TraceFacts, file: RankBuilder) -> Iterator[RankBuilder]:
    """Collectives and messages of each rank; other events are the steps of them.

    The begin of some steps is never set.
    """
    of_process: dict[str, int] = {}
    numbers: list[int | None] = []
    for each in facts.held.found:
        number = natural_number(each.args.get("Rank"))
        numbers.append(number)
        if number is not None:
            of_process.setdefault(each.process, number)
    ranks: dict[int | None, RankBuilder] = {}
    for each, number in zip(facts.held.found, numbers, strict=True):
        if each.category in ("COLL", "P2P"):
            number = of_process.get(each.process) if number is None else number
            rank = ranks.setdefault(number, file.copy_file(file.source))
            rank.number = number
            rank.spans.append(Annotation(each.name, each.process, each.start, each.end, role="communication"))
        elif each.start == 0:
            facts.events.lost["timestamp never set"] += 1
    unknown = ranks.pop(None, None)
    if unknown and ranks:
        file.warnings.append(f"{file.source}: {len(unknown.spans)} collectives are left out: their rank is unknown")
    yield from ranks.values() if ranks else [unknown] if unknown else []


def _fill_horovod(facts: TraceFacts, rank: RankBuilder) -> Iterator[RankBuilder]:
    """A process is a tensor: waits, communication, and spans around both."""
    epoch = natural_number(facts.events.epoch_us)
    if epoch is not None:
        rank.base, rank.absolute = epoch * 1000, True
    for each in facts.held.found:
        if each.phase == "B":
            waits, moves = _WAITS.match(each.name), _MOVES.match(each.name)
            role: Role = "wait" if waits else "communication" if moves else "span"
            tensor = facts.events.names.get((each.process, ""), each.process)
            rank.spans.append(Annotation(each.name, tensor, each.start, each.end, role=role))
    yield rank


def _fill_plan(facts: TraceFacts, file: RankBuilder) -> Iterator[RankBuilder]:
    """A plan of PyTorch's pipelines: times are steps of the plan; a process is a rank."""
    ranks: dict[str, RankBuilder] = {}
    for each in facts.held.found:
        rank = ranks.get(each.process)
        if rank is None:
            rank = ranks[each.process] = file.copy_file(file.source)
            rank.number, rank.unit = natural_number(each.process), "plan step"
            rank.warnings.append(f"{file.source}: times are steps of a plan, not measured")
        rank.spans.append(Annotation(each.name, f"{each.process}/{each.category}", each.start, each.end))
        if _PLANNED_WORK.match(each.name):
            rank.annotations.append(Annotation(f"PP:{each.name}", each.process, each.start, each.end))
    yield from (ranks[process] for process in sorted(ranks, key=lambda process: (len(process), process)))


def _fill_dask(facts: TraceFacts, rank: RankBuilder) -> Iterator[RankBuilder]:
    """A task stream of Dask, in seconds: a lane per worker and thread."""
    for task in facts.events.tasks:
        name = _TASK_HASH.sub("", str(task.get("key", "")))
        lane = f"{task.get('worker', '')}/{task.get('thread', '')}"
        for part in task["startstops"]:
            try:
                start, end = _read_seconds(part["start"]), _read_seconds(part["stop"])
            except (KeyError, TypeError, ValueError):
                facts.events.lost["without a time"] += 1
                continue
            if start <= end:
                rank.spans.append(Annotation(name, lane, start, end))
                rank.counts[str(part.get("action", ""))] += 1
            else:
                facts.events.lost["without a time"] += 1
    yield rank


def _read_seconds(value: object) -> Time:
    return nanoseconds(value) * 10**6


def _fill_threads(facts: TraceFacts, rank: RankBuilder) -> Iterator[RankBuilder]:
    """A lane per thread."""
    names = facts.events.names
    for each in facts.held.found:
        process, thread = (names.get(key, key[-1] or key[0]) for key in _thread_keys(each))
        rank.spans.append(Annotation(each.name, f"{process}/{thread}", each.start, each.end))
    yield rank


def _thread_keys(each: Slice) -> tuple[tuple[str, str], tuple[str, str]]:
    return (each.process, ""), (each.process, each.thread)


def _fill_ray(facts: TraceFacts, rank: RankBuilder) -> Iterator[RankBuilder]:
    """Tasks by worker; their phases are inside of them."""
    tasks = HeldSlices()
    for each in facts.held.found:
        if each.category.startswith("task::") or "::" in each.name:
            tasks.take(each)
    yield from _fill_threads(TraceFacts(facts.header, tasks, facts.events), rank)


TABLES = {
    "dask": TraceTable("Dask task stream", _knows_dask, _fill_dask),
    "viztracer": TraceTable("VizTracer", _knows_viztracer, _fill_threads),
    "horovod": TraceTable("Horovod timeline", _knows_horovod, _fill_horovod, "tensor"),
    "jax": TraceTable("JAX", _knows_jax, _fill_jax),
    "tensorflow": TraceTable("TensorFlow", _knows_tensorflow, _fill_tensorflow),
    "nccl": TraceTable("NCCL profiler", _knows_nccl, _fill_nccl, "process"),
    "kineto": TraceTable("PyTorch", _knows_kineto),
    "ray": TraceTable("Ray timeline", _knows_ray, _fill_ray, "worker"),
    "pipelining": TraceTable("plan of torch.distributed.pipelining", _knows_plan, _fill_plan, "lane"),
    "generic": TraceTable("trace events of an unknown program", lambda _: True, _fill_threads),
}
"""Writers, in the order in which a file is compared with them."""
