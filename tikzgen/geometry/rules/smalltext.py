"""TG306: a text is smaller than 6 pt at the width that the figure is made for."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.checks.findings import Severity
from tikzgen.checks.registry import Broken, Rule
from tikzgen.checks.subjects import Subject
from tikzgen.geometry.subject import Sheet

_LEAST = 6.0
_ALMOST = 0.06  # fonts of 6 pt are a trifle smaller: 5.98


def _look(subject: Subject) -> Iterator[Broken]:
    if not isinstance(subject, Sheet):
        return
    seen: set[tuple[str, float]] = set()
    for line in subject.page.lines:
        size = round(line.size * subject.scale, 1)
        if size >= _LEAST - _ALMOST or (key := (line.words, size)) in seen:
            continue
        seen.add(key)
        shrinks = f" when the figure is {subject.width:g} cm wide" if subject.scale < 1 else ""
        message = f"text {subject.text(line)} is {size:g} pt{shrinks}, less than 6 pt"
        yield Broken(subject.at(line), message, "a larger font, or a narrower figure" if shrinks else "a larger font")


RULE = Rule("TG306", "small-text", "a text is smaller than 6 pt at the target width", _look, Severity.WARNING)
