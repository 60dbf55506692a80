"""What rules look at: the operation lists and schedules behind a figure, and its timelines, each with its places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from tikzgen.base.errors import Place
from tikzgen.base.record import Record
from tikzgen.model.figure import Figure, Options
from tikzgen.model.timeline import Timeline
from tikzgen.recipe.pipeline import Pipeline
from tikzgen.recipe.scheduled import Scheduled
from tikzgen.schedule import Finding as Broken
from tikzgen.schedule import Rows, check_messages, check_parameters, parse
from tikzgen.specfile import Document

Path: TypeAlias = tuple[str | int, ...]


class Listed(Record):
    """Operations written out, rank by rank, and the rules that their computations break."""

    document: Document
    rows: Rows
    broken: tuple[Broken, ...]

    def place(self, broken: Broken) -> Place:
        """Where the operation stands that breaks a rule, or after which it is missing; its rank's line if nowhere."""
        path: Path = ("operations",)
        if broken.device is not None:
            path = (*path, broken.device)
            if broken.position is not None:
                path = (*path, min(broken.position, len(self.rows[broken.device]) - 1))
        return self.document.places.value(path)


class Simulated(Record):
    """A schedule that a recipe planned by name, with the rules that it breaks."""

    document: Document
    broken: tuple[Broken, ...]

    def place(self, broken: Broken) -> Place:
        """Where the recipe stands: its operations stand nowhere."""
        return self.document.places.value(("recipe",))


class Drawn(Record):
    """A timeline whose spans were given; `path` leads to it, None where a recipe drew it."""

    document: Document
    timeline: Timeline
    path: Path | None

    def place(self, *steps: str | int) -> Place:
        """Where a part of the timeline stands."""
        return Place(self.document.name) if self.path is None else self.document.places.value((*self.path, *steps))


Subject: TypeAlias = Listed | Simulated | Drawn
"""What a description gives to look at."""


def subjects(found: Options, document: Document, figure: Callable[[], Figure]) -> Iterator[Subject]:
    """What there is to look at in `found`, a figure or a recipe read from `document`; `figure` gives it expanded."""
    if isinstance(found, Scheduled):
        yield from _planned(found, document)
        return
    recipe = "recipe" in document.data
    for index, place, content in figure().parts(Timeline):
        yield Drawn(document, content, None if recipe else ("panels", index, "content", place))


def _planned(found: Options, document: Document) -> Iterator[Subject]:
    assert isinstance(found, Scheduled)
    broken = tuple(broken for plan in found.plans() for broken in plan.findings)
    if isinstance(found, Pipeline) and found.operations is not None:
        rows = parse(found.operations)
        # the plan has all findings; those of messages and parameters have rules of their own
        others = {*check_messages(rows), *check_parameters(rows)}
        yield Listed(document, rows, tuple(each for each in broken if each not in others))
    else:
        yield Simulated(document, broken)


def said(broken: Broken) -> str:
    """`data dependency: device 3, operation 1: 3F0 is missing, but 3B0 needs it`."""
    text = str(broken)
    return f"data {text}" if text.startswith("dependency: ") else text
