"""What the contract says of space-time diagrams: names, what a hand does, what every edit must keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.model.spacetime import SpaceTime

__all__ = ["ADD_LIFELINE", "REMOVE_LIFELINE", "spacetime_invariants", "spacetime_naming"]

ADD_LIFELINE = "add a lifeline at the end: its node at the next coordinate, and a line as long as the others"
REMOVE_LIFELINE = "take out its node, its line, and every message from it or to it"


def spacetime_naming(parts: Sequence[SpaceTime]) -> str:
    """The names of lifelines and of messages."""
    lifelines = "".join(f"({one.id})" for part in parts for one in part.lifelines)
    messages = "Messages are points on their arrows, <lifeline>-m<k>, counted from 1 along the lifeline that sends them"
    several = "; one to several has a point on each, <lifeline>-m<k>-<target>"
    ends = "; where one is lost stands <its point>-lost, where a lifeline fails <lifeline>-crash"
    several = several if any(len(one.targets) > 1 for part in parts for one in part.messages) else ""
    crashed = any(one.crash is not None for part in parts for one in part.lifelines)
    ends = ends if crashed or any(one.lost for part in parts for one in part.messages) else ""
    return f"Lifelines are nodes: {lifelines}. {messages}{several}{ends}"


def spacetime_invariants(parts: Sequence[SpaceTime]) -> Iterator[str]:
    """What every edit must keep."""
    yield "no message is received before it is sent"
    if any(one.crash is not None for part in parts for one in part.lifelines):
        yield "a lifeline that has failed sends and receives nothing afterwards"
