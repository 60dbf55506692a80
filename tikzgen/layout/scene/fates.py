"""Outcomes of the labels, numbers, flows and steps of a figure: drawn, or left out with a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from tikzgen.base.errors import quote
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.layout_kinds import kind_of
from tikzgen.layout.scene.scene import Fate
from tikzgen.model.figure import FigureModel
from tikzgen.model.topology import Topology


def fates_of(
    plan: LayoutAttempt, used: Collection[str], entries: Collection[str], asked: FigureModel
) -> Iterator[Fate]:
    """Yield the outcome of every label, number, flow, step and legend entry of a figure.

    `used` are the macros that are drawn, `entries` the macros in the legend, `asked` the figure before dots replaced
    parts of it.
    """
    figure = plan.figure
    for number, panel in enumerate(figure.panels):
        for index, part in enumerate(panel.content):
            yield from kind_of(part).fates(plan, panel, ("panels", number, "content", index), part, used)
    for slot in plan.labels.slots:
        for home in slot.homes:
            if home[:1] == ("title",) or home[-1:] == ("caption",):
                yield Fate("label", home, slot.text, "drawn" if slot.macro in used else "left out", slot.meaning)
        if slot.macro in entries:
            yield Fate("entry", slot.path, slot.text, "drawn", slot.meaning)
    yield from _collapsed_flows(figure, asked)


def _collapsed_flows(figure: FigureModel, asked: FigureModel) -> Iterator[Fate]:
    """Yield the flows and node labels that dots represent."""
    for number, index, part in asked.parts(Topology):
        if number >= len(figure.panels) or index >= len(figure.panels[number].content):
            continue
        drawn = figure.panels[number].content[index]
        if not isinstance(drawn, Topology) or part.collapse is None:
            continue
        kept = {drawn.place_of("flows", place) for place in range(len(drawn.flows))}
        nodes = {node.id for node in drawn.nodes}
        at = ("panels", number, "content", index)
        for place, flow in enumerate(part.flows):
            if place not in kept:
                yield Fate("flow", (*at, "flows", place), f"{flow.source} {flow.target}", "collapsed")
        for place, node in enumerate(part.nodes):
            if node.id not in nodes and (label := getattr(node, "label", "")):
                yield Fate("label", (*at, "nodes", place, "label"), label, "collapsed")


_MOST_NAMED_TEXTS_COUNT = 3  # labels quoted in a note


def notes_on(fates: Collection[Fate]) -> Iterator[str]:
    """Yield notes on omitted labels and numbers: their count, and the first labels.

    Labels of spans and bubbles are skipped, because the timeline itself reports them by the names of their spans.
    """
    missing = [fate for fate in fates if fate.outcome == "left out"]
    labels = [fate for fate in missing if fate.what != "number" and not {"spans", "bubbles"} & {*fate.path}]
    if labels:
        first = ", ".join(quote(fate.text) for fate in labels[:_MOST_NAMED_TEXTS_COUNT])
        more = f" and {len(labels) - _MOST_NAMED_TEXTS_COUNT} more" if len(labels) > _MOST_NAMED_TEXTS_COUNT else ""
        what = "1 label does not fit and is" if len(labels) == 1 else f"{len(labels)} labels do not fit and are"
        yield f"{what} left out: {first}{more} (set a larger width, or shorter labels)"
    numbers = Counter((fate.meaning, fate.reason) for fate in missing if fate.what == "number")
    for (meaning, reason), count in numbers.items():
        why = f" ({reason})" if reason else ""
        yield f"the numbers of {count} {meaning} spans do not fit and are left out{why}"
