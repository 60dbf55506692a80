"""Figures of distributed systems and training, as standalone TikZ that stays editable.

>>> from tikzgen import recipes
>>> figure = recipes.data_parallel(workers=4)
>>> figure.tex().splitlines()[0]
'\\\\documentclass[border=0pt]{standalone}'
"""

from __future__ import annotations

from tikzgen.base.shipped import VERSION

TYPE_CHECKING = False  # as `typing` has it: whoever ends the command line while it starts sees no import of that

__version__ = VERSION

# Where each public name lives; modules are entered when a name is first used, so that the command line starts quickly.
_HOMES = {
    "Axis": "model.marks",
    "Barrier": "model.marks",
    "Brace": "model.marks",
    "Break": "model.marks",
    "Bubble": "model.marks",
    "DataSource": "model.entities",
    "Dependency": "model.marks",
    "Dimension": "model.marks",
    "Dots": "model.entities",
    "Event": "model.marks",
    "Figure": "api",
    "Flow": "model.topology",
    "FlowKind": "model.look",
    "Frame": "model.marks",
    "Group": "model.topology",
    "Half": "model.timeline_parts",
    "Lane": "model.timeline_parts",
    "LaneGroup": "model.marks",
    "LatexError": "base.errors",
    "Legend": "model.figure",
    "Level": "model.marks",
    "Lifeline": "model.lifelines",
    "Link": "model.figure",
    "Message": "model.lifelines",
    "Node": "model.entities",
    "Panel": "model.figure",
    "Phase": "model.look",
    "Remark": "model.marks",
    "Server": "model.entities",
    "Shard": "model.entities",
    "SpaceTime": "model.spacetime",
    "Span": "model.timeline_parts",
    "SpecError": "base.errors",
    "Strip": "model.marks",
    "Tex": "text",
    "TikzgenError": "base.errors",
    "Timeline": "model.timeline",
    "Topology": "model.topology",
    "Worker": "model.entities",
    "bundle": "paper.bundling",
    "check": "lint.checking",
    "load": "api",
    "loads": "api",
    "metrics": "measures",
    "recipes": "",
    "render": "tikz.render_figure",
    "show": "showing",
}

__all__ = [*sorted(_HOMES), "__version__"]

if TYPE_CHECKING:
    from typing import Any

    from tikzgen import recipes as recipes
    from tikzgen.api import Figure as Figure
    from tikzgen.api import load as load
    from tikzgen.api import loads as loads
    from tikzgen.base.errors import LatexError as LatexError
    from tikzgen.base.errors import SpecError as SpecError
    from tikzgen.base.errors import TikzgenError as TikzgenError
    from tikzgen.lint.checking import check as check
    from tikzgen.measures import metrics as metrics
    from tikzgen.model.entities import DataSource as DataSource
    from tikzgen.model.entities import Dots as Dots
    from tikzgen.model.entities import Node as Node
    from tikzgen.model.entities import Server as Server
    from tikzgen.model.entities import Shard as Shard
    from tikzgen.model.entities import Worker as Worker
    from tikzgen.model.figure import Legend as Legend
    from tikzgen.model.figure import Link as Link
    from tikzgen.model.figure import Panel as Panel
    from tikzgen.model.lifelines import Lifeline as Lifeline
    from tikzgen.model.lifelines import Message as Message
    from tikzgen.model.look import FlowKind as FlowKind
    from tikzgen.model.look import Phase as Phase
    from tikzgen.model.marks import Axis as Axis
    from tikzgen.model.marks import Barrier as Barrier
    from tikzgen.model.marks import Brace as Brace
    from tikzgen.model.marks import Break as Break
    from tikzgen.model.marks import Bubble as Bubble
    from tikzgen.model.marks import Dependency as Dependency
    from tikzgen.model.marks import Dimension as Dimension
    from tikzgen.model.marks import Event as Event
    from tikzgen.model.marks import Frame as Frame
    from tikzgen.model.marks import LaneGroup as LaneGroup
    from tikzgen.model.marks import Level as Level
    from tikzgen.model.marks import Remark as Remark
    from tikzgen.model.marks import Strip as Strip
    from tikzgen.model.spacetime import SpaceTime as SpaceTime
    from tikzgen.model.timeline import Timeline as Timeline
    from tikzgen.model.timeline_parts import Half as Half
    from tikzgen.model.timeline_parts import Lane as Lane
    from tikzgen.model.timeline_parts import Span as Span
    from tikzgen.model.topology import Flow as Flow
    from tikzgen.model.topology import Group as Group
    from tikzgen.model.topology import Topology as Topology
    from tikzgen.paper.bundling import bundle as bundle
    from tikzgen.showing import show as show
    from tikzgen.text import Tex as Tex
    from tikzgen.tikz.render_figure import render as render


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tikzgen' has no attribute {name!r}")
    from importlib import import_module

    home = _HOMES[name]
    if not home:
        return import_module(f"tikzgen.{name}")
    found = getattr(import_module(f"tikzgen.{home}"), name)
    globals()[name] = found
    return found
