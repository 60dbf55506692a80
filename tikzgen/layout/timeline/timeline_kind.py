"""Timelines, as one of the kinds of what a panel may hold."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.record import replace
from tikzgen.layout.attempt import Need, Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.drawn_kinds import Charts, Kind, Linked
from tikzgen.layout.labels import Slot
from tikzgen.layout.links.curved_links import Site
from tikzgen.layout.scene import Piece
from tikzgen.layout.timeline.fit_labels import is_level, spacing
from tikzgen.layout.timeline.many_spans import spacing as spacing_of_many
from tikzgen.layout.timeline.place_timeline import timeline
from tikzgen.layout.timeline.span_places import outlines, span_texts
from tikzgen.layout.timeline.timeline_macros import timeline_slots
from tikzgen.model.content import Path
from tikzgen.model.figure import Panel
from tikzgen.model.timeline import Timeline


class Timelines(Kind[Timeline]):
    """Lanes over time."""

    def slots(self, charts: Charts, panel: Panel, part: Timeline, at: Path) -> Iterator[Slot]:
        return timeline_slots(charts[panel.id, int(at[-1])], at)

    def needs(self, plan: Plan, panel: Panel, index: int, part: Timeline) -> dict[str, Need]:
        chart = plan.charts[panel.id, index]
        return spacing_of_many(plan, chart, spacing(plan, chart))

    def place(self, plan: Plan, panel: Panel, index: int, part: Timeline, linked: Linked) -> Piece:
        chart = plan.charts[panel.id, index]
        piece = timeline(plan, chart)
        if not plan.figure.links:
            return piece
        ids = {name for name, _ in linked}
        places, texts = outlines(plan, chart, ids), (*piece.texts, *span_texts(plan, chart))
        return replace(piece, outlines=places, texts=texts, sites=dict(_sites(plan, chart, ids)))

    def length(self, plan: Plan, panel: Panel, index: int, part: Timeline) -> float | None:
        return float(plan.charts[panel.id, index].end) if part.direction == "right" else None


def _sites(plan: Plan, chart: Chart, ids: set[str]) -> Iterator[tuple[str, Site]]:
    """What links end on, by reference."""
    for span, name in zip(chart.part.spans, chart.names, strict=True):
        if name in ids:
            turn = "level" if is_level(plan, chart.part, span) else chart.part.direction
            yield name, Site(plan.name(chart.panel, name), turn=turn)


KIND: Kind[Timeline] = Timelines()
