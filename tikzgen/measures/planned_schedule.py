"""The measures of a schedule whose times were computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from tikzgen.measures.known_measures import Value
from tikzgen.measures.panel_measures import PanelMeasures

if TYPE_CHECKING:
    from tikzgen.schedule import Lane, Schedule

__all__ = ["measured"]


def measured(
    panel: str,
    schedule: Schedule,
    more: Mapping[str, Value] = MappingProxyType({}),
    name: Callable[[Lane], str] = lambda lane: f"device {lane.device}",
) -> PanelMeasures:
    """Everything that can be said of `schedule`, and what `more` is known of it; `name` is what a device is called.

    Devices that only communicate count where none computes.
    """
    from tikzgen.schedule import COMMUNICATION, COMPUTE, Lane, blocked, exposed_communication, measure

    metrics = measure(schedule)
    lanes = schedule.program.lanes()
    computing = dict.fromkeys(lane.device for lane in lanes if lane.stream == COMPUTE)
    linked = dict.fromkeys(lane.device for lane in lanes if lane.stream == COMMUNICATION)
    devices = tuple(computing or linked)
    values: dict[str, Value] = {
        "devices": len(devices),
        "makespan": metrics.makespan,
        "busy": metrics.busy,
        "bubble_over_total": metrics.bubble_over_total,
        "bubble_over_ideal": metrics.bubble_over_ideal,
        "idle": metrics.idle,
        "span_idle": metrics.span_idle,
        "worst_span_idle": metrics.worst_span_idle,
        "peak_in_flight": metrics.peak_in_flight,
        "blocked": blocked(schedule),
    }
    if linked:
        values["exposed_communication"] = exposed_communication(schedule)
    if linked and not computing:
        counts = Counter(lane for operation in schedule.program.operations for lane in operation.lanes)
        values["steps"] = max(counts.values())
    averages = sum(operation.kind == "average" for operation in schedule.program.operations)
    if averages:
        values["rounds"] = averages
    return PanelMeasures.of(panel, tuple(name(Lane(device)) for device in devices), {**values, **more})
