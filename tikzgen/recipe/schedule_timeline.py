"""A schedule of one's own, drawn: what `tikzgen.schedule.simulate` ran, as a timeline."""

from __future__ import annotations

from collections.abc import Mapping

from tikzgen.model.marks import Axis
from tikzgen.model.timeline import Timeline
from tikzgen.recipe.schedule_lanes import Naming, drawn
from tikzgen.recipe.schedule_marks import bubbles, step
from tikzgen.schedule import Schedule

__all__ = ["timeline"]


def timeline(schedule: Schedule, *, device: str, streams: Mapping[str, str], first: int) -> Timeline:
    """Lanes by device, a span an operation, bubbles where devices compute nothing, and a ruler."""
    naming = Naming(device=device, streams=streams, first=first)
    picture = drawn(schedule, naming)
    return Timeline(
        lanes=picture.lanes,
        groups=picture.groups,
        spans=picture.spans,
        barriers=picture.barriers,
        shades=picture.shades,
        bubbles=bubbles(schedule, picture, naming),
        axis=Axis(ticks=step(schedule.makespan)),
    )
