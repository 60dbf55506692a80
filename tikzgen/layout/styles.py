"""Which styles and libraries a scene needs: only what its items use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
    Mass,
    Numeral,
    Path,
    Rectangle,
    Scope,
    Steps,
    Style,
    Ticks,
)
from tikzgen.model.figure import Figure
from tikzgen.model.look import Phase
from tikzgen.model.topology import Topology

__all__ = ["shade", "styles"]

# The order in which styles stand in a file, for those that need no facts.
_PLAIN = (
    *("icon", "slbl", "strong", "worker", "server", "source", "box", "cell", "tone", "omitted", "group"),
    *("highlighted", "failed", "idle", "stepmark"),
    *("span", "flatspan", "fused", "flatfused", "bubble", "numeral", "critical", "fault", "from slide"),
    *("frame", "time", "barrier", "dependency", "link", "swatch", "entry"),
    *("message", "critical arrow", "dense", "leader", "clear", "brace", "bracket", "dimension", "short", "tick"),
    *("number", "tear", "rip", "cut", "levels", "over", "limit"),
    *("dot sign", "diamond sign", "triangle sign", "cross sign"),
)


def styles(
    figure: Figure, items: Sequence[Item], values: Mapping[str, float]
) -> tuple[tuple[Style, ...], tuple[str, ...]]:
    """The styles in the order of the file, and the TikZ libraries; `values` are the distances in cm."""
    used = set(_used(items))
    libraries = ["arrows.meta", "positioning"] if any(_captions(items)) else ["arrows.meta"]
    fine = _narrowest(items) * values.get("timeunit", 1.0) < _NARROW
    found = [Style(*_plain(name, fine=fine)) for name in _PLAIN if name in used]
    kinds = dict.fromkeys(_kinds(figure))
    for kind in kinds:
        look = figure.kind(kind)
        found.append(Style(flow_style(kind, look), "flow", look))
    chunks: dict[str, set[int]] = {}
    for phase, chunk in _phases(items):
        chunks.setdefault(phase, set()).add(chunk)
    for phase, used_chunks in chunks.items():
        found.extend(
            Style(shade(phase, chunk), "phase", _shaded(figure.phase(phase), chunk, used_chunks))
            for chunk in sorted(used_chunks)
        )
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


def _phases(items: Sequence[Item]) -> Iterator[tuple[str, int]]:
    """Every phase with the chunk that picks its shade."""
    for item in items:
        if isinstance(item, Scope):
            yield from _phases(item.items)
        elif isinstance(item, Bar):
            yield item.phase, item.chunk
            if item.second:
                yield item.second.phase, item.second.chunk
        elif isinstance(item, Mass):
            yield from item.looks
        elif isinstance(item, Key):
            yield from ((entry.name, 0) for entry in item.entries if shade(entry.name, 0) in entry.swatches)


def shade(phase: str, chunk: int) -> str:
    """The name of the style of a phase that works on a chunk: the first chunk has the phase's own."""
    return f"{phase} shade {chunk}" if chunk else f"{phase} phase"


_STEP = 14  # percent of tint between two chunks
_LIGHTEST = 16  # percent: in greyscale, idle time is lighter
# percent: the deepest tint on which ink keeps a contrast of 4.5 in both palettes
_DEEPEST = {"otblue": 62, "otorange": 51, "otteal": 56, "otpurple": 56, "otgray": 56}

_HATCHED = 6  # percent: as much deeper a fill is with its hatching


def _shaded(look: Phase, chunk: int, used: set[int]) -> Phase:
    """The look of a phase for one of the chunks that it works on: the more of them, the finer the steps."""
    last = max(used)
    if not last:
        return look
    deepest = _DEEPEST[look.color] - (_HATCHED if look.hatch != "none" else 0)
    step = min(_STEP, (deepest - _LIGHTEST) / last)
    lightest = max(_LIGHTEST, min(look.tint - step / 4, deepest - step * last))
    return look.model_copy(update={"tint": round(lightest + step * chunk)})


_NARROW = 0.16  # cm: narrower cells have finer borders


def _plain(name: str, *, fine: bool) -> tuple[str, str]:
    """The name of a style and how it is spelt."""
    return name, f"fine {name}" if fine and name in ("span", "flatspan") else name


def _narrowest(items: Sequence[Item]) -> float:
    """The shortest time that a bar takes, in time units."""
    found = [
        _narrowest(item.items) if isinstance(item, Scope) else float(item.duration)
        for item in items
        if isinstance(item, (Bar, Scope))
    ]
    return min(found, default=float("inf"))


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
            case Mass():
                yield from _used(item.points)
                styles = {style for rows in item.groups for style in rows.styles.split(", ")}
                yield from (style for style in ("bubble",) if style in styles)
            case Bar():
                yield "flatspan" if item.level else "span"
                if item.second or item.fault:  # its cross lies between its fill and its text
                    yield "flatfused" if item.level else "fused"
                yield from (name for name, used in _marks(item) if used)
            case Numeral():
                yield "numeral"
            case Rectangle():
                yield item.style
            case Path():
                yield from item.styles
                yield from ("slbl",) if item.text else ()
                yield from ("from slide",) if item.slide else ()
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
                yield "slbl"
                yield from ("entry" for entry in item.entries if not entry.tall)
                yield from ("swatch" for entry in item.entries if entry.swatches)
                yield from ("fault" for entry in item.entries if "fault" in entry.swatches)


def _marks(bar: Bar) -> tuple[tuple[str, bool], ...]:
    return ("bubble", bar.idle), ("critical", bar.heavy), ("fault", bar.fault), ("from slide", bool(bar.slide))
