"""A timeline with other spans or lanes: marks and arrows that speak of a span by its name follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tikzgen.base.errors import EditRefused, quoted
from tikzgen.model.base import Part
from tikzgen.model.operations.parts_of_figures import Renames, copied, next_id, renumbered
from tikzgen.model.timeline import Timeline
from tikzgen.model.timeline_parts import Lane, Span

_ON_A_LANE = ("bubbles", "dimensions", "events", "strips")
_ACROSS_LANES = ("frames", "barriers", "groups")


def with_spans(part: Timeline, spans: Sequence[tuple[Span | None, Span | None]]) -> tuple[Timeline, Renames]:
    """The timeline with other spans, each a pair of what it was and what it is: None where it was or is not."""
    before = {id(span): name for span, name in zip(part.spans, part.names(), strict=True)}
    made = copied(part, spans=[new for _, new in spans if new is not None])
    after = dict(zip(map(id, made.spans), made.names(), strict=True))
    renames = {before[id(old)]: after[id(new)] if new else None for old, new in spans if old is not None}
    renames = {old: new for old, new in renames.items() if old != new}
    if not renames:
        return made, renames
    arrows = [
        copied(one, source=renames.get(one.source, one.source), target=renames.get(one.target, one.target))
        for one in part.dependencies
        if None not in (renames.get(one.source, ""), renames.get(one.target, ""))
    ]
    remarks = [
        copied(one, about=renames.get(one.about, one.about))
        for one in part.remarks
        if renames.get(one.about, "") is not None
    ]
    notes = [
        copied(one, about=renames.get(one.about or "", one.about))
        for one in part.notes
        if renames.get(one.about or "", "") is not None
    ]
    critical = [found for one in part.critical if (found := renames.get(one, one)) is not None]
    # what was measured with spans that are gone does not hold any more
    summary = "" if None in renames.values() else part.summary
    return copied(made, dependencies=arrows, remarks=remarks, notes=notes, critical=critical, summary=summary), renames


def without_lane(part: Timeline, name: str) -> tuple[Timeline, Renames] | None:
    """The timeline without a lane and all that stands on it alone; None where it has no such lane."""
    if all(lane.id != name for lane in part.lanes):
        return None
    if len(part.lanes) == 1:
        raise EditRefused("last-lane", f"{quoted(name)} is the only lane", invariant="a timeline keeps a lane")
    changes: dict[str, Any] = {"lanes": [lane for lane in part.lanes if lane.id != name]}
    for field in _ON_A_LANE:
        changes[field] = [one for one in getattr(part, field) if one.lane != name]
    for field in _ACROSS_LANES:
        changes[field] = _shrunk(getattr(part, field), name)
    changes["notes"] = [one for one in part.notes if one.about != name]
    spans = [(span, _off(span, name)) for span in part.spans]
    return with_spans(copied(part, **changes), spans)


def _off(span: Span, lane: str) -> Span | None:
    """A span without one of its lanes; None without the only one."""
    if lane not in span.lanes:
        return span
    rest = [one for one in span.lanes if one != lane]
    return copied(span, lane=rest) if rest else None


def _shrunk(entries: Sequence[Any], lane: str) -> list[Part]:
    """What reaches over several lanes, without one of them; what reached over that alone is gone."""
    cut = [
        copied(one, lanes=[each for each in one.lanes if each != lane]) if lane in one.lanes else one for one in entries
    ]
    return [new for old, new in zip(entries, cut, strict=True) if new.lanes or not old.lanes]


def with_lane_like(part: Timeline, worker: str, new_worker: str) -> tuple[Timeline, Renames] | None:
    """The timeline with a lane for a new worker, which does what the lane of another one does; None without that."""
    last = next((lane for lane in part.lanes if lane.worker == worker), None)
    if last is None:
        return None
    ids = [lane.id for lane in part.lanes]
    owned = [lane for lane in part.lanes if lane.worker]
    new = renumbered(last.id, worker, new_worker)
    new = new if new not in ids else next_id([last.id, *ids])
    lane = Lane(id=new, label=renumbered(last.label, worker, new_worker), worker=new_worker)
    place = ids.index(last.id) + (1 if owned[-1] is last else 0)
    lanes = [*part.lanes[:place], lane, *part.lanes[place:]]
    order = [one.id for one in lanes]
    spans: list[tuple[Span | None, Span | None]] = []
    for span in part.spans:
        whole = {one.id for one in owned} <= set(span.lanes)
        grown = (
            copied(span, lane=[name for name in order if name in span.lanes or name == new])
            if whole and len(span.lanes) > 1
            else span
        )
        spans.append((span, grown))
        if span.lanes == (last.id,):
            label = renumbered(span.label, worker, new_worker)
            spans.append((None, copied(span, lane=new, label=label, id=None)))
    return with_spans(copied(part, lanes=lanes), spans)
