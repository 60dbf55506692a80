"""Base of recipes with simulated times: schedules for the figure, the validator and the metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any, NoReturn, Self, TypeAlias

from pydantic import model_validator

from tikzgen.base.record import Record, WithCache
from tikzgen.model.figure import Recipe
from tikzgen.model.figure_options import Options
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import fail
from tikzgen.schedule import FACTORS, Schedule, ScheduleError, ScheduleFault, ScheduleMetrics, measure

PASSED_ON = frozenset({*Options.model_fields, "overrides"})
"""Parameters that change the figure and not its schedules."""
_NO_FACTS = ("recipe", "id", "labels")


Told: TypeAlias = dict[str, Fraction | int | tuple[Fraction | int, ...]]
"""Measures by name: an exact number, or one for each device, request or update."""


class PanelSchedule(WithCache, Record):
    """Schedule of one panel with its exact times, and its rule violations.

    `run` is the result of the simulator, whose type depends on the recipe.
    """

    panel: str
    schedule: Schedule
    findings: tuple[ScheduleFault, ...] = ()
    run: Any = None

    @cached_property
    def metrics(self) -> ScheduleMetrics:
        """Exact measures of the schedule."""
        return measure(self.schedule)


class Scheduled(EditableRecipe):
    """Recipe that computes its times: `compute_plans` returns one schedule for each panel, in order."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Set `schedule_facts` to the recipe's own fields, if the class does not set it."""
        super().__pydantic_init_subclass__(**kwargs)
        own = tuple(name for name in cls.__annotations__ if name in cls.model_fields and name not in _NO_FACTS)
        if own and "schedule_facts" not in cls.__dict__:
            cls.schedule_facts = own

    def collect_facts(self, **of_panel: Any) -> dict[str, Any]:
        """Return the parameters of a schedule by name; `of_panel` overrides them for one panel."""
        return {name: getattr(self, name) for name in self.schedule_facts} | of_panel

    def compute_plans(self) -> tuple[PanelSchedule, ...]:
        """Return the schedules of the figure, with rule violations; computed once."""
        return self.compute_once("plans", lambda: tuple(self._plan()), apart_from=PASSED_ON)

    def extra_measures(self, plan: PanelSchedule) -> Told:
        """Return measures of a schedule that do not follow from its times alone."""
        return {}

    def _plan(self) -> Iterator[PanelSchedule]:
        raise NotImplementedError

    @model_validator(mode="after")
    def _check_schedules(self) -> Self:
        """Report an impossible schedule at the field that causes it."""
        try:
            self.compute_plans()
        except ScheduleError as error:
            own = [name for name in re.findall(r"\w+", FACTORS) if name in type(self).model_fields]
            _refuse(self, error.message, error.hint.replace(FACTORS, " or ".join(own)))
        return self


def _refuse(recipe: Recipe, message: str, hint: str) -> NoReturn:
    """Raise the error at the field that begins the message (`forward[2]: …`), else at the first mentioned one.

    Only fields that the user set are considered for mentioned fields.
    """
    fields = type(recipe).model_fields
    match = re.match(r"(\w+)(?:\[(\d+)\])?(?:\[(\d+)\])?: ", message)
    if match and match[1] in fields:
        indices = [int(index) for index in match.groups()[1:] if index]
        fail(message[match.end() :], match[1], *indices, hint=hint)
    spoken_of = [*re.findall(r"\w+", f"{hint} {message}"), "schedule"]
    blamed = next((word for word in spoken_of if word in recipe.model_fields_set), None)
    fail(message, *([blamed] if blamed else []), hint=hint)
