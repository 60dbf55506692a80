"""The measures of a measured run: those of its events, which travel with the figure; what is drawn changes none."""

from __future__ import annotations

from fractions import Fraction

from tikzgen.measures.known_measures import PanelMeasures, Value
from tikzgen.recipe.measured_trace import Trace

_BY_RANK = {
    "busy": "busy",
    "idle": "idle",
    "computing": "computing",
    "span-idle": "span_idle",
    "extent": "extent",
    "communication": "communication",
    "exposed-communication": "exposed_communication",
}


def of_trace(recipe: Trace) -> PanelMeasures:
    """What was measured, in ms. Where nothing but operations was, these are what a rank is busy with."""
    reading = recipe.read()
    found = [each.values for each in reading.ranks]
    work = [each["computing"] for each in found]
    room, done = reading.makespan * len(work), sum(work, Fraction(0))
    values: dict[str, Value] = {
        key: tuple(each[name] for each in found)
        for name, key in _BY_RANK.items()
        if all(name in each for each in found)
    }
    if "busy" not in values:
        values |= {"busy": tuple(work), "idle": tuple(reading.makespan - each for each in work)}
        del values["computing"]
    values |= {
        "devices": len(work),
        "makespan": reading.makespan,
        "bubble_over_total": (room - done) / room if room else Fraction(0),
        "bubble_over_ideal": (room - done) / done if done else Fraction(0),
        "worst_span_idle": max((each["span-idle"] for each in found), default=Fraction(0)),
    }
    return PanelMeasures.of("main", tuple(f"rank {each.rank}" for each in reading.ranks), values)
