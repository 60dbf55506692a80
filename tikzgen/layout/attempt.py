"""Layout attempt, the input of all layout functions: figure, labels with macros, type size, distances."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Literal, TypeVar

from tikzgen.base.record import NOTHING, Record
from tikzgen.layout.constants import COLUMN_HEIGHT_CM, SIZES
from tikzgen.layout.label_sizes import Sizes
from tikzgen.layout.symbolic_lengths import number
from tikzgen.layout.time.cell_texts import CellClass, name_cell_class
from tikzgen.layout.time.timeline_facts import TimelineFacts
from tikzgen.model.content import Path
from tikzgen.model.figure import FigureModel
from tikzgen.model.layout_record import LayoutRecord
from tikzgen.model.looks import Icon, scale_icon
from tikzgen.model.timeline import Half, Span
from tikzgen.text import TextSize as TextExtent

_T = TypeVar("_T")


WITHOUT_ID = "/"
"""Start of the stem of a label whose element has no id, and that panels never share."""
CAPTION_STEM = f"{WITHOUT_ID}captionlabel"


class Slot(Record):
    """A label: its panel, the stem of its macro, its text, its meaning, and the path of its field.

    The macro of a `numbered` label takes a number as argument. In `Labels`, a slot also has its `macro`, and `homes`:
    the paths of all fields that contain the label.
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
    """Labels of a figure, and their macros by (panel, stem) and by the paths of their fields."""

    slots: Sequence[Slot]
    stems: Mapping[tuple[str, str], str]
    fields: Mapping[Path, str]

    def find_field_macro(self, *field: str | int) -> str:
        """Return the macro of the label in a field, given by its path; empty if the field has no label."""
        return self.fields.get(field, "")

    def find_macro(self, panel: str, stem: str) -> str:
        """Return the name of the macro without backslash; empty if there is no such label."""
        return self.stems.get((panel, stem), "")


class Bands(Record):
    """Shading of `phases` in bands of `every` consecutive numbers, from `low` on.

    `marks` are pairs of a number of `phase` and its time.
    """

    phases: frozenset[str]
    low: int
    every: int
    phase: str
    marks: tuple[tuple[int, float], ...]

    def choose_shade_index(self, phase: str, counted: int | None) -> int:
        """Return the index of a cell's shade, 0 or 1."""
        return (counted - self.low) // self.every % 2 if phase in self.phases and counted is not None else 0


class ShortCells(Record):
    """Cells without room for their numbers: their shortest and longest length in time units.

    `width` is the width of the figure in cm that gives them room; 0 if none does.
    """

    shortest: float
    longest: float
    width: float


class Numbers(Record):
    """Style of the numbers in the cells of a timeline: `size` in pt, equal in the whole figure.

    All cells of a class have numbers, or none. `bare` are the classes without room. `bands` count the numbers of phases
    without any room. The labels of `terse` phases use their short forms.
    """

    size: float
    bare: Mapping[CellClass, ShortCells]
    bands: Bands | None
    terse: frozenset[str]

    def has_room(self, phase: str, length: float) -> bool:
        """Return whether cells of a phase and a length, in time units, show their numbers."""
        return not self.bare or name_cell_class(phase, length) not in self.bare

    def is_counted(self, phase: str) -> bool:
        """Return whether the bands count the numbers of a phase, because its cells have no room for them."""
        return self.bands is not None and phase in (self.bands.phase, *self.bands.phases)

    def choose_chunk(self, cell: Span | Half) -> int:
        """Return the shade of a cell: its own, or the shade for its number."""
        return cell.chunk or (self.bands.choose_shade_index(cell.phase, cell.number) if self.bands else 0)


Direction = Literal["x", "y"]
_SMALL_ICON_RATIO = 0.7  # of the usual size


class DistanceNeed(Record):
    """Range of a distance in cm: `usual` without constraints, at least `least`.

    A vertical distance may have to be `tight` if the width is short. A horizontal distance may grow to `most`. Below
    `firm`, the parts that it separates overlap. A figure without a stated height has at least the `close` distance.
    """

    least: float
    usual: float
    axis: Direction
    meaning: str
    tight: float = 0.0
    most: float = inf
    firm: float = 0.0
    close: float = 0.0


class LayoutAttempt(Record):
    """One attempt at a layout: type size in pt, parameter values in cm, and labels set narrow (`wrapped`).

    `limit` is the maximum width of the title in cm, 0 for no limit. In a `compact` attempt, icons are small, and
    groups fit tightly around their members. A `rough` attempt computes the size only: timelines omit their many
    items. If a plan is `always_rough`, all of its attempts are rough. `spread` is a factor on the usual vertical
    distance of times or lifelines, or on the distance of nodes with stated positions. In a `pressed` attempt, labels
    of lanes have less room, and times of messages are closer together. A `short` attempt aims at the usual maximum
    height in a column. `numbers` is the style of the numbers in cells, by the keys of the timelines. Topologies
    keep the layers of the `earlier` layout. `kept` is a cache that attempts share.
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
    always_rough: bool = False
    spread: float = 1.0
    pressed: bool = False
    short: bool = False
    earlier: LayoutRecord | None = None
    numbers: Mapping[tuple[str, str], Numbers] = NOTHING

    def compute_once(self, make: Callable[[], _T], *about: object) -> _T:
        """Return the result of `make`, computed once for all attempts with equal measures of labels and icons."""
        key = (self.size, self.wrapped, self.limit, self.compact, self.spread, self.short, self.earlier, *about)
        if key not in self.kept:
            self.kept[key] = make()
        found: _T = self.kept[key]
        return found

    @property
    def height_goal(self) -> float | None:
        """Height in cm to reach: stated, or in a `short` attempt the usual maximum in a column; else None."""
        return COLUMN_HEIGHT_CM if self.short else self.figure.greatest_height

    @property
    def sizes_down(self) -> list[float]:
        """Type sizes in pt that a label may have, from the usual size downwards."""
        return [size for size in SIZES if size <= self.size]

    @property
    def icon_share(self) -> float:
        """Factor on the usual size of icons: smaller in a compact attempt unless the style states a size."""
        return _SMALL_ICON_RATIO if self.compact and self.figure.style.icons == 1 else 1.0

    def find_scaled_icon(self, name: str) -> Icon:
        """Return an icon at the size at which it is drawn."""
        return scale_icon(self.icons[name], self.icon_share)

    @property
    def small(self) -> float:
        """Size in pt of labels that are smaller than usual; at least the smallest type size."""
        return max(SIZES[-1], self.size - 1)

    def spelt_size(self, size: float) -> str:
        """Return a size in pt as items store it: empty if it is the usual size."""
        return "" if size == self.size else number(size)

    def measure(self, text: str, *, bold: bool = False, size: float | None = None) -> TextExtent:
        """Return the size of a label in cm; in the paper's font, the larger of the sans and serif sizes."""
        return self.sizes.measure_label(text, self.figure.font.family, bold, size or self.size)

    def largest_size(self, text: str, width: float, height: float = inf) -> float | None:
        """Return the largest type size in pt at which a label fits an area in cm; None if no size fits."""
        for size in self.sizes_down:
            found = self.measure(text, size=size)
            if found.width <= width + 1e-6 and found.total <= height + 1e-6:
                return size
        return None

    def name(self, panel: str, identifier: str) -> str:
        """Return the name of a node; if the figure has several panels, the panel's id precedes it."""
        return f"{panel}-{identifier}" if len(self.figure.panels) > 1 else identifier
