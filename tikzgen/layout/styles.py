"""Which styles and libraries a scene needs: only what its items use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.layout.routes import flow_style
from tikzgen.layout.scene import (
    Arrow,
    Bar,
    Box,
    Brace,
    Caption,
    Edge,
    Family,
    Fit,
    Item,
    Key,
    Label,
    Mark,
    Path,
    Rectangle,
    Scope,
    Steps,
    Style,
    Ticks,
)
from tikzgen.model.figure import Figure
from tikzgen.model.topology import Topology

__all__ = ["styles"]

# The order in which styles stand in a file, for those that need no facts.
_PLAIN = (
    *("icon", "slbl", "strong", "worker", "server", "source", "box", "cell", "tone", "omitted", "group"),
    *("highlighted", "failed", "idle", "stepmark"),
    *("span", "flatspan", "frame", "time", "barrier", "dependency", "link", "swatch"),
    *(
        "message",
        "critical",
        "dense",
        "leader",
        "clear",
        "brace",
        "bracket",
        "dimension",
        "short",
        "tick",
        "number",
        "tear",
    ),
    *("rip", "cut", "levels", "over", "limit", "dot sign", "diamond sign", "triangle sign", "cross sign"),
)


def styles(figure: Figure, items: Sequence[Item]) -> tuple[tuple[Style, ...], tuple[str, ...]]:
    """The styles in the order of the file, and the TikZ libraries."""
    used = set(_used(items))
    libraries = ["arrows.meta", "positioning"] if any(_captions(items)) else ["arrows.meta"]
    found = [Style(name, name) for name in _PLAIN if name in used]
    kinds = dict.fromkeys(_kinds(figure))
    for kind in kinds:
        look = figure.kind(kind)
        found.append(Style(flow_style(kind, look), "flow", look))
    phases = dict.fromkeys(_phases(items))
    found.extend(Style(f"{phase} phase", "phase", figure.phase(phase)) for phase in phases)
    if any(figure.phase(phase).hatch != "none" for phase in phases):
        libraries.append("patterns")
    if "group" in used:
        libraries.append("fit")
    return tuple(found), tuple(libraries)


def _captions(items: Sequence[Item]) -> Iterator[bool]:
    """Whether each text stands below a node: only that takes a library."""
    for item in items:
        if isinstance(item, Scope):
            yield from _captions(item.items)
        elif isinstance(item, Caption):
            yield bool(item.below)


def _kinds(figure: Figure) -> Iterator[str]:
    for panel in figure.panels:
        for content in panel.content:
            if isinstance(content, Topology):
                yield from (flow.kind for flow in content.flows)


def _phases(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Scope):
            yield from _phases(item.items)
        elif isinstance(item, Bar):
            yield item.phase
        elif isinstance(item, Key):
            yield from (phase for phase, _ in item.entries)


def _used(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        match item:
            case Scope():
                yield from _used(item.items)
            case Box() | Caption() | Mark():
                yield from (name.partition("=")[0] for name in item.styles)
            case Edge() | Family():
                edges = item.edges if isinstance(item, Family) else (item,)
                yield from (edge.style for edge in edges if edge.style == "dependency")
                yield from ("slbl" for edge in edges if edge.label)
                yield from ("stepmark" for edge in edges if edge.step)
            case Bar():
                yield "flatspan" if item.level else "span"
            case Rectangle():
                yield item.style
            case Path():
                yield from item.styles
                yield from ("slbl",) if item.text else ()
            case Label():
                yield from item.styles
            case Brace():
                yield "brace"
            case Ticks():
                yield from ("tick", "number") if item.numbers else ("tick",)
            case Steps():
                yield "levels"
                yield from ("over",) if item.over else ()
                yield from ("limit", "number") if item.cap else ()
                yield from ("number",) if item.peak[0] else ()
            case Arrow():
                yield "link"
            case Fit():
                yield "group"
                yield "slbl"
            case Key():
                yield "swatch"
                yield "slbl"
