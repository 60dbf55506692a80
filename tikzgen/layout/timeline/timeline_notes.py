"""Notes on a timeline: what they keep clear of, and how they are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from tikzgen.base.record import replace
from tikzgen.layout.items import Item
from tikzgen.layout.lengths import Extent, Pair
from tikzgen.layout.place_notes import Taken, stand
from tikzgen.layout.timed_items import Label, Path, Spot
from tikzgen.layout.timeline.spans import rows
from tikzgen.layout.timeline.timeline_on_paper import TimelineOnPaper
from tikzgen.plane.rectangles import grown, is_within


def note_parts(
    facts: TimelineOnPaper, room: Extent, beside: Iterable[Extent], soft: Iterable[Extent]
) -> Iterator[Item | Extent]:
    """The notes of a timeline that takes this room, clear of what stands `beside` the spans; and all the paper.

    Lines of notes may cross what is `soft`: arrows.
    """
    taken = replace(_taken(facts, beside), soft=tuple(soft))
    stood, whole = stand(facts.plan, facts.part, facts.part.notes, room, taken)
    for index, one in enumerate(stood):
        span = facts.spans.get(one.note.about or "")
        known = facts.clock.spelt(span.start) if span else ""
        macro = facts.macro("notes", index, "text")
        if one.line:
            yield Path(("note line",), tuple(map(_spot, one.line)), known=known)
        look = ("boxed note",) if one.note.boxed else ("slbl",)
        yield Label((macro,), _spot(one.at), styles=look, wrap=one.wrap, known=known)
    yield whole


def _spot(at: Pair) -> Spot:
    """A point on paper: set off from the beginning of the first lane."""
    return Spot("0", "0", *at)


def _taken(facts: TimelineOnPaper, beside: Iterable[Extent]) -> Taken:
    """Texts are what neither notes nor their lines touch; spans are what lines may cross, but no note lies on them."""
    solids = [facts.on_page(box) for row in rows(facts) for box in (*row.texts, *row.below)]
    about = {name: (facts.over_lanes(one.lanes, one.start, one.end),) for name, one in facts.spans.items()}
    whole = facts.over_lanes([lane.id for lane in facts.part.lanes], Fraction(0), facts.part.end)
    core = grown(whole.box(facts.plan.values), -0.01)
    named = [box for box in beside if is_within(core, box.box(facts.plan.values))]  # the lanes with their names
    for lane in facts.part.lanes:
        box = facts.over_lanes((lane.id,), Fraction(0), facts.part.end)
        about[lane.id] = (_long(facts, box, named[0]) if named else box,)
    about[""] = (whole,)
    idle = [facts.over_lanes((one.lane,), one.start, one.end) for one in facts.part.bubbles]
    legs = [leg for box in (*(about[name][0] for name in facts.names), *idle) for leg in _legs(facts, box)]
    solids += [box for box in beside if box not in named]
    solids += [part for box in named for part in _ends(facts, box, whole)]
    return Taken(tuple(solids), (), tuple(legs), about, (1.0,), clear=0.0)


def _ends(facts: TimelineOnPaper, box: Extent, lanes: Extent) -> tuple[Extent, Extent]:
    """What the names take before and after the lanes."""
    if facts.right:
        return replace(box, right=lanes.left), replace(box, left=lanes.right)
    return replace(box, top=lanes.bottom), replace(box, bottom=lanes.top)


def _long(facts: TimelineOnPaper, lane: Extent, names: Extent) -> Extent:
    """A lane with its name."""
    if facts.right:
        return replace(lane, left=names.left, right=names.right)
    return replace(lane, bottom=names.bottom, top=names.top)


def _legs(facts: TimelineOnPaper, box: Extent) -> Iterator[tuple[Pair, ...]]:
    """A span as lines cross it: its edges along time, and its middle."""
    for share in (0.0, 0.5, 1.0):
        x, y = (low * (1 - share) + high * share for low, high in ((box.left, box.right), (box.bottom, box.top)))
        yield ((box.left, y), (box.right, y)) if facts.right else ((x, box.bottom), (x, box.top))
