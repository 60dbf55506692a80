"""Layout of a figure: the scene of its first form that fits, with notes for the user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from tikzgen.base.errors import SpecError, quote
from tikzgen.base.plane import PAGE_LIMIT_CM
from tikzgen.base.record import replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.label_sizes import Sizes
from tikzgen.layout.page.figure_forms import iterate_forms
from tikzgen.layout.page.fit_width import Attempt, is_stated, stated_distance
from tikzgen.layout.page.floors import floor_of_distance
from tikzgen.layout.page.recorded_layout import fit_as_recorded, settle
from tikzgen.layout.page.refuse_size import suggest_heights, suggest_ways_out
from tikzgen.layout.page.try_layouts import TooTall, first_plan, fit, iterate_forms_and_densities
from tikzgen.layout.scene.make_scene import scene_of
from tikzgen.layout.scene.scene import Floor, Scene
from tikzgen.model.content import Content
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import Icon, height_of_venue, icons_of_figure, width_in_cm, with_plugins
from tikzgen.model.topology import Dots, LayoutRecord, Topology, Worker
from tikzgen.text import find_tex_command

_LaidOut = tuple[FigureModel, FigureModel, Attempt, LayoutRecord | None]


def layout(figure: FigureModel, icons: Mapping[str, Icon], sizes: Sizes | None = None) -> Scene:
    """Return the scene of the first form of a figure that fits its width; compact forms are tried last.

    `icons` contains at least the icons that the figure names. Pass `sizes` to learn which label sizes the layout
    requested. Raise `SpecError` if no form fits.
    """
    starts: dict[int, LayoutAttempt] = {}
    usual, form, found, record = _lay_out(figure, icons, sizes or Sizes(figure.measured), starts)
    floors = {name: floor for name in found.needs if (floor := _floor_in(figure, icons, found, name, starts))}
    return replace(_scene_with_notes(figure, usual, form, found, floors), layout_record=record)


def _lay_out(
    figure: FigureModel, icons: Mapping[str, Icon], sizes: Sizes, starts: dict[int, LayoutAttempt]
) -> _LaidOut:
    """Return the usual form of a figure, its first form that fits, the layout of it, and the record.

    The usual form keeps the layers of its earlier record. `starts` keeps the first plans of the forms. A second layout,
    with other distances, uses them and omits items.
    """
    earlier = figure.layout_record
    usual, unfit, tall = None, [], []
    short: tuple[FigureModel, Attempt] | None = None
    for number, (compact, form) in enumerate(iterate_forms_and_densities(figure)):
        if number in starts:
            rough = not any(form.parts(Topology))  # topologies compute bounds with their items
            start = replace(starts[number], figure=form, sizes=sizes, kept={}, always_rough=rough)
        else:
            start = starts[number] = first_plan(form, icons, sizes, compact=compact)
        if usual is None:
            usual = form
            if earlier is not None and (kept := fit_as_recorded(start, earlier)):
                return usual, form, *kept
        try:
            found = fit(start)
        except TooTall as error:
            tall.append((start, error))
            continue
        if isinstance(found, float):
            unfit.append((start, found))
        elif short is None and _is_short(found):
            short = form, found
        elif short is None or found.height <= max(_COLUMN_HEIGHT_CM, short[1].height):
            return usual, form, *(settle(starts[0], found) if form is usual else (found, None))
    if usual is not None and short is not None:
        return usual, *short, None
    if tall:
        raise suggest_heights(*min(tall, key=lambda found: found[1].least))
    raise suggest_ways_out(*min(unfit, key=lambda found: found[1]))


def _floor_in(
    figure: FigureModel, icons: Mapping[str, Icon], found: Attempt, name: str, starts: dict[int, LayoutAttempt]
) -> Floor | None:
    """Return the lower bound of a distance; it does not depend on the value that the author states for it."""
    if not is_stated(figure, name):
        return floor_of_distance(found, name)
    spacing = figure.spacing.model_copy(update={name: None})
    try:
        _, _, free, _ = _lay_out(figure.model_copy(update={"spacing": spacing}), icons, Sizes(figure.measured), starts)
    except SpecError:  # only the stated value fits the width
        free = found
    return floor_of_distance(free if name in free.needs else found, name)


_LEAST_TIME_SHARE = 0.5  # of the width: with less time than this in a row of panels, a column is better


_COLUMN_HEIGHT_CM = 14.0  # cm: maximum height of the column, unless the row is higher


def _is_short(found: Attempt) -> bool:
    """Return whether labels leave little room for lanes of panels in a row: a column may be better.

    Only if the figure has a width and a free arrangement, and each panel of its single row has one horizontal
    timeline.
    """
    figure, plan = found.plan.figure, found.plan
    if figure.width is None or figure.arrange != "auto" or figure.abreast < 2 or len(figure.panels) != figure.abreast:
        return False
    if not plan.timelines or not all(facts.right for facts in plan.timelines.values()):
        return False
    long = sum(float(facts.end) for facts in plan.timelines.values()) * plan.values["timeunit"]
    return len(plan.timelines) == len(figure.panels) and long < _LEAST_TIME_SHARE * width_in_cm(figure.width)


def _scene_with_notes(
    asked: FigureModel, usual: FigureModel, form: FigureModel, found: Attempt, floors: Mapping[str, Floor]
) -> Scene:
    """Return the scene of a form with its notes."""
    scene = scene_of(found, asked, floors)
    return replace(
        scene,
        notes=(
            *scene.notes,
            *_note_left_out(usual, form),
            *_note_excess_height(found),
            *_note_small_type(found),
            *_note_short_distances(scene),
            *_note_tex_in_labels(found),
        ),
    )


def _note_excess_height(found: Attempt) -> Iterator[str]:
    """Yield a note if a figure without stated height is taller than the text area of a page."""
    if found.height > PAGE_LIMIT_CM and found.plan.figure.greatest_height is None:
        heights = f"the figure is {found.height:.1f} cm tall, the text area of a page {PAGE_LIMIT_CM:g} cm"
        yield f"{heights}: set a height, or draw fewer parts"


def _note_small_type(found: Attempt) -> Iterator[str]:
    """Yield a note if labels on a slide are smaller than an audience reads, unless their size is stated."""
    figure = found.plan.figure
    if height_of_venue(figure.width) and figure.font.size is None and found.plan.size < figure.type_size:
        sizes = f"its labels are {found.plan.size:g} pt, and a slide needs {figure.type_size} pt"
        yield f"{sizes}: draw fewer parts, shorten labels, or set font.size: {found.plan.size:g} to accept it"


def _note_short_distances(scene: Scene) -> Iterator[str]:
    """Yield a note for each distance below its lower bound."""
    for name, least in scene.floors_in_cm().items():
        stated = stated_distance(scene.figure, name)
        if stated is not None and stated < least:
            yield f"{name} is {stated:g} cm: parts of the figure overlap below {least:g} cm (set spacing.{name})"


def _note_tex_in_labels(found: Attempt) -> Iterator[str]:
    """Yield a note on the first label with a TeX command that is drawn as characters."""
    commands = ((slot.text, find_tex_command(slot.text)) for slot in found.plan.labels.slots)
    if named := next(((text, command) for text, command in commands if command), None):
        text, command = named
        use = "for a new line, write a line break in the label" if command == r"\\" else f"for TeX, use !tex '{text}'"
        yield f"the label {quote(text)} shows {command} as characters: {use}"


def choose_form(figure: FigureModel) -> FigureModel:
    """Return the form in which a figure is drawn: the first that fits its width, else the usual form."""
    usual, *others = islice(iterate_forms(figure), 2)
    if figure.width is None or not others:
        return usual
    try:
        return layout(figure, icons_of_figure(figure, with_plugins(figure, ()))).figure
    except SpecError:
        return usual


def _note_left_out(asked: FigureModel, form: FigureModel) -> Iterator[str]:
    """Yield a note on workers that the form replaces by an ellipsis."""
    less = max(_count_workers(asked, index) - _count_workers(form, index) for index in range(len(form.panels)))
    dotted = any(isinstance(node, Dots) for _, _, part in asked.parts(Topology) for node in part.nodes)
    if less and not dotted:  # else the figure itself states the number
        width = width_in_cm(form.width or 0.0)
        who = "1 worker is" if less == 1 else f"{less} workers are"
        lanes = (
            "; their lanes are all drawn" if any(one.type != "topology" for _, _, one in form.parts(Content)) else ""
        )
        yield f"{who} an ellipsis in the topology, so that it fits {width:g} cm{lanes} (a larger width draws them)"


def _count_workers(figure: FigureModel, panel: int) -> int:
    parts = [part for place, _, part in figure.parts(Topology) if place == panel]
    return sum(isinstance(node, Worker) for part in parts for node in part.nodes)
