"""A space-time diagram in sentences: lifelines, messages, what is lost, and who fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tikzgen.describe.english import Known, Sentence, counted, listed, number
from tikzgen.describe.speech import spoken
from tikzgen.model.spacetime import Message, SpaceTime

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure

__all__ = ["spacetime"]


def spacetime(content: SpaceTime, figure: Figure, known: Known) -> Iterator[Sentence]:
    """What a space-time diagram shows, what matters most first."""
    names = {one.id: spoken(one.label) or one.id for one in content.lifelines}
    way = ", time runs downwards" if content.direction == "down" else ""
    lifelines = f"{counted(len(names), 'lifeline')} ({listed(list(names.values()))})"
    yield Sentence(0, f"Space-time diagram of {lifelines}{way}")
    for one in content.lifelines:
        if one.crash is not None:
            yield Sentence(0, f"{names[one.id]} fails at {number(one.crash)}")
    messages = sorted(content.messages, key=lambda message: message.sent)
    if messages:
        yield Sentence(1, f"{counted(len(messages), 'message')}: {'; '.join(_told(one, names) for one in messages)}")


def _told(message: Message, names: dict[str, str]) -> str:
    """One message: what it says, from whom, to whom, and whether it arrives."""
    text = spoken(message.label) or ("a reply" if message.reply else "a message")
    if message.source in message.targets:
        return f"{text} at {names[message.source]} itself"
    goals = [names[target] for target in message.targets]
    missed = [names[target] for target in message.targets if target in message.missed]
    end = "" if not missed else ", lost" if len(missed) == len(goals) else f", lost on the way to {listed(missed)}"
    return f"{text} from {names[message.source]} to {listed(goals)}{end}"
