"""Data types for the contents of a TeX source: each item with its span."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tikzgen.base.record import Record
from tikzgen.texfile.source_text import Error, TextSpan


class Option(Record):
    """Key of an option list; `value` includes its braces, and is missing (None) without an `=`."""

    key: str
    value: str | None
    span: TextSpan
    key_span: TextSpan
    value_span: TextSpan | None


class LoadedPackage(Record):
    r"""Loaded package, class or library; `command` has no backslash; `span` covers the name."""

    command: str
    name: str
    options: tuple[Option, ...]
    span: TextSpan


class Definition(Record):
    r"""`\def\name#1{value}` or a similar definition; `comment` is the comment after it, without `%`."""

    command: str
    name: str
    parameters: str
    value: str
    span: TextSpan
    name_span: TextSpan
    value_span: TextSpan
    comment: str = ""


class ParameterBlock(Record):
    """Block between the two marker lines; `start` and `end` are the spans of those comments."""

    span: TextSpan
    start: TextSpan
    end: TextSpan
    parameters: tuple[Definition, ...]


class Color(Record):
    r"""Definition of a color: `model` is HTML, rgb …, or empty for `\colorlet`."""

    command: str
    name: str
    model: str
    value: str
    span: TextSpan
    value_span: TextSpan


class ColorUse(Record):
    """Color name in an expression such as `otblue!20!paper`; `stock` marks colors of xcolor."""

    name: str
    span: TextSpan
    stock: bool


class ColorLiteral(Record):
    r"""Color given as numbers: `\color[HTML]{0072B2}`, `fill={rgb,255:red,10;green,20;blue,30}`."""

    model: str
    value: str
    span: TextSpan


class SourceStyle(Record):
    """`name/.style={…}`; `extends` for `/.append style` and `/.prefix style`; `value_span` is inside the braces."""

    name: str
    options: tuple[Option, ...]
    span: TextSpan
    name_span: TextSpan
    value_span: TextSpan
    extends: bool
    picture: int | None


class SourcePicture(Record):
    r"""`tikzpicture` or `\tikz`; `parent` is the picture around it, `macro` the command with it as the body."""

    span: TextSpan
    body: TextSpan
    options: tuple[Option, ...]
    parent: int | None
    macro: str | None


class SourceScope(Record):
    """Environment inside a picture: a scope, a layer."""

    name: str
    span: TextSpan
    options: tuple[Option, ...]
    picture: int


class ListEntry(Record):
    """Entry of a list, and its parts, such as `1/first`."""

    text: str
    span: TextSpan
    parts: tuple[TextSpan, ...]


class Loop(Record):
    r"""`\foreach \w/\i in {…}`; `list_span` is inside the braces; `parent` is the loop around it."""

    variables: tuple[str, ...]
    members: tuple[ListEntry, ...]
    span: TextSpan
    list_span: TextSpan
    body: TextSpan
    picture: int
    parent: int | None


class SourceStatement(Record):
    r"""Path with its semicolon; `command` has no backslash; `picture`, `scope` and `loop` contain it."""

    command: str
    span: TextSpan
    options: tuple[Option, ...]
    picture: int
    scope: int | None
    loop: int | None


class SourceCoordinate(Record):
    """Contents of parentheses. A `name` is a node or a named coordinate, everything else a `place`."""

    text: str
    span: TextSpan
    kind: Literal["name", "place"]


class SourceNode(Record):
    """Node, named coordinate or pic. `name` and `text` may be missing; `inline` means that it is on a path."""

    kind: str
    name: str | None
    name_span: TextSpan | None
    at: SourceCoordinate | None
    options: tuple[Option, ...]
    text: str | None
    text_span: TextSpan | None
    span: TextSpan
    statement: int
    inline: bool


class Reference(Record):
    r"""Use of a node's name with its `role`; `span` is the span of the name, without the anchor.

    `\w` represents the name that a loop assigns; the loop's list then has references of the role "list".
    """

    name: str
    anchor: str
    span: TextSpan
    role: Literal["coordinate", "fit", "of", "list"]
    statement: int | None


class SourceFlow(Record):
    """Line from one named node to another; `operator` is `--`, `to`, `edge` …; `labels` are indices of nodes."""

    source: Reference
    target: Reference
    operator: str
    options: tuple[Option, ...]
    labels: tuple[int, ...]
    span: TextSpan
    statement: int
    style: str = ""


class Inclusion(Record):
    """File that the figure includes."""

    command: str
    path: str
    span: TextSpan


@dataclass
class Collected:
    """Items found so far, by kind in the order of the file; `settings` are option lists with possible colors.

    `others` are the commands between paths that do not begin a path.
    """

    loaded: list[LoadedPackage] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    colors: list[Color] = field(default_factory=list)
    inclusions: list[Inclusion] = field(default_factory=list)
    styles: list[SourceStyle] = field(default_factory=list)
    settings: list[tuple[Option, ...]] = field(default_factory=list)
    others: list[TextSpan] = field(default_factory=list)
    pictures: list[SourcePicture] = field(default_factory=list)
    scopes: list[SourceScope] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    statements: list[SourceStatement] = field(default_factory=list)
    nodes: list[SourceNode] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    flows: list[SourceFlow] = field(default_factory=list)
    errors: list[Error] = field(default_factory=list)
