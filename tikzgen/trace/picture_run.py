"""A run as it is drawn: lanes, cells in them, and the measures, which are those of the events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from tikzgen.base.errors import TikzgenError
from tikzgen.base.record import NOTHING, Record, replace
from tikzgen.trace.annotated_operations import Begin, MeasuredOperation, no_operations, operations_of
from tikzgen.trace.choose_run import Chosen
from tikzgen.trace.event_classes import OTHER, ClassRules
from tikzgen.trace.intervals import Interval, union, within
from tikzgen.trace.merge_cells import Cell, merge_cells, stack_cells
from tikzgen.trace.rank_measures import RankMeasures, measure_rank
from tikzgen.trace.run_measures import RunMeasures, computing, measure_run
from tikzgen.trace.run_model import RankTrace
from tikzgen.trace.stamps import Time

LanesBy: TypeAlias = Literal["auto", "stream", "class", "rank", "annotations"]

_COARSE = {"gemm": OTHER, "attention": OTHER}


class PictureLane(Record):
    """A row of the picture; rows after the first of what overlaps have no label."""

    id: str
    label: str
    rank: int


class PictureCell(Record):
    """What is drawn in a lane; `waited` is how long before `start` an operation's annotation began."""

    lane: str
    phase: str
    start: Time
    end: Time
    events: int = 1
    occupancy: Fraction = Fraction(1)
    number: int | None = None
    chunk: int = 0
    waited: Time = 0


class Picture(Record):
    """Moments count from the beginning of the `stretch`; `said` is what a reader must know."""

    lanes: Sequence[PictureLane]
    cells: Sequence[PictureCell]
    length: Time
    ranks: Mapping[int, RankMeasures]
    whole: RunMeasures
    said: Sequence[str]
    operations: Mapping[int, Sequence[MeasuredOperation]] = NOTHING


def picture_of(
    chosen: Chosen,
    rules: ClassRules,
    lanes: LanesBy = "auto",
    *,
    pattern: str | None = None,
    begin: Begin = "work",
    detail: Fraction = Fraction(1, 640),
) -> Picture:
    """Draw a chosen part of a run.

    Raises:
        TikzgenError: there is nothing of what is asked for.
    """
    device = any(chosen.events.values())
    by = ("stream" if device else "annotations") if lanes == "auto" else lanes
    if by == "annotations":
        return _of_operations(chosen, pattern, begin)
    if not device:
        first = next(iter(chosen.run.ranks.values()))
        names = ", ".join(dict.fromkeys(each.name for each in first.annotations[:5]))
        hint = f"lanes: annotations draws what is annotated: {names}" if names else "profile with activities=[CUDA]"
        raise TikzgenError("nothing ran on a device", hint=hint)
    return _of_events(chosen, rules, by, detail)


def _of_operations(chosen: Chosen, pattern: str | None, begin: Begin) -> Picture:
    first, last = chosen.stretch
    found: dict[int, list[MeasuredOperation]] = {}
    for number, rank in chosen.run.ranks.items():
        every = operations_of(rank, begin, pattern)
        if not every:
            raise no_operations(rank)
        found[number] = [each for each in every if each.opened < last and each.end > first]
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
            chunk=min(each.stage // chosen.run.world, 15),
            waited=each.wait,
        )
        for number, operations in found.items()
        for each in operations
    ]
    ways = {"work": "operations begin when they compute", "annotation": "operations are as annotated"}
    said = (*chosen.said, f"{len(cells)} operations; {ways[begin]}")
    lanes = [PictureLane(f"rank{number}", f"rank {number}", number) for number in found]
    return Picture(lanes, cells, end - zero, {}, measure_run(work, (zero, end)), said, found)


def _of_events(chosen: Chosen, rules: ClassRules, by: str, detail: Fraction) -> Picture:
    first, last = chosen.stretch
    gap = Fraction(last - first) * detail
    lanes: list[PictureLane] = []
    cells: list[PictureCell] = []
    clipped = 0
    for number, rank in chosen.run.ranks.items():
        for name, label, own in _lanes(rank, chosen, rules, by, gap):
            stacked = stack_cells(own, gap)
            clipped += stacked.clipped
            for row, kept in enumerate(stacked.rows, 1):
                lane = f"rank{number}-{name}" if row == 1 else f"rank{number}-{name}-row{row}"
                lanes.append(PictureLane(lane, label if row == 1 else "", number))
                cells += (
                    PictureCell(lane, each.name, each.start - first, each.end - first, each.events, each.occupancy)
                    for each in kept
                )
    measured = {
        number: measure_rank(rank, rules, window=chosen.window, chosen=chosen.events[number])
        for number, rank in chosen.run.ranks.items()
    }
    work = {
        number: union(within(computing(rank, rules, chosen.events[number]), chosen.window))
        for number, rank in chosen.run.ranks.items()
    }
    events = sum(cell.events for cell in cells)
    told = f"{events} events in {len(cells)} cells" + (
        f", {clipped} of them cut where the next begins" if clipped else ""
    )
    ranks = {
        number: replace(measures, window=(measures.window[0] - first, measures.window[1] - first))
        for number, measures in measured.items()
        if measures
    }
    return Picture(lanes, cells, last - first, ranks, measure_run(work), (*chosen.said, told))


def _lanes(
    rank: RankTrace, chosen: Chosen, rules: ClassRules, by: str, gap: Time
) -> Iterator[tuple[str, str, list[Cell]]]:
    """The lanes of a rank: a name, a label, and the cells."""
    own = {name for name, _ in rules.given}
    classes = [rules.of(kind) for kind in rank.kinds]
    classes = [name if name in own else _COARSE.get(name, name) for name in classes]
    several = len(chosen.run.ranks) > 1
    found: dict[tuple[str, str], dict[str, list[Interval]]] = {}
    events = rank.events
    for place in chosen.events[rank.number or 0]:
        name, stream = classes[events.kinds[place]], rank.streams[events.streams[place]]
        key = {"stream": ("stream", stream.name), "class": ("", name), "rank": ("", "all")}[by]
        for interval in within([(events.starts[place], events.ends[place])], chosen.window):
            found.setdefault(key, {}).setdefault(name, []).append(interval)
    for (what, name), of_class in sorted(found.items(), key=lambda item: (len(item[0][1]), item[0])):
        cells = [cell for each, intervals in sorted(of_class.items()) for cell in merge_cells(each, intervals, gap)]
        label = f"rank {rank.number}" if by == "rank" else f"{what} {name}".strip()
        yield f"{what}{name}", f"rank {rank.number}, {label}" if several and by != "rank" else label, cells
