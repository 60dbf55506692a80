"""Rules on schedules: what somebody listed, or a recipe computed."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.checking import Listed, Simulated, said
from tikzgen.lint.registry import Broken, rule
from tikzgen.schedule import Rule as Class
from tikzgen.schedule import check_messages, check_parameters


@rule("TG101", "every operation is there once, and after what it uses")
def _data_dependency(subject: Listed | Simulated) -> Iterator[Broken]:
    for broken in subject.broken:
        if broken.rule is Class.DEPENDENCY:
            yield Broken(subject.place(broken), said(broken))


@rule("TG102", "the order and the in-flight bound are those of the schedule's name")
def _schedule_rule(subject: Listed | Simulated) -> Iterator[Broken]:
    hint = "reorder them, or name no schedule" if isinstance(subject, Listed) else ""
    for broken in subject.broken:
        if broken.rule is Class.SCHEDULE:
            yield Broken(subject.place(broken), said(broken), hint)


@rule("TG103", "where there are SENDs and RECVs, each has its other end, at its time")
def _messages(subject: Listed) -> Iterator[Broken]:
    for broken in check_messages(subject.rows):
        yield Broken(subject.place(broken), said(broken))


@rule("TG104", "a stage computes between its UNSHARD and RESHARD, before its REDUCE_GRAD")
def _parameters(subject: Listed) -> Iterator[Broken]:
    for broken in check_parameters(subject.rows):
        yield Broken(subject.place(broken), said(broken))
