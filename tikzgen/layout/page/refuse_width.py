"""Suggestions if a figure does not fit its width: a wider figure, shorter labels, or fewer parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from math import ceil, inf
from typing import Any

from pydantic import ValidationError

from tikzgen.base.errors import PartRefused, Problem, SpecError, quote
from tikzgen.base.plain_words import list_names
from tikzgen.base.record import replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import SIZES
from tikzgen.layout.label_sizes import Sizes
from tikzgen.layout.page.figure_forms import iterate_forms
from tikzgen.layout.page.try_layouts import first_plan, first_that_fits, fit, least_width
from tikzgen.model.content import Content
from tikzgen.model.figure import FigureModel, Recipe
from tikzgen.model.looks import WIDEST, width_in_cm
from tikzgen.model.panel_parts import Panel
from tikzgen.model.part import shorten_description
from tikzgen.model.topology import Auto, Topology
from tikzgen.text import TextSize

_MOST_TRIED_TEXTS_COUNT = 5  # widest labels that are tried
_SHORTER_RATIO = 0.4  # factor on the width of each tried label
_LEAST_TEXT_CM = 1.0  # cm: a shorter label does not cause the problem
_MOST_NODES_AND_FLOWS_COUNT = 30  # nodes and flows, because each label needs a new layout
_DRAWN_ENTITIES = 4  # similar nodes; dots replace the others
_NUMBER_SHARES = (0.75, 0.5, 0.33, 0.2, 0.1, 0.05)  # share of a number: values to try


class _Shortened(Sizes):
    """Label sizes as if some labels were shorter."""

    def __init__(self, sizes: Sizes, texts: Sequence[str]) -> None:
        self.sizes, self.texts = sizes, texts

    def measure_label(self, text: str, family: str, bold: bool, size: float) -> TextSize:
        found = self.sizes.measure_label(text, family, bold, size)
        return replace(found, width=found.width * _SHORTER_RATIO) if text.replace("\n", " ") in self.texts else found


def suggest_ways_out(start: LayoutAttempt, least: float) -> SpecError:
    """Return the error for a width that is too small; `least` is the width in cm at the smallest type."""
    target = width_in_cm(start.figure.width or 0.0)
    wide = _find_sufficient_width(start, least)
    exact = least <= wide <= least + 0.1 or wide > WIDEST  # wrapped labels may be wider than the joined lines
    taken = least if exact else wide
    message = f"does not fit {target:g} cm: at {SIZES[-1]:g} pt it needs {ceil(taken * 100 - 1e-6) / 100:.2f} cm"
    ways = [f"a width of {wide:g} cm"] if wide <= WIDEST else []
    named = [*_suggest_shorter_labels(start, target), *_suggest_smaller_figure(start, target)]
    ways += named or ([] if ways else ["fewer parts"])
    hint = f"{', '.join(ways[:-1])} or {ways[-1]}" if len(ways) > 1 else ways[0]
    return SpecError([Problem(message, path="width", hint=f"{hint} would do")])


def _find_sufficient_width(start: LayoutAttempt, least: float) -> float:
    """Return the width that succeeds, in cm, rounded up to 1 mm.

    At that width, a recipe may choose another form, which needs a larger width than `least`.
    """
    wide = first_that_fits(start, least)
    origin = start.figure.origin
    while origin is not None and wide <= WIDEST:
        other = type(origin).model_validate({**shorten_description(origin), "width": wide}).make_figure_with_origin()
        if not (taken := _narrowest_width(other, start)):
            break
        wide = ceil(max(wide + 0.1, taken) * 10 - 1e-6) / 10
    return wide


def _narrowest_width(figure: FigureModel, start: LayoutAttempt) -> float:
    """Return the width in cm of the narrowest form of a figure; 0 if one fits."""
    least = inf
    for form in iterate_forms(figure):
        found = fit(first_plan(form, start.icons, start.sizes))
        if not isinstance(found, float):
            return 0.0
        least = min(least, found)
    return least


def _suggest_shorter_labels(start: LayoutAttempt, target: float) -> Iterator[str]:
    """Yield the suggestion to shorten the label that is too long, or the few that are.

    Yield nothing for figures with many nodes and flows, because each try needs a layout.
    """
    if (
        sum(len(part.nodes) + len(part.flows) for _, _, part in start.figure.parts(Topology))
        > _MOST_NODES_AND_FLOWS_COUNT
    ):
        return
    small = replace(start, size=SIZES[-1])
    texts = dict.fromkeys(slot.text for slot in start.labels.slots if slot.text)
    wide = [text for text in texts if small.measure(text).width >= _LEAST_TEXT_CM]
    long = tuple(sorted(wide, key=lambda text: -small.measure(text).width)[:_MOST_TRIED_TEXTS_COUNT])

    def shorten_labels(some: Sequence[str]) -> LayoutAttempt:
        return replace(start, sizes=_Shortened(start.sizes, some), kept={})

    @cache
    def is_enough(some: tuple[str, ...]) -> bool:
        return least_width(shorten_labels(some)) <= target and not isinstance(fit(shorten_labels(some)), float)

    if not is_enough(long):
        return  # fewer shortened labels do not fit either
    for some in (*((text,) for text in long), *(long[:count] for count in range(2, len(long) + 1))):
        if is_enough(some):
            yield "a shorter " + list_names([quote(text.replace("\u00a0", " ")) for text in some], 3)
            return


def _suggest_smaller_figure(start: LayoutAttempt, target: float) -> Iterator[str]:
    """Yield a smaller count for a recipe; else a collapsed, automatic, stacked or sideways layout."""
    figure = start.figure
    if figure.origin is not None:
        # Smallest change first: the generator stops at the first that fits.
        ways = sorted(_iterate_smaller_figures(figure.origin), key=lambda way: way[0])
        fitting = (name for _, name, fewer in ways if _can_fit_width(fewer, start, target))
        yield from (f"{name}: {count}" for name, count in islice(fitting, 1))
        return
    changes = {
        f"collapse: {_DRAWN_ENTITIES}": _make_update(figure, Topology, "collapse", _DRAWN_ENTITIES),
        "layout: {type: auto}": _make_update(figure, Topology, "layout", Auto()),
        "direction: right": _make_update(figure, Content, "direction", "right"),
    }
    if figure.arrange == "row" and figure.abreast > 1:
        changes = {"arrange: column": {"arrange": "column", "columns": None}} | changes
    for told, change in changes.items():
        other = figure.model_copy(update=change)
        if other != figure and _can_fit_width(other, start, target):
            yield told
            return


def _make_update(figure: FigureModel, kind: type[Content], field: str, value: object) -> dict[str, Any]:
    """Return the update of a figure that sets a field of all its parts of one kind that have the field."""

    def change_panel(panel: Panel) -> Panel:
        parts = [
            one.model_copy(update={field: value}) if isinstance(one, kind) and field in type(one).model_fields else one
            for one in panel.content
        ]
        return panel.model_copy(update={"content": parts})

    return {"panels": list(map(change_panel, figure.panels))}


def _iterate_smaller_figures(recipe: Recipe) -> Iterator[tuple[float, tuple[str, int], FigureModel]]:
    """Yield figures with a smaller count in one recipe parameter, with relative change, and (name, count).

    Counts that the recipe rejects are skipped, for example a step without a trace.
    """
    for name in type(recipe).model_fields:
        value = getattr(recipe, name)
        count = getattr(value, "count", value)
        if not isinstance(count, int) or isinstance(count, bool) or count < 2:
            continue
        for fewer in sorted({*(int(count * share) for share in _NUMBER_SHARES), 1, 2} - {0, count}, reverse=True):
            changed = fewer if value is count else {**shorten_description(value), "count": fewer}
            try:
                figure = (
                    type(recipe)
                    .model_validate({**shorten_description(recipe), name: changed})
                    .make_figure_with_origin()
                )
            except (ValidationError, PartRefused, SpecError):
                continue
            yield 1 - fewer / count, (name, fewer), figure


def _can_fit_width(figure: FigureModel, start: LayoutAttempt, target: float) -> bool:
    """Return whether a figure fits a width in cm: first by its least width, then by a complete layout."""
    return _width_of(figure, start) <= target and not _narrowest_width(figure, start)


def _width_of(figure: FigureModel, start: LayoutAttempt) -> float:
    """Return the least width of a figure in cm, in the narrowest of its forms."""
    return min(least_width(first_plan(form, start.icons, start.sizes)) for form in iterate_forms(figure))
