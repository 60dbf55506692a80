"""What a panel may hold, whatever its kind: what the rest of a figure must know of it."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal, Self, TypeAlias

from tikzgen.model.base import Part

Path: TypeAlias = tuple[str | int, ...]


class Content(Part):
    """One part of a panel. A kind says here what it has in common with the others; the rest of it nobody else knows."""

    type: str
    """Tells the kinds of parts from each other."""

    def named(self) -> Iterator[tuple[str, Path]]:
        """What links may end on, by its id, with its place in this part."""
        yield from ()

    def phases(self) -> Iterator[tuple[str, Path]]:
        """The phases that it speaks of, each with the place of the word."""
        yield from ()

    def flow_kinds(self) -> Iterator[tuple[str, Path]]:
        """The kinds of flow that it speaks of, each with the place of the word."""
        yield from ()

    def explained(self) -> Iterator[str]:
        """What a legend may explain besides phases and kinds of flow, by its name."""
        yield from ()

    @property
    def end(self) -> Fraction:
        """When all has ended, in time units; 0 for what takes no time."""
        return Fraction(0)

    def starts(self) -> list[Fraction]:
        """The moments at which something in it begins, in order."""
        return []

    def counted(self) -> list[int]:
        """The numbers of what it counts, in order."""
        return []

    def steps(self) -> list[int]:
        """The numbers of its steps, in order."""
        return []

    @property
    def turns(self) -> bool:
        """Whether it may run down or to the right, as the width allows."""
        return False

    def turned(self, direction: Literal["down", "right"]) -> Self:
        """The same running in this direction, where that is open."""
        return self
