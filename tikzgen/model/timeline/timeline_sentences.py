"""Timelines in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tikzgen.base.plain_words import counted, joined, listing
from tikzgen.model.figure import FigureModel
from tikzgen.model.sentences import Known, Sentence, duration, number, percent
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.text.spoken_labels import spoken

_PHASES = 6  # that are counted one by one


def describe(content: Timeline, figure: FigureModel, known: Known) -> Iterator[Sentence]:
    """What a timeline shows, what matters most first."""
    axes = [part.axis for _, _, part in figure.parts(Timeline) if part.axis and figure.abreast == 1]
    axis = content.axis or (axes[-1] if axes else None)  # panels one below the other share one
    unit = axis.unit if axis else ""
    names = [spoken(lane.label) or lane.id for lane in content.lanes]
    way = {"up": ", time runs upwards", "down": ", time runs downwards"}.get(content.direction, "")
    yield Sentence(0, f"Timeline of {counted(len(names), 'lane')} ({listing(list(dict.fromkeys(names)))}){way}")
    if content.spans:
        yield Sentence(1, f"{counted(len(content.spans), 'span')}: {_phases(content, figure)}")
        share = f", devices idle {percent(known.idle)} of it" if known.idle is not None else ""
        end = known.end if known.end is not None else max(span.end for span in content.spans)
        yield Sentence(0, f"Ends after {duration(end, unit)}{share}")
    # the share of idle time is above
    if summary := ", ".join(text for text in spoken(content.summary).split(", ") if text and "%" not in text):
        yield Sentence(0, summary[:1].upper() + summary[1:])
    if faults := sum(bool(span.fault) for span in content.spans):
        yield Sentence(0, f"{counted(faults, 'span')} marked as impossible")
    yield from _marks(content)


def _phases(content: Timeline, figure: FigureModel) -> str:
    """How many spans of each phase there are, in the order of the first of each."""
    names = Counter((span.phase, span.second.phase if span.second else "") for span in content.spans)
    said: Counter[str] = Counter()
    for (phase, second), many in names.items():
        said[_phase(phase, figure) + (f" with {_phase(second, figure)}" if second else "")] += many
    parts = [f"{many} {name}" for name, many in said.items()]
    if len(parts) > _PHASES:
        rest = sum(list(said.values())[_PHASES - 1 :])
        parts = [*parts[: _PHASES - 1], f"{rest} others"]
    return joined(parts)


def _phase(name: str, figure: FigureModel) -> str:
    return spoken(figure.phase(name).label) or name.replace("-", " ")


def _marks(content: Timeline) -> Iterator[Sentence]:
    """What stands beside the spans."""
    for strip in content.strips:
        peak = number(max(level.value for level in content.levels(strip)))
        limit = f", limit {number(strip.cap)}" if strip.cap is not None else ""
        yield Sentence(1, f"Curve of {spoken(strip.label) or 'levels'}: peak {peak}{limit}")
    if braces := [text for brace in content.braces if (text := spoken(brace.label))]:
        yield Sentence(1, f"Braces mark {listing(braces)}")
    if measures := [text for one in content.dimensions if (text := spoken(one.label))]:
        yield Sentence(1, f"Measured: {listing(measures)}")
    if barriers := [f"{spoken(one.label)} at {number(one.time)}".strip() for one in content.barriers]:
        yield Sentence(1, f"{counted(len(barriers), 'barrier')}: {listing(barriers)}")
    if events := [f"{spoken(one.label)} at {number(one.time)}".strip() for one in content.events]:
        yield Sentence(1, f"{counted(len(events), 'event')}: {listing(events)}")
    if content.dependencies:
        messages = sum(one.kind == "message" for one in content.dependencies)
        arrows = [counted(messages, "message")] if messages else []
        if other := len(content.dependencies) - messages:
            arrows.append(f"{other} {'dependency' if other == 1 else 'dependencies'}")
        yield Sentence(2, f"Arrows: {joined(arrows)}")
    if content.critical:
        yield Sentence(2, f"The critical path of {counted(len(content.critical), 'span')} is drawn heavily")
    said = [*(one.text for one in content.remarks), *(one.text for one in content.notes)]
    if notes := [text for one in said if (text := spoken(one))]:
        yield Sentence(2, f"Notes: {listing(notes)}")
    groups = [text for group in content.groups if (text := spoken(group.label))]
    if len(groups) > 1:
        yield Sentence(3, f"Lanes grouped as {listing(groups)}")
