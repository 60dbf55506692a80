"""What a run holds, before anybody draws it: ranks, clocks, steps, streams, classes, annotations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from tikzgen.base.errors import TikzgenError, shorten_for_message
from tikzgen.trace.annotated_operations import early_messages, operations_of
from tikzgen.trace.choose_run import steps_of
from tikzgen.trace.event_classes import ClassRules
from tikzgen.trace.exact_times import Time, milliseconds
from tikzgen.trace.rank_clocks import check_clocks, find_clocks, moved_by
from tikzgen.trace.rank_measures import RankMeasures, measure_rank
from tikzgen.trace.run_model import RankTrace, TraceRun

_LISTED_LIMIT = 5  # steps, annotations and names without a class that are listed
_DIGITS = re.compile(r"\d+")


def survey(run: TraceRun, rules: ClassRules) -> dict[str, Any]:
    """The facts of a run as plain data; times are ns, fractions of one are texts such as `1/2`."""
    return {
        "ranks": {str(number): _of_rank(rank, rules) for number, rank in run.ranks.items()},
        "world": run.world,
        "clocks": clock_facts(run),
        "warnings": list(run.warnings),
    }


def _of_rank(rank: RankTrace, rules: ClassRules) -> dict[str, Any]:
    measures = measure_rank(rank, rules)
    operations = operations_of(rank)
    names = Counter(_DIGITS.sub("#", each.name) for each in rank.annotations)
    return {
        "file": rank.source,
        "format": rank.format,
        "host": rank.host,
        "events": dict(rank.counts),
        "steps": {str(step.number): _as_number(step.end - step.start) for step in steps_of(rank)},
        "annotations": dict(names.most_common(_LISTED_LIMIT)),
        "operations": dict(sorted(Counter(each.phase for each in operations).items())),
        "device": _of_device(measures) if measures else None,
    }


def _of_device(measures: RankMeasures) -> dict[str, Any]:
    names = ("extent", "busy", "idle", "compute", "communication")
    share = measures.overlap_share
    unmatched = list(measures.unmatched.items())[:_LISTED_LIMIT]
    return {
        "events": measures.events,
        "instants": measures.instants,
        **{name: _as_number(getattr(measures, name)) for name in names},
        "exposed": _as_number(measures.exposed_time),
        "overlap": None if share is None else str(share),
        "classes": {
            name: {"events": measures.counts[name], "time": _as_number(time)}
            for name, time in measures.by_class.items()
        },
        "streams": [
            {
                "device": stream.device,
                "stream": stream.name,
                "events": each.events,
                "busy": _as_number(each.busy),
                "overlap": _as_number(each.overlap),
            }
            for stream, each in measures.streams.items()
        ],
        "unmatched": {name: _as_number(time) for name, time in unmatched},
    }


def clock_facts(run: TraceRun) -> dict[str, Any]:
    """What collectives say of the clocks, and whether they may be asked."""
    found = find_clocks(run)
    facts = {
        str(number): {
            "offset": _as_number(clock.offset),
            "residual": _as_number(clock.residual),
            "matched": clock.matched,
        }
        for number, clock in found.items()
    }
    try:
        check_clocks(run, found)
    except TikzgenError as error:
        return {"by_collectives": facts, "refused": error.message, "early": early_messages(run), "early_moved": []}
    residual = max((clock.residual for clock in found.values()), default=0)
    moved = early_messages(moved_by(run, found), residual)
    return {"by_collectives": facts, "refused": None, "early": early_messages(run), "early_moved": moved}


def _as_number(time: Time) -> int | str:
    return time if isinstance(time, int) else str(time)


def survey_text(facts: Mapping[str, Any]) -> str:
    """The same for people: times in ms."""
    return "\n".join(_lines(facts)) + "\n"


def _lines(facts: Mapping[str, Any]) -> Iterator[str]:
    ranks: Mapping[str, Any] = facts["ranks"]
    known, world = len(ranks), facts["world"]
    yield f"{known} of {world} ranks" if known < world else f"{known} rank{'s' * (known > 1)}"
    for number, rank in ranks.items():
        yield ""
        yield f"rank {number}: {rank['file']} ({rank['format']}), {sum(rank['events'].values())} events"
        yield from (f"  {line}" for line in _rank_lines(rank))
    if known > 1:
        yield ""
        yield from _clock_lines(facts["clocks"])


def clock_text(clocks: Mapping[str, Any]) -> str:
    """The same of the clocks."""
    return "\n".join(_clock_lines(clocks)) + "\n"


def _rank_lines(rank: Mapping[str, Any]) -> Iterator[str]:
    device = rank["device"]
    if device:
        yield from _device_lines(device)
    else:
        yield "nothing ran on a device: `lanes: annotations` draws what is annotated"
    if rank["steps"]:
        steps = [f"{number} ({_ms(time)} ms)" for number, time in rank["steps"].items()]
        between = [f"… {len(steps) - _LISTED_LIMIT} more …"] if len(steps) > _LISTED_LIMIT else []
        yield "steps: " + ", ".join([*steps[: _LISTED_LIMIT - 1], *between, *steps[_LISTED_LIMIT - 1 :][-1:]])
    if rank["annotations"]:
        named = (f"{shorten_for_message(name)} ({count})" for name, count in rank["annotations"].items())
        yield "annotations: " + ", ".join(named)
    if rank["operations"]:
        yield "operations: " + ", ".join(f"{count} {phase}" for phase, count in rank["operations"].items())


def _device_lines(device: Mapping[str, Any]) -> Iterator[str]:
    instants = f", {device['instants']} of them without length" if device["instants"] else ""
    yield f"on the device: {device['events']} events{instants}"
    yield f"{_ms(device['extent'])} ms: busy {_ms(device['busy'])}, idle {_ms(device['idle'])}"
    if device["overlap"] is not None:
        share = f"{float(Fraction(device['overlap']) * 100):.1f}"
        exposed = f"exposed {_ms(device['exposed'])} ms, overlapped {share} %"
        yield f"communication {_ms(device['communication'])} ms: {exposed}"
    of_class = (f"{name} {_ms(each['time'])} ms ({each['events']})" for name, each in device["classes"].items())
    yield "classes: " + ", ".join(of_class)
    several = len({each["device"] for each in device["streams"]}) > 1
    streams = []
    for each in device["streams"]:
        where = f"{each['device']}/{each['stream']}" if several else each["stream"]
        lapped = f", {_ms(each['overlap'])} ms over each other" if each["overlap"] else ""
        streams.append(f"{where} ({each['events']}, busy {_ms(each['busy'])} ms{lapped})")
    yield "streams: " + ", ".join(streams)
    if device["unmatched"]:
        yield "in no class but compute:"
        yield from (f"  {_ms(time)} ms  {shorten_for_message(name)}" for name, time in device["unmatched"].items())


def _clock_lines(clocks: Mapping[str, Any]) -> Iterator[str]:
    if clocks["refused"]:
        yield f"clocks: by collectives refused: {clocks['refused']}"
    for number, clock in clocks["by_collectives"].items():
        if clock["matched"]:
            told = f"offset {_ms(clock['offset'])} ms, residual {_ms(clock['residual'])} ms"
            yield f"  rank {number}: {told}, {clock['matched']} collective{'s' * (clock['matched'] > 1)}"
    for key, which in (("early", "as they are"), ("early_moved", "moved by collectives")):
        if clocks[key]:
            yield f"too early by the clocks {which}: {len(clocks[key])}"
            yield from (f"  {line}" for line in clocks[key][:_LISTED_LIMIT])


def _ms(time: int | str) -> str:
    return milliseconds(Fraction(time))
