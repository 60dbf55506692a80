"""Sentences about space-time diagrams."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.plain_words import count_of, list_names
from tikzgen.model.figure import FigureModel
from tikzgen.model.sentences import Known, Sentence, number
from tikzgen.model.spacetime.spacetime import SpaceTime
from tikzgen.model.spacetime.spacetime_parts import Message
from tikzgen.text.spoken_labels import label_to_unicode


def describe(content: SpaceTime, figure: FigureModel, known: Known) -> Iterator[Sentence]:
    """Yield sentences about a space-time diagram, the most important one first."""
    names = {one.id: label_to_unicode(one.label) or one.id for one in content.lifelines}
    way = ", time runs downwards" if content.direction == "down" else ""
    lifelines = f"{count_of(len(names), 'lifeline')} ({list_names(list(names.values()))})"
    yield Sentence(0, f"Space-time diagram of {lifelines}{way}")
    for one in content.lifelines:
        if one.crash is not None:
            back = f" and is back at {number(one.restart)}" if one.restart is not None else ""
            yield Sentence(0, f"{names[one.id]} fails at {number(one.crash)}{back}")
    messages = sorted(content.messages, key=lambda message: message.sent)
    if messages:
        yield Sentence(
            1, f"{count_of(len(messages), 'message')}: {'; '.join(_describe_message(one, names) for one in messages)}"
        )

    yield from _life_marks(content, names)


def _life_marks(content: SpaceTime, names: dict[str, str]) -> Iterator[Sentence]:
    """Yield sentences about feet, cuts, regions, lines, notes, clocks, events and activations."""
    for one in content.lifelines:
        if one.foot:
            yield Sentence(1, f"{names[one.id]} ends with: {label_to_unicode(one.foot)}")
    for place, cut in enumerate(content.cuts, 1):
        label = f"Cut {label_to_unicode(cut.label) or place}"
        broken = list(content.broken_by(cut))
        why = f"not consistent: it has {list_names(broken)} as received, but not as sent" if broken else "consistent"
        yield Sentence(1, f"{label} is {why}")
    for region in content.regions:
        what = " ".join(filter(None, (label_to_unicode(region.label), label_to_unicode(region.guard)))) or "a frame"
        over = f" around {list_names([names[one] for one in region.lifelines])}" if region.lifelines else ""
        others = [label_to_unicode(case.guard) or "another case" for case in region.cases]
        then = f", then {list_names(others)}" if others else ""
        yield Sentence(1, f"Region from {number(region.start)} to {number(region.end)}{over}: {what}{then}")
    for line in content.separators:
        yield Sentence(2, f"A line at {number(line.time)}{': ' if line.label else ''}{label_to_unicode(line.label)}")
    if content.notes:
        yield Sentence(2, f"Notes: {'; '.join(label_to_unicode(note.text) for note in content.notes)}")
    if content.clocks:
        yield Sentence(1, f"{content.clocks.capitalize()} clocks are printed at all events")
    events = {
        name: label_to_unicode(one.label) or f"an event at {number(one.time)}"
        for name, one in zip(content.event_names(), content.events, strict=True)
    }
    for arrow in content.happened_before:
        yield Sentence(1, f"{events[arrow.source]} happened before {events[arrow.target]}")
    if events:
        told = [f"{events[name]} at {names[one.lifeline]}" for name, one in zip(events, content.events, strict=True)]
        yield Sentence(2, f"{count_of(len(events), 'event')}: {list_names(told)}")
    for busy in content.activations:
        what = f" ({label_to_unicode(busy.label)})" if busy.label else ""
        period = f"from {number(busy.start)} to {number(busy.end)}"
        yield Sentence(2, f"{names[busy.lifeline]} is busy {period}{what}")


def _describe_message(message: Message, names: dict[str, str]) -> str:
    """Describe a message: its label, sender and receiver, and whether it arrives."""
    text = label_to_unicode(message.label) or ("a reply" if message.reply else "a message")
    if message.source in message.targets:
        return f"{text} at {names[message.source]} itself"
    goals = [names[target] for target in message.targets]
    missed = [names[target] for target in message.targets if target in message.unreached_targets]
    end = "" if not missed else ", lost" if len(missed) == len(goals) else f", lost on the way to {list_names(missed)}"
    return f"{text} from {names[message.source]} to {list_names(goals)}{end}"
