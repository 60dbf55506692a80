"""Conversion of a simulated schedule to lanes and spans.

There is one lane per stream of a device, and one span per operation and lane.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any, Literal

from tikzgen.base.record import NOTHING, Record
from tikzgen.model.timeline import Barrier, Half, Lane, LaneGroup, Span
from tikzgen.schedule import COMPUTE, PHASES, Schedule, ScheduledOperation, Task
from tikzgen.schedule import ScheduleLane as Stream
from tikzgen.text import fill_placeholders

Shades = Literal["chunk", "direction", "slice", "pipeline"]

_LAST_CHUNK_INDEX = 15
_HALF = Fraction(1, 2)
# Names of streams in lane ids.
_SUFFIX = {"communication": "comm"}


class Naming(Record):
    """Names of lanes: `stem` begins their ids, `device` and `streams` are their labels.

    Devices, microbatches, layers and other numbers count from `first`. The lane of the stream `plain` has only the
    name of its device.
    """

    stem: str = "gpu"
    device: str = "GPU {n}"
    streams: Mapping[str, str] = NOTHING
    first: int = 0
    plain: str = COMPUTE

    def make_id(self, lane: Stream) -> str:
        """Return the id of a lane: `gpu0`, `gpu0-comm`, `server`."""
        if lane.device < 0:
            return lane.stream
        suffix = "" if lane.stream == self.plain else "-" + _SUFFIX.get(lane.stream, lane.stream)
        return f"{self.stem}{lane.device + self.first}{suffix}"

    def label(self, device: int) -> str:
        """Return the label of a device."""
        return fill_placeholders(self.device, n=device + self.first)


class LanesOfSchedule(Record):
    """Lanes and spans of a schedule.

    `devices` maps the id of a lane to its device, if it has one. `names` has the names of the spans of every drawn
    operation.
    """

    lanes: list[Lane]
    devices: Mapping[str, int]
    groups: list[LaneGroup]
    spans: list[Span]
    barriers: list[Barrier]
    names: dict[int, tuple[str, ...]]
    shades: Shades = "chunk"


def lanes_of_schedule(
    schedule: Schedule,
    naming: Naming,
    *,
    numbers: Mapping[int, int | None] | None = None,
    faults: Mapping[int, str] | None = None,
    shades: tuple[Shades, Callable[[Task], int]] | None = None,
    shown: Collection[int] | None = None,
) -> LanesOfSchedule:
    """Build the lanes of `schedule` by device, the server's last, and their operations in chronological order.

    Devices that are not `shown` become an ellipsis. `numbers` overrides the number in an operation's cell; `faults`
    describes its faults. An operation on separate lanes is drawn once on each of them. Shades distinguish parts of the
    model, slices of a microbatch, or the results of `shades` for a task.
    """
    every = sorted(schedule.program.list_lanes(), key=_reading_order)
    lanes, groups, devices = _make_lanes(every, naming, shown)
    ids = [lane.id for lane in lanes]
    dots = {place for place, lane in enumerate(lanes) if lane.ellipsis}
    found = {name: place for place, name in enumerate(ids)}
    order = {stream: found[name] for stream in every if (name := naming.make_id(stream)) in found}
    meaning, shade = shades or _choose_shades(schedule)
    numbers, faults = numbers or {}, faults or {}
    rows: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in lanes]
    barriers = []
    operations = schedule.operations
    near: dict[tuple[Stream, ...], list[int]] = {}
    for index in schedule.order:
        operation = operations[index]
        places = near.get(operation.lanes)
        if places is None:
            places = near[operation.lanes] = sorted(order[lane] for lane in operation.lanes if lane in order)
        if not places:
            continue  # a message without a lane, or devices that are not shown
        if not operation.duration:
            if operation.kind == "barrier" and len(places) > 1:
                # one line, from its first lane to its last
                reached = ids[places[0] : places[-1] + 1]
                barriers.append(Barrier(time=schedule.start(index), lanes=_shorten_lanes(reached, ids)))
            continue
        # A worker's own update is separate from updates of the server, even on adjacent lanes.
        served = any(lane.device < 0 for lane in operation.lanes) and len(places) < len(order)
        across = range(places[0], places[-1] + 1)
        side_by_side = dots.issuperset({*across}.difference(places)) and not served
        for covered in [tuple(across)] if side_by_side else [(place,) for place in places]:
            rows[covered[0]].append((index, covered))
    spans: list[Span] = []
    alike: dict[tuple[str, ...], Span] = {}  # one span per set of fields
    names: dict[int, tuple[str, ...]] = {}
    counts: dict[str, int] = {}
    for row in rows:
        for index, covered in row:
            operation = operations[index]
            told = _look(operation, shade, naming.first, schedule.program.slices)
            if index in numbers:
                told["number"] = numbers[index]
            lane = ids[covered[0]] if len(covered) == 1 else [ids[place] for place in covered]
            told |= {"lane": lane, "start": schedule.start(index), "duration": operation.duration}
            told["fault"] = faults.get(index, "")
            # Spans are built without validation, which would double the time for half a million spans. Times from the
            # simulator are exact, and the timeline checks lanes, names and overlaps. A copy of a similar span already
            # has the defaults.
            like = alike.get(fields := tuple(told))
            span = like.model_copy(update=told) if like else Span.model_construct(**told)
            if not like:
                alike[fields] = span
            spans.append(span)
            stem = f"{lane}-{span.phase}" if isinstance(lane, str) else span.phase
            counts[stem] = counts.get(stem, 0) + 1
            names[index] = (*names.get(index, ()), f"{stem}{counts[stem]}")
    return LanesOfSchedule(lanes, devices, groups, spans, barriers, names, meaning)


def _reading_order(lane: Stream) -> tuple[bool, int, int, str]:
    """Return the sort key of lanes: by device, the server last; compute, then outgoing, then incoming."""
    first = {COMPUTE: 0, "send": 1, "offload": 1}
    return lane.device < 0, lane.device, first.get(lane.stream, 2), lane.stream


def _shorten_lanes(some: list[str], every: list[str]) -> list[str]:
    """Return the ids of some lanes; empty if they are all lanes, the notation of marks."""
    return [] if len(some) == len(every) else some


def _look(operation: ScheduledOperation, shade: Callable[[Task], int], first: int, slices: int) -> dict[str, Any]:
    """Return phase, number, shade and second half of an operation's cell."""
    number = operation.number + first
    if not operation.tasks or operation.lanes[0].stream != COMPUTE:
        return {"phase": operation.kind, "number": number}
    shades = [min(shade(task), _LAST_CHUNK_INDEX) for task in operation.tasks]
    if len(shades) == 1:
        return {"phase": operation.kind, "number": number, "chunk": shades[0]}
    halves = [
        {"phase": PHASES[task.kind], "number": task.microbatch // slices + first, "chunk": own}
        for task, own in zip(operation.tasks, shades, strict=True)
    ]
    alone = sum(operation.parts)
    share = operation.parts[-1] / alone if min(operation.parts, default=0) else _HALF
    return halves[0] | {"second": Half.model_validate(halves[1] | {"share": share})}


def _choose_shades(schedule: Schedule) -> tuple[Shades, Callable[[Task], int]]:
    """Return the meaning of shades, and a function from a task to its shade.

    The shade is the slice, if sequences are cut, else the index of the stage among the stages of its device. If there
    are as many stages as devices, a device with several stages works in two directions; the shade is then 0 if stage
    and device have the same number.
    """
    slices = schedule.program.slices
    if slices > 1:
        return "slice", lambda task: task.microbatch % slices
    held: dict[int, set[int]] = {}
    for operation in schedule.operations:
        for task in operation.tasks:
            held.setdefault(operation.lanes[0].device, set()).add(task.stage)
    homes = {stage: device for device, stages in held.items() for stage in stages}
    places = {device: {stage: place for place, stage in enumerate(sorted(stages))} for device, stages in held.items()}
    if len(homes) == sum(map(len, held.values())):  # each stage is on one device
        shades = {stage: places[device][stage] for stage, device in homes.items()}
        return "chunk", lambda task: shades[task.stage]
    home = {task: operation.lanes[0].device for operation in schedule.operations for task in operation.tasks}
    if len(homes) == len(held):
        return "direction", lambda task: int(task.stage != home[task]) if len(held[home[task]]) > 1 else 0
    return "chunk", lambda task: places[home[task]][task.stage]


def _make_lanes(
    streams: list[Stream], naming: Naming, shown: Collection[int] | None
) -> tuple[list[Lane], list[LaneGroup], dict[str, int]]:
    """Return lanes, brackets and devices.

    A device with one stream labels its lane. A device with several streams has a bracket with its label, and each lane
    the label of its stream.
    """
    by_device: dict[int, list[Stream]] = {}
    for lane in streams:
        by_device.setdefault(lane.device, []).append(lane)
    lanes: list[Lane] = []
    groups = []
    devices = {}
    for device, own in by_device.items():
        if shown is not None and device >= 0 and device not in shown:
            if not (lanes and lanes[-1].ellipsis):
                lanes.append(Lane(id=f"dots{len(lanes)}", ellipsis=True))
            continue
        for lane in own:
            named = naming.streams.get(lane.stream, lane.stream)
            label = named if len(own) > 1 or device < 0 else naming.label(device)
            lanes.append(Lane(id=naming.make_id(lane), label=label))
            if device >= 0:
                devices[lanes[-1].id] = device
        if len(own) > 1:
            groups.append(LaneGroup(lanes=[naming.make_id(lane) for lane in own], label=naming.label(device)))
    return lanes, groups, devices
