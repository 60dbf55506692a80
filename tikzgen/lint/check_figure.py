"""Checks of a figure: its schedules and timelines, and the rules that apply to them.

`check` checks a file; `broken_rules` and `broken_written` check a description and a .tex.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from tikzgen.base.errors import Place, Problem, SpecError, TikzgenError, quote
from tikzgen.base.extensions import load_address
from tikzgen.base.record import Record
from tikzgen.emit.render_figure import render
from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.layout.page.figure_forms import form_of_figure
from tikzgen.lint.drawn_bars import SpanOnPaper, find_bars
from tikzgen.lint.registry import Finding, look
from tikzgen.lint.rule_table import WRITTEN, rules_in
from tikzgen.lint.written_tex import FigureFile, read_figure_file
from tikzgen.model.content import KINDS, Content
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Options
from tikzgen.model.timeline import Timeline
from tikzgen.recipe.measured.measured_reading import Reading as Held
from tikzgen.recipe.measured.measured_trace import Trace
from tikzgen.recipe.simulated_recipe import Scheduled
from tikzgen.recipe.training.pipeline import Pipeline
from tikzgen.schedule import Rows, check_messages, check_parameters, parse
from tikzgen.schedule import ScheduleFault as Broken
from tikzgen.spec.document import Document
from tikzgen.spec.embedded_spec import identity_of
from tikzgen.spec.load_figure import expand_recipe, validate_description
from tikzgen.texfile import scan

Way: TypeAlias = tuple[str | int, ...]


class CheckedSchedule(Record):
    """A schedule and the rules that it breaks; `rows` are operations by rank, None for a recipe's plan."""

    document: Document
    broken: tuple[Broken, ...]
    rows: Rows | None = None

    def place_of(self, broken: Broken) -> Place:
        """Return the location of a broken operation; of the previous one if it is missing; else of its rank.

        The plan of a recipe has no location of its operations: the location of the recipe is returned.
        """
        path: Way = ("recipe",) if self.rows is None else ("operations",)
        if self.rows is not None and broken.device is not None:
            path = (*path, broken.device)
            if broken.position is not None:
                path = (*path, min(broken.position, len(self.rows[broken.device]) - 1))
        return self.document.places.locate_value(path)


class DescribedPart(Record):
    """Content of a panel; `path` is its path in the description, None if a recipe created it."""

    document: Document
    path: Way | None

    def place_of(self, *steps: str | int) -> Place:
        """Return the location of a field of the content, given by its path there."""
        return (
            Place(self.document.name) if self.path is None else self.document.places.locate_value((*self.path, *steps))
        )


class GivenTimeline(DescribedPart):
    """A timeline of a figure, from its description or its recipe."""

    timeline: Timeline


class MeasuredRun(Record):
    """A measured run with the start times of its operations.

    `schedule` is the schedule whose order they should have; empty for none.
    """

    document: Document
    reading: Held
    schedule: str

    def place_of(self, field: str = "source") -> Place:
        """Return the location of a field."""
        return self.document.places.locate_value((field if field in self.document.data else "source",))


class TexWithTimelines(Record):
    """A .tex with timelines, and the spans that its description draws in the form of the file (`meant`).

    `computed` is true if a recipe computes the times; otherwise the description lists the spans.
    """

    written: FigureFile
    meant: tuple[SpanOnPaper, ...]
    computed: bool

    @property
    def source(self) -> str:
        """Origin of the expected spans, for messages."""
        return "the schedule" if self.computed else "the description"


class Impossible(Record):
    """Problems of a well-formed description whose content is impossible."""

    problems: tuple[Problem, ...]


class FigureColors(Record):
    """A figure whose styles must be distinguishable."""

    document: Document
    figure: FigureModel

    def place_of(self, *path: str) -> Place:
        """Return the location of a field; the file if the description does not have it."""
        held: object = self.document.data
        for step in path:
            if not isinstance(held, dict) or step not in held:
                return Place(self.document.name)
            held = held[step]
        return self.document.places.locate_value(path)


Subject: TypeAlias = CheckedSchedule | DescribedPart | MeasuredRun | FigureColors
"""Part of a description that rules check."""


def make_subjects(
    found: Options, document: Document, figure: Callable[[], FigureModel], schedule: str
) -> Iterator[Subject]:
    """Yield the subjects of rules in `found`, a figure or a recipe that was read from `document`.

    `figure` returns the expanded figure. `schedule` is the schedule that measured operations should follow.
    """
    if isinstance(found, Trace):
        yield MeasuredRun(document, found.scaled_reading(), schedule)
    if isinstance(found, Scheduled):
        yield _check_plan(found, document)
        return
    recipe = "recipe" in document.data
    drawn = figure()
    order = [*KINDS.built_in]
    found_parts = [each for each in drawn.parts(Content) if each[2].subject_address]
    by_kind = sorted(found_parts, key=lambda each: order.index(each[2].type) if each[2].type in order else len(order))
    for index, place, part in by_kind:
        way = None if recipe else ("panels", index, "content", place)
        yield load_address(part.subject_address)(document, way, part)
    if drawn.kinds or drawn.style.kinds:
        yield FigureColors(document, drawn)


def _check_plan(found: Scheduled, document: Document) -> CheckedSchedule:
    broken = tuple(broken for plan in found.compute_plans() for broken in plan.findings)
    if not isinstance(found, Pipeline) or found.operations is None:
        return CheckedSchedule(document, broken)
    rows = parse(found.operations)
    # The plan has all findings. Separate rules report findings on messages and parameters.
    others = {*check_messages(rows), *check_parameters(rows)}
    return CheckedSchedule(document, tuple(each for each in broken if each not in others), rows)


def spell_fault(broken: Broken) -> str:
    """Return a fault as text: `data dependency: device 3, operation 1: 3F0 is missing, but 3B0 needs it`."""
    text = str(broken)
    return f"data {text}" if text.startswith("dependency: ") else text


def check(path: str | Path, *, schedule: str | None = None, settings: Sequence[str] = ()) -> tuple[Finding, ...]:
    """Return every rule that a spec, a .tex or a PyTorch schedule CSV breaks, in the order of the file.

    `schedule` names the pipeline schedule that listed or measured operations should follow, such as `1f1b`. Without
    it, and if the spec names none, only data dependencies are checked. For a .tex, the source is checked, and also its
    description if it has one. `settings` are overrides, as in `load`.

    Raise `FileRefused` for a file that cannot be read and `SpecError` for a file without a valid description.

    >>> import tikzgen
    >>> len(tikzgen.check("examples/overlap.yaml"))
    0
    """
    reading = SpecReading(path, settings)
    if schedule is not None and not can_be_of_schedule(reading):
        raise nothing_of_schedule(schedule, str(path))
    return check_read(reading, schedule=schedule)


def nothing_of_schedule(schedule: str, named: str) -> TikzgenError:
    """Return the error for a schedule that is named for a file without operations."""
    hint = "it is for a schedule's CSV, `operations` of a spec, and measured runs"
    return TikzgenError(f"{named}: no operations that could be of the schedule {quote(schedule)}", hint=hint)


def can_be_of_schedule(reading: SpecReading) -> bool:
    """Return whether a file lists or measures operations, so that a schedule can be named for them."""
    try:
        data = reading.document.data
    except TikzgenError:
        return False  # the check reports the error
    return "operations" in data or data.get("recipe") == "trace"


def check_read(reading: SpecReading, *, schedule: str | None = None) -> tuple[Finding, ...]:
    """Return the findings of a file whose reading is shared; ignore `schedule` if no operations apply."""
    path = str(reading.path)
    figure = read_figure_file(Path(path)) if path.endswith(".tex") else None
    try:
        return _check_read(reading, figure, schedule)
    except SpecError as error:
        if not error.is_impossible:
            raise
        of_tex = () if figure is None else broken_written(figure, packages=True)
        return _sort_findings([*look(Impossible(error.problems), rules_in(WRITTEN)), *of_tex])


def _check_read(reading: SpecReading, figure: FigureFile | None, schedule: str | None) -> tuple[Finding, ...]:
    if figure is not None and (not figure.has_description or (figure.as_drawn and not reading.settings)):
        return broken_written(figure, packages=True)
    is_trace = reading.document.data.get("recipe") == "trace"
    if schedule is not None and "operations" in reading.document.data and not is_trace:
        facts = validate_description(reading.document, [*reading.settings, f"schedule={schedule}"])
        found = broken_rules(*facts, packages=True)
    else:
        found = broken_rules(*reading.facts, figure=lambda: reading.figure, schedule=schedule or "", packages=True)
    if figure is None:
        return found
    return _sort_findings([*found, *broken_written(figure, packages=True), *_find_drifts(figure, reading)])


def _find_drifts(figure: FigureFile, reading: SpecReading) -> Iterator[Finding]:
    """Yield the differences between the timelines of a manually edited .tex and its description."""
    if figure.bars and figure.inventory.own and not figure.inventory.origin.untouched:
        identity = identity_of(reading.document.data)
        drawn = form_of_figure(reading.figure, identity.form) if identity else None
        try:
            meant = find_bars(scan(render(drawn or reading.figure).tex))
        except TikzgenError:
            return  # For example, it no longer fits its width. Rendering reports that.
        yield from look(TexWithTimelines(figure, meant, "recipe" in reading.document.data), rules_in(WRITTEN))


def broken_rules(
    found: Options,
    document: Document,
    *,
    figure: Callable[[], FigureModel] | None = None,
    schedule: str = "",
    packages: bool = False,
) -> tuple[Finding, ...]:
    """Return the findings in `found`, a figure or a recipe read from `document`, in the order of the file.

    `figure` returns the expanded figure if the caller has it. `schedule` names the schedule that measured operations
    should have. With `packages`, rules of installed packages apply also.
    """
    drawn = figure or partial(expand_recipe, found, document)
    rules = rules_in(WRITTEN, packages=packages)
    every = (look(subject, rules) for subject in make_subjects(found, document, drawn, schedule))
    return _sort_findings(chain.from_iterable(every))


def broken_written(figure: FigureFile, *, packages: bool = False) -> tuple[Finding, ...]:
    """Return the findings in the text of a .tex, in the order of the file.

    With `packages`, rules of installed packages apply also.
    """
    return _sort_findings(look(figure, rules_in(WRITTEN, packages=packages)))


def _sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda each: (each.place.line or 0, each.place.column or 0, each.code)))
