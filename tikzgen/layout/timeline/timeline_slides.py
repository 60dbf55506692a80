"""Slides of the elements of a timeline: spans from their start, other elements from their end."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate

from tikzgen.base.errors import Problem, SpecError
from tikzgen.base.record import replace
from tikzgen.layout.scene.items import Item, ShownItem
from tikzgen.layout.scene.slide_of_element import by_groups
from tikzgen.layout.time.timed_items import LabelItem, PathItem, RectangleItem
from tikzgen.layout.timeline.timeline_items import (
    BraceItem,
    NumberItem,
    SpanItem,
    SpanMassItem,
    SpanRowsItem,
    StepCurveItem,
)
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper
from tikzgen.model.content import Content

_TIME_TOLERANCE = 1e-3  # share of a time unit: times are written with four digits


def slide_setter(facts: TimelineOnPaper) -> Callable[[Iterable[Item], bool], Iterator[Item]]:
    """Return a function that sets the slides of a section's elements.

    Slides apply if the timeline appears by time or by span. A section that `stays` is shown from the first slide on,
    except for elements of a later time.
    """
    slides = facts.plan.figure.slides
    if slides is None or slides.by in ("flows", "panels"):
        return lambda items, stays: iter(items)
    clock = _Clock(facts)

    def with_slides(items: Iterable[Item], stays: bool) -> Iterator[Item]:
        for item in items:
            if stays and not getattr(item, "known", ""):
                yield item
                continue
            parts = (
                _split_rows_by_slide(clock, item, slides.by)
                if isinstance(item, SpanMassItem)
                else [(clock.find_item_slide(item), item)]
            )
            yield from (ShownItem(slide, part) if slide > 1 else part for slide, part in parts)

    return with_slides


class _Clock:
    """Slides of drawn times: slides of earlier turns, or of spans that have begun by then."""

    def __init__(self, facts: TimelineOnPaper) -> None:
        slides = facts.plan.figure.slides
        assert slides is not None
        parts = [part for _, _, part in facts.plan.figure.parts(Content)]
        begun: list[tuple[float, int]] = []
        self.spans: dict[str, int] = {}
        self.before: dict[tuple[float, float], int] = {}
        if slides.by == "time":
            turns = slides.at or sorted({moment for part in parts for moment in part.starts()})[1:]
            begun = [(float(facts.clock.locate_moment(moment)), slide) for slide, moment in enumerate(turns, 2)]
        else:
            numbers = sorted({number for part in parts for number in part.list_numbers()})
            order = {number: slide for slide, number in enumerate(numbers, 1) if slides.by == "microbatch"}
            named = by_groups(facts.plan.figure)
            for own, span in facts.spans.items():
                name, start = facts.name(own), float(facts.clock.locate_moment(span.start))
                slide = order.get(span.number, 0) if span.number is not None else named.get(name, 0)
                begun.append((start, slide))
                self.before[facts.place[span.lanes[0]], round(start, 3)] = slide
                if slide:
                    self.spans[name] = slide
        begun.sort()
        self.starts = [start for start, _ in begun]
        self.slides = list(accumulate((slide for _, slide in begun), max))

    def find_slide_at(self, moment: float) -> int:
        place = bisect_right(self.starts, moment + _TIME_TOLERANCE)
        return max(self.slides[place - 1], 1) if place else 1

    def find_item_slide(self, item: Item) -> int:
        """Return the slide of an element with a time; a bubble appears with the span that ends it."""
        match item:
            case SpanItem(idle=True):
                end = float(item.start) + float(item.duration)
                return self.before.get((item.lane, round(end, 3))) or self.find_slide_at(end)
            case SpanItem():
                return item.slide or self.spans.get(item.name) or self.find_slide_at(float(item.start))
            case PathItem() | LabelItem() if item.known:
                return self.find_slide_at(float(item.known))
            case PathItem() if not any(spot.name for spot in item.spots):
                return self.find_slide_at(max(float(spot.x) for spot in item.spots))
            case LabelItem() if not item.at.name:
                return self.find_slide_at(float(item.at.x))
            case BraceItem():
                return self.find_slide_at(float(item.at.x) + float(item.duration))
            case RectangleItem():
                return self.find_slide_at(float(item.far.x))
            case NumberItem():
                return self.find_slide_at(float(item.start))
            case StepCurveItem():
                return self.find_slide_at(max(float(at) for at, _ in item.corners))
        return 1


def _split_rows_by_slide(clock: _Clock, mass: SpanMassItem, by: str) -> Iterator[tuple[int, SpanMassItem]]:
    """Split rows by their slides: cells from their start, runs and bubbles from their end."""
    if by != "time":
        hint = "use slides by time, or draw fewer spans"
        raise SpecError([Problem(f"by {by} needs fewer or longer spans", path="slides", hint=hint)])
    found: dict[int, list[SpanRowsItem]] = {}
    for rows in mass.groups:
        late = rows.gaps == (0, 0) or "bubble" in rows.styles.split(", ")
        own: dict[int, list[tuple[str, str, str, str]]] = {}
        for row in (row for batch in rows.batches for row in batch):
            own.setdefault(clock.find_slide_at(float(row[0]) + float(row[2]) * late), []).append(row)
        for slide, some in own.items():
            found.setdefault(slide, []).append(replace(rows, batches=(tuple(some),)))
    for place, (slide, groups) in enumerate(sorted(found.items())):
        first = {} if not place else {"points": (), "notes": ()}
        yield slide, replace(mass, groups=tuple(groups), **first)
