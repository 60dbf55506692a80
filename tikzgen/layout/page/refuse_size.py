"""Suggestions if a figure does not fit its width or height: other sizes, shorter labels, or fewer parts.

Each suggested size, label length and field was tried: the figure fits with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import inf
from typing import Any

from pydantic import ValidationError

from tikzgen.base.errors import PartRefused, Problem, SpecError, quote
from tikzgen.base.plain_words import join_words
from tikzgen.base.plane import round_up
from tikzgen.base.record import replace
from tikzgen.layout.attempt import LayoutAttempt, Slot
from tikzgen.layout.constants import SIZES
from tikzgen.layout.page.figure_forms import iterate_forms
from tikzgen.layout.page.try_layouts import (
    COLUMN_WIDTH_CM,
    TooTall,
    first_plan,
    first_that_fits,
    fit,
    iterate_forms_and_densities,
    least_width,
)
from tikzgen.model.content import Content
from tikzgen.model.figure import FigureModel, Recipe
from tikzgen.model.looks import TEXT_WIDE, WIDEST, height_of_venue, venue_of, width_in_cm
from tikzgen.model.operations import with_value_at
from tikzgen.model.panel_parts import Panel
from tikzgen.model.part import shorten_description
from tikzgen.model.topology import Auto, Topology

_MOST_TRIED_TEXTS_COUNT = 6  # widest labels that are tried
_MOST_SHORTENED_COUNT = 3  # labels that a message asks to shorten
_TEXT_SHARES = (0.75, 0.6, 0.4)  # share of a label's characters that remain: values to try
_NEARLY_NO_TEXT = 0.05  # share of a label's characters that remain, to learn how much width the label takes
_LEAST_GAIN_SHARE = 0.2  # of the missing width: a label that takes less is not a cause
_LEAST_TEXT_CM = 1.0  # cm: a shorter label does not cause the problem
_MOST_NAMED_CHARS = 32  # characters of a label in a message
_MOST_NODES_AND_FLOWS_COUNT = 30  # nodes and flows, because each label needs a new layout
_DRAWN_ENTITIES = 4  # similar nodes; dots replace the others
_NUMBER_SHARES = (0.75, 0.5, 0.33, 0.2, 0.1, 0.05)  # share of a number: values to try


def suggest_ways_out(start: LayoutAttempt, least: float) -> SpecError:
    """Return the error for a width that is too small; `least` is the width in cm at the smallest type."""
    target = width_in_cm(start.figure.width or 0.0)
    wide, high = _find_sufficient_size(start, least)
    exact = least <= wide <= least + 0.1 or wide > WIDEST  # wrapped labels may be wider than the joined lines
    taken = least if exact else wide
    message = f"does not fit {target:g} cm: at {SIZES[-1]:g} pt it needs {round_up(taken, 2):.2f} cm"
    cause, labels = _suggest_shorter_labels(start, target)
    ways = [*labels, *_suggest_smaller_figure(start, target)]
    if wide <= WIDEST and (wide <= max(target, TEXT_WIDE) or not ways):
        ways = [_state_width(start.figure, wide) + (f" with a height of {high:g} cm" if high else ""), *ways]
    if cause and not labels:
        message += f", mostly for {_name_label(cause)}"
    return SpecError([Problem(message, path="width", hint=_join_ways(ways))])


def suggest_heights(start: LayoutAttempt, tall: TooTall) -> SpecError:
    """Return the error for a height that is too small, with a sufficient height and a sufficient width, if any."""
    figure, least = start.figure, round_up(tall.least, 1)
    ways = [f"a height of {least:g} cm"] if _fits(figure.model_copy(update={"height": least}), start) else []
    width = figure.width
    if width is not None and height_of_venue(width) is None and width_in_cm(width) <= COLUMN_WIDTH_CM:
        text = f"{venue_of(width)}-text" if isinstance(width, str) else TEXT_WIDE
        if width_in_cm(text) > width_in_cm(width) and _fits(figure.model_copy(update={"width": text}), start):
            ways.append(_state_width(figure, width_in_cm(text)))
    (problem,) = tall.problems
    return SpecError([replace(problem, hint=_join_ways(ways if len(ways) > 1 else [*ways, "fewer parts"]))])


def _join_ways(ways: Sequence[str]) -> str:
    """Join ways out in a hint; without any, ask for fewer parts."""
    *first, last = ways or ["fewer parts"]
    return f"{', '.join(first)} or {last} would do" if first else f"{last} would do"


def _state_width(figure: FigureModel, wide: float) -> str:
    """Return the way out of a width in cm, with the environment that a figure over both columns needs."""
    narrow = width_in_cm(figure.width or 0.0) <= COLUMN_WIDTH_CM
    if wide > TEXT_WIDE and narrow:
        return f"a width of {wide:g} cm, wider than a page,"
    return f"a width of {wide:g} cm" + (" in a figure*" if narrow and wide > COLUMN_WIDTH_CM else "")


def _name_label(text: str) -> str:
    """Return the start of a label in quotes."""
    line = " ".join(text.replace("\u00a0", " ").split())
    return quote(line if len(line) <= _MOST_NAMED_CHARS else f"{line[: _MOST_NAMED_CHARS - 1]}…")


def _find_sufficient_size(start: LayoutAttempt, least: float) -> tuple[float, float | None]:
    """Return the width that succeeds, in cm, rounded up to 1 mm, and the height if the stated one is too small.

    The width is larger than `WIDEST` if none succeeds. At that width, a recipe may choose another form, which needs a
    larger width than `least`.
    """
    figure, wide, high = start.figure, first_that_fits(start, least), None
    while wide <= WIDEST:
        sizes = {"width": wide} if high is None else {"width": wide, "height": high}
        origin = figure.origin
        other = (
            figure.model_copy(update=sizes)
            if origin is None
            else type(origin).model_validate({**shorten_description(origin), **sizes}).make_figure_with_origin()
        )
        try:
            taken = _narrowest_width(other, start)
        except TooTall as tall:
            high = round_up(max(tall.least, (high or 0) + 0.1), 1)
            continue
        if not taken:
            break
        wide = round_up(max(wide + 0.1, taken), 1)
    return wide, high


def _fits(figure: FigureModel, start: LayoutAttempt) -> bool:
    """Return whether a form of a figure fits its width and height."""
    try:
        return not _narrowest_width(figure, start)
    except SpecError:
        return False


def _narrowest_width(figure: FigureModel, start: LayoutAttempt) -> float:
    """Return the width in cm of the narrowest form of a figure; 0 if one fits.

    Raise `TooTall` if a form fits the width, but none fits the height.
    """
    least, tall = inf, None
    for compact, form in iterate_forms_and_densities(figure):
        try:
            found = fit(first_plan(form, start.icons, start.sizes, compact=compact))
        except TooTall as error:
            tall = error
            continue
        if not isinstance(found, float):
            return 0.0
        least = min(least, found)
    if tall:
        raise tall
    return least


def _suggest_shorter_labels(start: LayoutAttempt, target: float) -> tuple[str, list[str]]:
    """Return the label that takes the most width, and the suggestion to shorten it, or it and the next ones.

    The label is empty if none matters; the suggestion is empty if shorter labels do not suffice. Both are empty for
    figures with many nodes and flows, because each try needs a layout.
    """
    figure = start.figure
    if sum(len(part.nodes) + len(part.flows) for _, _, part in figure.parts(Topology)) > _MOST_NODES_AND_FLOWS_COUNT:
        return "", []
    small = replace(start, size=SIZES[-1])
    slots = {
        slot.text: slot
        for slot in start.labels.slots
        if slot.homes and all(slot.homes) and not slot.numbered and "$" not in slot.text
    }
    wide = {text: small.measure(text).width for text in slots}
    long = sorted((text for text in wide if wide[text] >= _LEAST_TEXT_CM), key=lambda text: -wide[text])
    left = long[:_MOST_TRIED_TEXTS_COUNT]
    chosen: list[str] = []
    least = least_width(start)
    while left and len(chosen) < _MOST_SHORTENED_COUNT:
        widths = {
            text: least_width(_with_shorter(start, dict.fromkeys((*chosen, text), _NEARLY_NO_TEXT), slots))
            for text in left
        }
        text = min(left, key=lambda text: widths[text])
        if least - widths[text] < _LEAST_GAIN_SHARE * (least - target):
            break
        chosen, least = [*chosen, text], widths[text]
        left.remove(text)
        if least <= target:
            for share in _TEXT_SHARES:
                if _fits(_with_shorter(start, dict.fromkeys(chosen, share), slots).figure, start):
                    each = [f"{_count_characters(text, share)} for {_name_label(text)}" for text in chosen]
                    return chosen[0], [f"at most {join_words(each).replace(' for', ' characters for', 1)}"]
    return chosen[0] if chosen else "", []


def _count_characters(text: str, share: float) -> int:
    return max(2, int(len(text) * share))


def _with_shorter(start: LayoutAttempt, shares: Mapping[str, float], slots: Mapping[str, Slot]) -> LayoutAttempt:
    """Return the plan of the figure with only a share of the characters of some labels."""
    figure = start.figure
    for text, share in shares.items():
        for home in slots[text].homes:
            figure = with_value_at(figure, home, text[: _count_characters(text, share)].strip())
    return first_plan(figure, start.icons, start.sizes)


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
    return _width_of(figure, start) <= target and _fits(figure, start)


def _width_of(figure: FigureModel, start: LayoutAttempt) -> float:
    """Return the least width of a figure in cm, in the narrowest of its forms."""
    return min(least_width(first_plan(form, start.icons, start.sizes)) for form in iterate_forms(figure))
