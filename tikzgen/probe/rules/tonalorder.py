"""TG325: idle time stands out more than work."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.model.vision import lightness
from tikzgen.probe.rules.phasesalike import swatches
from tikzgen.probe.sheet import Sheet

_IDLE = re.compile(r"\b(idle|bubbles?|waiting|wait)\b|空闲|等待|气泡", re.IGNORECASE)
_ALMOST = 1.0  # L*


def _look(subject: Sheet) -> Iterator[Broken]:
    """Of the legend's entries, idle time is the nearest to the paper."""
    paper = lightness(subject.page.paper)
    entries = [(abs(lightness(each.fill) - paper), each.text) for each in swatches(subject)]
    for idle, text in entries:
        stronger = [(away, other) for away, other in entries if away < idle - _ALMOST and not _IDLE.search(other.words)]
        if _IDLE.search(text.words) and stronger:
            _, other = min(stronger, key=lambda each: each[0])
            message = f"{quoted(text.words)} stands out more from the paper than {quoted(other.words)}"
            yield Broken(subject.at(text), message, "make idle time the lightest of all, the darkest on dark paper")


RULE = Rule("TG325", "tonal-order", "idle time stands out more than work", Sheet, _look, Severity.WARNING)
