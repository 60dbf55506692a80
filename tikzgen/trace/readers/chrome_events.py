"""Chrome trace events, as Kineto (PyTorch), JAX and others write them, as one rank a device."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from tikzgen.base.errors import FileRefused, quote, shorten_for_message
from tikzgen.trace.exact_times import Time, nanoseconds
from tikzgen.trace.readers.jax_devices import UnfiledEvents
from tikzgen.trace.readers.json_events import EventCutter, Plain
from tikzgen.trace.readers.trace_formats import PROFILE_HINT, TraceFile, TraceFormat, is_json, skip_blanks
from tikzgen.trace.run_model import Annotation, Collective, ProcessGroup, RankBuilder, RankTrace, Stream

_DEVICE = {
    "kernel": "kernel",
    "Kernel": "kernel",
    "gpu_memcpy": "memcpy",
    "Memcpy": "memcpy",
    "gpu_memset": "memset",
    "Memset": "memset",
    "mtia_ccp_events": "kernel",
}
_NO_DEVICE = re.compile(rb'"deviceProperties"\s*:\s*\[\s*\]')
"""Stands before the events where no device was seen."""
_WAITS = {"event_wait"}
"""What is filed with a device's work, and is none."""
_ANNOTATED, _SHADOW = "user_annotation", "gpu_user_annotation"
_LAUNCHED = ("cuda_runtime", "cuda_driver", "Runtime", "mtia_runtime")
_OPERATORS = ("cpu_op", "Operator")
_LONG_AGO_NS = 10**17
"""A moment of 1973: stamps before it, without a base, are no wall clock's."""
WARNINGS = "tikzgenWarnings"
"""The field in which a cut carries what was to be said of the file that it is of."""
_WARNING_CHARS = 300  # characters of a warning
_NUMBER_CHARS = 30  # characters of a number
_PUTS_WORK = re.compile("[Ll]aunch|Mem(cpy|set)")


class ChromeFormat(TraceFormat):
    """JSON with Chrome trace events."""

    phrase = "JSON of torch.profiler or JAX"
    suffixes = (".json", ".json.gz")

    def matches(self, head: bytes) -> bool:
        """Return whether the file is JSON that begins with a list or names its events early."""
        return is_json(head) and (skip_blanks(head).startswith(b"[") or b'"traceEvents"' in head)

    def may_match(self, head: bytes) -> bool:
        """Return whether the file is JSON: a long header may precede the events."""
        return is_json(head)

    def read_ranks(self, file: TraceFile) -> list[RankTrace]:
        """Return the ranks in a file.

        Operators of threads are needed only if no device ran anything. The head may say so; otherwise such a file is
        read twice.
        """
        expects_no_device = _NO_DEVICE.search(file.head) is not None
        with file.open() as stream:
            ranks = read_chrome(stream, file.name, operators=expects_no_device)
        has_device = any(len(rank.events) for rank in ranks)
        if not has_device and not ranks[0].counts:
            cut_at = ranks[0].cut_at
            end = f"is no JSON, or breaks off before its first event (byte {cut_at})"
            raise FileRefused(f"{file.name}: {'holds no events' if cut_at is None else end}", hint=PROFILE_HINT)
        if has_device != expects_no_device:
            return ranks
        with file.open() as stream:
            return read_chrome(stream, file.name, operators=not has_device)


def read_chrome(stream: BinaryIO, source: str, *, operators: bool) -> list[RankTrace]:
    """The ranks in a file: one, or one a device of JAX. With `operators`, what threads computed, too."""
    wanted = dict.fromkeys((*_DEVICE, _ANNOTATED, _SHADOW, *(_OPERATORS if operators else ())), "")
    wanted |= dict.fromkeys(_LAUNCHED, _PUTS_WORK.pattern)
    rank, unfiled = RankBuilder(source, "kineto"), UnfiledEvents()

    def read_plain(events: Sequence[Plain]) -> None:
        threads = {place: f"{int(place[0])}/{int(place[1])}" for place in {each[1:3] for each in events}}
        starts = (start.partition(b".") for *_, start in events)
        whole = [int(whole + part.ljust(3, b"0")) for whole, _, part in starts]
        rank.plain_operators(whole, [threads[each[1:3]] for each in events])

    cutter = EventCutter(stream, wanted, _OPERATORS, read_plain if operators else None)
    odd: Counter[str] = Counter()
    for event in cutter.events():
        try:
            _take(rank, unfiled, event, odd)
        except (ValueError, TypeError, KeyError):
            odd["unreadable"] += 1
    if not cutter.found and cutter.stopped is None:
        hint = "a trace of torch.profiler has them: export_chrome_trace"
        raise FileRefused(f"{source}: is JSON without traceEvents", hint=hint)
    _tell_header(rank, cutter.header)
    rank.counts.update({_sort(key): number for key, number in cutter.sorts.items()})
    _warn(rank, cutter, odd)
    rank.absolute = bool(rank.base) or min(rank.events.starts, default=_LONG_AGO_NS) > _LONG_AGO_NS
    return unfiled.ranks(rank) if unfiled.devices() and not len(rank.events) else [rank.build_rank()]


def _take(rank: RankBuilder, unfiled: UnfiledEvents, event: Mapping[str, Any], odd: Counter[str]) -> None:
    """File one event."""
    phase, sort = event.get("ph"), event.get("cat", "")
    if phase == "M":
        unfiled.name(event)
    elif phase in ("B", "E"):
        odd["begins and ends apart"] += 1
    if phase != "X":
        return
    start = nanoseconds(event["ts"])
    length = nanoseconds(event.get("dur", 0))
    if length < 0:
        raise ValueError("an event ends before it starts")
    if not sort:
        unfiled.add(event, start, start + length)
    elif sort in _DEVICE:
        if _name(event) not in _WAITS:
            _take_device_event(rank, event, start, start + length, _DEVICE[sort])
    elif sort == _ANNOTATED:
        number = _as_integer(_args(event).get("External id")) or 0
        rank.annotations.append(Annotation(_name(event), _thread(event), start, start + length, number))
    elif sort == _SHADOW:
        stream, number = _stream(event), _as_integer(_args(event).get("External id")) or 0
        where = f"{stream.device}/{stream.name}"
        rank.shadows.append(Annotation(_name(event), where, start, start + length, number))
    elif sort in _OPERATORS:
        rank.operator(start, _thread(event))
    elif _PUTS_WORK.search(_name(event)):
        link = _link(event)
        if link:
            rank.launch(start, _thread(event), link)


def _take_device_event(rank: RankBuilder, event: Mapping[str, Any], start: Time, end: Time, filed: str) -> None:
    args = _args(event)
    place = rank.event(start, end, filed, _name(event), _stream(event), _link(event))
    name, number = args.get("Collective name"), _as_integer(args.get("Seq"))
    if isinstance(name, str) and number is not None:
        ends = _as_integer(args.get("Src Rank")), _as_integer(args.get("Dst Rank"))
        members = str(args.get("Process Group Ranks", ""))
        group = members if members and "..." not in members else str(args.get("Process Group Name", ""))
        rank.collectives[place] = Collective(group, name, number, *ends)


def _stream(event: Mapping[str, Any]) -> Stream:
    """Return the stream of a device event, or of a shadow."""
    return Stream(str(event.get("pid", "")), str(_args(event).get("stream", event.get("tid", ""))))


def _name(event: Mapping[str, Any]) -> str:
    return str(event.get("name", ""))


def _thread(event: Mapping[str, Any]) -> str:
    return f"{event.get('pid', '')}/{event.get('tid', '')}"


def _args(event: Mapping[str, Any]) -> Mapping[str, Any]:
    args = event.get("args")
    return args if isinstance(args, dict) else {}


def _link(event: Mapping[str, Any]) -> int:
    link = _as_integer(_args(event).get("correlation")) or 0
    return link if link < 1 << 63 else 0


def _sort(sort: bytes) -> str:
    return sort.decode("utf-8", "replace") or "without a category"


def _tell_header(rank: RankBuilder, header: Mapping[str, Any]) -> None:
    info = header.get("distributedInfo")
    info = info if isinstance(info, dict) else {}
    rank.number, rank.world = _as_integer(info.get("rank")), _as_integer(info.get("world_size"))
    rank.groups += _read_groups(info)
    rank.host = str(header.get("host_name", ""))
    told = header.get(WARNINGS)
    for warning in told if isinstance(told, list) else ():
        fits = isinstance(warning, str) and warning.isprintable() and len(warning) <= _WARNING_CHARS
        rank.warnings.append(f"{rank.source}: {warning if fits else shorten_for_message(warning)}")
    base = header.get("baseTimeNanoseconds")
    try:
        rank.base = int(base) if base is not None else 0
    except (TypeError, ValueError):
        rank.warnings.append(f"{rank.source}: baseTimeNanoseconds is {quote(base)}, which is no number: left out")


def _as_integer(value: object) -> int | None:
    """Return a natural number, which may be a text of digits; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= _NUMBER_CHARS:
        return int(value)
    return value if type(value) is int and value >= 0 else None


def _read_groups(info: Mapping[str, Any]) -> Iterator[ProcessGroup]:
    """Yield the process groups of a rank."""
    groups = info.get("pg_config")
    for each in groups if isinstance(groups, list) else ():
        members = each.get("ranks") if isinstance(each, dict) else None
        numbers = [_as_integer(member) for member in members] if isinstance(members, list) else []
        if numbers and None not in numbers:
            yield ProcessGroup(str(each.get("pg_desc", "")), tuple(number for number in numbers if number is not None))


def _warn(rank: RankBuilder, cutter: EventCutter, odd: Counter[str]) -> None:
    if cutter.stopped is not None:
        why = "is no JSON any more" if cutter.broken else "breaks off"
        kept = sum(cutter.sorts.values())
        known = "baseTimeNanoseconds" in cutter.header
        lost = "" if known else ", and the fields behind the events, perhaps the base of the stamps, are lost"
        rank.warnings.append(
            f"{rank.source}: {why} at byte {cutter.stopped}; {kept} events before it are read, what follows is not"
            + lost
        )
        rank.cut_at = cutter.stopped
    for what, number in sorted(odd.items()):
        rank.warnings.append(f"{rank.source}: {number} events are not read: {what}")
