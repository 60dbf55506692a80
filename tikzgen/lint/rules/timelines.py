"""Rules on timelines and space-time diagrams, as described and as drawn by a .tex.

TG105, TG111, TG112, TG113, TG114, TG115, TG221.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tikzgen.base.errors import quote
from tikzgen.lint.check_figure import GivenTimeline, TexWithTimelines
from tikzgen.lint.drawn_bars import TIME_TOLERANCE, SpanOnPaper
from tikzgen.lint.measures.panel_measures import gathered_twice
from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.lint.written_tex import FigureFile
from tikzgen.texfile import SourceStatement


@rule("TG105", "a .tex draws all spans of a computed schedule, at their times and on their lanes")
def _drawn_schedule(subject: TexWithTimelines) -> Iterator[Broken]:
    if subject.computed:
        yield from find_drifts(subject)


@rule("TG113", "a .tex draws the spans of its embedded spec", Severity.WARNING)
def _drawn_spans(subject: TexWithTimelines) -> Iterator[Broken]:
    if not subject.computed:
        yield from find_drifts(subject)


@rule("TG111", "arrows of a timeline run forward in time")
def _backward_arrow(subject: GivenTimeline | FigureFile) -> Iterator[Broken]:
    yield from _backward_as_drawn(subject) if isinstance(subject, FigureFile) else _backward_as_said(subject)


def _backward_as_said(subject: GivenTimeline) -> Iterator[Broken]:
    for index, source, target in subject.timeline.backward_arrows():
        arrow = subject.timeline.dependencies[index]
        told = _describe_backward_arrow(arrow.source, arrow.target, source.end, target.start)
        yield Broken(subject.place_of("dependencies", index), *told)


def _backward_as_drawn(subject: FigureFile) -> Iterator[Broken]:
    """Find backward arrows in the manually changed lines of a .tex; the description covers all others."""
    bars = {bar.name: bar for bar in subject.bars if bar.name}
    for flow in subject.facts.flows if bars else ():
        source, target = bars.get(flow.source.name), bars.get(flow.target.name)
        if source is None or target is None or source.scope != target.scope or flow.style == "link":
            continue
        begin = subject.facts.statements[flow.statement].span.start
        lines = {subject.place_of(at).line for at in (begin, source.at, target.at)}
        if source.end > target.start + TIME_TOLERANCE and not lines.isdisjoint(subject.changed_lines):
            told = _describe_backward_arrow(source.name, target.name, f"{source.end:g}", f"{target.start:g}")
            yield Broken(subject.place_of(begin), *told)


def _describe_backward_arrow(source: str, target: str, end: object, start: object) -> tuple[str, str]:
    message = f"data dependency: {quote(target)} starts at {start}, but needs {quote(source)}, which ends at {end}"
    return message, f"start it at {end} or later, or reverse the arrow"


@rule("TG115", "an all-gather does not gather shards that are already gathered")
def _gathered_twice(subject: GivenTimeline) -> Iterator[Broken]:
    spans, names = subject.timeline.spans, subject.timeline.names()
    places = {id(span): place for place, span in enumerate(spans)}
    for before, span in gathered_twice(subject.timeline):
        index = places[id(span)]
        message = (
            f"data dependency: {quote(names[index])} gathers {span.number}, which {quote(names[places[id(before)]])} "
            "has gathered and no span has freed since"
        )
        yield Broken(subject.place_of("spans", index), message, "remove it, or start it after the last use")


@rule("TG112", "no span of a timeline is marked as impossible")
def _fault(subject: GivenTimeline) -> Iterator[Broken]:
    timeline = subject.timeline
    for index, (name, span) in enumerate(zip(timeline.names(), timeline.spans, strict=True)):
        if span.fault:
            message = f"{quote(name)} is marked as impossible: {span.fault}"
            yield Broken(subject.place_of("spans", index, "fault"), message, "fix it and remove its fault")


@rule("TG221", "spans on one lane of a timeline do not overlap")
def _overlapping_spans(subject: FigureFile) -> Iterator[Broken]:
    lanes: dict[tuple[int | None, float, tuple[str, str]], list[SpanOnPaper]] = {}  # runs are stacked
    for bar in subject.bars:
        if not bar.point:
            for lane in bar.covered_lanes:
                lanes.setdefault((bar.scope, lane, bar.height), []).append(bar)
    for _, bars in sorted(lanes.items(), key=lambda each: each[0][1]):
        yield from _find_overlaps(subject, sorted(bars, key=lambda bar: (bar.start, bar.end, bar.at)))


def _find_overlaps(subject: FigureFile, bars: list[SpanOnPaper]) -> Iterator[Broken]:
    last: SpanOnPaper | None = None
    for bar in bars:
        if last is not None and bar.start < last.end - TIME_TOLERANCE:
            line = subject.place_of(last.at).line
            who, other = quote(bar.name) if bar.name else "this row", quote(last.name) if last.name else "the row"
            message = f"{who} begins at {bar.start:g}, before {other} on line {line} has ended at {last.end:g}"
            yield Broken(subject.place_of(bar.at), message, "move one of them, or make it shorter")
        if last is None or bar.end > last.end:
            last = bar


_MESSAGE = re.compile(r"\(([A-Za-z][\w-]*-m\d+(?:-[\w-]+)?)\)")
_POINT = re.compile(  # time and lifeline, after a shift
    r"\((?:\[[^][]*\])?\s*(-?\d*\.?\d+)\s*,\s*(-?\d*\.?\d+)\s*\)"
)


@rule("TG114", "messages of a space-time diagram run forward in time between lifelines")
def _backward_message(subject: FigureFile) -> Iterator[Broken]:
    facts = subject.facts
    if not any(style.name == "life line" for style in facts.styles):
        return
    paths = [(each, _read_points(subject, each)) for each in facts.statements if each.command == "draw"]
    rows = {points[-1][1] for each, points in paths if points and _has_option(each, "life line")}
    for statement, points in paths:
        name = _MESSAGE.search(statement.span.extract_from(facts.text))
        if name is None or len(points) < 2:
            continue
        place, (sent, _), (received, row) = subject.place_of(statement.span.start), points[0], points[-1]
        if received < sent - TIME_TOLERANCE:
            message = f"message {quote(name[1])} arrives at {received:g}, but leaves at {sent:g}"
            yield Broken(place, message, f"let it end at {sent:g} or later, or reverse the arrow")
        elif not _has_option(statement, "lost arrow") and all(abs(row - each) > TIME_TOLERANCE for each in rows):
            message = f"message {quote(name[1])} ends at {row:g} without a lifeline"
            yield Broken(place, message, "end it at a lifeline, or draw it lost")


def _read_points(subject: FigureFile, statement: SourceStatement) -> list[tuple[float, float]]:
    found = _POINT.findall(statement.span.extract_from(subject.facts.text))
    return [(float(moment), float(row)) for moment, row in found]


def _has_option(statement: SourceStatement, key: str) -> bool:
    return any(option.key == key for option in statement.options)


_PHASE = re.compile(r"(.+) (?:phase|shade \d+)")
_NUMBERED_LABEL = re.compile(r"\\[A-Za-z]+\{(\d+)\}")


def find_drifts(subject: TexWithTimelines) -> Iterator[Broken]:
    """Find spans that are missing, moved or different from the description, and additional spans."""
    drawn, meant = _bars_by_name(subject.written.bars), _bars_by_name(subject.meant)
    last = None
    for name, span in meant.items():
        bar = drawn.get(name)
        if bar is None:
            yield _report_missing(subject, quote(name), f" from {span.start:g} to {span.end:g}", last)
        elif message := _describe_move(span, bar) or _describe_style(span, bar):
            place = subject.written.place_of(bar.at)
            yield Broken(place, f"{quote(name)} {message.format(subject.source)}", _advise_correction(subject))
        last = bar or last
    for name, bar in drawn.items():
        if name not in meant:
            message = f"{quote(name)} is not a span of {subject.source}"
            yield Broken(subject.written.place_of(bar.at), message, _advise_correction(subject))
    yield from _find_changed_rows(subject)


def _bars_by_name(bars: Sequence[SpanOnPaper]) -> dict[str, SpanOnPaper]:
    return {bar.name: bar for bar in bars if bar.name and not bar.point and "bubble" not in bar.looks}


def _advise_correction(subject: TexWithTimelines) -> str:
    return f"set it back, or change {'the facts of the recipe' if subject.computed else 'the description'}"


def _report_missing(subject: TexWithTimelines, what: str, when: str, last: SpanOnPaper | None) -> Broken:
    at = last.at if last else subject.written.bars[0].at
    message = f"{what} is missing, which {subject.source} has{when}"
    return Broken(
        subject.written.place_of(at), message, "draw it after this one" if last else "draw it before this one"
    )


def _describe_move(span: SpanOnPaper, bar: SpanOnPaper) -> str:
    """Describe a span that has another duration or other lanes; empty if it is correct."""
    if not _is_same_time(bar.start, span.start) or not _is_same_time(bar.duration, span.duration):
        return f"lasts from {bar.start:g} to {bar.end:g}, {{}} has it from {span.start:g} to {span.end:g}"
    if not _is_same_time(bar.lanes, span.lanes):
        return f"covers {_spell_lanes(bar.lanes)}, {{}} has it on {_spell_lanes(span.lanes)}"
    return "" if _is_same_time(bar.lane, span.lane) else f"is at lane {bar.lane:g}, {{}} has it at {span.lane:g}"


def _read_phase(bar: SpanOnPaper) -> str:
    """Return the phase of a bar's style; empty without one."""
    return next((found[1] for look in bar.looks if (found := _PHASE.match(look))), "")


def _describe_style(span: SpanOnPaper, bar: SpanOnPaper) -> str:
    """Return the difference in phase, number or fault mark, as text; empty without one."""
    right, drawn = (_read_phase(each) for each in (span, bar))
    if drawn and right and drawn != right:
        return f"is drawn as {drawn}, {{}} has it as {right}"
    said, number = _NUMBERED_LABEL.fullmatch(span.text), _NUMBERED_LABEL.fullmatch(bar.text)
    if said and number and said[1] != number[1]:
        return f"says {number[1]}, {{}} has {said[1]}"
    lost = "fault" in span.looks and "fault" not in bar.looks
    return "has lost the mark of what is impossible, which {} gives it" if lost else ""


def _find_changed_rows(subject: TexWithTimelines) -> Iterator[Broken]:
    """Find rows that a user changed and that are no longer spans, and spans whose rows a user removed."""
    drawn, meant = _by_scope(subject.written.bars), _by_scope(subject.meant)
    if len(drawn) != len(meant):
        return
    for bars, right in zip(drawn, meant, strict=True):
        gone = subject.written.lost_lines
        edges = _list_edges(right)
        for bar in bars:
            place = subject.written.place_of(bar.at)
            if place.line in subject.written.changed_lines and not edges.issuperset(_list_edges([bar])):
                gone = False  # this row replaces a removed one
                message = f"{_describe_row(bar)} is not a span of {subject.source}"
                yield Broken(place, message, _advise_correction(subject))
        left = _list_edges(bars)
        for span in right if gone else ():
            if not left.issuperset(_list_edges([span])):
                yield _report_missing(subject, _describe_row(span), "", bars[0])


def _by_scope(bars: Sequence[SpanOnPaper]) -> list[list[SpanOnPaper]]:
    """Return the rows of each timeline that has rows."""
    rows: dict[int | None, list[SpanOnPaper]] = {}
    for bar in bars:
        if not bar.name:
            rows.setdefault(bar.scope, []).append(bar)
    return list(rows.values())


def _list_edges(rows: Sequence[SpanOnPaper]) -> set[tuple[str, float, float]]:
    """Return the starts and ends of rows on every lane.

    A single row may represent several consecutive spans.
    """
    return {
        (side, round(moment, 2), round(lane, 2))
        for row in rows
        for lane in row.covered_lanes
        for side, moment in (("start", row.start), ("end", row.end))
    }


def _describe_row(bar: SpanOnPaper) -> str:
    lane = f"{bar.lane:g}" if bar.lanes == 1 else f"{bar.lane - (bar.lanes - 1) / 2:g} and on"
    return f"the row from {bar.start:g} to {bar.end:g} on lane {lane}"


def _is_same_time(one: float, other: float) -> bool:
    return abs(one - other) <= TIME_TOLERANCE


def _spell_lanes(lanes: float) -> str:
    return f"{lanes:g} lanes" if lanes > 1 else "one lane"
