"""Exact measures of the schedules and timelines of a figure: for programs, people, and papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tikzgen.base.errors import TikzgenError
from tikzgen.lint.measures.known_measures import PanelMeasures, in_order
from tikzgen.lint.measures.measures_report import MARK, Report
from tikzgen.lint.measures.panel_measures import measure_schedule, measure_timeline, of_trace
from tikzgen.model.figure import FigureModel, Recipe
from tikzgen.model.figure_options import Options
from tikzgen.model.timeline import Timeline
from tikzgen.recipe.arrays.computed_arrays import ComputedArrays
from tikzgen.recipe.measured.measured_trace import Trace
from tikzgen.recipe.schedule_display import Displayed
from tikzgen.recipe.training.parameter_server import ParameterServer
from tikzgen.schedule import server_load
from tikzgen.spec.load_figure import validate_description
from tikzgen.spec.read_document import read_document

__all__ = [
    "MARK",
    "PanelMeasures",
    "Report",
    "metrics",
    "report_of",
]


def metrics(source: str | Path | Options, *, settings: Sequence[str] = ()) -> Report:
    """Return the measures of a figure, a recipe or a file: a spec, a rendered figure, a schedule CSV.

    The report has exact values for each panel with a timeline: makespan, busy time, three bubble measures and others.
    Its methods are `as_json`, `as_text` and `as_tex`. Times are in the time units of the spec. `settings` are
    overrides for a file, as in `load`. A CSV contains a PyTorch schedule.

    Raise `SpecError` for an invalid description, and `TikzgenError` for a figure without a timeline.

    >>> import tikzgen
    >>> tikzgen.metrics("examples/overlap.yaml").as_json()["bubble_over_total"]
    '1/3'
    """
    if isinstance(source, str | Path):
        return report_of(validate_description(read_document(source), settings)[0], str(source))
    return report_of(source)


def report_of(found: Options, name: str = "") -> Report:
    """Return the report on a figure or recipe; `name` is its name in messages.

    Raise `TikzgenError` if it has no timeline.
    """
    panels = tuple(_measure_panels(found))
    if not panels:
        message = f"{name or found.id}: has no timeline, and what else it shows takes no time that could be measured"
        raise TikzgenError(message, hint="the recipes pipeline, ddp, fsdp and others have timelines")
    return Report(found.id, panels)


def _measure_panels(found: Options) -> Iterator[PanelMeasures]:
    recipe = found.origin if isinstance(found, FigureModel) else found if isinstance(found, Recipe) else None
    if isinstance(recipe, Displayed) and not recipe.changed_parts:
        for plan in recipe.compute_plans():
            yield measure_schedule(plan.panel, plan.schedule, recipe.extra_measures(plan), recipe.lane_names().make_id)
    elif isinstance(recipe, ComputedArrays) and not recipe.changed_parts:
        yield PanelMeasures("main", tuple(recipe.measured_names), in_order(recipe.measure_arrays()))
    elif isinstance(recipe, Trace) and not recipe.changed_parts:
        yield from of_trace(recipe)
    elif isinstance(recipe, ParameterServer) and not recipe.changed_parts:
        for panel, timeline in recipe.iterate_timelines():
            yield measure_timeline(panel, timeline, server_load(recipe.workers.count, len(recipe.shards)))
    else:
        figure = (
            found
            if isinstance(found, FigureModel)
            else found.make_figure_with_origin()
            if isinstance(found, Recipe)
            else None
        )
        assert figure is not None
        yield from _measure_timelines(figure)


def _measure_timelines(figure: FigureModel) -> Iterator[PanelMeasures]:
    for panel in figure.panels:
        timelines = [content for content in panel.content if isinstance(content, Timeline) and content.spans]
        for number, timeline in enumerate(timelines, 1):
            name = panel.id if len(timelines) == 1 else f"{panel.id}-{number}"
            yield measure_timeline(name, timeline)
