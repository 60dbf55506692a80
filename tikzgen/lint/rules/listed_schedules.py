"""Rules on schedules: what somebody listed, or a recipe computed.

- TG101: operations that are missing, stand twice, or stand before what they use.
- TG102: an order, or a number of microbatches in flight, that is not what the schedule's name promises.
- TG103: messages without their other end, sent too early or received too late.
- TG104: computations whose parameters are sharded, and gradients that come after their reduction.
"""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.checking import Listed, Simulated, said
from tikzgen.lint.registry import Broken, Rule
from tikzgen.schedule import Rule as Class
from tikzgen.schedule import check_messages, check_parameters


def _data_dependency(subject: Listed | Simulated) -> Iterator[Broken]:
    for broken in subject.broken:
        if broken.rule is Class.DEPENDENCY:
            yield Broken(subject.place(broken), said(broken))


DATA_DEPENDENCY = Rule(
    "TG101",
    "data-dependency",
    "every operation is there once, and after what it uses",
    Listed | Simulated,
    _data_dependency,
)


def _schedule_rule(subject: Listed | Simulated) -> Iterator[Broken]:
    if isinstance(subject, Listed | Simulated):
        hint = "reorder them, or name no schedule" if isinstance(subject, Listed) else ""
        for broken in subject.broken:
            if broken.rule is Class.SCHEDULE:
                yield Broken(subject.place(broken), said(broken), hint)


SCHEDULE_RULE = Rule(
    "TG102",
    "schedule-rule",
    "the order and the in-flight bound are those of the schedule's name",
    Listed | Simulated,
    _schedule_rule,
)


def _messages(subject: Listed) -> Iterator[Broken]:
    for broken in check_messages(subject.rows):
        yield Broken(subject.place(broken), said(broken))


MESSAGES = Rule(
    "TG103", "messages", "where there are SENDs and RECVs, each has its other end, at its time", Listed, _messages
)


def _parameters(subject: Listed) -> Iterator[Broken]:
    for broken in check_parameters(subject.rows):
        yield Broken(subject.place(broken), said(broken))


PARAMETERS = Rule(
    "TG104",
    "parameters",
    "a stage computes between its UNSHARD and RESHARD, before its REDUCE_GRAD",
    Listed,
    _parameters,
)
