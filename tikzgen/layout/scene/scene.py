"""What stands where: plain frozen data between the description and its spelling in TikZ."""

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
    """The shortest distance at which nothing overlaps, in cm."""

    @property
    def argument(self) -> str:
        """What stands between the macro and its body: the format of a number takes the number."""
        return "#1" if self.type == "text-of-number" else ""

    @property
    def macro(self) -> str:
        return f"\\{self.name}"


class TikzStyle(Record):
    """A named style; `kind` picks how it is spelt, `look` holds the colours of flows and phases.

    `spelling` names the macro that spells it where `styles.tex.j2` does not.
    """

    name: str
    kind: str
    look: FlowKind | Phase | NodeShape | None = None
    spelling: str = "timeline-styles.spelt"


class IconPicture(Record):
    """An icon that the figure uses, with the macro that draws it; `scale` is empty where it has its usual size."""

    macro: str
    icon: str
    color: str
    scale: str


AtLeast = tuple[str, Length]
"""The name of a distance, and what it is at least where a hand changes it: a number of cm, or a multiple of another."""


class PlacedPart(Record):
    """A part of a panel around its own origin; `axis` is what a title above it is centred on.

    `kind` is the name of its kind, `axes` the direction of its time, empty where it has none. `sites` are what links
    can end on, by reference, and `outlines` the places of their nodes, by name; `texts` are the places of the texts
    that links had better pass clear of, with the names of the nodes that they are in. `edge` is the left edge of its
    lanes, and `is_named` tells that it says the panel's caption itself. `faults` weighs what has no clear place in it,
    `unplaced` counts the texts that would have one if lifelines lay farther apart.
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
    """What a macro is at least, however short a hand makes it: cm, or a multiple of another one."""

    macro: str
    length: str


What: TypeAlias = Literal["label", "number", "flow", "step", "entry"]
"""A text, the number in a cell, a flow, its step, an entry of the legend."""
Outcome: TypeAlias = Literal["drawn", "short", "counted", "collapsed", "left out"]
"""As it is; in its short form; by the numbers beside the lanes; among parts that dots stand for; not at all."""


class Fate(Record):
    """What became of one of them: its field in the figure, its text, and what people call it."""

    what: What
    path: Path
    text: str
    outcome: Outcome
    meaning: str = ""


class Scene(Record):
    """All that the templates need to write one file; `measured` are the sizes that it rests on.

    `figure` is what is drawn: the form of the figure that fits its width. `assumed` says how its recipe took facts that
    may mean several things. `fates` say what became of each text, number, flow and step.
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
