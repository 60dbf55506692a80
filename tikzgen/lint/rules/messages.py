"""TG103: messages without their other end, sent too early or received too late."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.subjects import Listed, said
from tikzgen.schedule import check_messages

__all__ = ["RULE"]


def _look(subject: Listed) -> Iterator[Broken]:
    for broken in check_messages(subject.rows):
        yield Broken(subject.place(broken), said(broken))


RULE = Rule("TG103", "messages", "where there are SENDs and RECVs, each has its other end, at its time", Listed, _look)
