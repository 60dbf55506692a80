"""The forms that a figure may take, for a width that does not allow the usual one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from tikzgen.model.figure import Figure, Panel
from tikzgen.model.timeline import Timeline
from tikzgen.model.topology import Levels, Topology

__all__ = ["forms"]


def forms(figure: Figure) -> Iterator[Figure]:
    """The figure itself, then narrower ones: those of its recipe, with panels in columns, with levels to the right."""
    directions: tuple[Literal["down", "right"], ...] = ("down", "right") if any(_open(figure)) else ("down",)
    for form in _told(figure):
        for direction in directions:
            turned = _like(form, [_turned(panel, direction) for panel in form.panels])
            yield turned
            stacked = _like(turned, [_stacked(panel) for panel in turned.panels])
            if stacked is not turned:
                yield stacked


def _told(figure: Figure) -> Iterator[Figure]:
    yield figure
    origin = figure.origin
    for facts in origin.narrower() if origin is not None else ():
        form = facts.expand()
        form._origin, form._said, form._document = origin, form.model_copy(), figure._document
        yield form


def _like(figure: Figure, panels: list[Panel]) -> Figure:
    """The figure with these panels; who asks where it came from gets the same answer."""
    if all(one is other for one, other in zip(figure.panels, panels, strict=True)):
        return figure
    form = figure.model_copy(update={"panels": panels})
    if figure.origin is not None:
        form._said = form.model_copy()
    return form


def _open(figure: Figure) -> Iterator[Levels]:
    """The levels that may run down or to the right."""
    for panel in figure.panels:
        for part in panel.content:
            if isinstance(part, Topology) and isinstance(part.layout, Levels) and part.layout.direction == "auto":
                yield part.layout


def _stacked(panel: Panel) -> Panel:
    several = len(panel.content) > 1
    return panel.model_copy(update={"arrange": "column"}) if several and panel.arrange == "auto" else panel


def _turned(panel: Panel, direction: Literal["down", "right"]) -> Panel:
    parts = [_led(part, direction) for part in panel.content]
    if all(one is other for one, other in zip(panel.content, parts, strict=True)):
        return panel
    return panel.model_copy(update={"content": parts})


def _led(part: Topology | Timeline, direction: Literal["down", "right"]) -> Topology | Timeline:
    if isinstance(part, Timeline) or not isinstance(part.layout, Levels) or part.layout.direction != "auto":
        return part
    return part.model_copy(update={"layout": part.layout.model_copy(update={"direction": direction})})
