"""Recipes whose times are simulated: what they plan, for the figure, the validator and the metrics alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, Self, TypeVar

from pydantic import PrivateAttr, model_validator

from tikzgen.base.record import Record
from tikzgen.model.base import fail
from tikzgen.model.figure import Recipe
from tikzgen.model.overrides import EditableRecipe
from tikzgen.schedule import Finding, Metrics, Schedule, ScheduleError, Update, measure
from tikzgen.schedule.exact import FACTORS

_T = TypeVar("_T")


class Planned(Record):
    """One panel's schedule with its exact times, and the rules that it breaks.

    `updates` are those of a parameter server, in the order in which it applies them; `run` is what happened besides
    the times, in the recipe's own words.
    """

    panel: str
    schedule: Schedule
    findings: tuple[Finding, ...] = ()
    updates: tuple[Update, ...] = ()
    run: Any = None

    def costs(self) -> Metrics:
        """What the schedule costs, exactly."""
        return measure(self.schedule)


class Scheduled(EditableRecipe):
    """A recipe that computes its times: `plans` gives one schedule for each panel, in the order of the panels."""

    _kept: tuple[dict[str, Any], tuple[Planned, ...]] | None = PrivateAttr(default=None)

    def plans(self) -> tuple[Planned, ...]:
        """The schedules behind the figure, with the rules that they break; computed once."""
        # a copy with other facts takes the private attribute along: the facts tell whether it is still right
        if self._kept is None or self._kept[0] != self.__dict__:
            self._kept = (dict(self.__dict__), tuple(self._plan()))
        return self._kept[1]

    def _plan(self) -> Iterator[Planned]:
        raise NotImplementedError

    @model_validator(mode="after")
    def _possible(self) -> Self:
        """Refuse what has no schedule, at the field that is to blame."""
        with explained(self):
            self.plans()
        return self


@contextmanager
def explained(recipe: Recipe) -> Iterator[None]:
    """Refuse a recipe for the reason that a schedule is impossible."""
    try:
        yield
    except ScheduleError as error:
        own = [name for name in re.findall(r"\w+", FACTORS) if name in type(recipe).model_fields]
        _refuse(recipe, error.message, error.hint.replace(FACTORS, " or ".join(own)))


def _refuse(recipe: Recipe, message: str, hint: str) -> NoReturn:
    """Blame the field that the message begins with (`forward[2]: …`), else the first given one that is spoken of."""
    fields = type(recipe).model_fields
    match = re.match(r"(\w+)(?:\[(\d+)\])?(?:\[(\d+)\])?: ", message)
    if match and match[1] in fields:
        indices = [int(index) for index in match.groups()[1:] if index]
        fail(message[match.end() :], match[1], *indices, hint=hint)
    spoken_of = [*re.findall(r"\w+", f"{hint} {message}"), "schedule"]
    blamed = next((word for word in spoken_of if word in recipe.model_fields_set), None)
    fail(message, *([blamed] if blamed else []), hint=hint)


def once(values: Sequence[_T], field: str) -> Iterator[_T]:
    """Values that have a panel each; one that stands twice is refused."""
    for index, value in enumerate(values):
        if value in values[:index]:
            fail(f"{value} stands twice", field, index, hint="one panel each")
        yield value
