"""Edit contract of timelines: names of spans, instructions for manual edits, and invariants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.layout.contract_words import drawn_as, list_first_names
from tikzgen.layout.layout_kinds import LayoutKind
from tikzgen.layout.scene.scene import Scene
from tikzgen.layout.timeline.timeline_items import SpanMassItem
from tikzgen.model.figure import FigureModel
from tikzgen.model.timeline import Timeline

_ADD_LANE = "add a lane at the end: its label, and its spans with the next lane coordinate"
_REMOVE_LANE = "remove its label, its spans and the arrows at them; move the lanes after it up by one"


class TimelineContract(LayoutKind[Timeline]):
    """Edit contract of a timeline: lanes over time."""

    def naming_scheme(self, figure: FigureModel, scene: Scene, parts: Sequence[Timeline]) -> Iterator[str]:
        if masses := drawn_as(scene, SpanMassItem):
            points = [bar.name for mass in masses for bar in mass.points]
            kept = f", except {list_first_names(points)}" if points else ""
            yield f"Spans and bubbles are rows without nodes{kept}, because there are too many"
        bubbles = "; bubbles <lane>-bubble<k>" if any(part.bubbles for part in parts) else ""
        spans = "Spans are named <lane>-<phase><k>, counted from 1 in each lane, or <phase><k> across several lanes"
        yield spans + bubbles

    def by_hand(self, figure: FigureModel, scene: Scene, parts: Sequence[Timeline]) -> dict[str, str]:
        # A recipe that counts workers may draw only their lanes.
        lanes = {
            "add_lane": _ADD_LANE,
            "remove_lane": _REMOVE_LANE,
            "add_worker": _ADD_LANE,
            "remove_worker": _REMOVE_LANE,
        }
        return {**lanes, "span": _span_by_hand(scene, parts)}

    def invariants(self, figure: FigureModel, scene: Scene, parts: Sequence[Timeline]) -> Iterator[str]:
        yield "spans on one lane never overlap, and an update across lanes starts after the end of the slowest lane"
        if any(part.bubbles for part in parts):
            yield "bubbles cover idle time only: they end where the next span of their lane begins"
        if any(span.fault for part in parts for span in part.spans):
            yield "a cell that is marked invalid keeps its mark and the comment with the reason"
        if any(parameter.type == "text-of-number" for parameter in scene.parameters):
            yield "numbers in cells are set by the macro of their phase only"


def _span_by_hand(scene: Scene, parts: Sequence[Timeline]) -> str:
    """Return the instructions for manual changes of a span."""
    if drawn_as(scene, SpanMassItem):
        return r"change the row of the span: \row start, lane, duration, text"
    styles = [style.name for style in scene.styles if style.name in ("span", "flatspan", "fused", "flatfused")]
    fused = [name for name in styles if "fused" in name]
    moment = "the first coordinate" + (", of its shift in a fused cell" if fused else "")
    found = [f"change its start ({moment}) or its duration (the first argument of {_join_alternatives(styles)})"]
    bars = [span for part in parts for span in part.spans]
    if any(span.second for span in bars):
        found.append(f"the share of a fused cell's second part is the second argument of {_join_alternatives(fused)}")
    if any(span.chunk or (span.second and span.second.chunk) for span in bars):
        found.append("<phase> shade <k> in place of <phase> phase is another shade")
    if any(span.shape == "arrow" for span in bars):
        found.append("a span with an arrow shape has its outline in a path before its node: change both")
    if scene.figure.slides or any(span.slide for span in bars):
        found.append("the number of from slide is its first overlay")
    return "; ".join(found)


def _join_alternatives(names: list[str]) -> str:
    return " or ".join(names) or "its style"
