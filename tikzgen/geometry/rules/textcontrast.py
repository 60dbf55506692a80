"""TG309: a text has too little contrast against what lies behind it."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.checks.findings import Severity
from tikzgen.checks.registry import Broken, Rule
from tikzgen.checks.subjects import Subject
from tikzgen.geometry.subject import Sheet
from tikzgen.geometry.vision import contrast

_LEAST = 4.5  # WCAG 2.1, 1.4.3


def _look(subject: Subject) -> Iterator[Broken]:
    if not isinstance(subject, Sheet):
        return
    seen: set[tuple[object, ...]] = set()
    for line in subject.page.lines:
        middle = (sum(x for x, _ in line.corners) / 4, sum(y for _, y in line.corners) / 4)
        behind = subject.view.behind(middle, line.order)
        worst = contrast(line.color, behind)
        key = (line.words, line.color, behind)
        if worst < _LEAST and key not in seen:
            seen.add(key)
            message = f"text {subject.text(line)} has a contrast of {worst:.1f}:1, less than 4.5:1"
            yield Broken(subject.at(line), message, "a darker text, or a lighter fill behind it")


RULE = Rule("TG309", "text-contrast", "a text has a contrast of less than 4.5:1", _look, Severity.WARNING)
