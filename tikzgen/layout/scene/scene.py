"""Scene: frozen data with all positions, between the description and its TikZ code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from tikzgen.base.record import NOTHING, Record
from tikzgen.layout.page.links_across import Site
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import Length, SymbolicBox
from tikzgen.model.content import Path
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Measured
from tikzgen.model.looks import FlowKind, Phase
from tikzgen.model.topology.node_shapes import NodeShape
from tikzgen.text import Loan


class Parameter(Record):
    """A macro at the top of the file."""

    name: str
    value: str
    meaning: str
    type: Literal["length-cm", "text", "text-of-number"]
    least: float | None = None
    """Shortest distance without overlaps, in cm."""

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
"""Name of a distance, and its minimum after a manual edit: a number of cm, or a multiple of another distance."""


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


class Least(Record):
    """Lower limit of a macro that a manual edit cannot undercut: cm, or a multiple of another macro."""

    macro: str
    length: str


What: TypeAlias = Literal["label", "number", "flow", "step", "entry"]
"""Type of an element: a label, the number in a cell, a flow, its step, or an entry of the legend."""
Outcome: TypeAlias = Literal["drawn", "short", "counted", "collapsed", "left out"]
"""Result for an element: complete; in its short form; by the numbers next to the lanes; among parts that dots replace;
or left out."""


class Fate(Record):
    """Outcome of one element: its field in the figure, its text, its outcome, and its usual name."""

    what: What
    path: Path
    text: str
    outcome: Outcome
    meaning: str = ""


class Scene(Record):
    """All data that the templates need to write one file.

    `figure` is the drawn form of the figure, which fits its width. `measured` are the label sizes that the layout
    used. `assumed` explains how the recipe interpreted ambiguous parameters. `fates` are the outcomes of labels,
    numbers, flows and steps.
    """

    figure: FigureModel
    parameters: tuple[Parameter, ...]
    least: tuple[Least, ...]
    palette: Mapping[str, str]
    palette_name: str
    styles: tuple[TikzStyle, ...]
    icons: tuple[IconPicture, ...]
    items: tuple[Item, ...]
    extent: SymbolicBox
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
    fates: tuple[Fate, ...] = ()
