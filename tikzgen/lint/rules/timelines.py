"""Rules on timelines and space-time diagrams: as they are described, and as a .tex draws them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from tikzgen.base.errors import quoted
from tikzgen.base.record import Record
from tikzgen.layout.timeline_facts import TimelineFacts
from tikzgen.lint.checking import Drawn, Timed
from tikzgen.lint.drawn_bars import ROUNDED, Bar
from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.lint.written_tex import Written
from tikzgen.measures.panel_measures import gathered_twice
from tikzgen.model.timeline_parts import Span


@rule("TG105", "a .tex draws the spans of a computed schedule, all of them, at their times and on their lanes")
def _drawn_schedule(subject: Timed) -> Iterator[Broken]:
    if subject.computed:
        yield from drifts(subject)


@rule("TG113", "a .tex draws the spans of the description inside it, as that has them", Severity.WARNING)
def _drawn_spans(subject: Timed) -> Iterator[Broken]:
    if not subject.computed:
        yield from drifts(subject)


@rule("TG111", "the arrows of a timeline run forwards in time")
def _backward_arrow(subject: Drawn | Written) -> Iterator[Broken]:
    yield from _backward_as_drawn(subject) if isinstance(subject, Written) else _backward_as_said(subject)


def _backward_as_said(subject: Drawn) -> Iterator[Broken]:
    for index, source, target in subject.timeline.backward_arrows():
        arrow = subject.timeline.dependencies[index]
        told = _backward(arrow.source, arrow.target, source.end, target.start)
        yield Broken(subject.place("dependencies", index), *told)


def _backward_as_drawn(subject: Written) -> Iterator[Broken]:
    """Arrows between spans of one timeline. Those that nobody changed are the description's, and found there."""
    bars = {bar.name: bar for bar in subject.bars if bar.name}
    for flow in subject.facts.flows if bars else ():
        source, target = bars.get(flow.source.name), bars.get(flow.target.name)
        if source is None or target is None or source.scope != target.scope or flow.style == "link":
            continue
        begin = subject.facts.statements[flow.statement].span.start
        lines = {subject.place(at).line for at in (begin, source.at, target.at)}
        if source.end > target.start + ROUNDED and not lines.isdisjoint(subject.changed_lines):
            told = _backward(source.name, target.name, f"{source.end:g}", f"{target.start:g}")
            yield Broken(subject.place(begin), *told)


def _backward(source: str, target: str, end: object, start: object) -> tuple[str, str]:
    message = (
        f"data dependency: {quoted(target)} begins at {start}, "
        f"before {quoted(source)}, which it needs, has ended at {end}"
    )
    return message, f"start it at {end} or later, or turn the arrow round"


@rule("TG115", "no all-gather of a timeline gathers what is there")
def _gathered_twice(subject: Drawn) -> Iterator[Broken]:
    spans, names = subject.timeline.spans, subject.timeline.names()
    places = {id(span): place for place, span in enumerate(spans)}
    for before, span in gathered_twice(subject.timeline):
        index = places[id(span)]
        message = (
            f"data dependency: {quoted(names[index])} gathers {span.number}, which {quoted(names[places[id(before)]])} "
            "has gathered and nothing has freed since"
        )
        yield Broken(subject.place("spans", index), message, "take it out, or start it behind the last use before it")


@rule("TG112", "no span of a timeline is marked as impossible")
def _fault(subject: Drawn) -> Iterator[Broken]:
    timeline = subject.timeline
    for index, (name, span) in enumerate(zip(timeline.names(), timeline.spans, strict=True)):
        if span.fault:
            message = f"{quoted(name)} is marked as impossible: {span.fault}"
            yield Broken(subject.place("spans", index, "fault"), message, "mend it and remove its fault")


@rule("TG221", "spans on one lane of a timeline do not overlap")
def _overlapping_spans(subject: Written) -> Iterator[Broken]:
    lanes: dict[tuple[int | None, float, tuple[str, str]], list[Bar]] = {}  # runs lie above each other
    for bar in subject.bars:
        if not bar.point:
            for lane in bar.covered:
                lanes.setdefault((bar.scope, lane, bar.height), []).append(bar)
    for _, bars in sorted(lanes.items(), key=lambda each: each[0][1]):
        yield from _overlaps(subject, sorted(bars, key=lambda bar: (bar.start, bar.end, bar.at)))


def _overlaps(subject: Written, bars: list[Bar]) -> Iterator[Broken]:
    last: Bar | None = None
    for bar in bars:
        if last is not None and bar.start < last.end - ROUNDED:
            line = subject.place(last.at).line
            who, other = quoted(bar.name) if bar.name else "this row", quoted(last.name) if last.name else "the row"
            message = f"{who} begins at {bar.start:g}, before {other} on line {line} has ended at {last.end:g}"
            yield Broken(subject.place(bar.at), message, "move one of them, or make it shorter")
        if last is None or bar.end > last.end:
            last = bar


_MESSAGE = re.compile(r"\(([A-Za-z][\w-]*-m\d+(?:-[\w-]+)?)\)")
_MOMENT = re.compile(r"\((?:\[[^][]*\])?\s*(-?\d*\.?\d+)\s*,\s*-?\d*\.?\d+\s*\)")  # its place, past a shift


@rule("TG114", "the messages of a space-time diagram travel forwards in time")
def _backward_message(subject: Written) -> Iterator[Broken]:
    facts = subject.facts
    if not any(style.name == "life line" for style in facts.styles):
        return
    for statement in facts.statements:
        text = statement.span.of(facts.text)
        name, moments = _MESSAGE.search(text), [float(each) for each in _MOMENT.findall(text)]
        if name and statement.command == "draw" and len(moments) > 1 and moments[-1] < moments[0] - ROUNDED:
            message = f"message {quoted(name[1])} is received at {moments[-1]:g}, before it is sent at {moments[0]:g}"
            hint = f"let it end at {moments[0]:g} or later, or turn the arrow round"
            yield Broken(subject.place(statement.span.start), message, hint)


Edge = tuple[float, float]


class Edges(Record):
    """Where the spans and the bubbles of a timeline begin and end, each as a lane and a place in time."""

    chart: TimelineFacts
    starts: frozenset[Edge]
    ends: frozenset[Edge]

    @classmethod
    def of(cls, chart: TimelineFacts) -> Edges:
        """The edges of a timeline."""
        periods = [(span.lanes, span.start, span.end) for span in chart.part.spans]
        periods += [((bubble.lane,), bubble.start, bubble.end) for bubble in chart.part.bubbles]
        at = [
            (chart.place[lane], chart.clock.at(start), chart.clock.at(end))
            for lanes, start, end in periods
            for lane in lanes
        ]
        starts, ends = [(lane, start) for lane, start, _ in at], [(lane, end) for lane, _, end in at]
        return cls(chart, *(frozenset(_edge(lane, float(moment)) for lane, moment in each) for each in (starts, ends)))

    def fit(self, bar: Bar) -> bool:
        """Whether a row is a span, or several in one, on every lane that it covers."""
        return all(_edge(lane, bar.start) in self.starts and _edge(lane, bar.end) in self.ends for lane in bar.covered)

    def undrawn(self, bars: Sequence[Bar]) -> Iterator[tuple[str, Span]]:
        """The spans that no row covers; not those that are shorter than any row: they may have been left out."""
        rows: dict[float, list[Bar]] = {}
        for bar in bars:
            for lane in bar.covered:
                rows.setdefault(round(lane, 2), []).append(bar)
        least = min(bar.duration for bar in bars)
        for name, span in zip(self.chart.names, self.chart.part.spans, strict=True):
            start, lasts = float(self.chart.clock.at(span.start)), self.chart.clock.length(span)
            for place in [self.chart.place[lane] for lane in span.lanes] if lasts >= least else ():
                on = rows.get(round(place, 2), ())
                if not any(bar.start <= start + ROUNDED and start + lasts <= bar.end + ROUNDED for bar in on):
                    yield name, span
                    break


def _edge(lane: float, moment: float) -> Edge:
    return round(lane, 2), round(moment, 2)


_PHASE = re.compile(r"(.+) (?:phase|shade \d+)")
_NUMBERED = re.compile(r"\\[A-Za-z]+\{(\d+)\}")


def drifts(subject: Timed) -> Iterator[Broken]:
    """Spans that are missing, stand elsewhere or look otherwise than the description has it, and spans more."""
    drawn = {bar.name: bar for bar in subject.written.bars if bar.name and not bar.point}
    known: set[str] = set()
    for chart, prefix in subject.charts:
        names = [prefix + name for name in chart.names]
        known.update(names)
        if drawn.keys().isdisjoint(names):  # its spans are rows
            continue
        last = None
        for name, span in zip(names, chart.part.spans, strict=True):
            bar = drawn.get(name)
            if bar is None:
                if not any(_covers(chart, span, row) for row in subject.written.bars if not row.name):
                    yield _missing(subject, name, span, last)
            elif message := _elsewhere(chart, span, bar) or _otherwise(span, bar):
                yield Broken(
                    subject.written.place(bar.at), f"{quoted(name)} {message.format(subject.source)}", _way(subject)
                )
            last = bar or last
    for name, bar in drawn.items():
        if name not in known and "bubble" not in bar.looks:
            message = f"{quoted(name)} is no span of {subject.source}"
            yield Broken(subject.written.place(bar.at), message, _way(subject))
    yield from _rows(subject)


def _way(subject: Timed) -> str:
    return f"set it back, or change {'the facts of the recipe' if subject.computed else 'the description'}"


def _missing(subject: Timed, name: str, span: Span, last: Bar | None) -> Broken:
    bars = subject.written.bars
    at = last.at if last else bars[0].at
    message = f"{quoted(name)} is missing, which {subject.source} has from {_spelt(span.start)} to {_spelt(span.end)}"
    return Broken(subject.written.place(at), message, "draw it behind this one" if last else "draw it before this one")


def _covers(chart: TimelineFacts, span: Span, row: Bar) -> bool:
    """Whether a row stands for a span, alone or with others."""
    start = float(chart.clock.at(span.start))
    lanes = {round(lane, 2) for lane in row.covered}
    within = row.start <= start + ROUNDED and start + chart.clock.length(span) <= row.end + ROUNDED
    return within and all(round(chart.place[lane], 2) in lanes for lane in span.lanes)


def _elsewhere(chart: TimelineFacts, span: Span, bar: Bar) -> str:
    """What is said of a span that lasts otherwise, or stands on other lanes; empty where it stands as it should."""
    start, duration = float(chart.clock.at(span.start)), chart.clock.length(span)
    lane, lanes = chart.middle(span.lanes)
    if not _same(bar.start, start) or not _same(bar.duration, duration):
        return f"lasts from {bar.start:g} to {bar.end:g}, {{}} has it from {start:g} to {start + duration:g}"
    if not _same(bar.lanes, lanes):
        return f"covers {_many(bar.lanes)}, {{}} has it on {_many(lanes)}"
    return "" if _same(bar.lane, lane) else f"stands at lane {bar.lane:g}, {{}} has it at {lane:g}"


def _otherwise(span: Span, bar: Bar) -> str:
    """What is said of a span that looks like another phase, has another number, or lost the mark of a fault."""
    phases = [found[1] for look in bar.looks if (found := _PHASE.match(look))]
    if phases and span.phase not in phases:
        return f"is drawn as {phases[0]}, {{}} has it as {span.phase}"
    number = _NUMBERED.fullmatch(bar.text)
    if number and span.number is not None and int(number[1]) != span.number:
        return f"says {number[1]}, {{}} has {span.number}"
    lost = bool(span.fault) and "fault" not in bar.looks
    return "has lost the mark of what is impossible, which {} gives it" if lost else ""


def _rows(subject: Timed) -> Iterator[Broken]:
    """Rows that a person changed and that are no spans now, and spans whose rows a person took away."""
    rows: dict[int | None, list[Bar]] = {}
    for bar in subject.written.bars:
        if not bar.name:
            rows.setdefault(bar.scope, []).append(bar)
    changed = subject.written.changed_lines
    if len(rows) != len(subject.charts):
        return
    for bars, (chart, prefix) in zip(rows.values(), subject.charts, strict=True):
        edges = Edges.of(chart)
        gone = subject.written.lost_lines
        for bar in bars:
            place = subject.written.place(bar.at)
            if place.line in changed and not edges.fit(bar):
                gone = False  # this row stands for one that is gone
                lane = f"{bar.lane:g}" if bar.lanes == 1 else f"{bar.lane - (bar.lanes - 1) / 2:g} and on"
                message = f"the row from {bar.start:g} to {bar.end:g} on lane {lane} is no span of {subject.source}"
                yield Broken(place, message, _way(subject))
        drawn = {bar.name for bar in subject.written.bars if bar.name}
        for name, span in edges.undrawn(bars) if gone else ():
            if prefix + name not in drawn:
                yield _missing(subject, prefix + name, span, bars[0])


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= ROUNDED


def _many(lanes: float) -> str:
    return f"{lanes:g} lanes" if lanes > 1 else "one lane"


def _spelt(moment: Fraction) -> str:
    return f"{float(moment):g}"
