"""Timelines, as one of the kinds of what a panel may hold."""

from __future__ import annotations

from collections.abc import Container, Iterator

from tikzgen.base.record import replace
from tikzgen.layout.constants import INNER
from tikzgen.layout.drawn_kinds import Charts, Kind, Linked
from tikzgen.layout.lengths import Extent, Length, param
from tikzgen.layout.links_across import Site
from tikzgen.layout.plan import Need, Plan, Slot
from tikzgen.layout.scene import Piece
from tikzgen.layout.timeline.directions import Patch, away, extent, moment
from tikzgen.layout.timeline.fit_labels import is_level, spacing
from tikzgen.layout.timeline.many_spans import spacing as spacing_of_many
from tikzgen.layout.timeline.occupied import text_boxes
from tikzgen.layout.timeline.place_timeline import timeline
from tikzgen.layout.timeline.timeline_macros import timeline_slots
from tikzgen.layout.timeline_facts import Chart
from tikzgen.model.content import Path
from tikzgen.model.panel_parts import Panel
from tikzgen.model.timeline import Timeline


def outlines(plan: Plan, chart: Chart, linked: Container[str]) -> dict[str, Extent]:
    """The places of the linked spans, by the names of their nodes."""
    found = {}
    across: dict[tuple[str, ...], tuple[Length, Length]] = {}  # of the lanes: spans share them
    for span, name in zip(chart.part.spans, chart.names, strict=True):
        if name in linked:
            lanes = tuple(span.lanes)
            if lanes not in across:
                lane, many = chart.middle(lanes)
                half = (away(many - 1) + param("laneheight")) * 0.5
                across[lanes] = away(lane) - half, away(lane) + half
            place = extent(chart, moment(chart, span.start), moment(chart, span.end), *across[lanes])
            found[plan.name(chart.panel, name)] = place
    return found


def texts(plan: Plan, chart: Chart) -> Iterator[tuple[str, Extent]]:
    """The place of each text, with the name of its span's node; that of a lane's label without."""
    for lane in chart.part.lanes:
        if lane.label:
            size = plan.measure(lane.label)
            long, thick = chart.turned(size.width, size.height + size.depth)
            row, start = away(chart.place[lane.id]), Length(-long - INNER)
            if chart.part.lane_labels == "after":
                start = param("timeunit", float(chart.end)) + INNER
            yield "", extent(chart, start, start + long, row - thick / 2, row + thick / 2)
    for name, _, box in text_boxes(plan, chart):
        yield name, Patch(*map(Length, box)).on(chart)


class Timelines(Kind[Timeline]):
    """Lanes over time."""

    def slots(self, charts: Charts, panel: Panel, part: Timeline, at: Path) -> Iterator[Slot]:
        return timeline_slots(charts[panel.id, int(at[-1])])

    def needs(self, plan: Plan, panel: Panel, index: int, part: Timeline) -> dict[str, Need]:
        chart = plan.charts[panel.id, index]
        return spacing_of_many(plan, chart, spacing(plan, chart))

    def place(self, plan: Plan, panel: Panel, index: int, part: Timeline, linked: Linked) -> Piece:
        chart = plan.charts[panel.id, index]
        piece = timeline(plan, chart)
        if not plan.figure.links:
            return piece
        ids = {name for name, _ in linked}
        places, said = outlines(plan, chart, ids), (*piece.texts, *texts(plan, chart))
        return replace(piece, outlines=places, texts=said, sites=dict(_sites(plan, chart, ids)))

    def length(self, plan: Plan, panel: Panel, index: int, part: Timeline) -> float | None:
        return float(plan.charts[panel.id, index].end) if part.direction == "right" else None


def _sites(plan: Plan, chart: Chart, ids: set[str]) -> Iterator[tuple[str, Site]]:
    """What links end on, by reference."""
    for span, name in zip(chart.part.spans, chart.names, strict=True):
        if name in ids:
            turn = "level" if is_level(plan, chart.part, span) else chart.part.direction
            yield name, Site(plan.name(chart.panel, name), turn=turn)


KIND: Kind[Timeline] = Timelines()
