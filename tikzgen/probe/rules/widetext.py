"""TG305: a text is wider than the cell that it stands in."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Rule
from tikzgen.probe.sheet import Sheet, cm, overflows


def _look(subject: Sheet) -> Iterator[Broken]:
    for found in overflows(subject.page, subject.view):
        what = "wider" if found.wide else "higher"
        message = f"text {subject.text(found.line)} is {what} than its box of {cm(found.room)}: "
        yield Broken(subject.at(found.line), message + f"{cm(found.beyond)} beyond it", "a shorter text, or more room")


RULE = Rule("TG305", "wide-text", "a text reaches beyond its box or cell", Sheet, _look)
