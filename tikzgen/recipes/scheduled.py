"""Recipes whose times are simulated: what they plan, for the figure, the validator and the metrics alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tikzgen.recipes.base import Recipe

if TYPE_CHECKING:
    from tikzgen.schedule import Finding, Schedule

__all__ = ["Planned", "Scheduled"]


@dataclass(frozen=True, slots=True)
class Planned:
    """One panel's schedule with its exact times, and the rules that it breaks."""

    panel: str
    schedule: Schedule
    findings: tuple[Finding, ...] = ()


class Scheduled(Recipe):
    """A recipe that computes its times: `plans` gives one schedule for each panel, in the order of the panels."""

    def plans(self) -> tuple[Planned, ...]:
        """The schedules behind the figure; a `SpecError` says why there is none."""
        raise NotImplementedError
