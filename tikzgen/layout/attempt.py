"""What every layout function works from: the figure, its texts with their macros, the type size, the distances."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Literal, TypeVar

from tikzgen.base.record import NOTHING, Record
from tikzgen.layout.constants import SIZES
from tikzgen.layout.label_sizes import Sizes
from tikzgen.layout.symbolic_lengths import number
from tikzgen.layout.time.timeline_facts import TimelineFacts
from tikzgen.model.content import Path
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import Icon, scale_icon
from tikzgen.model.timeline import Half, Span
from tikzgen.text import TextSize as TextExtent

_T = TypeVar("_T")


class Slot(Record):
    """One text: where it is used, the stem of its macro, what it means, and the path of its field in the figure.

    A `numbered` text takes a number. Among the `Labels` of a figure it has its `macro`, and the paths of all fields
    that say it, its `homes`.
    """

    panel: str
    stem: str
    text: str
    meaning: str
    path: Path = ()
    numbered: bool = False
    macro: str = ""
    homes: Sequence[Path] = ()


class Labels(Record):
    """The texts of a figure by (panel, stem), and their macros by the paths of the fields that say them."""

    slots: Mapping[tuple[str, str], Slot]
    fields: Mapping[Path, str]

    def of(self, *field: str | int) -> str:
        """The macro of the text in a field of the figure, by the path of this; empty where that says nothing."""
        return self.fields.get(field, "")

    def macro(self, panel: str, stem: str) -> str:
        """The macro's name without backslash, empty where there is no such text."""
        slot = self.slots.get((panel, stem))
        return slot.macro if slot else ""


class Bands(Record):
    """The shade of `phases` changes every so many numbers, from `low` on.

    `marks` are numbers of `phase` with their moments.
    """

    phases: frozenset[str]
    low: int
    every: int
    phase: str
    marks: tuple[tuple[int, float], ...]

    def chunk(self, phase: str, counted: int | None) -> int:
        """Which of two shades a cell has."""
        return (counted - self.low) // self.every % 2 if phase in self.phases and counted is not None else 0


class Numbers(Record):
    """How the numbers in the cells of a timeline are set: `size` is that of all, in pt, in the cells of `phases`.

    Where one phase on some lanes has no room for its numbers, none on these lanes has any: a row in which some numbers
    stand and others do not would be misread. `bands` count what has none. The labels of `terse` phases stand in their
    short forms.
    """

    size: float
    phases: frozenset[str]
    bands: Bands | None
    terse: frozenset[str]

    def counts(self, phase: str) -> bool:
        """Whether the bands count the numbers of a phase, which have no room in its cells."""
        return self.bands is not None and phase in (self.bands.phase, *self.bands.phases)

    def chunk(self, cell: Span | Half) -> int:
        """Which shade a cell has: its own, or the one that its number gives."""
        return cell.chunk or (self.bands.chunk(cell.phase, cell.number) if self.bands else 0)


Direction = Literal["x", "y"]
_SMALL_ICON_RATIO = 0.7  # of the usual size


class DistanceNeed(Record):
    """How far a distance may shrink (`least`) and what it is where nothing presses (`usual`), in cm.

    A vertical distance may have to grow where the width is short (`tight`), a horizontal one may grow to `most`.
    Parts that stand apart by it lie on each other where it is shorter than `firm`.
    """

    least: float
    usual: float
    axis: Direction
    meaning: str
    tight: float = 0.0
    most: float = inf
    firm: float = 0.0


class LayoutAttempt(Record):
    """One attempt at a layout: type size in pt, parameter values in cm, which captions are set narrow.

    `limit` is the width in cm that the title may take, 0 for any; a `compact` one has small icons, and frames close
    around what they hold. A `rough` layout is asked for its size only: timelines, which have many items, leave them
    out. `spread` is how many times as far apart as is usual moments or lifelines lie, down the page, or
    entities whose places were stated; labels of lanes have less room in one that is `pressed`, and moments of messages
    lie closer. `numbers` has how those in cells are set, by the timelines' keys. `kept` is what attempts share.
    """

    figure: FigureModel
    labels: Labels
    timelines: Mapping[tuple[str, int], TimelineFacts]
    icons: Mapping[str, Icon]
    size: float
    values: Mapping[str, float]
    sizes: Sizes
    kept: dict[object, Any]
    wrapped: frozenset[str] = frozenset()
    limit: float = 0.0
    compact: bool = False
    rough: bool = False
    spread: float = 1.0
    pressed: bool = False
    numbers: Mapping[tuple[str, str], Numbers] = NOTHING

    def once(self, make: Callable[[], _T], *about: object) -> _T:
        """What `make` finds, which is the same in all attempts that measure texts and icons alike: found once."""
        key = (self.size, self.wrapped, self.limit, self.compact, self.spread, *about)
        if key not in self.kept:
            self.kept[key] = make()
        found: _T = self.kept[key]
        return found

    @property
    def sizes_down(self) -> list[float]:
        """The sizes in pt that a text may have, from the usual one down."""
        return [size for size in SIZES if size <= self.size]

    @property
    def icon_share(self) -> float:
        """How large icons are, of the size that they have where nothing presses; who says how large gets that."""
        return _SMALL_ICON_RATIO if self.compact and self.figure.style.icons == 1 else 1.0

    def icon(self, name: str) -> Icon:
        """An icon as large as it is drawn."""
        return scale_icon(self.icons[name], self.icon_share)

    @property
    def small(self) -> float:
        """The size in pt of texts that are smaller than the usual, as far as any is."""
        return max(SIZES[-1], self.size - 1)

    def spelt_size(self, size: float) -> str:
        """A size in pt as items have it: empty where it is the usual one."""
        return "" if size == self.size else number(size)

    def measure(self, text: str, *, bold: bool = False, size: float | None = None) -> TextExtent:
        """The size in cm that a text will have; in the paper's own font, the larger of sans and serif."""
        return self.sizes.of(text, self.figure.font.family, bold, size or self.size)

    def largest_size(self, text: str, width: float, height: float = inf) -> float | None:
        """The largest size of type in pt at which a text fits into so much width and height in cm."""
        for size in self.sizes_down:
            found = self.measure(text, size=size)
            if found.width <= width + 1e-6 and found.total <= height + 1e-6:
                return size
        return None

    def name(self, panel: str, identifier: str) -> str:
        """A node's name: with several panels it begins with the panel's id."""
        return f"{panel}-{identifier}" if len(self.figure.panels) > 1 else identifier
