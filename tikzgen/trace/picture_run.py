"""Drawing of a run: annotated operations, device events or threads, with an account of all events."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from tikzgen.base.errors import FileRefused, TikzgenError, shorten_for_message
from tikzgen.base.intervals import Interval, clip_intervals, union
from tikzgen.base.plain_words import count_of, format_percent
from tikzgen.base.record import NOTHING, Record, replace
from tikzgen.trace.annotated_operations import (
    Begin,
    MeasuredOperation,
    RankOperations,
    Timing,
    has_operations,
    no_operations,
    operations_of_run,
)
from tikzgen.trace.choose_run import Chosen, choose_ranks, choose_time, set_clocks
from tikzgen.trace.claimed_kernels import MOST_UNCLAIMED
from tikzgen.trace.event_classes import COMMUNICATION, ClassRules
from tikzgen.trace.exact_times import Time
from tikzgen.trace.merge_and_stack_cells import MergedEvents, merge_cells, outermost_spans, stack_cells
from tikzgen.trace.picture_model import (
    UNFIT,
    LaneRules,
    Period,
    PictureCell,
    PictureLane,
    Streams,
    TracePicture,
    lanes_of,
    name_class,
    number_name,
    spell_label,
)
from tikzgen.trace.rank_measures import (
    MOST_UNKNOWN,
    DeviceKey,
    RankMeasures,
    compute_intervals,
    measure_rank,
    measure_run,
)
from tikzgen.trace.run_model import WAIT, Annotation, EventKind, TraceRun
from tikzgen.trace.trace_steps import group_by_step, steps_of

LanesBy: TypeAlias = Literal["auto", "stream", "class", "rank", "annotations", "thread"]

_WAYS = {
    "work": "operations begin when they compute",
    "annotation": "operations are as annotated",
    "device": "operations last from their first to their last kernel",
}
_FINEST_BRACE = Fraction(1, 20)
"""Maximum gap inside a brace, as a share of the drawn time."""
_NAMED_LIMIT = 3  # names without a class that a note lists
_NAMELESS = re.compile(r"\(anonymous namespace\)::")
_THREADS_LIMIT = 64  # lanes of threads that are drawn
_CLASSES_LIMIT = 6  # names of slices with a fill each
_OTHER_NAMES = "other"
_SIGNATURE = re.compile(r"^void |[(<].*")


class OperationRules(Record):
    """The user's pattern of operations, their begin on a thread, and the kind of time."""

    pattern: str | None
    begin: Begin
    timing: Timing


def picture_of(
    chosen: Chosen,
    rules: ClassRules,
    lanes: LanesBy = "auto",
    *,
    pattern: str | None = None,
    begin: Begin = "work",
    timing: Timing = "auto",
    detail: Fraction = Fraction(1, 640),
    streams: Streams = NOTHING,
) -> TracePicture:
    """Draw a chosen part of a run. Raise `TikzgenError` if it is empty."""
    device = any(chosen.events.values())
    by = _choose_lanes(chosen, pattern) if lanes == "auto" else lanes
    if streams and by != "stream":
        raise TikzgenError(f"streams: the lanes are {by}, not streams", hint="lanes: stream")
    if by == "annotations":
        return _of_operations(chosen, OperationRules(pattern, begin, timing))
    if by == "thread":
        return _of_threads(chosen, detail)
    if not device:
        raise NothingFound("lanes: nothing ran on a device", hint=_advise_lanes(chosen))
    gap = Fraction(chosen.stretch[1] - chosen.stretch[0]) * detail
    return _of_events(chosen, LaneRules(rules, by, gap, streams))


def find_drawable(run: TraceRun) -> dict[str, str]:
    """Return the fields with which a run can be drawn: none, or replacements of a rejected clock or step.

    Raise `TikzgenError` if no fields draw it.
    """
    for fields in ({}, {"clock": "raw"}, {"step": "all"}, {"clock": "raw", "step": "all"}):
        try:
            drawn, _ = choose_ranks(run, None, _THREADS_LIMIT)
            drawn, _ = set_clocks(drawn, "raw" if "clock" in fields else "auto")
            picture_of(choose_time(drawn, fields.get("step", "last-complete"), None), ClassRules())
        except TikzgenError as error:
            refused = error
        else:
            return fields
    raise refused


class NothingFound(FileRefused):
    """Traces without the requested lanes."""


def _choose_lanes(chosen: Chosen, pattern: str | None) -> LanesBy:
    """Return streams if a device ran events, else annotated operations if there are any, else threads."""
    if any(chosen.events.values()):
        return "stream"
    ranks = chosen.run.ranks.values()
    named = any(rank.spans or rank.annotations for rank in ranks)
    return "annotations" if pattern or not named or any(map(has_operations, ranks)) else "thread"


def _advise_lanes(chosen: Chosen) -> str:
    """Return the lanes that would draw the run."""
    ranks = chosen.run.ranks.values()
    if any(map(has_operations, ranks)):
        first = next(rank for rank in ranks if rank.annotations)
        names = ", ".join(dict.fromkeys(each.name for each in first.annotations[:5]))
        return f"lanes: annotations draws what is annotated: {names}"
    if any(rank.spans or rank.annotations for rank in ranks):
        return "lanes: thread draws the slices of threads"
    return "profile with activities=[CUDA]"


def _of_threads(chosen: Chosen, detail: Fraction) -> TracePicture:
    """Draw the outermost slices of threads, which are neither computing nor communication."""
    by_lane: dict[DeviceKey, list[Annotation]] = {}
    for number, rank in chosen.run.ranks.items():
        labels: set[str] = set()
        for lane, own in outermost_spans(rank.spans or rank.annotations).items():
            if kept := [each for each in own if _is_inside(each, chosen.window)]:
                labels.add(label := number_name(labels, spell_label(lane)))
                by_lane[number, label] = kept
    if not by_lane:
        raise NothingFound("lanes: no slice of a thread is in the traces", hint="lanes: stream")
    drawn = dict(list(by_lane.items())[:_THREADS_LIMIT])
    every = [each for own in drawn.values() for each in own]
    first, last = chosen.window or (min(each.start for each in every), max(each.end for each in every))
    gap, known = Fraction(last - first) * detail, _name_classes(every)
    canvas = _Canvas(first, gap)
    work: dict[DeviceKey, list[Interval]] = {}
    numbers = {number for number, _ in drawn}
    for place, ((number, lane), own) in enumerate(drawn.items()):
        moments: dict[str, list[Interval]] = {}
        for each in own:
            moments.setdefault(known.get((each.role, each.name), _OTHER_NAMES), []).append((each.start, each.end))
        clips = {name: clip_intervals(held, chosen.window) for name, held in moments.items()}
        work[number, lane] = union(interval for held in clips.values() for interval in held)
        merged = [cell for name, held in sorted(clips.items()) for cell in merge_cells(name, held, gap)]
        canvas.add(PictureLane(f"lane{place}", lane, number, f"rank {number}" if len(numbers) > 1 else ""), merged)
    left = [f"{len(by_lane) - len(drawn)} lanes are not drawn"] if len(drawn) < len(by_lane) else []
    said = (*chosen.said, "lanes are threads: no device is drawn", canvas.account_for(len(every)), *left)
    run = chosen.run
    return TracePicture(
        *(canvas.lanes, canvas.cells, last - first, {}, measure_run(work), said, {}, (), run.residual, run.world),
        bubble=False,
        unit=run.unit,
    )


class _Canvas:
    """Lanes and cells of a drawing, with rows for cells that overlap."""

    def __init__(self, zero: Time, gap: Time) -> None:
        self.lanes: list[PictureLane] = []
        self.cells: list[PictureCell] = []
        self._zero, self._gap, self._clipped = zero, gap, 0

    def add(self, lane: PictureLane, merged: Sequence[MergedEvents]) -> None:
        """Add the cells of a lane; only the first row has its label."""
        stacked = stack_cells(merged, self._gap)
        self._clipped += stacked.clipped
        for row, kept in enumerate(stacked.rows, 1):
            own = lane if row == 1 else replace(lane, id=f"{lane.id}-row{row}", label="")
            self.lanes.append(own)
            for cell in kept:
                times = cell.start - self._zero, cell.end - self._zero
                self.cells.append(PictureCell(own.id, cell.name, *times, cell.events, cell.occupancy))

    def account_for(self, read: int) -> str:
        """Account for every event of the selection: drawn, merged, or hidden."""
        several = [cell.events for cell in self.cells if cell.events > 1]
        alone, merged = len(self.cells) - len(several), sum(several)
        parts = [f"{alone} drawn"]
        if merged:
            parts.append(f"{merged} merged into {count_of(len(several), 'cell')}")
        if hidden := read - alone - merged:
            parts.append(f"{hidden} hidden")
        cut = f", {self._clipped} cut where the next begins" if self._clipped else ""
        return f"{read} events: {' + '.join(parts)}{cut}"


def _is_inside(each: Annotation, window: Interval | None) -> bool:
    return window is None or (each.start < window[1] and each.end > window[0])


def _name_classes(spans: Sequence[Annotation]) -> dict[tuple[str, str], str]:
    """Return a class by role and name: the role, or one for each of the names with the longest total time.

    Other names share a class.
    """
    totals: Counter[tuple[str, str]] = Counter()
    for each in spans:
        totals[each.role, each.name] += each.end - each.start  # type: ignore[assignment]  # exact times
    rules = ClassRules()
    found = {(role, name): role for role, name in totals if role in (WAIT, COMMUNICATION)}
    for role, name in [key for key, _ in totals.most_common() if key not in found][:_CLASSES_LIMIT]:
        moves = rules.of(EventKind("kernel", name)) == COMMUNICATION
        found[role, name] = COMMUNICATION if moves else name_class(found.values(), name.removeprefix("task::"))
    return found


def _of_operations(chosen: Chosen, how: OperationRules) -> TracePicture:
    run, (first, last) = chosen.run, chosen.stretch
    by_rank, on_devices = operations_of_run(run, how.begin, how.pattern, how.timing, chosen.steps)
    found: dict[DeviceKey, list[MeasuredOperation]] = {}
    outside = 0
    for number, of_rank in by_rank.items():
        if not of_rank.annotated:
            raise no_operations(run.ranks[number])
        inside = [each for each in of_rank.found if chosen.window is None or (each.opened < last and each.end > first)]
        outside += of_rank.annotated - len(inside) - sum(of_rank.unplaced.values())
        for device in sorted({each.device for each in inside}) or [""]:
            key = number, spell_label(f"device {device}") if device else ""
            found[key] = [each for each in inside if each.device == device]
    every = [each for operations in found.values() for each in operations]
    if not every:
        raise TikzgenError("no operation is in the chosen step or window", hint="step: all draws everything")
    zero, end = min(each.opened for each in every), max(each.end for each in every)
    work = {key: union((each.start, each.end) for each in operations) for key, operations in found.items()}
    lanes = _lanes_of_operations(run, found)
    cells = [
        PictureCell(
            _lane_id(key),
            each.phase,
            each.start - zero,
            each.end - zero,
            number=each.microbatch,
            stage=each.stage,
            waited=each.wait,
            step=None if chosen.steps else each.step,
        )
        for key, operations in found.items()
        for each in operations
    ]
    hidden = sum(map(len, chosen.events.values()))
    left = f" ({outside} others outside of what is chosen)" if outside > 0 else ""
    way = "device" if on_devices else how.begin
    told = f"{len(cells)} operations{left}{f'; {hidden} events of devices are hidden' if hidden else ''}; {_WAYS[way]}"
    shared = [run.parallelism.spell_axes()] if run.parallelism.axes else []
    said = [*chosen.said, *shared, told, *_note_unplaced(by_rank)]
    whole, periods = measure_run(work, (zero, end)), [*_steps(chosen, zero, end)]
    return TracePicture(
        *(lanes, cells, end - zero, {}, whole, said, found, periods, run.residual, run.world),
        axes=run.parallelism.axes,
        bubble=all(each.is_complete for each in by_rank.values()),
        unit=run.unit,
    )


def _lanes_of_operations(run: TraceRun, found: Mapping[DeviceKey, Sequence[MeasuredOperation]]) -> list[PictureLane]:
    """Return a lane per device, by replica and stage; with the stage in its label if it is not the rank."""
    parallelism, replicas = run.parallelism, run.parallelism.replicas
    stages = {rank: parallelism.places.get(rank, NOTHING).get("pp") for rank, _ in found}
    named = None not in stages.values() and any(stage != rank for rank, stage in stages.items())
    lanes = []
    for rank, device in found:
        place = f", {device}" if device else ""
        label = f"stage {stages[rank]} (rank {rank}{place})" if named else f"rank {rank}{place}"
        replica = replicas.index(parallelism.replica_of(rank)) if replicas else 0
        lanes.append(PictureLane(_lane_id((rank, device)), label, rank, "", replica))
    shown = {lane.replica for lane in lanes}
    if len(shown) > 1:
        lanes = [replace(lane, group=parallelism.spell_replica(replicas[lane.replica])) for lane in lanes]
    return sorted(lanes, key=lambda lane: (lane.replica, stages[lane.rank] or 0, lane.rank))


def _lane_id(key: DeviceKey) -> str:
    rank, device = key
    return f"rank{rank}-{UNFIT.sub('-', device)}" if device else f"rank{rank}"


def _note_unplaced(by_rank: Mapping[int, RankOperations]) -> Iterator[str]:
    """Yield notes about operations without kernels, and about computing time without an operation."""
    unplaced = sum((Counter(each.unplaced) for each in by_rank.values()), Counter[str]())
    if unplaced:
        counts = " and ".join(f"{count} {phase}" for phase, count in sorted(unplaced.items()))
        yield f"not drawn: {counts} operations, whose kernels are not known"
    shares = {
        f"rank {number}" + (f", device {device}" if len(each.unclaimed) > 1 else ""): share
        for number, each in by_rank.items()
        for device, share in each.unclaimed.items()
    }
    if shares and (worst := max(shares, key=lambda name: shares[name])) and shares[worst]:
        share = format_percent(shares[worst])
        no_bubble = ", so idle time is not known" if shares[worst] > MOST_UNCLAIMED else ""
        yield f"no operation claims up to {share} % of the computing time ({worst}){no_bubble}"


def _of_events(chosen: Chosen, rules: LaneRules) -> TracePicture:
    first, last = chosen.stretch
    canvas = _Canvas(first, rules.gap)
    devices = [(number, rank, device) for number, rank in chosen.run.ranks.items() for device in rank.devices or [""]]
    measured: dict[DeviceKey, RankMeasures] = {}
    work: dict[DeviceKey, list[Interval]] = {}
    for number, rank, device in devices:
        key = number, spell_label(f"device {device}") if len(rank.devices) > 1 else ""
        places = rank.select_device(device, chosen.events[number])
        name = f"rank {number}" + (f", {key[1]}" if key[1] else "")
        group = name if len(devices) > 1 and rules.by != "rank" else ""
        if measures := measure_rank(rank, rules.classes, window=chosen.window, chosen=places):
            measured[key] = measures.shift_measures(-first)
        work[key] = union(clip_intervals(compute_intervals(rank, rules.classes, places), chosen.window))
        for identifier, label, own in lanes_of(rank, places, chosen, rules):
            text = name if rules.by == "rank" else label
            canvas.add(PictureLane(f"{_lane_id(key)}-{identifier}", text, number, group), own)
    if not canvas.cells:
        raise TikzgenError("streams: every event is hidden", hint="remove a hide")
    told = canvas.account_for(sum(map(len, chosen.events.values())))
    periods = [*_steps(chosen, first, last), *_exposed_periods(measured, (last - first) * _FINEST_BRACE)]
    said = (*chosen.said, told, *_note_unknown(measured))
    run, whole = chosen.run, measure_run(work)
    drawn = canvas.lanes, canvas.cells
    return TracePicture(*drawn, last - first, measured, whole, said, {}, periods, run.residual, run.world)


def _note_unknown(ranks: dict[DeviceKey, RankMeasures]) -> Iterator[str]:
    """Yield kernels without a class that take too much of a rank's busy time to be ignored."""
    for (number, device), measures in ranks.items():
        share = Fraction(measures.unclassified) / Fraction(measures.busy) if measures.busy else Fraction(0)
        if share > MOST_UNKNOWN:
            known = dict.fromkeys(_SIGNATURE.sub("", _NAMELESS.sub("", name)) for name in measures.unmatched)
            names = ", ".join(shorten_for_message(name) for name in list(known)[:_NAMED_LIMIT])
            percent = format_percent(share)
            place = f", {device}" if device else ""
            yield f"rank {number}{place}: {percent} % of the busy time is in no class but compute, longest {names}"


def _exposed_periods(ranks: dict[DeviceKey, RankMeasures], gap: Time) -> Iterator[Period]:
    """Yield periods of exposed communication with their durations; near ones are merged."""
    for (number, device), measures in ranks.items():
        for cell in merge_cells("exposed", measures.exposed_at, gap):
            yield Period(cell.name, cell.start, cell.end, number, cell.busy, device)


def _steps(chosen: Chosen, first: Time, last: Time) -> Iterator[Period]:
    """Yield the drawn steps: on devices, of the events that were launched in them, over all ranks."""
    found: dict[int, list[Interval]] = {}
    for number, rank in chosen.run.ranks.items():
        steps, drawn = steps_of(rank), chosen.events[number]
        if not drawn:
            for step in steps:
                found.setdefault(step.number, []).extend(clip_intervals([(step.start, step.end)], (first, last)))
            continue
        for step_number, places in group_by_step(rank, steps, drawn).items():
            times = [(rank.events.starts[place], rank.events.ends[place]) for place in places]
            found.setdefault(step_number, []).extend(clip_intervals(times, (first, last)))
    for number, spans in sorted(found.items()):
        if spans:
            end = max(end for _, end in spans)
            yield Period(f"step {number}", min(spans)[0] - first, end - first)
