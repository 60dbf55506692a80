"""Model of a drawn run: lanes, cells, periods for marks, and exact measures."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, count
from typing import Literal, TypeAlias

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.intervals import Interval, clip_intervals
from tikzgen.base.record import NOTHING, Record
from tikzgen.text import TextRefused, typeset_label
from tikzgen.trace.annotated_operations import MeasuredOperation
from tikzgen.trace.choose_run import Chosen
from tikzgen.trace.event_classes import COMMUNICATION, COPIES, OTHER, ClassRules
from tikzgen.trace.exact_times import Time
from tikzgen.trace.merge_and_stack_cells import MergedEvents, merge_cells
from tikzgen.trace.rank_measures import DeviceKey, RankMeasures, RunMeasures
from tikzgen.trace.run_model import RankTrace, Unit


class PictureLane(Record):
    """Row of the picture; only the first of several rows has a label. Lanes of one `group` have a bracket.

    `replica` is the number of the replica.
    """

    id: str
    label: str
    rank: int
    group: str = ""
    replica: int = 0


class PictureCell(Record):
    """Cell of a lane; `waited` is the time between the start of the annotation and `start`."""

    lane: str
    phase: str
    start: Time
    end: Time
    events: int = 1
    occupancy: Fraction = Fraction(1)
    number: int | None = None
    stage: int | None = None
    waited: Time = 0
    step: int | None = None


class Period(Record):
    """Period for a mark: a step by its name, or communication with its `exposed` time."""

    name: str
    start: Time
    end: Time
    rank: int | None = None
    exposed: Time = 0
    device: str = ""


class TracePicture(Record):
    """Drawn run, with times from its start and notes for readers (`said`).

    `residual` is the uncertainty of the clocks. `world` counts all ranks of the run, drawn or not.
    """

    lanes: Sequence[PictureLane]
    cells: Sequence[PictureCell]
    length: Time
    ranks: Mapping[DeviceKey, RankMeasures]
    whole: RunMeasures
    said: Sequence[str]
    operations: Mapping[DeviceKey, Sequence[MeasuredOperation]] = NOTHING
    periods: Sequence[Period] = ()
    residual: Time = 0
    world: int = 1
    axes: Mapping[str, int] = NOTHING
    """Sizes of the axes of parallelism."""
    bubble: bool = True
    """Whether idle time between operations is known."""
    unit: Unit = "time"
    """Unit of the times: ns, or thousandths of a step of a plan."""


Streams: TypeAlias = Mapping[str, Sequence[str] | Literal["auto", "hide"]]
"""Lanes by name: streams or classes, or `auto` for all events of that class; `hide` for classes not drawn."""

_COARSE = {"gemm": OTHER, "attention": OTHER}
_ALL_COPIES = "copies"
_LABEL_CHARS = 40
UNFIT = re.compile(r"[^A-Za-z0-9]+")  # for the id of a lane


class LaneRules(Record):
    """Rules for lanes: `by` stream, class or rank, with the user's `streams`; cells span at most `gap`."""

    classes: ClassRules
    by: str
    gap: Time
    streams: Streams

    def lane(self, stream: str, name: str) -> tuple[str, str] | None:
        """Return the kind and name of the lane of an event; `None` hides it."""
        if self.by != "stream":
            return ("", name if self.by == "class" else "all")
        streams = self.streams.items()
        if any(of == "hide" and (label == stream or _is_of(name, label)) for label, of in streams):
            return None
        own = {label: of for label, of in streams if not isinstance(of, str)}
        listed = [label for label, of in own.items() if stream in of]
        listed += [label for label, of in own.items() if any(_is_of(name, each) for each in of)]
        known = [label for label, of in streams if of == "auto" and _is_of(name, label)]
        found = next(iter(listed + known), None)
        return ("", found) if found else ("stream", stream)


def spell_label(name: str) -> str:
    """Return a name as a label: on one line, at most 40 characters, `?` if TeX lacks a character."""
    text = " ".join(name.split())
    text = text if len(text) <= _LABEL_CHARS else f"{text[: _LABEL_CHARS - 1]}…"
    return "".join(map(_spell_character, text))


@cache
def _spell_character(char: str) -> str:
    if char == "$":
        return r"\$"
    try:
        typeset_label(char)
    except TextRefused:
        return "?"
    return char


def name_class(taken: Collection[str], name: str) -> str:
    """Return a class for a name: its letters and digits, with a number if another name has them."""
    slug = UNFIT.sub("-", name)[:_LABEL_CHARS].strip("-")
    return number_name(taken, slug if slug[:1].isalpha() else f"n-{slug}" if slug else "name")


def _is_of(name: str, label: str) -> bool:
    """Return whether a class belongs to a lane label; `compute` neither communicates nor copies."""
    if label == _ALL_COPIES:
        return name in COPIES
    return name == label or (label == OTHER and name not in (COMMUNICATION, *COPIES))


def lanes_of(
    rank: RankTrace, places: Sequence[int], chosen: Chosen, rules: LaneRules
) -> Iterator[tuple[str, str, list[MergedEvents]]]:
    """Yield the lanes of the events of a device: name, label and cells.

    Raise `TikzgenError` if `streams` name a stream that the rank does not have.
    """
    named = {stream for of in rules.streams.values() if not isinstance(of, str) for stream in of}
    there = {stream.name for stream in rank.streams}
    own = {name for name, _ in rules.classes.given}
    if absent := sorted(named - there - own - {COMMUNICATION, OTHER, _ALL_COPIES, *COPIES, *_COARSE}):
        known = ", ".join(sorted(there, key=lambda name: (len(name), name))[:16])
        message = f"streams: rank {rank.number} has no stream, and no class, {quote(absent[0])}"
        raise TikzgenError(message, hint=f"there are {known}")
    classes = [rules.classes.of(kind) for kind in rank.kinds]
    classes = [name if name in own else _COARSE.get(name, name) for name in classes]
    found: dict[tuple[str, str], dict[str, list[Interval]]] = {}
    events = rank.events
    for place in places:
        name = classes[events.kinds[place]]
        key = rules.lane(rank.streams[events.streams[place]].name, name)
        for interval in clip_intervals([(events.starts[place], events.ends[place])], chosen.window) if key else ():
            found.setdefault(key, {}).setdefault(name, []).append(interval)  # type: ignore[arg-type]  # it is a key here
    order = {label: place for place, label in enumerate(rules.streams)}
    taken: set[str] = set()
    for what, name in sorted(found, key=lambda key: (order.get(key[1], len(order)), len(key[1]), key)):
        of_class = found[what, name]
        cells = [cell for each, held in sorted(of_class.items()) for cell in merge_cells(each, held, rules.gap)]
        label = spell_label(f"{what} {name}")
        taken.add(identifier := number_name(taken, UNFIT.sub("-", f"{what}{name}").strip("-")))
        yield identifier, label, cells


def number_name(taken: Collection[str], name: str) -> str:
    """The name, with a number where one is called so already: `copy.1` and `copy 1` are two streams."""
    numbered = (f"{name}-{number}" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)
