"""Checks of space-time diagrams: messages, crashes, marks, regions, event order and consistent cuts."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from tikzgen.base.errors import quote
from tikzgen.base.suggest import suggest_known_names
from tikzgen.model.content import Path
from tikzgen.model.exact_fields import spell_time
from tikzgen.model.part import check_common_measure, check_distinct, fail, require, times_in
from tikzgen.model.spacetime.logical_clocks import Occurrence, has_happened_before, sort_occurrences, vector_clocks
from tikzgen.model.spacetime.spacetime_marks import Cut
from tikzgen.model.spacetime.spacetime_parts import Lifeline, Message, SpaceTimeParts


def check_spacetime(part: SpaceTimeParts) -> None:
    """Raise an error for an impossible diagram, at the field that is to blame."""
    check_common_measure(times_in(part))
    lifelines = {one.id: one for one in part.lifelines}
    named = ((name, (*path, "id")) for name, path in part.named_parts())
    check_distinct(named, "every id names one lifeline, one message or one event")
    for index, one in enumerate(part.lifelines):
        _check_restart(one, index)
        if one.ellipsis and one.crash is not None:
            hint = "draw the failing lifeline separately from the ellipsis"
            fail("an ellipsis has no events", "lifelines", index, "crash", hint=hint)
    for index, message in enumerate(part.messages):
        _check_ends(message, lifelines, index)
        _check_times(message, index)
        _check_crashes(message, lifelines, index)
    _check_marks(part, lifelines)
    _check_regions(part, lifelines)
    last = max(part.moments(), default=Fraction(0))
    if part.until is not None and part.until < last:
        end = spell_time(last)
        fail(f"something happens at {end}, after all have ended", "until", hint=f"use until: {end}", impossible=True)
    _check_order(part)


def _check_restart(one: Lifeline, index: int) -> None:
    if one.restart is None:
        return
    if one.crash is None:
        fail(
            "a lifeline that did not fail cannot restart",
            "lifelines",
            index,
            "restart",
            hint="say crash, when it fails",
            impossible=True,
        )
    if one.restart <= one.crash:
        crash = spell_time(one.crash)
        text = f"is back at {spell_time(one.restart)}, before it fails at {crash}"
        fail(text, "lifelines", index, "restart", hint=f"use a time after {crash}", impossible=True)


def _find_lifeline(name: str, lifelines: Mapping[str, Lifeline], *path: str | int) -> Lifeline:
    """Return the lifeline of this name; raise an error for an unknown name or an ellipsis."""
    require(name, lifelines, *path, what="lifeline")
    if lifelines[name].ellipsis:
        drawn = ", ".join(one.id for one in lifelines.values() if not one.ellipsis)
        fail(f"nothing happens on {quote(name)}, an ellipsis", *path, hint=f"use one that is drawn: {drawn}")
    return lifelines[name]


def _check_marks(part: SpaceTimeParts, lifelines: Mapping[str, Lifeline]) -> None:
    """Check that marks are on lifelines that have not failed, and that activations do not overlap."""
    busy: dict[str, list[tuple[Fraction, Fraction]]] = {}
    for index, one in enumerate(part.activations):
        path = ("activations", index)
        line = _find_lifeline(one.lifeline, lifelines, *path, "lifeline")
        start, end = spell_time(one.start), spell_time(one.end)
        if one.end <= one.start:
            fail(
                f"ends at {end}, before it begins at {start}",
                *path,
                "end",
                hint=f"use a time after {start}",
                impossible=True,
            )
        crash, back = line.crash, line.restart
        if crash is not None and one.end > crash and (back is None or one.start < back):
            text = f"{line.id} is busy until {end}, after it has failed at {spell_time(crash)}"
            fail(
                text,
                *path,
                "end",
                hint=f"use end: {spell_time(crash)}, or let the lifeline crash later",
                impossible=True,
            )
        for low, high in busy.setdefault(line.id, []):
            if one.start < high and low < one.end:
                text = f"{line.id} is busy already from {spell_time(low)} to {spell_time(high)}"
                fail(text, *path, "start", hint="let the one end before the other begins", impossible=True)
        busy[line.id].append((one.start, one.end))
    for index, event in enumerate(part.events):
        line = _find_lifeline(event.lifeline, lifelines, "events", index, "lifeline")
        if line.fails(event.time):
            failed = spell_time(line.crash or Fraction(0))
            text = f"happens at {spell_time(event.time)}, after {line.id} has failed at {failed}"
            fail(
                text,
                "events",
                index,
                "time",
                hint="let it happen before, or let the lifeline crash later",
                impossible=True,
            )


def _check_regions(part: SpaceTimeParts, lifelines: Mapping[str, Lifeline]) -> None:
    """Check that regions cover adjacent lifelines and are nested or disjoint."""
    place = {name: index for index, name in enumerate(lifelines)}
    for index, note in enumerate(part.notes):
        _find_lifeline(note.lifeline, lifelines, "notes", index, "lifeline")
    boxes: list[tuple[int, int, Fraction, Fraction]] = []
    for index, one in enumerate(part.regions):
        for at, name in enumerate(one.lifelines):
            require(name, lifelines, "regions", index, "lifelines", at, what="lifeline")
        rows = sorted({place[name] for name in one.lifelines or lifelines})
        if rows[-1] - rows[0] >= len(rows):
            missing = next(name for name, row in place.items() if row not in rows and rows[0] < row < rows[-1])
            text = f"{missing} is between its lifelines"
            fail(text, "regions", index, "lifelines", hint=f"add {missing}, or move it")
        if one.end <= one.start:
            start, end = spell_time(one.start), spell_time(one.end)
            fail(
                f"ends at {end}, before it begins at {start}",
                "regions",
                index,
                "end",
                hint=f"use more than {start}",
                impossible=True,
            )
        times = [one.start, *(case.time for case in one.cases), one.end]
        for at, (early, late) in enumerate(pairwise(times)):
            if late <= early:
                text = "its alternatives begin one after the other, within it"
                steps = ("cases", min(at, len(one.cases) - 1), "time")
                hint = f"use a time between {spell_time(one.start)} and {spell_time(one.end)}, in order"
                fail(text, "regions", index, *steps, hint=hint, impossible=True)
        box = rows[0], rows[-1], one.start, one.end
        for other in boxes:
            apart = box[1] < other[0] or other[1] < box[0] or box[3] <= other[2] or other[3] <= box[2]
            if not (apart or _is_within(box, other) or _is_within(other, box)):
                hint = "nest the regions, or separate them"
                fail("overlaps an earlier region", "regions", index, hint=hint)
        boxes.append(box)


def _is_within(box: tuple[int, int, Fraction, Fraction], other: tuple[int, int, Fraction, Fraction]) -> bool:
    """Return whether a box is inside another one."""
    return other[0] <= box[0] and box[1] <= other[1] and other[2] <= box[2] and box[3] <= other[3]


def _check_order(part: SpaceTimeParts) -> None:
    """Check clocks, happened-before arrows and cuts against the messages."""
    if part.clocks and any(one.ellipsis for one in part.lifelines):
        fail("clocks count events of all lifelines", "clocks", hint="draw them all, without an ellipsis")
    if part.ticks and part.clocks != "lamport":
        fail("only Lamport clocks tick", "ticks", hint="say clocks: lamport")
    if not (part.clocks or part.happened_before):
        order: list[Occurrence] = []
    else:
        found = sort_occurrences(part.occurrences())
        if found is None:
            text = "messages that take no time go in a circle: none of them comes first"
            fail(text, "messages", hint="let one of them travel for some time", impossible=True)
        order = found
    vectors = vector_clocks(order, len(part.lifelines))
    named = dict(zip(part.event_names(), part.named_occurrences(order), strict=True)) if order else {}
    for index, arrow in enumerate(part.happened_before):
        for field in ("source", "target"):
            if getattr(arrow, field) not in named:
                name = getattr(arrow, field)
                hint = suggest_known_names(name, sorted(named)) or "give it an entry in events"
                fail(f"unknown event {quote(name)}", "happened_before", index, field, hint=hint)
        first, later = named[arrow.source], named[arrow.target]
        if not has_happened_before(vectors, first, later):
            turned = has_happened_before(vectors, later, first)
            text = "happened later" if turned else "did not happen before it: no chain of messages leads there"
            hint = "exchange source and target" if turned else "leave the arrow out, or draw the messages"
            fail(f"{arrow.source} {text}", "happened_before", index, hint=hint, impossible=True)
    for index, cut in enumerate(part.cuts):
        _check_cut(part, cut, index)


def _check_cut(part: SpaceTimeParts, cut: Cut, index: int) -> None:
    times = part.crossings(cut)
    if len(times) != len(part.lifelines):
        text = f"the number of times is {len(times)}, that of lifelines {len(part.lifelines)}"
        fail(text, "cuts", index, "at", hint="give one time for all, or one for each lifeline, in their order")
    broken = next(part.broken_by(cut), "")
    if broken and cut.consistent:
        text = f"the cut is not consistent: it has {broken} as received, but not as sent"
        fail(text, "cuts", index, hint="move it, or say consistent: false", impossible=True)
    if not broken and not cut.consistent:
        text = "the cut is consistent: every message that it has as received was sent before it"
        fail(text, "cuts", index, "consistent", hint="leave consistent out, or move the cut")


def _check_ends(message: Message, lifelines: Mapping[str, Lifeline], index: int) -> None:
    """Check that a message runs between existing lifelines, to each target once."""
    listed = isinstance(message.target, list)
    ends: list[tuple[str, Path]] = [(message.source, ("source",))]
    ends += [(name, ("target", place) if listed else ("target",)) for place, name in enumerate(message.targets)]
    for name, steps in ends:
        _find_lifeline(name, lifelines, "messages", index, *steps)
    if not message.targets:
        hint = "name who receives it, or leave the message out"
        fail("needs at least one lifeline", "messages", index, "target", hint=hint)
    if len(set(message.targets)) < len(message.targets):
        fail("each lifeline receives it once", "messages", index, "target", hint="name each lifeline once")
    if len(message.targets) > 1 and message.source in message.targets:
        hint = "use a separate message to itself"
        fail("a message to several lifelines excludes its source", "messages", index, "target", hint=hint)


def _check_times(message: Message, index: int) -> None:
    """Check that a message arrives after its departure, and that lost messages have no time of arrival."""
    for place, name in enumerate(message.lost if isinstance(message.lost, list) else ()):
        if name not in message.targets:
            hint = suggest_known_names(name, sorted(message.targets))
            fail(f"it is not sent to {quote(name)}", "messages", index, "lost", place, hint=hint)
    if message.received is not None and len(message.unreached_targets) == len(message.targets):
        fail(
            "a lost message is not received",
            "messages",
            index,
            "received",
            hint="leave out received, or lost",
            impossible=True,
        )
    if message.received is not None and message.travel is not None:
        fail("received already sets the travel time", "messages", index, "travel", hint="leave out received, or travel")
    if message.lost and message.source in message.targets:
        hint = "leave out lost"
        fail("what a lifeline sends to itself is not lost", "messages", index, "lost", hint=hint, impossible=True)
    reached = len(message.targets) - len(message.unreached_targets)
    if isinstance(message.received, list) and len(message.received) != reached:
        hint = "give one time for all, or one for each target that it reaches"
        text = f"the number of times is {len(message.received)}, that of targets {reached}"
        fail(text, "messages", index, "received", hint=hint)
    field = "travel" if message.received is None else "received"
    reached_at = [at for name, at in message.arrivals.items() if name not in message.unreached_targets]
    for place, arrival in enumerate(reached_at):
        steps: Path = (field, place) if isinstance(message.received, list) else (field,)
        sent = spell_time(message.sent)
        if arrival < message.sent:
            text = f"is received at {spell_time(arrival)}, before it is sent at {sent}"
            fail(text, "messages", index, *steps, hint=f"use {sent} or later", impossible=True)
        if arrival == message.sent and message.source in message.targets:
            text = "a message to oneself takes time"
            fail(text, "messages", index, *steps, hint=f"let it be received after {sent}", impossible=True)


def _check_crashes(message: Message, lifelines: Mapping[str, Lifeline], index: int) -> None:
    """Check that no lifeline sends or receives a message after its failure."""
    source = lifelines[message.source]
    if source.fails(message.sent):
        crash = spell_time(source.crash or Fraction(0))
        text = f"{source.id} sends it at {spell_time(message.sent)}, after it has failed at {crash}"
        fail(text, "messages", index, "sent", hint="send it before, or let the lifeline crash later", impossible=True)
    field = "travel" if message.received is None else "received"
    for name, arrival in message.arrivals.items():
        if lifelines[name].fails(arrival) and name not in message.unreached_targets:
            crash = spell_time(lifelines[name].crash or Fraction(0))
            text = f"{name} receives it at {spell_time(arrival)}, after it has failed at {crash}"
            fail(
                text,
                "messages",
                index,
                field,
                hint=f"say lost: [{name}], or let the lifeline crash later",
                impossible=True,
            )
