"""Contents of a run: ranks, clocks, steps, streams, classes, annotations."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

from tikzgen.base.errors import TikzgenError, shorten_for_message
from tikzgen.base.intervals import Interval, sum_lengths, union
from tikzgen.base.plain_words import count_of
from tikzgen.schedule import bubble_shares
from tikzgen.trace.annotated_operations import MeasuredOperation, RankOperations, early_messages, operations_of_run
from tikzgen.trace.event_classes import ClassRules
from tikzgen.trace.exact_times import Time, milliseconds, whole_if_it_is
from tikzgen.trace.parallelism import hint_axes
from tikzgen.trace.rank_clocks import check_clocks, find_clocks, moved_by
from tikzgen.trace.rank_measures import DeviceKey, RankMeasures, measure_rank, measure_run
from tikzgen.trace.run_model import RankTrace, TraceRun
from tikzgen.trace.trace_steps import TraceStep, group_by_step, steps_of

_LISTED_LIMIT = 5  # steps, annotations and names without a class that are listed
_LANES_LIMIT = 16  # lanes that are listed
_ROLES = {"wait": "waits", "communication": "communication"}
"""Roles of slices that are summed, with their nouns."""
_DIGITS = re.compile(r"\d+")


def survey(run: TraceRun, rules: ClassRules) -> dict[str, Any]:
    """Return the contents of a run as plain data; times are ns, fractions of a ns are strings such as `1/2`."""
    operations, on_devices = operations_of_run(run)
    clocks = clock_facts(run)
    return {
        "files": _survey_files(run),
        "parallelism": _survey_parallelism(run),
        "ranks": {
            str(number): _survey_rank(rank, rules, operations[number], run) for number, rank in run.ranks.items()
        },
        "world": run.world,
        "timing": "device" if on_devices else "thread",
        "pipelines": _survey_pipelines(run, operations, clocks),
        "clocks": clocks,
        "warnings": list(run.warnings),
    }


def _survey_parallelism(run: TraceRun) -> dict[str, Any]:
    found = run.parallelism
    evidence = [{"by": each.by, "names": [*each.names]} for each in found.evidence]
    return {"axes": dict(found.axes), "evidence": evidence, "text": found.spell_axes() if found.axes else ""}


def _survey_rank(rank: RankTrace, rules: ClassRules, operations: RankOperations, run: TraceRun) -> dict[str, Any]:
    names = Counter(_DIGITS.sub("#", each.name) for each in rank.annotations)
    steps = steps_of(rank)
    return {
        "file": rank.source,
        "lost": dict(rank.lost),
        "format": rank.format,
        "host": rank.host,
        "place": dict(run.parallelism.places.get(rank.number or 0, {})),
        "events": dict(rank.counts),
        "steps": {str(step.number): _as_number(step.end - step.start) for step in steps},
        "annotations": dict(names.most_common(_LISTED_LIMIT)),
        "operations": dict(sorted(Counter(each.phase for each in operations.found).items())),
        "unplaced": dict(sorted(operations.unplaced.items())),
        "unclaimed_events": operations.unclaimed_events,
        "unclaimed": {device: str(share) for device, share in operations.unclaimed.items()},
        "operation_list": [_survey_operation(each, rank.base) for each in operations.found],
        "lanes": {
            lane: {"slices": count, "busy": _as_number(busy)} for lane, (count, busy) in _survey_lanes(rank).items()
        },
        "devices": {device: _survey_device(rank, rules, device, steps) for device in rank.devices},
    }


def _survey_files(run: TraceRun) -> list[dict[str, Any]]:
    """Return the files of each writer: number of devices, number of lanes, and time by role."""
    by_writer: defaultdict[tuple[str, str], list[RankTrace]] = defaultdict(list)
    for rank in run.ranks.values():
        by_writer[rank.format, rank.title].append(rank)
    found = []
    for (name, title), ranks in by_writer.items():
        roles: Counter[str] = Counter()
        for rank in ranks:
            role_of = {each.lane: each.role for each in reversed(rank.spans)}
            for lane, (_, busy) in _survey_lanes(rank).items():
                roles[role_of[lane]] += busy  # type: ignore[assignment]
        lanes = Counter(rank.lane_noun for rank in ranks for _ in {each.thread for each in rank.spans})
        found.append(
            {
                "files": [*{rank.place: rank.file for rank in ranks}.values()],
                "format": name,
                "writer": title,
                "devices": sum(len(rank.devices) for rank in ranks),
                "lanes": dict(lanes),
                "roles": {role: _as_number(time) for role, time in roles.items() if role},
            }
        )
    return found


def _survey_lanes(rank: RankTrace) -> dict[str, tuple[int, Time]]:
    """Return the number of slices of each lane, and the length of their union."""
    found: defaultdict[str, list[Interval]] = defaultdict(list)
    for each in rank.spans:
        found[each.lane].append((each.start, each.end))
    return {lane: (len(held), sum_lengths(union(held))) for lane, held in sorted(found.items())}


def _survey_operation(operation: MeasuredOperation, base: int) -> dict[str, Any]:
    """Return an operation; its times count from 1970 if the trace states that."""
    times = {name: _as_number(getattr(operation, name) + base) for name in ("start", "end")}
    busy = None if operation.busy is None else _as_number(operation.busy)
    names = ("phase", "microbatch", "stage", "step", "device")
    return {name: getattr(operation, name) for name in names} | times | {"busy": busy, "replica": [*operation.replica]}


def _survey_device(
    rank: RankTrace, rules: ClassRules, device: str, steps: Sequence[TraceStep]
) -> dict[str, Any] | None:
    """Return the measures of a device, and the main ones of each step."""
    places = rank.select_device(device)
    measures = measure_rank(rank, rules, chosen=places)
    if measures is None:
        return None
    unmatched = list(measures.unmatched.items())[:_LISTED_LIMIT]
    by_step = group_by_step(rank, steps, places)
    of_steps = {number: measure_rank(rank, rules, chosen=held) for number, held in by_step.items()}
    return {
        **_main_measures(measures),
        "steps": {str(number): _main_measures(each) for number, each in of_steps.items() if each},
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


def _main_measures(measures: RankMeasures) -> dict[str, Any]:
    names = ("sum", "extent", "busy", "idle", "compute", "communication")
    share = measures.overlap_share
    return {
        "events": measures.events,
        "instants": measures.instants,
        **{name: _as_number(getattr(measures, name)) for name in names},
        "exposed": _as_number(measures.exposed_time),
        "overlapped": _as_number(measures.overlapped_time),
        "overlap": None if share is None else str(share),
    }


def _survey_pipelines(
    run: TraceRun, operations: Mapping[int, RankOperations], clocks: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return makespan and bubble of each step of each replica, as far as stages and kernels are known.

    Times of several hosts are moved by their collectives; without these the makespan over several ranks is unknown. The
    bubble is known if each rank of the replica has operations.
    """
    ahead = {} if run.has_one_host or clocks["refused"] else clocks["by_collectives"]
    offsets = {int(number): Fraction(clock["offset"]) for number, clock in ahead.items()}
    by_place: defaultdict[tuple[Any, ...], defaultdict[DeviceKey, list[MeasuredOperation]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for number, rank in operations.items():
        for each in rank.found:
            if each.stage is not None and run.parallelism.axes:
                by_place[each.replica, each.step][number, each.device].append(each)
    found = []
    for (replica, step), by_device in sorted(by_place.items(), key=lambda item: (item[0][1] or 0, item[0][0])):
        work = {
            (number, device): union(
                (whole_if_it_is(each.start - by), whole_if_it_is(each.end - by))
                for by in (offsets.get(number, Fraction(0)),)
                for each in held
            )
            for (number, device), held in by_device.items()
        }
        measures = measure_run(work)
        ranks = {number for number, _ in by_device}
        expected = _count_ranks(run, ranks)
        is_timed = run.has_one_host or not clocks["refused"] or len(ranks) == 1
        busy = sum(measures.busy.values(), 0)
        known = is_timed and len(ranks) == expected and all(operations[number].is_complete for number in ranks)
        share = bubble_shares(Fraction(measures.makespan), measures.busy.values())[0] if known else None
        found.append(
            {
                "step": step,
                "replica": [*replica],
                "name": run.parallelism.spell_replica(replica) if replica else "",
                "operations": sum(map(len, by_device.values())),
                "ranks": len(ranks),
                "expected": expected,
                "makespan": _as_number(measures.makespan) if is_timed else None,
                "in_operations": _as_number(busy),
                "bubble": None if share is None else str(share),
            }
        )
    return found


def _count_ranks(run: TraceRun, ranks: Collection[int]) -> int:
    """Return the number of ranks of the replica of `ranks`, or of all replicas that have the same position."""
    axes, places = run.parallelism.axes, run.parallelism.places
    others = prod(size for axis, size in axes.items() if axis != "pp")
    distinct = len({places[rank]["pp"] for rank in ranks}) == len(ranks) if "pp" in axes else False
    return axes["pp"] if distinct else run.world // others


def clock_facts(run: TraceRun) -> dict[str, Any]:
    """Return the clock offsets by collectives, the reason for rejecting them, and early operations."""
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
    yield from _file_lines(facts)
    yield from _pipeline_lines(facts)
    for number, rank in ranks.items():
        yield ""
        yield f"rank {number}: {rank['file']} ({rank['format']}), {sum(rank['events'].values())} events"
        yield from (f"  {line}" for line in _rank_lines(rank))
    if sum(len(each["files"]) for each in facts["files"]) > 1:
        yield ""
        yield from _clock_lines(facts["clocks"])


def _file_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield the writers of the files, the number of ranks, and the parallelism; the last two once."""
    known, world = len(facts["ranks"]), facts["world"]
    ranks = f"{known} of {world} ranks" if known < world else count_of(known, "rank")
    whole = [ranks, *filter(None, [_describe_parallelism(facts)])]
    several = len(facts["files"]) > 1
    for each in facts["files"]:
        count = len(each["files"])
        name = count_of(count, "file") if count > 1 else each["files"][0]
        parts = [count_of(number, noun) for noun, number in each["lanes"].items()]
        times = [f"{noun} {_ms(each['roles'][role])} ms" for role, noun in _ROLES.items() if role in each["roles"]]
        parts += [", ".join(times)] if times else []
        parts += [] if each["devices"] else ["no device"]
        yield f"{name}: {'; '.join([each['writer'], *parts, *([] if several else whole)])}"
    if several:
        yield "; ".join(whole)


def _describe_parallelism(facts: Mapping[str, Any]) -> str:
    """Return the axes with their evidence, or a fix if stages of operations are unknown."""
    stages = [each["stage"] for rank in facts["ranks"].values() for each in rank["operation_list"]]
    if facts["world"] > 1 and None in stages and not facts["parallelism"]["axes"]:
        return f"nothing states which ranks share the model, so no stages ({hint_axes(facts['world'])})"
    text: str = facts["parallelism"]["text"]
    return text


def _pipeline_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield the makespan and bubble of pipelines."""
    for each in facts["pipelines"][:_LISTED_LIMIT]:
        where = "" if each["step"] is None else f"step {each['step']}, "
        where += f"{each['name']}, " if each["name"] else ""
        few = f" of {each['ranks']} of {each['expected']} ranks" if each["ranks"] < each["expected"] else ""
        bubble = "unknown" if each["bubble"] is None else f"{float(Fraction(each['bubble']) * 100):.4f} %"
        makespan = "unknown" if each["makespan"] is None else f"{_ms(each['makespan'])} ms"
        yield f"  {where}{each['operations']} operations{few}: makespan {makespan}, bubble {bubble}"


def clock_text(clocks: Mapping[str, Any]) -> str:
    """The same of the clocks."""
    return "\n".join(_clock_lines(clocks)) + "\n"


def _rank_lines(rank: Mapping[str, Any]) -> Iterator[str]:
    devices = {name: device for name, device in rank["devices"].items() if device}
    for name, device in devices.items():
        yield from _device_lines(f"device {name}" if len(devices) > 1 else "the device", device)
    lanes = rank["lanes"]
    if not devices and rank["operations"]:
        yield "nothing ran on a device: `lanes: annotations` draws what is annotated"
    elif not devices:
        yield "nothing ran on a device" + (": `lanes: thread` draws the lanes" if lanes or rank["annotations"] else "")
    for lane, each in [*lanes.items()][:_LANES_LIMIT]:
        yield f"{lane}: {count_of(each['slices'], 'slice')}, busy {_ms(each['busy'])} ms"
    if len(lanes) > _LANES_LIMIT:
        yield f"… {len(lanes) - _LANES_LIMIT} more lanes …"
    if rank["steps"]:
        steps = [f"{number} ({_ms(time)} ms)" for number, time in rank["steps"].items()]
        between = [f"… {len(steps) - _LISTED_LIMIT} more …"] if len(steps) > _LISTED_LIMIT else []
        yield "steps: " + ", ".join([*steps[: _LISTED_LIMIT - 1], *between, *steps[_LISTED_LIMIT - 1 :][-1:]])
    if rank["annotations"]:
        named = (f"{shorten_for_message(name)} ({count})" for name, count in rank["annotations"].items())
        yield "annotations: " + ", ".join(named)
    if rank["operations"]:
        yield "operations: " + ", ".join(f"{count} {phase}" for phase, count in rank["operations"].items())
    if rank["unplaced"]:
        counts = ", ".join(f"{count} {phase}" for phase, count in rank["unplaced"].items())
        yield f"operations without known kernels: {counts}"
    if any(share != "0" for share in rank["unclaimed"].values()):
        share = float(max(map(Fraction, rank["unclaimed"].values())) * 100)
        yield f"computing time between operations that no operation claims: {share:.1f} %"


def _device_lines(name: str, device: Mapping[str, Any]) -> Iterator[str]:
    instants = f", {device['instants']} of them without length" if device["instants"] else ""
    yield f"on {name}: {device['events']} events{instants}"
    yield f"{_ms(device['extent'])} ms: busy {_ms(device['busy'])}, idle {_ms(device['idle'])}"
    if device["overlap"] is not None:
        share = f"{float(Fraction(device['overlap']) * 100):.1f}"
        exposed = f"exposed {_ms(device['exposed'])} ms, overlapped {share} %"
        yield f"communication {_ms(device['communication'])} ms: {exposed}"
    of_class = (f"{name} {_ms(each['time'])} ms ({each['events']})" for name, each in device["classes"].items())
    yield "classes: " + ", ".join(of_class)
    streams = []
    for each in device["streams"]:
        lapped = f", {_ms(each['overlap'])} ms over each other" if each["overlap"] else ""
        streams.append(f"{each['stream']} ({each['events']}, busy {_ms(each['busy'])} ms{lapped})")
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
