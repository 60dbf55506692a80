"""Schedules in which devices do alike: of many, a few have lanes, and dots stand for the others."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from pydantic import Field

from tikzgen.recipe.schedule_options import Displayed
from tikzgen.recipe.shared_facts import Crowd


class AlikeDevices(Displayed):
    """What recipes share whose devices differ little."""

    show: int | None = Field(default=None, ge=1, le=4096)
    """How many devices have lanes; the others are dots before the last. Null draws all, or a few of many."""

    _most: ClassVar[int] = 16

    def shown(self) -> Collection[int] | None:
        """The devices that have lanes, from 0; None where all have."""
        return few_of(getattr(self, self.counts), self.show, self._most)


def few_of(count: int, show: int | None, most: int) -> list[int] | None:
    """Which of `count` devices have lanes: the first ones and the last; None where all have."""
    few = show or (most // 2 if count > most else count)
    return None if few >= count else [number - 1 for number in Crowd(count=count, show=few).drawn]
