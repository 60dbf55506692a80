"""TG314: a text almost touches another text, or the border of another node."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.probe.nearness import Neighbour, neighbours
from tikzgen.probe.sheet import Sheet


def _look(subject: Sheet) -> Iterator[Broken]:
    for found in neighbours(subject):
        away = f"{found.gap:.1f} pt from {_other(subject, found)}"
        message = f"text {subject.text(found.line)} is {away}, less than {found.least:g} pt"
        yield Broken(subject.at(found.line), message, "move it away, or make it shorter")


def _other(sheet: Sheet, found: Neighbour) -> str:
    if found.path is not None:
        return f"the border of {sheet.thing(found.path)}"
    assert found.other is not None
    return f"text {sheet.text(found.other)}"


RULE = Rule("TG314", "near-text", "a text almost touches another text or node", Sheet, _look, Severity.WARNING)
