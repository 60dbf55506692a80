"""Recipes whose times are simulated: what they plan, for the figure, the validator and the metrics alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NoReturn, Self, TypeAlias

from pydantic import model_validator

from tikzgen.base.record import Record
from tikzgen.model.figure import Recipe
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import fail
from tikzgen.schedule import FACTORS, Schedule, ScheduleError, ScheduleFault, ScheduleMetrics, measure

_NO_FACTS = ("recipe", "id", "labels")


Told: TypeAlias = dict[str, Fraction | int | tuple[Fraction | int, ...]]
"""Measures by name: an exact number, or one for each device, request or update."""


class PanelSchedule(Record):
    """One panel's schedule with its exact times, and the rules that it breaks.

    `run` is what happened besides the times, in the recipe's own words.
    """

    panel: str
    schedule: Schedule
    findings: tuple[ScheduleFault, ...] = ()
    run: Any = None

    def costs(self) -> ScheduleMetrics:
        """What the schedule costs, exactly."""
        return measure(self.schedule)


class Scheduled(EditableRecipe):
    """A recipe that computes its times: `plans` gives one schedule for each panel, in the order of the panels."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """The facts of a schedule are those that its recipe does not share, where it does not say it otherwise."""
        super().__pydantic_init_subclass__(**kwargs)
        own = tuple(name for name in cls.__annotations__ if name in cls.model_fields and name not in _NO_FACTS)
        if own and "schedule_facts" not in cls.__dict__:
            cls.schedule_facts = own

    def facts(self, **of_panel: Any) -> dict[str, Any]:
        """The facts of a schedule by name; those that are `of_panel` for one of its panels."""
        return {name: getattr(self, name) for name in self.schedule_facts} | of_panel

    def plans(self) -> tuple[PanelSchedule, ...]:
        """The schedules behind the figure, with the rules that they break; computed once."""
        return self.compute_once("plans", lambda: tuple(self._plan()))

    def extra_measures(self, plan: PanelSchedule) -> Told:
        """Return measures of a schedule that do not follow from its times alone."""
        return {}

    def _plan(self) -> Iterator[PanelSchedule]:
        raise NotImplementedError

    @model_validator(mode="after")
    def _possible(self) -> Self:
        """Refuse what has no schedule, at the field that is to blame."""
        try:
            self.plans()
        except ScheduleError as error:
            own = [name for name in re.findall(r"\w+", FACTORS) if name in type(self).model_fields]
            _refuse(self, error.message, error.hint.replace(FACTORS, " or ".join(own)))
        return self


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
