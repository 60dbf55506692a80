"""Hypothesis strategies for every part of a description: what they draw is valid, and as odd as the model allows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from conftest import NIGHTLY
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st

from tikzgen import SpecError, recipes, render
from tikzgen.api import Figure
from tikzgen.emit.figure_files import Rendered
from tikzgen.model.figure_options import Font, Meta
from tikzgen.model.looks.phase_and_flow_looks import FLOW_KINDS, PHASES, FlowKind, Phase
from tikzgen.model.looks.spacing import Spacing
from tikzgen.model.looks.venues import VENUES
from tikzgen.model.panel_parts import Legend, Link, Panel
from tikzgen.model.spacetime.spacetime import SpaceTime
from tikzgen.model.spacetime.spacetime_marks import Activation, Case, Cut, LifeEvent, LifeNote, Region, Separator
from tikzgen.model.spacetime.spacetime_parts import Lifeline, Message
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.model.timeline.timeline_marks import (
    Axis,
    Barrier,
    Brace,
    Break,
    Bubble,
    Dependency,
    Dimension,
    Event,
    Frame,
    LaneGroup,
    Level,
    Remark,
    Strip,
)
from tikzgen.model.timeline.timeline_parts import Half, Lane, Span
from tikzgen.model.topology.entities import AnyEntity, DataSource, Dots, Node, Server, Shard, Worker
from tikzgen.model.topology.flows_and_groups import Flow, Group
from tikzgen.model.topology.topology import Topology
from tikzgen.model.topology.topology_layouts import Grid, Levels, Line, Ring, Star, Tree
from tikzgen.text import Tex, TextRefused, typeset_label

__all__ = [
    "figures",
    "labels",
    "many",
    "recipe_figures",
    "rendered",
    "timeline_figures",
    "timelines",
    "topologies",
    "topology_figures",
    "unicode_labels",
    "widths",
    "wild_texts",
]

# ---- texts ----

SPECIALS = "\\$&#_{}%~^\"'`-<>|[]*!? "


def accepted(text: str) -> str:
    """The text without the characters that a label refuses, one at a time."""
    while True:
        try:
            typeset_label(text)
        except TextRefused as refused:
            at = refused.position or 0
            text = text[:at] + text[at + 1 :]
        else:
            return text


_WORDS = st.sampled_from(["Worker 1", "parameter server", "GPU", "all-reduce", "batch", "0.5 GB/s", "fi ff ffi --- x"])
_MATHS = st.sampled_from(
    [r"$\nabla\theta$", r"$\frac{\partial L}{\partial\mathbf{w}}$", "$W_o$, $b_o$", r"$\sum_{i=1}^n a_i^2$ of 5\$"]
)
_CJK = st.sampled_from(["参数服务器", "数据", "反向传播 (B)", "勾配の同期", "工作者 1", "空闲%&#"])
_SYMBOLS = st.sampled_from(
    ["α→β", "naïve Łódź", "½ · 10³ ≤ ∞", "—„“…", "Привет", "éclair…", "a\u00a0b", "e\u0301"]
).map(accepted)
_NASTY = st.text(SPECIALS + "aé中α", min_size=1, max_size=8).map(accepted)
_UNICODE = st.text(min_size=1, max_size=12).map(accepted)
_LONG = st.lists(_WORDS, min_size=4, max_size=10).map(" ".join)

_ANY = st.text(max_size=20)
_ODD = st.text(SPECIALS + "\n\t\r\0\x7f\x85\u2028\u202e\u200d\ufeffaé中α😀א", max_size=12)
_PITFALLS = st.sampled_from(
    [
        *("%", "$", "$$", "a$b", "\\", "{", "}", "\\$", "#1", "~^", "<<", "% tikzgen digest: "),
        *("😀", "👩\u200d👧", "שלום", "مرحبا", "\x07", "e\u0301" * 5, "a\u2028b", "a\x85b", "\x1b[31m"),
    ]
)

_TEXTS = st.one_of(_WORDS, _MATHS, _CJK, _SYMBOLS, _NASTY, _UNICODE)
_LINES = st.lists(_TEXTS, min_size=2, max_size=3).map("\n".join).map(accepted)
_RAW = st.sampled_from(
    [r"\textbf{bold}", r"\emph{so} $x_1$", r"a\,b\\c", r"50\,\%", r"$\mathcal{L}$", r"$\phantom{x}+\hbox{a}$"]
).map(Tex)
_NUMBERED = st.sampled_from(["GPU {n}", "{n}", "工作者 {n}", "x", "$g_{{n}}$", "a%{n}\\&"])


# Composites, because a failing test prints its strategies, and these print as their names.
@st.composite
def _labels(draw: st.DrawFn) -> Tex | str:
    return draw(st.one_of(_TEXTS, _TEXTS, _LINES, _LONG, _RAW))


@st.composite
def _numbered(draw: st.DrawFn) -> str:
    return draw(st.one_of(_NUMBERED, _NASTY, _UNICODE))


@st.composite
def _unicode_labels(draw: st.DrawFn) -> str:
    chars = st.sampled_from(_settable()) | st.sampled_from(SPECIALS)
    return draw(st.text(chars, min_size=1, max_size=12).map(accepted).filter(str.strip))


@cache
def _settable() -> str:
    """The characters that a label may hold: every one of the alphabets and signs, some of the Chinese ones."""
    blocks = (range(0x20, 0x3100), range(0x4E00, 0xA000, 5), range(0xFF01, 0xFF60), range(0x1D400, 0x1D800))
    return "".join(accepted(chr(point)) for block in blocks for point in block)


@st.composite
def _wild(draw: st.DrawFn) -> str:
    return draw(st.one_of(_ANY, _ODD, _PITFALLS))


labels = _labels()
"""Texts that a label accepts."""
numbered = _numbered()
"""Texts with `{n}` for a number, as recipes take them."""
unicode_labels = _unicode_labels()
"""Texts of any characters that a label accepts, strange beside stranger."""
wild_texts = _wild()
"""Any text at all, refused ones among them."""


def maybe(strategy: st.SearchStrategy[Any], default: Any = "") -> st.SearchStrategy[Any]:
    """The default as often as not."""
    return st.just(default) | strategy


# ---- looks ----

COLORS = st.sampled_from(["otblue", "otorange", "otteal", "otpurple", "otgray"])
_DASHES = st.sampled_from(["solid", "dashed", "dotted", "densely dashed", "densely dotted"])
_HATCHES = st.sampled_from(["none", "north east lines", "north west lines", "horizontal lines", "crosshatch", "dots"])
_ICONS = st.sampled_from(
    [
        *("clock", "cloud", "cpu", "database", "dataset", "disk", "document", "gear", "gpu", "laptop", "lock"),
        *("memory", "network", "node", "server", "switch", "user", "browser", "checkpoint", "container", "edge-device"),
        *("load-balancer", "model", "nic", "queue", "rack", "robot", "ssd", "tpu"),
    ]
)
_OWN_PHASES = ("warm-up", "offload", "send2")
_OWN_KINDS = ("draw", "text", "kv-cache")
_DIRECTIONS = st.sampled_from(["forward", "backward", "both", "none"])

phase_looks = st.builds(
    Phase, label=maybe(labels), color=COLORS, tint=st.integers(0, 100), hatch=_HATCHES, cell=maybe(numbered, "{n}")
)
kind_looks = st.builds(FlowKind, color=COLORS, dash=_DASHES, width=st.floats(0.4, 3).map(lambda width: round(width, 2)))
fonts = st.builds(Font, family=st.sampled_from(["sans", "serif", "inherit"]), size=st.sampled_from([6, 7, 8, 9, 10]))
_DISTANCE = st.floats(0.3, 6).map(lambda distance: round(distance, 3))
spacings = st.builds(
    Spacing, colsep=maybe(_DISTANCE, None), timeunit=maybe(_DISTANCE, None), laneheight=maybe(_DISTANCE, None)
)
widths = st.floats(6, 30).map(lambda width: round(width, 2)) | st.sampled_from(
    [f"{venue}-{part}" for venue in VENUES for part in ("column", "text")]
)
_PRINTED = wild_texts.map(lambda text: "".join(filter(str.isprintable, text)))
metas = st.builds(Meta, name=maybe(_PRINTED), description=maybe(_PRINTED))

# ---- topologies ----

_NODE_IDS = (*(f"w{n}" for n in range(1, 8)), "ps", "data", "store", "net", "rank-3", "Zed", "a1b2", "time", "caption")


_SHAPES = ("box", "rounded", "pill", "circle", "diamond", "cylinder", "cloud", "card", "text")


@st.composite
def entities(draw: st.DrawFn, name: str) -> AnyEntity:
    """An entity of any kind, as an icon or a box, in any state."""
    kind = draw(st.sampled_from([Worker, Worker, Server, DataSource, Node, Dots]))
    if kind is Dots:
        return Dots(id=name)
    facts: dict[str, Any] = {
        "label": draw(maybe(labels)),
        "sublabel": draw(maybe(labels)),
        "color": draw(maybe(COLORS, None)),
        "role": draw(maybe(_PRINTED)),
        "state": draw(st.sampled_from(["normal", "normal", "highlighted", "failed", "idle", "slow", "new"])),
    }
    shape = draw(st.sampled_from([None, None, None, *_SHAPES]))
    if shape in ("pill", "circle", "diamond", "cylinder", "cloud", "text"):
        facts["shape"] = shape
    elif draw(st.booleans()):
        facts["icon"] = draw(_ICONS)
        facts["shape"] = shape if shape == "card" else None
    else:
        facts["shape"] = None if shape == "card" else shape
        facts["icon"] = None
        facts["replicas"] = draw(st.integers(1, 4))
        facts["parts"] = draw(maybe(st.lists(st.builds(Shard, label=maybe(labels), color=COLORS), max_size=4), []))
        if kind is Server:
            facts["rule"] = draw(maybe(labels))
    found: AnyEntity = kind(id=name, **facts)
    return found


@st.composite
def flows(draw: st.DrawFn, names: Sequence[str], kinds: Sequence[str], name: str) -> Flow:
    """A flow between two of the nodes, or from one to itself."""
    source, target = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    is_loop = source == target
    routes = ["auto", "loop"] if is_loop else ["auto", "auto", "straight", "bend", "elbow", "bus"]
    return Flow(
        source=source,
        target=target,
        kind=draw(st.sampled_from(kinds)),
        id=draw(maybe(st.just(name), None)),
        label=draw(maybe(labels)),
        side=draw(st.sampled_from(["auto", "left"] if is_loop else ["auto", "left", "right"])),
        direction=draw(_DIRECTIONS),
        route=draw(st.sampled_from(routes)),
        step=draw(maybe(st.integers(1, 99), None)),
    )


@st.composite
def arrangements(draw: st.DrawFn, names: Sequence[str]) -> Any:
    """Any rule of placement for these nodes."""
    kind = draw(st.sampled_from(["row", "column", "grid", "star", "ring", "tree", "right", "down", "auto"]))
    if kind in ("row", "column"):
        return Line(type=kind)
    if kind == "grid":
        return Grid(columns=draw(st.integers(1, 4)))
    if kind == "ring":
        return Ring()
    if kind == "star":
        return Star(center=draw(st.sampled_from(names)))
    if kind == "tree":
        return Tree(root=draw(st.sampled_from(names)))
    cuts = sorted(draw(st.sets(st.integers(1, len(names) - 1), max_size=3))) if len(names) > 1 else []
    levels = [list(names[low:high]) for low, high in zip([0, *cuts], [*cuts, len(names)], strict=True)]
    return Levels(levels=levels, direction=kind)


@st.composite
def groups(draw: st.DrawFn, names: Sequence[str], prefix: str, *, nested: bool) -> list[Group]:
    """Frames side by side, perhaps with layouts of their own, and perhaps one round them all."""
    cut = draw(st.integers(0, len(names)))
    inner = [
        Group(
            id=f"{prefix}box-{k}",
            members=list(part),
            label=draw(maybe(labels)),
            layout=draw(maybe(arrangements(part), None)) if nested else None,
        )
        for k, part in enumerate((names[:cut], names[cut:]))
        if part
    ]
    inner = inner[: draw(st.integers(0, 2))]
    if inner and draw(st.booleans()):
        inner.append(Group(id=f"{prefix}outer", members=[group.id for group in inner], label=draw(maybe(labels))))
    return inner


@st.composite
def topologies(draw: st.DrawFn, prefix: str = "", kinds: Sequence[str] = tuple(FLOW_KINDS)) -> Topology:
    """Entities, flows and frames in any arrangement."""
    names = [prefix + name for name in draw(st.lists(st.sampled_from(_NODE_IDS), min_size=1, max_size=6, unique=True))]
    drawn = [draw(flows(names, kinds, f"{prefix}flow{index}")) for index in range(draw(st.integers(0, 6)))]
    loops = {flow.source: flow for flow in drawn if flow.source == flow.target}  # a node has one at most
    layout = draw(arrangements(names))
    return Topology(
        nodes=[draw(entities(name)) for name in names],
        flows=[flow for flow in drawn if flow.source != flow.target or loops[flow.source] is flow],
        groups=draw(groups(names, prefix, nested=not isinstance(layout, (Ring, Star)))),
        layout=layout,
    )


# ---- timelines ----

times = st.builds(Fraction, st.integers(0, 24), st.sampled_from([1, 2, 3, 5, 7]))
durations = st.builds(Fraction, st.integers(1, 24), st.sampled_from([1, 2, 3, 5, 7, 10]))


@st.composite
def adjacent(draw: st.DrawFn, lanes: Sequence[str], *, empty: bool = False) -> list[str]:
    """Some lanes side by side; an empty list stands for all where that is allowed."""
    if empty and draw(st.booleans()):
        return []
    first = draw(st.integers(0, len(lanes) - 1))
    return list(lanes[first : draw(st.integers(first, len(lanes) - 1)) + 1])


numbers = st.integers(0, 40) | st.integers(0, 10**9)
"""What stands in cells, mostly short."""


@st.composite
def halves(draw: st.DrawFn, phases: Sequence[str]) -> Half:
    """The second part of a fused span."""
    return Half(
        phase=draw(st.sampled_from(phases)),
        label=draw(maybe(labels)),
        number=draw(maybe(numbers, None)),
        chunk=draw(maybe(st.integers(0, 15), 0)),
        share=draw(st.builds(Fraction, st.integers(1, 9), st.sampled_from([10, 17]))),
    )


@st.composite
def bubbles(draw: st.DrawFn, lanes: Sequence[str]) -> list[Bubble]:
    """Idle time on any lane; that spans lie over it is no fault of the drawing."""
    found = []
    for _ in range(draw(st.integers(0, 3))):
        start = draw(times)
        found.append(
            Bubble(
                lane=draw(st.sampled_from(lanes)),
                start=start,
                end=start + draw(durations),
                label=draw(maybe(labels)),
                cause=draw(maybe(_PRINTED)),
                slide=draw(maybe(st.integers(1, 999), None)),
            )
        )
    return found


@st.composite
def spans(draw: st.DrawFn, lanes: Sequence[str], phases: Sequence[str], prefix: str) -> list[Span]:
    """Spans on one lane or several, none over another, in any order."""
    ends = dict.fromkeys(lanes, Fraction(0))
    found = []
    for index in range(draw(st.integers(0, 8))):
        covered = draw(adjacent(lanes)) if draw(st.booleans()) else [draw(st.sampled_from(lanes))]
        start = max(ends[lane] for lane in covered) + draw(maybe(times, Fraction(0)))
        duration = draw(durations)
        ends.update(dict.fromkeys(covered, start + duration))
        text = draw(maybe(labels))
        found.append(
            Span(
                lane=covered[0] if len(covered) == 1 else covered,
                start=start,
                duration=duration,
                phase=draw(st.sampled_from(phases)),
                label=text,
                short=draw(maybe(labels)) if text else "",
                number=draw(maybe(numbers, None)),
                chunk=draw(maybe(st.integers(0, 15), 0)),
                second=draw(maybe(halves(phases), None)),
                fault=draw(maybe(labels)),
                slide=draw(maybe(st.integers(1, 999), None)),
                # the names of spans across lanes would stand twice with two timelines in a panel
                id=f"{prefix}span{index}" if prefix else None,
            )
        )
    return draw(st.permutations(found))


@st.composite
def timelines(draw: st.DrawFn, prefix: str = "", phases: Sequence[str] = tuple(PHASES)) -> Timeline:
    """Lanes with spans, frames, barriers and dependencies, in any direction."""
    ids = [f"{prefix}{stem}" for stem in ("g1", "g2", "gpu-3", "s4")[: draw(st.integers(1, 4))]]
    placed = draw(spans(ids, phases, prefix))
    names = Timeline(lanes=[Lane(id=name) for name in ids], spans=placed).names()
    frames = []
    for _ in range(draw(st.integers(0, 2))):
        start = draw(times)
        frames.append(Frame(start=start, end=start + draw(durations), lanes=draw(adjacent(ids, empty=True))))
    ends = st.sampled_from(names) if names else st.nothing()
    return Timeline(
        lanes=[Lane(id=name, label=draw(maybe(labels))) for name in ids],
        spans=placed,
        direction=draw(st.sampled_from(["right", "up", "down"])),
        frames=frames,
        bubbles=draw(bubbles(ids)),
        barriers=draw(
            st.lists(st.builds(Barrier, time=times, lanes=adjacent(ids, empty=True), label=maybe(labels)), max_size=2)
        ),
        dependencies=draw(st.lists(arrows(ends), max_size=3)) if names else [],
        title=draw(maybe(labels)),
        **draw(marks(ids, placed, ends, prefix)),
    )


def arrows(ends: st.SearchStrategy[str]) -> st.SearchStrategy[Dependency]:
    """Arrows of all kinds between spans."""
    kinds = st.sampled_from(["dependency", "message", "critical"])
    return st.builds(Dependency, source=ends, target=ends, kind=kinds, label=maybe(labels))


@st.composite
def marks(
    draw: st.DrawFn, ids: Sequence[str], placed: Sequence[Span], ends: st.SearchStrategy[str], prefix: str
) -> dict[str, Any]:
    """What stands beside the spans, on either side, with texts and without."""
    lane = st.none() | st.sampled_from(ids)
    side = st.sampled_from(["before", "after"])

    def some(part: st.SearchStrategy[Any]) -> Any:
        return draw(maybe(st.lists(part, min_size=1, max_size=3), []))

    def period(kind: type, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        def build(start: Fraction, length: Fraction, **rest: Any) -> Any:
            return kind(start=start, end=start + length, **rest)

        return st.builds(build, times, durations, **fields)

    sign = st.sampled_from(["dot", "diamond", "triangle", "cross"])
    events = some(st.builds(Event, time=times, lane=lane, label=maybe(labels), mark=sign))
    groups = [LaneGroup(lanes=draw(adjacent(ids)), label=draw(maybe(labels)))] if draw(st.booleans()) else []
    if groups and draw(st.booleans()):
        groups.append(LaneGroup(lanes=list(ids), label=draw(maybe(labels))))
    return {
        "groups": [part.model_copy(update={"id": f"{prefix}set{k}"}) for k, part in enumerate(groups)],
        "braces": some(period(Brace, label=maybe(labels), side=side)),
        "dimensions": some(period(Dimension, label=maybe(labels), lane=lane)),
        "events": [part.model_copy(update={"id": f"{prefix}sign{k}"}) for k, part in enumerate(events)],
        "remarks": some(st.builds(Remark, about=ends, text=labels.filter(str.strip), side=side)) if placed else [],
        "strips": [draw(strips(lane, f"{prefix}strip{k}")) for k in range(draw(maybe(st.integers(1, 2), 0)))],
        "axis": draw(st.none() | axes(placed)),
        "summary": draw(maybe(labels)),
    }


@st.composite
def strips(draw: st.DrawFn, lane: st.SearchStrategy[str | None], name: str) -> Strip:
    """Levels one after the other, with gaps or without, under a limit or over it."""
    at, levels = Fraction(0), []
    for _ in range(draw(st.integers(1, 4))):
        start = at + draw(maybe(times, Fraction(0)))
        at = start + draw(durations)
        levels.append(Level(start=start, end=at, value=draw(times)))
    cap = draw(maybe(times, None))
    text, peak = draw(maybe(labels)), draw(st.booleans())
    return Strip(levels=levels, label=draw(maybe(labels)), lane=draw(lane), cap=cap, cap_label=text, peak=peak, id=name)


@st.composite
def axes(draw: st.DrawFn, placed: Sequence[Span]) -> Axis:
    """Time arrows, rulers, and a break where no span begins or ends."""
    moments = sorted({Fraction(0), *(moment for span in placed for moment in (span.start, span.end))})
    breaks = []
    if len(moments) > 1 and draw(st.booleans()):
        at = draw(st.integers(0, len(moments) - 2))
        breaks = [Break(start=moments[at], end=moments[at + 1])]
    return Axis(
        label=draw(maybe(labels, "time")),
        ticks=draw(maybe(durations, None)),
        unit=draw(st.sampled_from(["", "ms", "µs"])),
        until=draw(maybe(times, None)),
        breaks=breaks,
    )


# ---- space-time diagrams ----


@st.composite
def messages(draw: st.DrawFn, ids: Sequence[str], kinds: Sequence[str]) -> Message:
    """A message to one, to several or to oneself, which may be lost on its way to some."""
    source = draw(st.sampled_from(ids))
    others = [name for name in ids if name != source]
    targets = [source]
    if others and draw(st.booleans()):
        targets = draw(st.lists(st.sampled_from(others), min_size=1, unique=True))
    lost = draw(st.lists(st.sampled_from(targets), unique=True)) if targets != [source] else []
    return Message(
        source=source,
        target=targets if len(targets) > 1 or draw(st.booleans()) else targets[0],
        sent=draw(times),
        travel=draw(durations),
        label=draw(maybe(labels)),
        kind=draw(st.sampled_from(kinds)),
        reply=draw(st.booleans()),
        asynchronous=draw(st.booleans()),
        label_at=draw(st.sampled_from(["beside", "on"])),
        lost=lost,
    )


@st.composite
def spacetimes(draw: st.DrawFn, prefix: str = "", kinds: Sequence[str] = tuple(FLOW_KINDS)) -> SpaceTime:
    """Lifelines, some of which fail when all that concerns them is over, with messages between them."""
    ids = [f"{prefix}{stem}" for stem in ("p1", "q", "r-2", "s")[: draw(st.integers(1, 4))]]
    sent = draw(st.lists(messages(ids, kinds), max_size=5))
    last = dict.fromkeys(ids, Fraction(0))
    for message in sent:
        for name, moment in ((message.source, message.sent), *message.arrivals.items()):
            last[name] = max(last[name], moment)
    colors = st.sampled_from(["otblue", "otorange", "otgray"])
    crashes = {name: draw(maybe(times.map(last[name].__add__), None)) for name in ids}
    busy = []
    for name in draw(st.lists(st.sampled_from(ids), unique=True, max_size=2)):
        start, length = draw(times), draw(durations)
        if crashes[name] is None or start + length <= crashes[name]:
            busy.append(Activation(lifeline=name, start=start, end=start + length, label=draw(maybe(labels))))
    events = [
        LifeEvent(lifeline=name, time=time, label=draw(maybe(labels)), mark=draw(st.sampled_from(["dot", "cross"])))
        for name, time in draw(st.lists(st.tuples(st.sampled_from(ids), times), max_size=3))
        if crashes[name] is None or time <= crashes[name]
    ]
    clocks = draw(st.sampled_from([None, "vector", "lamport"]))
    start, length = draw(times), draw(durations)
    cases = [Case(time=start + length / 2, guard=draw(maybe(labels)))]
    framed = Region(start=start, end=start + length, label=draw(maybe(labels)), cases=draw(maybe(st.just(cases), [])))
    return SpaceTime(
        activations=busy,
        events=events,
        clocks=clocks,
        regions=draw(maybe(st.just([framed]), [])),
        separators=[Separator(time=time) for time in draw(st.lists(times, max_size=1))],
        notes=[LifeNote(lifeline=draw(st.sampled_from(ids)), time=draw(times), text="note")][: draw(st.integers(0, 1))],
        ticks=clocks == "lamport" and draw(st.booleans()),
        cuts=[Cut(at=time, label=draw(maybe(labels))) for time in draw(st.lists(times, max_size=1))],
        lifelines=[
            Lifeline(
                id=name,
                label=draw(maybe(labels)),
                color=draw(colors),
                crash=crashes[name],
                foot=draw(maybe(labels)),
                after=draw(st.sampled_from(["dotted", "none"])),
            )
            for name in ids
        ],
        messages=sent,
        direction=draw(st.sampled_from(["right", "down"])),
        time=draw(maybe(labels)),
    )


# ---- figures ----


@st.composite
def links(draw: st.DrawFn, panels: Sequence[Panel]) -> list[Link]:
    """Links between anything that stands in the panels, points on flows included."""
    ends: list[str] = []
    for panel in panels:
        prefix = f"{panel.id}." if len(panels) > 1 else ""
        on_flows = {flow.id for part in panel.content if isinstance(part, Topology) for flow in part.flows}
        for name in sorted(name for part in panel.content for name, _ in part.named_parts()):
            ends.append(prefix + name)
            if name in on_flows:
                ends.append(f"{prefix}{name}@{draw(st.sampled_from(['0', '1', '0.3', '.86']))}")
    if len(ends) < 2:
        return []
    pairs = st.lists(st.sampled_from(ends), min_size=2, max_size=2, unique=True)
    drawn = draw(st.lists(st.tuples(pairs, _DIRECTIONS), max_size=3))
    return [Link(source=source, target=target, direction=direction) for (source, target), direction in drawn]


@st.composite
def _assembled(draw: st.DrawFn, kinds_of_part: Sequence[str], most: int) -> Figure:
    phases = draw(st.dictionaries(st.sampled_from([*_OWN_PHASES, "compute", "idle"]), phase_looks, max_size=2))
    kinds = draw(st.dictionaries(st.sampled_from([*_OWN_KINDS, "data", "push"]), kind_looks, max_size=2))
    panels = []
    for name in ("main", "b", "part-2")[: draw(st.integers(1, most))]:
        content: list[Any] = []
        for prefix in ("", "x")[: draw(st.integers(1, min(most, 2)))]:
            match draw(st.sampled_from(kinds_of_part)):
                case "timeline":
                    content.append(draw(timelines(prefix, [*PHASES, *phases])))
                case "spacetime":
                    content.append(draw(spacetimes(prefix, [*FLOW_KINDS, *kinds])))
                case _:
                    content.append(draw(topologies(prefix, [*FLOW_KINDS, *kinds])))
        arrange = draw(st.sampled_from(["auto", "row", "column"]))
        panels.append(Panel(id=name, content=content, caption=draw(maybe(labels)), arrange=arrange))
    entries = draw(maybe(st.lists(st.sampled_from([*PHASES, *phases]), max_size=4, unique=True), None))
    return Figure(
        title=draw(maybe(labels)),
        palette=draw(st.sampled_from(["light", "dark"])),
        font=draw(maybe(fonts, Font())),
        spacing=draw(maybe(spacings, Spacing())),
        meta=draw(maybe(metas, Meta())),
        panels=panels,
        arrange=draw(st.sampled_from(["row", "column"])),
        columns=draw(maybe(st.integers(1, 3), None)),
        links=draw(links(panels)),
        legend=Legend(position=draw(st.sampled_from(["top", "bottom", "none"])), entries=entries),
        phases=phases,
        kinds=kinds,
    )


def topology_figures(panels: int = 1) -> st.SearchStrategy[Figure]:
    """Figures of up to so many panels of topologies."""
    return _assembled(["topology"], panels)


def timeline_figures(panels: int = 1) -> st.SearchStrategy[Figure]:
    """Figures of up to so many panels of timelines."""
    return _assembled(["timeline"], panels)


def spacetime_figures(panels: int = 1) -> st.SearchStrategy[Figure]:
    """Figures of up to so many panels of space-time diagrams."""
    return _assembled(["spacetime"], panels)


# ---- recipes ----

_COUNTS = st.integers(1, 6) | st.builds(
    lambda count, show: {"count": count, "show": show}, st.integers(1, 200), st.integers(1, 5)
)


def _some(**strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=strategies)


_OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "title": labels,
    "palette": st.sampled_from(["light", "dark"]),
    "font": fonts,
    "meta": metas,
}
_DATA_PARALLEL = _some(
    workers=_COUNTS,
    labels=_some(
        data=labels,
        worker=numbered,
        workers=st.lists(labels, max_size=3),
        server=labels,
        batch=labels,
        gradient=labels,
        weight=labels,
    ),
    icons=_some(data=maybe(_ICONS, None), worker=maybe(_ICONS, None), server=maybe(_ICONS, None)),
    **_OPTIONS,
)
_PARAMETER_SERVER = _some(
    workers=_COUNTS,
    shards=st.lists(labels, max_size=4),
    timeline=st.sampled_from(["auto", "beside", "below"]),
    nodes=st.integers(1, 4),
    modes=st.sampled_from([["synchronous"], ["asynchronous"], ["asynchronous", "synchronous"]]),
    rounds=st.integers(1, 3),
    compute=st.lists(durations, min_size=1, max_size=4),
    fetch=durations,
    push=durations,
    update=durations,
    labels=_some(
        server=labels,
        rule=labels,
        worker=numbered,
        device=numbered,
        lane=numbered,
        push=labels,
        gradient=labels,
        weights=labels,
        fetch=labels,
        fetch_span=labels,
        compute_span=numbered,
        update_span=labels,
        update_short=labels,
        time=labels,
    ),
    **_OPTIONS,
)


@st.composite
def _accumulations(draw: st.DrawFn) -> dict[str, Any]:
    facts: dict[str, Any] = draw(
        _some(
            devices=st.integers(1, 8),
            update=durations,
            labels=_some(
                device=numbered,
                idle=labels,
                compute=labels,
                update=labels,
                time=labels,
                captions=st.lists(labels, max_size=3),
            ),
            **_OPTIONS,
        )
    )
    rows, columns = draw(st.sampled_from([1, 2, 3, 4])), draw(st.integers(1, 4))
    facts["steps"] = draw(
        st.lists(st.lists(durations, min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    )
    divisors = [number for number in range(1, rows + 1) if rows % number == 0]
    facts["accumulate"] = draw(st.lists(st.sampled_from(divisors), min_size=1, max_size=3, unique=True))
    return facts


recipe_figures: st.SearchStrategy[Figure] = st.one_of(
    _DATA_PARALLEL.map(lambda facts: recipes.data_parallel(**facts)),
    _PARAMETER_SERVER.map(lambda facts: recipes.parameter_server(**facts)),
    _accumulations().map(lambda facts: recipes.gradient_accumulation(**facts)),
)
"""Figures that recipes make of any facts."""

figures: st.SearchStrategy[Figure] = st.one_of(
    topology_figures(),
    timeline_figures(),
    spacetime_figures(),
    _assembled(["topology", "timeline", "spacetime"], 3),
    recipe_figures,
)
"""Figures of every kind."""


many = settings(
    max_examples=2000 if NIGHTLY else 15,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def rendered(figure: Figure) -> Rendered:
    """The figure's files; those that are refused are no example of what files keep."""
    try:
        return render(figure)
    except SpecError:
        assume(False)
        raise
