"""TG324: a line is too thin for print."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.probe.page_data import Painted
from tikzgen.probe.sheet import Sheet
from tikzgen.probe.view import HATCH

_LEAST = 0.2  # pt: thinner lines break up in print, and differ from viewer to viewer
_ALMOST = 0.005


def _look(subject: Sheet) -> Iterator[Broken]:
    """One finding for each width."""
    thin: dict[float, list[Painted]] = {}
    for path in subject.page.paths:
        width = round(path.width * subject.scale, 2)
        if path.stroke and path.depth == 0 and path.width <= HATCH and width < _LEAST - _ALMOST:
            thin.setdefault(width, []).append(path)
    for width, paths in thin.items():
        others = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        message = (
            f"{subject.thing(paths[0])}{others} {'are' if others else 'is'} {width:g} pt thick, less than {_LEAST:g} pt"
        )
        yield Broken(subject.of(paths[0]), message, "a thicker line, or a fill without one")


RULE = Rule("TG324", "hairline", "a line is thinner than 0.2 pt in print", Sheet, _look, Severity.WARNING)
