"""Arrows between spans: dependencies."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.chart import Chart
from tikzgen.layout.plan import Plan
from tikzgen.layout.scene import Edge, Item

__all__ = ["items"]


def items(plan: Plan, chart: Chart) -> Iterator[Item]:
    """One arrow a dependency, from the end of its source to the beginning of its target."""
    if not chart.part.dependencies:
        return
    first = {name: chart.place[span.lanes[0]] for span, name in zip(chart.part.spans, chart.names, strict=True)}
    for dependency in chart.part.dependencies:
        # a span's own south looks to the next lane, unless time runs down: there it is its north
        onward = (first[dependency.target] >= first[dependency.source]) == (chart.part.direction != "down")
        out, into = ("south", "north") if onward else ("north", "south")
        source, target = plan.name(chart.panel, dependency.source), plan.name(chart.panel, dependency.target)
        yield Edge("dependency", f"{source}.{out} east", f"{target}.{into} west")
