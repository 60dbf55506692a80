"""Chrome trace events of all writers; unwanted events of Kineto (PyTorch) are not decoded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, BinaryIO

from tikzgen.base.errors import FileRefused, quote, shorten_for_message
from tikzgen.trace.event_classes import spell_class
from tikzgen.trace.readers.chrome_writers import (
    ANNOTATED,
    DEVICE_ROLES,
    KINETO_CATEGORIES,
    LAUNCHED,
    OPERATORS,
    SHADOW,
    TABLES,
    HeldSlices,
    TraceFacts,
    find_writer,
)
from tikzgen.trace.readers.json_events import EventCutter, Plain, read_some
from tikzgen.trace.readers.trace_events import NOT_SET_NS, Slice, TraceEvents, natural_number
from tikzgen.trace.readers.trace_formats import PROFILE_HINT, TraceFile, TraceFormat, is_json, skip_blanks
from tikzgen.trace.run_model import Annotation, Collective, ProcessGroup, RankBuilder, RankTrace, Stream

_NO_DEVICE = re.compile(rb'"deviceProperties"\s*:\s*\[\s*\]')
"""Precedes the events if no device was profiled."""
_KINETO = re.compile(
    rb'"(?:distributedInfo|deviceProperties)"\s*:|"cat"\s*:\s*"(?:'
    + "|".join(sorted(KINETO_CATEGORIES)).encode()
    + rb')"'
)
_SNIFFED_BYTES = 1 << 18
_WAITS = {"event_wait"}
"""Events with the category of device work that are not work."""
_LONG_AGO_NS = 10**17
"""A time in 1973: earlier timestamps without a base do not count from 1970."""
WARNINGS = "tikzgenWarnings"
"""Field of a cut with the warnings about the file that was cut."""
LABEL = "tikzgenLabel"
"""Field of a cut with the position of the rank that the label of a merged file stated."""
CLASS = "tikzgenClass"
"""Argument of an event in a cut with the class that its file stated."""
_WARNING_CHARS = 300  # characters of a warning
_PUTS_WORK = re.compile("[Ll]aunch|Mem(cpy|set)")
_LABEL = re.compile(r"\[((?:[A-Z]+\d+)(?:-[A-Z]+\d+)*)\] ?(.*)\Z", re.DOTALL)
"""Process of a merged file, such as `[TP00-DP01-PP02] 7`."""
_LABEL_AXIS = re.compile(r"([A-Z]+)(\d{1,9})")
_AXIS = re.compile("[a-z]{1,20}")
_LABEL_ORDER = ("dp", "pp", "ep", "tp")
_FAR_GAP = 1000  # times the rest of a trace


class ChromeFormat(TraceFormat):
    """JSON with Chrome trace events."""

    phrase = "JSON of torch.profiler or JAX"
    writers = tuple(TABLES)
    suffixes = (".json", ".json.gz", ".json.bz2", ".json.xz")

    def matches(self, head: bytes) -> bool:
        """Return whether the file is JSON that begins with a list or names its events early."""
        return is_json(head) and (skip_blanks(head).startswith(b"[") or b'"traceEvents"' in head)

    def may_match(self, head: bytes) -> bool:
        """Return whether the file is JSON: a long header may precede the events."""
        return is_json(head)

    def read_ranks(self, file: TraceFile) -> list[RankTrace]:
        """Return the ranks in a file.

        Operators of threads are needed only if no device ran anything. Unless the head of the file states that, such a
        file is read twice.
        """
        with file.open() as stream:
            begin = read_some(stream, _SNIFFED_BYTES)
        writer = file.stated if file.stated in self.writers else ""
        kineto = writer == "kineto" if writer else _KINETO.search(begin) is not None
        expects_no_device = _NO_DEVICE.search(begin) is not None
        with file.open() as stream:
            ranks = read_chrome(stream, file.name, operators=expects_no_device, kineto=kineto, writer=writer)
        has_device = any(len(rank.events) for rank in ranks)
        if not has_device and not any(rank.counts for rank in ranks):
            cut_at = ranks[0].cut_at if ranks else None
            end = f"is no JSON, or breaks off before its first event (byte {cut_at})"
            raise FileRefused(f"{file.name}: {'holds no events' if cut_at is None else end}", hint=PROFILE_HINT)
        if has_device != expects_no_device or not kineto:
            return ranks
        with file.open() as stream:
            return read_chrome(stream, file.name, operators=not has_device)


def read_chrome(
    stream: BinaryIO, source: str, *, operators: bool, kineto: bool = True, writer: str = ""
) -> list[RankTrace]:
    """Return the ranks in a file of a writer, which is recognized if it is empty.

    With `operators`, keep the operators of threads; with `kineto`, skip events of other writers.
    """
    file, ranks, held = RankBuilder(source, "kineto"), _KinetoRanks(source), HeldSlices()
    wanted = {**dict.fromkeys((*DEVICE_ROLES, ANNOTATED, SHADOW, *(OPERATORS if operators else ())), "")}
    wanted |= dict.fromkeys(LAUNCHED, _PUTS_WORK.pattern)

    def read_plain(events: Sequence[Plain]) -> None:
        threads = {place: f"{int(place[0])}/{int(place[1])}" for place in {each[1:3] for each in events}}
        starts = (start.partition(b".") for *_, start in events)
        whole = [int(whole + part.ljust(3, b"0")) for whole, _, part in starts]
        ranks.find("")[0].plain_operators(whole, [threads[each[1:3]] for each in events])

    usual = read_plain if operators and kineto else None
    cutter = EventCutter(stream, wanted if kineto else None, OPERATORS if kineto else (), usual)
    events = TraceEvents(ranks.take if kineto else held.take)
    for event in cutter.events():
        events.add(event)
    events.finish()
    if not cutter.found and cutter.stopped is None:
        hint = "a trace of torch.profiler has them: export_chrome_trace"
        raise FileRefused(f"{source}: is JSON without traceEvents", hint=hint)
    events.lost["no JSON"] += cutter.spoilt
    _read_header(file, cutter.header)
    file.counts.update({_sort(key): number for key, number in cutter.sorts.items()})
    facts = TraceFacts(cutter.header, held, events)
    writer = "kineto" if kineto else writer or find_writer(facts)
    table = TABLES[writer]
    file.title, file.lane_noun = table.title, table.lane_noun
    if table.fill is None:
        for each in held.found:
            ranks.take(each)
        found = ranks.finish(file, cutter.header)
    else:
        file.format = writer
        found = list(table.fill(facts, file)) or [file]
    _warn(file, cutter)
    for rank in found:
        rank.cut_at, rank.lost = file.cut_at, dict(+events.lost)
        rank.warnings += [warning for warning in file.warnings if warning not in rank.warnings]
        rank.warnings += [
            f"{source}: {number} events are not read: {what}" for what, number in sorted(rank.lost.items())
        ]
        _check_gap(rank)
        if not rank.absolute and rank.format != "jax":
            starts = rank.events.starts if len(rank.events) else [each.start for each in rank.spans]
            rank.absolute = bool(rank.base) or min(starts, default=_LONG_AGO_NS) > _LONG_AGO_NS
    return [rank.build_rank() for rank in found]


class _KinetoRanks:
    """Ranks of a file of Kineto: one, or one per label of a merged file."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._by_label: dict[str, RankBuilder] = {}
        self._places: dict[str, tuple[RankBuilder, str]] = {}

    def find(self, process: str) -> tuple[RankBuilder, str]:
        """Return the rank of a process, and the process without the label."""
        found = self._places.get(process)
        if found is None:
            match = _LABEL.match(process)
            label, rest = (match[1], match[2]) if match else ("", process)
            rank = self._by_label.setdefault(label, RankBuilder(self._source, "kineto"))
            found = self._places[process] = (rank, rest)
        return found

    def take(self, each: Slice) -> None:
        """Add a slice to its rank."""
        category, args = each.category, each.args
        if category not in KINETO_CATEGORIES:
            return
        rank, process = self.find(each.process)
        if category in DEVICE_ROLES:
            if each.name not in _WAITS:
                self._take_device_event(rank, each, process, DEVICE_ROLES[category])
        elif category == ANNOTATED:
            number = natural_number(args.get("External id")) or 0
            rank.annotations.append(Annotation(each.name, f"{process}/{each.thread}", each.start, each.end, number))
        elif category == SHADOW:
            number, where = natural_number(args.get("External id")) or 0, f"{process}/{args.get('stream', each.thread)}"
            rank.shadows.append(Annotation(each.name, where, each.start, each.end, number))
        elif category in OPERATORS:
            rank.operator(each.start, f"{process}/{each.thread}")
        elif _PUTS_WORK.search(each.name) and (link := _link(args)):
            rank.launch(each.start, f"{process}/{each.thread}", link)

    def _take_device_event(self, rank: RankBuilder, each: Slice, process: str, filed: str) -> None:
        args = each.args
        filed = spell_class(str(args.get(CLASS, ""))) or filed
        stream = Stream(process, str(args.get("stream", each.thread)))
        place = rank.event(each.start, each.end, filed, each.name, stream, _link(args))
        name, number = args.get("Collective name"), natural_number(args.get("Seq"))
        if isinstance(name, str) and (number is not None or "Src Rank" in args):
            ends = natural_number(args.get("Src Rank")), natural_number(args.get("Dst Rank"))
            members = str(args.get("Process Group Ranks", ""))
            group = members if members and "..." not in members else str(args.get("Process Group Name", ""))
            if number is not None:
                rank.collectives[place] = Collective(group, name, number, *ends)

    def finish(self, file: RankBuilder, header: Mapping[str, Any]) -> list[RankBuilder]:
        """Return the ranks with the fields of the file; ranks of a merged file are sorted by their labels."""
        merged = any(self._by_label)
        if merged:
            self._by_label.pop("", None)
        found = self._by_label or {"": self.find("")[0]}
        places = {label: {axis.lower(): int(number) for axis, number in _LABEL_AXIS.findall(label)} for label in found}
        order = sorted(found, key=lambda label: [places[label].get(axis, 0) for axis in _LABEL_ORDER])
        for position, label in enumerate(order):
            rank = found[label]
            rank.world, rank.host, rank.base = file.world, file.host, file.base
            rank.counts, rank.absolute, rank.title = file.counts, False, file.title
            if merged:
                rank.format, rank.number, rank.label = "kineto-merged", position, places[label]
                rank.title += ", ranks merged into one file"
                if rank.world != len(found):
                    rank.world = None
            else:
                rank.number, rank.label = file.number, _read_label(header)
                rank.groups += _read_groups(header)
        return [found[label] for label in order]


def _read_label(header: Mapping[str, Any]) -> dict[str, int]:
    """Return the label of a rank that was cut from a merged file."""
    label = header.get(LABEL)
    numbers = {str(axis): natural_number(value) for axis, value in label.items()} if isinstance(label, dict) else {}
    return {axis: number for axis, number in numbers.items() if number is not None and _AXIS.fullmatch(axis)}


def _link(args: Mapping[str, Any]) -> int:
    link = natural_number(args.get("correlation")) or 0
    return link if link < 1 << 63 else 0


def _sort(sort: bytes) -> str:
    return sort.decode("utf-8", "replace") or "without a category"


def _read_header(rank: RankBuilder, header: Mapping[str, Any]) -> None:
    info = header.get("distributedInfo")
    info = info if isinstance(info, dict) else {}
    rank.number, rank.world = natural_number(info.get("rank")), natural_number(info.get("world_size"))
    rank.host, rank.absolute = str(header.get("host_name", "")), False
    told = header.get(WARNINGS)
    for warning in told if isinstance(told, list) else ():
        fits = isinstance(warning, str) and warning.isprintable() and len(warning) <= _WARNING_CHARS
        rank.warnings.append(f"{rank.source}: {warning if fits else shorten_for_message(warning)}")
    base = header.get("baseTimeNanoseconds")
    try:
        rank.base = int(base) if base is not None else 0
    except (TypeError, ValueError):
        rank.warnings.append(f"{rank.source}: baseTimeNanoseconds is {quote(base)}, not a number, and is left out")


def _read_groups(header: Mapping[str, Any]) -> Iterator[ProcessGroup]:
    """Yield the process groups of a rank."""
    info = header.get("distributedInfo")
    groups = info.get("pg_config") if isinstance(info, dict) else None
    for each in groups if isinstance(groups, list) else ():
        members = each.get("ranks") if isinstance(each, dict) else None
        numbers = [natural_number(member) for member in members] if isinstance(members, list) else []
        if numbers and None not in numbers:
            yield ProcessGroup(str(each.get("pg_desc", "")), tuple(number for number in numbers if number is not None))


def _check_gap(rank: RankBuilder) -> None:
    """Warn about a gap in device time that is far longer than the rest of the trace."""
    events = rank.events
    if not len(events) or max(events.ends) - min(events.starts) <= NOT_SET_NS:
        return
    reached, widest = min(events.starts), Fraction(0)
    for start, end, _, _ in events.by_start():
        widest, reached = max(widest, Fraction(start - reached)), max(reached, end)
    if widest > NOT_SET_NS and widest > _FAR_GAP * (reached - min(events.starts) - widest):
        rank.warnings.append(f"{rank.source}: a gap of {widest // 10**9} s is longer than all other times together")


def _warn(file: RankBuilder, cutter: EventCutter) -> None:
    """Warn about a truncated file."""
    if cutter.stopped is None:
        return
    kept = sum(cutter.sorts.values())
    known = "baseTimeNanoseconds" in cutter.header
    lost = "" if known else ", and the fields behind the events, perhaps the base of the stamps, are lost"
    where = f"{file.source}: breaks off at byte {cutter.stopped}"
    file.warnings.append(f"{where}; {kept} events before it are read, what follows is not{lost}")
    file.cut_at = cutter.stopped
