"""Figures of distributed systems and training, as standalone TikZ that stays editable.

>>> from tikzgen import recipes
>>> figure = recipes.data_parallel(workers=4)
>>> figure.tex().splitlines()[0]
'\\\\documentclass[border=0pt]{standalone}'
"""

from __future__ import annotations

from tikzgen.base.version_and_cache_folder import VERSION

TYPE_CHECKING = False  # assigned here, because importing `typing` delays handling of Ctrl-C at the start

__version__ = VERSION

# Home of each public name. Modules are loaded at first use of a name, so that the command line starts quickly.
_HOMES = {
    name: home
    for home, names in {
        "": "recipes",
        "api": "Figure bundle load loads render",
        "base.errors": "EditRefused FileMissing FileRefused InvalidSchedule LatexError LatexMissing PartRefused Place "
        "Problem SpecError TikzgenError",
        "lint.check_figure": "check",
        "lint.registry": "Finding Severity",
        "lint.measures": "PanelMeasures Report metrics",
        "model.content": "FreeNote",
        "model.figure_options": "Font Measured Meta RawTex",
        "model.panel_parts": "Legend Link Panel",
        "model.slides": "Slides",
        "model.topology": "Auto Bar DataSource Dots Flow Grid Group LayoutHint Levels Line Node Pin Ring Server Shard "
        "Star Topology TopologyBrace Tree Worker",
        "model.looks": "FlowKind Phase Spacing Style",
        "model.timeline": "Axis Barrier Brace Break Bubble Dependency Dimension Event Frame Half Lane LaneGroup "
        "Level Remark Rules Span Strip Tick Timeline",
        "model.spacetime": "Activation Case Cut HappenedBefore LifeEvent LifeNote Lifeline Message Region Separator "
        "SpaceTime",
        "model.cells": "BarPart CellArray CellBrace CellEntry CellFlow CellKey CellLine CellMark CellRegion Cells "
        "Header HeaderGroup LayerHeader Ramp SizeAxis SizeBar SizeLimit",
        "edit.show_figure": "show",
        "text": "Tex",
    }.items()
    for name in names.split()
}

__all__ = [*sorted(_HOMES), "__version__"]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Register the cell magic `%%tikzgen`, whose cells are specs; called by `%load_ext tikzgen`."""
    from tikzgen.serve.sites.jupyter import add_magic

    add_magic(shell)


if TYPE_CHECKING:
    from typing import Any

    from IPython.core.interactiveshell import InteractiveShell

    from tikzgen import recipes as recipes
    from tikzgen.api import Figure as Figure
    from tikzgen.api import bundle as bundle
    from tikzgen.api import load as load
    from tikzgen.api import loads as loads
    from tikzgen.api import render as render
    from tikzgen.base.errors import EditRefused as EditRefused
    from tikzgen.base.errors import FileMissing as FileMissing
    from tikzgen.base.errors import FileRefused as FileRefused
    from tikzgen.base.errors import InvalidSchedule as InvalidSchedule
    from tikzgen.base.errors import LatexError as LatexError
    from tikzgen.base.errors import LatexMissing as LatexMissing
    from tikzgen.base.errors import PartRefused as PartRefused
    from tikzgen.base.errors import Place as Place
    from tikzgen.base.errors import Problem as Problem
    from tikzgen.base.errors import SpecError as SpecError
    from tikzgen.base.errors import TikzgenError as TikzgenError
    from tikzgen.edit.show_figure import show as show
    from tikzgen.lint.check_figure import check as check
    from tikzgen.lint.measures import PanelMeasures as PanelMeasures
    from tikzgen.lint.measures import Report as Report
    from tikzgen.lint.measures import metrics as metrics
    from tikzgen.lint.registry import Finding as Finding
    from tikzgen.lint.registry import Severity as Severity
    from tikzgen.model.cells import BarPart as BarPart
    from tikzgen.model.cells import CellArray as CellArray
    from tikzgen.model.cells import CellBrace as CellBrace
    from tikzgen.model.cells import CellEntry as CellEntry
    from tikzgen.model.cells import CellFlow as CellFlow
    from tikzgen.model.cells import CellKey as CellKey
    from tikzgen.model.cells import CellLine as CellLine
    from tikzgen.model.cells import CellMark as CellMark
    from tikzgen.model.cells import CellRegion as CellRegion
    from tikzgen.model.cells import Cells as Cells
    from tikzgen.model.cells import Header as Header
    from tikzgen.model.cells import HeaderGroup as HeaderGroup
    from tikzgen.model.cells import LayerHeader as LayerHeader
    from tikzgen.model.cells import Ramp as Ramp
    from tikzgen.model.cells import SizeAxis as SizeAxis
    from tikzgen.model.cells import SizeBar as SizeBar
    from tikzgen.model.cells import SizeLimit as SizeLimit
    from tikzgen.model.content import FreeNote as FreeNote
    from tikzgen.model.figure_options import Font as Font
    from tikzgen.model.figure_options import Measured as Measured
    from tikzgen.model.figure_options import Meta as Meta
    from tikzgen.model.figure_options import RawTex as RawTex
    from tikzgen.model.looks import FlowKind as FlowKind
    from tikzgen.model.looks import Phase as Phase
    from tikzgen.model.looks import Spacing as Spacing
    from tikzgen.model.looks import Style as Style
    from tikzgen.model.panel_parts import Legend as Legend
    from tikzgen.model.panel_parts import Link as Link
    from tikzgen.model.panel_parts import Panel as Panel
    from tikzgen.model.slides import Slides as Slides
    from tikzgen.model.spacetime import Activation as Activation
    from tikzgen.model.spacetime import Case as Case
    from tikzgen.model.spacetime import Cut as Cut
    from tikzgen.model.spacetime import HappenedBefore as HappenedBefore
    from tikzgen.model.spacetime import LifeEvent as LifeEvent
    from tikzgen.model.spacetime import Lifeline as Lifeline
    from tikzgen.model.spacetime import LifeNote as LifeNote
    from tikzgen.model.spacetime import Message as Message
    from tikzgen.model.spacetime import Region as Region
    from tikzgen.model.spacetime import Separator as Separator
    from tikzgen.model.spacetime import SpaceTime as SpaceTime
    from tikzgen.model.timeline import Axis as Axis
    from tikzgen.model.timeline import Barrier as Barrier
    from tikzgen.model.timeline import Brace as Brace
    from tikzgen.model.timeline import Break as Break
    from tikzgen.model.timeline import Bubble as Bubble
    from tikzgen.model.timeline import Dependency as Dependency
    from tikzgen.model.timeline import Dimension as Dimension
    from tikzgen.model.timeline import Event as Event
    from tikzgen.model.timeline import Frame as Frame
    from tikzgen.model.timeline import Half as Half
    from tikzgen.model.timeline import Lane as Lane
    from tikzgen.model.timeline import LaneGroup as LaneGroup
    from tikzgen.model.timeline import Level as Level
    from tikzgen.model.timeline import Remark as Remark
    from tikzgen.model.timeline import Rules as Rules
    from tikzgen.model.timeline import Span as Span
    from tikzgen.model.timeline import Strip as Strip
    from tikzgen.model.timeline import Tick as Tick
    from tikzgen.model.timeline import Timeline as Timeline
    from tikzgen.model.topology import Auto as Auto
    from tikzgen.model.topology import Bar as Bar
    from tikzgen.model.topology import DataSource as DataSource
    from tikzgen.model.topology import Dots as Dots
    from tikzgen.model.topology import Flow as Flow
    from tikzgen.model.topology import Grid as Grid
    from tikzgen.model.topology import Group as Group
    from tikzgen.model.topology import LayoutHint as LayoutHint
    from tikzgen.model.topology import Levels as Levels
    from tikzgen.model.topology import Line as Line
    from tikzgen.model.topology import Node as Node
    from tikzgen.model.topology import Pin as Pin
    from tikzgen.model.topology import Ring as Ring
    from tikzgen.model.topology import Server as Server
    from tikzgen.model.topology import Shard as Shard
    from tikzgen.model.topology import Star as Star
    from tikzgen.model.topology import Topology as Topology
    from tikzgen.model.topology import TopologyBrace as TopologyBrace
    from tikzgen.model.topology import Tree as Tree
    from tikzgen.model.topology import Worker as Worker
    from tikzgen.text import Tex as Tex

if not TYPE_CHECKING:  # type checkers use the imports above

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'tikzgen' has no attribute {name!r}")
        from importlib import import_module

        home = _HOMES[name]
        if not home:
            return import_module(f"tikzgen.{name}")
        if home.startswith("model.") or name == "Figure":
            import_module("tikzgen.spec.errors.error_places").speak_plainly()
        found = getattr(import_module(f"tikzgen.{home}"), name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return __all__
