"""The measures of a measured run: those of its events, which travel with the figure; what is drawn changes none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from tikzgen.base.record import replace
from tikzgen.measures.known_measures import PanelMeasures, Value
from tikzgen.measures.panel_measures import measured
from tikzgen.recipe.measured_trace import Trace
from tikzgen.schedule.measure_schedule import bubble_shares

_BY_RANK = {
    "busy": "busy",
    "idle": "idle",
    "computing": "computing",
    "span-idle": "span_idle",
    "extent": "extent",
    "communication": "communication",
    "exposed-communication": "exposed_communication",
    "waited": "waited",
}
_IN_ALL = {
    "busy": "busy_in_all",
    "idle": "idle_in_all",
    "communication": "communication_in_all",
    "exposed_communication": "exposed_in_all",
    "waited": "waited_in_all",
}


def of_trace(recipe: Trace) -> Iterator[PanelMeasures]:
    """What was measured, in the unit that is drawn, and what a pipeline would take that it is compared with."""
    model = recipe.model()
    yield _measured(recipe, "measured" if model else "main")
    if model:
        naming, (name, was, ought) = model.pipeline.naming(), model.differs_most()
        more: dict[str, Value] = {"model_error": model.error, "differs_most_by": ought - was}
        found = measured("simulated", model.plan.schedule, more, lambda lane: naming.label(lane.device))
        yield replace(found, said={"differs_most": name})


def _measured(recipe: Trace, panel: str) -> PanelMeasures:
    """Where nothing but operations was measured, these are what a rank is busy with."""
    reading = recipe.scaled()
    found = [each.values for each in reading.ranks]
    work = [each["computing"] for each in found]
    over_total, over_ideal = bubble_shares(reading.makespan, work)
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
        "bubble_over_total": over_total,
        "bubble_over_ideal": over_ideal,
        "worst_span_idle": max((each["span-idle"] for each in found), default=Fraction(0)),
    }
    values |= _overlap(values) | {key: _sum(values[name]) for name, key in _IN_ALL.items() if name in values}
    names = sorted({name for each in reading.ranks for name in each.classes})
    classes = {name: tuple(each.classes.get(name, Fraction(0)) for each in reading.ranks) for name in names}
    ranks = tuple(f"rank {each.rank}" for each in reading.ranks)
    return PanelMeasures.of(panel, ranks, values, classes=classes)


def _overlap(values: Mapping[str, Value]) -> dict[str, Value]:
    """The share of communication that computation hides, where there is any."""
    moved, exposed = values.get("communication"), values.get("exposed_communication")
    if not isinstance(moved, tuple) or not isinstance(exposed, tuple) or not sum(moved):
        return {}
    pairs = [(Fraction(whole), Fraction(bare)) for whole, bare in zip(moved, exposed, strict=True)]
    shares = tuple((whole - bare) / whole if whole else 0 for whole, bare in pairs)
    return {"overlap": shares, "overlap_in_all": Fraction(sum(moved) - sum(exposed)) / Fraction(sum(moved))}


def _sum(value: Value) -> Fraction:
    return Fraction(sum(value) if isinstance(value, tuple) else value)
