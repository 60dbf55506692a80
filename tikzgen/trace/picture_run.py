"""A run becomes a picture: operations that were annotated, or what ran on devices; all events are accounted for."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal, TypeAlias

from tikzgen.base.errors import TikzgenError, shorten_for_message
from tikzgen.base.intervals import Interval, clip_intervals, union
from tikzgen.base.plain_words import format_percent
from tikzgen.base.record import NOTHING
from tikzgen.trace.annotated_operations import Begin, MeasuredOperation, no_operations, operations_of
from tikzgen.trace.choose_run import Chosen, steps_of
from tikzgen.trace.event_classes import ClassRules
from tikzgen.trace.exact_times import Time
from tikzgen.trace.merge_and_stack_cells import merge_cells, stack_cells
from tikzgen.trace.picture_model import LaneRules, Period, PictureCell, PictureLane, Streams, TracePicture, lanes_of
from tikzgen.trace.rank_measures import MOST_UNKNOWN, RankMeasures, compute_intervals, measure_rank, measure_run

LanesBy: TypeAlias = Literal["auto", "stream", "class", "rank", "annotations"]

_FINEST_BRACE = Fraction(1, 20)
"""What is nearer together than this share of the time is one brace."""
_NAMED_LIMIT = 3  # names without a class that a note lists
_NAMELESS = re.compile(r"\(anonymous namespace\)::")
_SIGNATURE = re.compile(r"^void |[(<].*")


def picture_of(
    chosen: Chosen,
    rules: ClassRules,
    lanes: LanesBy = "auto",
    *,
    pattern: str | None = None,
    begin: Begin = "work",
    detail: Fraction = Fraction(1, 640),
    streams: Streams = NOTHING,
) -> TracePicture:
    """Draw a chosen part of a run. `TikzgenError` where there is nothing of what is asked for."""
    device = any(chosen.events.values())
    by = ("stream" if device else "annotations") if lanes == "auto" else lanes
    if streams and by != "stream":
        raise TikzgenError(f"streams: the lanes are {by}, not streams", hint="lanes: stream")
    if by == "annotations":
        return _of_operations(chosen, pattern, begin)
    if not device:
        first = next(iter(chosen.run.ranks.values()))
        names = ", ".join(dict.fromkeys(each.name for each in first.annotations[:5]))
        hint = f"lanes: annotations draws what is annotated: {names}" if names else "profile with activities=[CUDA]"
        raise TikzgenError("nothing ran on a device", hint=hint)
    gap = Fraction(chosen.stretch[1] - chosen.stretch[0]) * detail
    return _of_events(chosen, LaneRules(rules, by, gap, streams))


def _of_operations(chosen: Chosen, pattern: str | None, begin: Begin) -> TracePicture:
    first, last = chosen.stretch
    found: dict[int, list[MeasuredOperation]] = {}
    outside = 0
    for number, rank in chosen.run.ranks.items():
        every = operations_of(rank, begin, pattern)
        if not every:
            raise no_operations(rank)
        found[number] = [each for each in every if each.opened < last and each.end > first]
        outside += len(every) - len(found[number])
    every = [each for operations in found.values() for each in operations]
    if not every:
        raise TikzgenError("no operation lies in what is chosen", hint="step: all draws everything")
    zero, end = min(each.opened for each in every), max(each.end for each in every)
    work = {number: union((each.start, each.end) for each in operations) for number, operations in found.items()}
    cells = [
        PictureCell(
            f"rank{number}",
            each.phase,
            each.start - zero,
            each.end - zero,
            number=each.microbatch,
            stage=each.stage,
            waited=each.wait,
        )
        for number, operations in found.items()
        for each in operations
    ]
    ways = {"work": "operations begin when they compute", "annotation": "operations are as annotated"}
    hidden = sum(map(len, chosen.events.values()))
    left = f" ({outside} others outside of what is chosen)" if outside else ""
    told = f"{len(cells)} operations{left}{f'; {hidden} events of devices are hidden' if hidden else ''}; {ways[begin]}"
    said = [*chosen.said, told]
    lanes = [PictureLane(f"rank{number}", f"rank {number}", number) for number in found]
    whole, periods = measure_run(work, (zero, end)), [*_steps(chosen, zero, end)]
    return TracePicture(
        lanes, cells, end - zero, {}, whole, said, found, periods, chosen.run.residual, chosen.run.world
    )


def _account_for_events(read: int, alone: int, merged: int, cells: int, clipped: int) -> str:
    """Account for every event of the selection: drawn, merged, or hidden."""
    parts = [f"{alone} drawn"]
    if merged:
        parts.append(f"{merged} merged into {cells} cell{'s' * (cells > 1)}")
    if hidden := read - alone - merged:
        parts.append(f"{hidden} hidden")
    cut = f", {clipped} cut where the next begins" if clipped else ""
    return f"{read} events: {' + '.join(parts)}{cut}"


def _of_events(chosen: Chosen, rules: LaneRules) -> TracePicture:
    first, last = chosen.stretch
    lanes: list[PictureLane] = []
    cells: list[PictureCell] = []
    clipped = 0
    for number, rank in chosen.run.ranks.items():
        group = f"rank {number}" if len(chosen.run.ranks) > 1 and rules.by != "rank" else ""
        for name, label, own in lanes_of(rank, chosen, rules):
            stacked = stack_cells(own, rules.gap)
            clipped += stacked.clipped
            for row, kept in enumerate(stacked.rows, 1):
                lane = f"rank{number}-{name}" if row == 1 else f"rank{number}-{name}-row{row}"
                lanes.append(PictureLane(lane, label if row == 1 else "", number, group))
                cells += (
                    PictureCell(lane, each.name, each.start - first, each.end - first, each.events, each.occupancy)
                    for each in kept
                )
    if not cells:
        raise TikzgenError("streams: all that ran is hidden", hint="leave out one that says hide")
    measured = {
        number: measures.shift_measures(-first)
        for number, rank in chosen.run.ranks.items()
        if (measures := measure_rank(rank, rules.classes, window=chosen.window, chosen=chosen.events[number]))
    }
    work = {
        number: union(clip_intervals(compute_intervals(rank, rules.classes, chosen.events[number]), chosen.window))
        for number, rank in chosen.run.ranks.items()
    }
    several = [cell.events for cell in cells if cell.events > 1]
    every = sum(map(len, chosen.events.values()))
    told = _account_for_events(every, len(cells) - len(several), sum(several), len(several), clipped)
    periods = [*_steps(chosen, first, last), *_exposed_periods(measured, (last - first) * _FINEST_BRACE)]
    said = (*chosen.said, told, *_note_unknown(measured))
    run, whole = chosen.run, measure_run(work)
    return TracePicture(lanes, cells, last - first, measured, whole, said, {}, periods, run.residual, run.world)


def _note_unknown(ranks: dict[int, RankMeasures]) -> Iterator[str]:
    """Yield kernels without a class that take too much of a rank's busy time to be ignored."""
    for number, measures in ranks.items():
        share = Fraction(measures.unclassified) / Fraction(measures.busy) if measures.busy else Fraction(0)
        if share > MOST_UNKNOWN:
            known = dict.fromkeys(_SIGNATURE.sub("", _NAMELESS.sub("", name)) for name in measures.unmatched)
            names = ", ".join(shorten_for_message(name) for name in list(known)[:_NAMED_LIMIT])
            percent = format_percent(share)
            yield f"rank {number}: {percent} % of the busy time is in no class but compute, longest {names}"


def _exposed_periods(ranks: dict[int, RankMeasures], gap: Time) -> Iterator[Period]:
    """Yield periods of exposed communication with their durations; near ones are merged."""
    for number, measures in ranks.items():
        for cell in merge_cells("exposed", measures.exposed_at, gap):
            yield Period(cell.name, cell.start, cell.end, number, cell.busy)


def _steps(chosen: Chosen, first: Time, last: Time) -> Iterator[Period]:
    """The steps in what is drawn: on devices, of what was launched in them, over all ranks."""
    found: dict[int, list[Interval]] = {}
    for number, rank in chosen.run.ranks.items():
        steps, drawn = steps_of(rank), chosen.events[number]
        if not drawn:
            for step in steps:
                found.setdefault(step.number, []).extend(clip_intervals([(step.start, step.end)], (first, last)))
            continue
        starts = [step.start for step in steps]
        launched = dict(zip(rank.launches.links, rank.launches.starts, strict=True))
        for place in drawn:
            at = launched.get(rank.events.links[place])
            if at is not None and (index := bisect_right(starts, at)) and at < steps[index - 1].end:
                own = found.setdefault(steps[index - 1].number, [])
                own += clip_intervals([(rank.events.starts[place], rank.events.ends[place])], (first, last))
    for number, spans in sorted(found.items()):
        if spans:
            end = max(end for _, end in spans)
            yield Period(f"step {number}", min(spans)[0] - first, end - first)
