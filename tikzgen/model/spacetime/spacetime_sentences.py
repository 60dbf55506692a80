"""Space-time diagrams in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.plain_words import counted, listing
from tikzgen.model.figure import FigureModel
from tikzgen.model.sentences import Known, Sentence, number
from tikzgen.model.spacetime.spacetime import SpaceTime
from tikzgen.model.spacetime.spacetime_parts import Message
from tikzgen.text.spoken_labels import spoken


def describe(content: SpaceTime, figure: FigureModel, known: Known) -> Iterator[Sentence]:
    """What a space-time diagram shows, what matters most first."""
    names = {one.id: spoken(one.label) or one.id for one in content.lifelines}
    way = ", time runs downwards" if content.direction == "down" else ""
    lifelines = f"{counted(len(names), 'lifeline')} ({listing(list(names.values()))})"
    yield Sentence(0, f"Space-time diagram of {lifelines}{way}")
    for one in content.lifelines:
        if one.crash is not None:
            back = f" and is back at {number(one.restart)}" if one.restart is not None else ""
            yield Sentence(0, f"{names[one.id]} fails at {number(one.crash)}{back}")
    messages = sorted(content.messages, key=lambda message: message.sent)
    if messages:
        yield Sentence(1, f"{counted(len(messages), 'message')}: {'; '.join(_told(one, names) for one in messages)}")

    yield from _life_marks(content, names)


def _life_marks(content: SpaceTime, names: dict[str, str]) -> Iterator[Sentence]:
    """Feet, cuts, clocks, what happened before what, events, and who is busy."""
    for one in content.lifelines:
        if one.foot:
            yield Sentence(1, f"{names[one.id]} ends with: {spoken(one.foot)}")
    for place, cut in enumerate(content.cuts, 1):
        label = f"Cut {spoken(cut.label) or place}"
        broken = list(content.broken_by(cut))
        why = f"not consistent: it has {listing(broken)} as received, but not as sent" if broken else "consistent"
        yield Sentence(1, f"{label} is {why}")
    for region in content.regions:
        what = " ".join(filter(None, (spoken(region.label), spoken(region.guard)))) or "a frame"
        over = f" around {listing([names[one] for one in region.lifelines])}" if region.lifelines else ""
        others = [spoken(case.guard) or "another case" for case in region.cases]
        then = f", then {listing(others)}" if others else ""
        yield Sentence(1, f"Region from {number(region.start)} to {number(region.end)}{over}: {what}{then}")
    for line in content.separators:
        yield Sentence(2, f"A line at {number(line.time)}{': ' if line.label else ''}{spoken(line.label)}")
    if content.notes:
        yield Sentence(2, f"Notes: {'; '.join(spoken(note.text) for note in content.notes)}")
    if content.clocks:
        yield Sentence(1, f"{content.clocks.capitalize()} clocks are printed at all events")
    events = {
        name: spoken(one.label) or f"an event at {number(one.time)}"
        for name, one in zip(content.event_names(), content.events, strict=True)
    }
    for arrow in content.happened_before:
        yield Sentence(1, f"{events[arrow.source]} happened before {events[arrow.target]}")
    if events:
        told = [f"{events[name]} at {names[one.lifeline]}" for name, one in zip(events, content.events, strict=True)]
        yield Sentence(2, f"{counted(len(events), 'event')}: {listing(told)}")
    for busy in content.activations:
        what = f" ({spoken(busy.label)})" if busy.label else ""
        period = f"from {number(busy.start)} to {number(busy.end)}"
        yield Sentence(2, f"{names[busy.lifeline]} is busy {period}{what}")


def _told(message: Message, names: dict[str, str]) -> str:
    """One message: what it says, from whom, to whom, and whether it arrives."""
    text = spoken(message.label) or ("a reply" if message.reply else "a message")
    if message.source in message.targets:
        return f"{text} at {names[message.source]} itself"
    goals = [names[target] for target in message.targets]
    missed = [names[target] for target in message.targets if target in message.missed]
    end = "" if not missed else ", lost" if len(missed) == len(goals) else f", lost on the way to {listing(missed)}"
    return f"{text} from {names[message.source]} to {listing(goals)}{end}"
