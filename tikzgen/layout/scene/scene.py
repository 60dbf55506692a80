"""Scene: frozen data with all positions, between the description and its TikZ code."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Literal, TypeAlias

from tikzgen.base.record import NOTHING, Record
from tikzgen.layout.page.links_across import Site
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import Length, SymbolicBox, make_length, number
from tikzgen.model.content import Path
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Measured
from tikzgen.model.layout_record import LayoutRecord
from tikzgen.model.looks import FlowKind, Phase
from tikzgen.model.topology import NodeShape
from tikzgen.text import Loan


class Floor(Record):
    """Shortest value of a distance at which no parts overlap: cm, and `multiples` of other distances."""

    cm: float
    multiples: tuple[tuple[str, float], ...] = ()

    def compute_cm(self, values: Mapping[str, float]) -> float:
        """Return the lower bound in cm for given values of the other distances."""
        return max(self.cm, 0.0, *(share * values.get(name, 0.0) for name, share in self.multiples))

    def __str__(self) -> str:
        shares = (str(make_length(name, share)) for name, share in self.multiples)
        return ", ".join([*([number(self.cm, 7)] if self.cm else []), *shares])


class Parameter(Record):
    """A macro at the top of the file."""

    name: str
    value: str
    meaning: str
    type: Literal["length-cm", "text", "text-of-number"]
    floor: Floor | None = None

    @property
    def comment(self) -> str:
        """Text after its definition: meaning, unit and lower bound."""
        unit = " (cm)" if self.type == "length-cm" else ""
        return self.meaning + unit + (f"; parts overlap below {self.floor}" if self.floor else "")

    @property
    def argument(self) -> str:
        """Argument between macro and body: `#1` for the format of a number, else empty."""
        return "#1" if self.type == "text-of-number" else ""

    @property
    def macro(self) -> str:
        return f"\\{self.name}"


class TikzStyle(Record):
    """A named style: `kind` selects its template, `look` holds the colors of flows and phases.

    `spelling` names the template macro that writes it if `styles.tex.j2` does not.
    """

    name: str
    kind: str
    look: FlowKind | Phase | NodeShape | None = None
    spelling: str = "timeline-styles.spelt"


class IconPicture(Record):
    """An icon that the figure uses, with its macro; `scale` is empty at the usual size."""

    macro: str
    icon: str
    color: str
    scale: str


AtLeast = tuple[str, Length]
"""Name of a distance, and its minimum: a number of cm, or a multiple of another distance."""


class PlacedPart(Record):
    """A part of a panel around its own origin.

    A title above it is centered on `axis`. `kind` is the name of its kind. `axes` is the direction of its time, empty
    without time. `sites` are the possible ends of links, by reference, and `outlines` the boxes of their nodes, by
    name. `texts` are the boxes of labels that links should avoid, with the names of the nodes that contain them.
    `edge` is the left edge of its lanes. If `is_named`, the part itself shows the panel's caption. `faults` is the
    weighted number of items without a clear place. `unplaced` counts the labels that more space between lifelines
    would give a clear place.
    """

    items: tuple[Item, ...]
    extent: SymbolicBox
    axis: Length | None = None
    axes: str = ""
    struck: frozenset[str] = frozenset()
    outlines: Mapping[str, SymbolicBox] = NOTHING
    texts: tuple[tuple[str, SymbolicBox], ...] = ()
    sites: Mapping[str, Site] = NOTHING
    kind: str = ""
    edge: Length | None = None
    is_named: bool = False
    faults: float = 0.0
    unplaced: int = 0
    least: tuple[AtLeast, ...] = ()


What: TypeAlias = Literal["label", "number", "flow", "step", "entry"]
"""Type of an element: a label, the number in a cell, a flow, its step, or an entry of the legend."""
Outcome: TypeAlias = Literal["drawn", "short", "counted", "collapsed", "left out"]
"""Result for an element: complete; in its short form; by the numbers next to the lanes; among parts that dots replace;
or left out."""


class Fate(Record):
    """Outcome of one element: its field in the figure, its text, its outcome, its usual name, and the reason."""

    what: What
    path: Path
    text: str
    outcome: Outcome
    meaning: str = ""
    reason: str = ""


class Scene(Record):
    """All data that the templates need to write one file.

    `figure` is the drawn form of the figure, which fits its width. `measured` are the label sizes that the layout
    used, and `layout_record` the layers of nodes. `assumed` explains how the recipe interpreted ambiguous parameters.
    `fates` are the outcomes of labels, numbers, flows and steps. `below` is the extent below the title.
    """

    figure: FigureModel
    parameters: tuple[Parameter, ...]
    palette: Mapping[str, str]
    palette_name: str
    styles: tuple[TikzStyle, ...]
    icons: tuple[IconPicture, ...]
    items: tuple[Item, ...]
    extent: SymbolicBox
    below: SymbolicBox
    libraries: tuple[str, ...]
    packages: tuple[str, ...]
    cjk: bool
    borrowed: tuple[Loan, ...]
    family: str
    size: float
    fixed: bool
    assumed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    measured: tuple[Measured, ...] = ()
    layout_record: LayoutRecord | None = None
    fates: tuple[Fate, ...] = ()

    def floors_in_cm(self, given: Mapping[str, str] = NOTHING) -> dict[str, float]:
        """Return the lower bound of each distance in cm, 0 for none; `given` has other values of distances."""
        lengths = [each for each in self.parameters if each.type == "length-cm"]
        values = {each.name: float(each.value) for each in lengths}
        for name in values.keys() & given.keys():
            with suppress(ValueError):
                values[name] = float(given[name])
        return {each.name: each.floor.compute_cm(values) if each.floor else 0.0 for each in lengths}
