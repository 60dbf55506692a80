"""Small, anonymous trace of one step, for publication with a paper.

A cut omits the names of hosts, users, paths and operators, dates, and arguments that do not join events. A figure of
the cut equals the figure of the traces, and the same step gives identical files.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from tikzgen.base.errors import TikzgenError
from tikzgen.base.record import Record
from tikzgen.trace.choose_run import choose_steps
from tikzgen.trace.exact_times import Time, microseconds
from tikzgen.trace.readers.chrome_events import CLASS, LABEL, WARNINGS
from tikzgen.trace.run_model import RankTrace, TraceRun
from tikzgen.trace.trace_steps import TraceStep, launched_in

BASE_NS = 10**9
"""Base of the timestamps of every cut, which reveals no date."""
_FOLDERS = re.compile(r"(?<![\w.>)\]])(?:[A-Za-z]:)?(?:[/\\\\][\w.~@+-]+)+(?=[/\\\\])")
"""The folders of an absolute path in a name."""


class _Cut(Record):
    """Positions of the kept events of a rank, and the period of its threads."""

    events: list[int]
    start: Time
    end: Time


def cut_run(run: TraceRun, step: str | int) -> dict[int, str]:
    """Return the chosen step of each rank as a trace, by rank.

    Raise `TikzgenError` if a rank lacks the step, or has slices of a program without devices.
    """
    for rank in run.ranks.values():
        if rank.spans and not len(rank.events):
            raise TikzgenError(f"{rank.source}: cannot cut a trace without a device", hint="draw the file itself")
    steps = choose_steps(run, step)
    cuts = {number: _cut_step(rank, steps.get(number)) for number, rank in run.ranks.items()}
    zero = min((cut.start for cut in cuts.values()), default=0)
    known = dict.fromkeys(rank.host for rank in run.ranks.values() if len(run.ranks) > 1)
    hosts = {host: f"host{place}" for place, host in enumerate(known) if host}
    return {
        number: _spell_trace(run.ranks[number], cut, zero, {"rank": number, "world_size": run.world}, hosts)
        for number, cut in cuts.items()
    }


def _cut_step(rank: RankTrace, step: TraceStep | None) -> _Cut:
    if step:
        places = launched_in(rank, step.start, step.end)
        return _Cut(places, step.start, step.end)
    times = [time for each in rank.annotations for time in (each.start, each.end)]
    if rank.extent:
        times += rank.extent
    return _Cut(list(range(len(rank.events))), min([*times, *rank.launches.starts], default=0), max(times, default=0))


def _spell_trace(rank: RankTrace, cut: _Cut, zero: Time, place: dict[str, int], hosts: dict[str, str]) -> str:
    groups = [{"pg_desc": each.description, "ranks": [*each.ranks]} for each in rank.groups]
    info = {**place, **({"pg_config": groups} if groups else {})}
    head: dict[str, Any] = {"schemaVersion": 1, "distributedInfo": info, "baseTimeNanoseconds": BASE_NS}
    if rank.label:
        head[LABEL] = dict(rank.label)
    if rank.host in hosts:
        head["host_name"] = hosts[rank.host]  # anonymous: states which ranks share a clock
    if rank.warnings:
        file = rank.source.partition(", device ")[0]
        head[WARNINGS] = [_anonymous(warning.removeprefix(f"{file}: ")) for warning in rank.warnings]
    events = sorted(
        [*_device(rank, cut, zero), *_threads(rank, cut, zero)], key=lambda each: (each[0], each[1]["cat"], each[2])
    )
    listed = ",\n".join(text for _, _, text in events)
    return f'{json.dumps(head)[:-1]}, "traceEvents": [\n{listed}\n]}}\n'


def _device(rank: RankTrace, cut: _Cut, zero: Time) -> Iterator[tuple[Time, dict[str, Any], str]]:
    events = rank.events
    filed = {"kernel": "kernel", "memcpy": "gpu_memcpy", "memset": "gpu_memset"}
    for place in cut.events:
        kind, stream = rank.kinds[events.kinds[place]], rank.streams[events.streams[place]]
        args: dict[str, Any] = {"stream": _number(stream.name), "correlation": events.links[place]}
        if kind.filed not in filed:
            args[CLASS] = kind.filed
        if collective := rank.collectives.get(place):
            args |= {
                "Collective name": collective.name,
                "Process Group Name": collective.group,
                "Seq": collective.number,
            }
            if collective.source is not None and collective.target is not None:
                args |= {"Src Rank": collective.source, "Dst Rank": collective.target}
        facts = {
            "cat": filed.get(kind.filed, "kernel"),
            "name": _anonymous(kind.name),
            "pid": _number(stream.device),
            "args": args,
        }
        yield _event(events.starts[place], events.ends[place], facts, zero)
    kept = {f"{stream.device}/{stream.name}" for stream in rank.streams}
    first = min((events.starts[place] for place in cut.events), default=0)
    last = max((events.ends[place] for place in cut.events), default=0)
    for each in rank.shadows:
        if each.thread in kept and each.start <= last and each.end >= first:
            device, _, stream_name = each.thread.rpartition("/")
            facts = {"cat": "gpu_user_annotation", "name": _anonymous(each.name), "pid": _number(device)}
            args = {"stream": _number(stream_name), "External id": each.number}
            yield _event(each.start, each.end, {**facts, "args": args}, zero)


def _threads(rank: RankTrace, cut: _Cut, zero: Time) -> Iterator[tuple[Time, dict[str, Any], str]]:
    """Yield the launches of the kept events, annotations of the step, and the first operator in each."""
    links = {rank.events.links[place] for place in cut.events} - {0}
    threads = {name: place for place, name in enumerate(sorted({*rank.threads, *(a.thread for a in rank.annotations)}))}
    launches, operators = rank.launches, rank.operators
    for start, thread, link in zip(launches.starts, launches.threads, launches.links, strict=True):
        if link in links:
            facts = {"cat": "cuda_runtime", "name": "Launch", "tid": threads[rank.threads[thread]]}
            yield _event(start, start, {**facts, "args": {"correlation": link}}, zero)
    first: dict[str, list[Time]] = {}
    for start, thread in zip(operators.starts, operators.threads, strict=True):
        first.setdefault(rank.threads[thread], []).append(start)
    for starts in first.values():
        starts.sort()
    kept = set()
    for each in rank.annotations:
        if each.end < cut.start or each.start > cut.end:
            continue
        facts = {"cat": "user_annotation", "name": _anonymous(each.name), "tid": threads[each.thread]}
        if each.number:
            facts["args"] = {"External id": each.number}
        yield _event(each.start, each.end, facts, zero)
        starts = first.get(each.thread, [])
        place = bisect_left(starts, each.start)
        if place < len(starts) and starts[place] < each.end:
            kept.add((starts[place], threads[each.thread]))
    for start, number in sorted(kept):
        yield _event(start, start, {"cat": "cpu_op", "name": "operator", "tid": number}, zero)


def _event(start: Time, end: Time, facts: dict[str, Any], zero: Time) -> tuple[Time, dict[str, Any], str]:
    """Return an event with its sort keys; times are formatted as decimals, because doubles are inexact."""
    stamps = f'"ts": {microseconds(start - zero)}, "dur": {microseconds(end - start)}'
    return start, facts, f'{{"ph": "X", {stamps}, {json.dumps(facts)[1:]}'


def _number(name: str) -> int | str:
    return int(name) if name.isascii() and name.isdecimal() and len(name) < 19 else name


def _anonymous(name: str) -> str:
    """Return a name without the folders of its paths.

    >>> _anonymous("/home/me/train.py:7 step"), _anonymous("void a::b<float>(c/d)")
    ('/train.py:7 step', 'void a::b<float>(c/d)')
    """
    return _FOLDERS.sub("", name)
