"""What a figure's source says, as plain data: each part with its span."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tikzgen.base.record import Record
from tikzgen.texfile.source_text import Error, TextSpan


class Option(Record):
    """A key of an option list; `value` is None where there is no equals sign, and keeps its braces."""

    key: str
    value: str | None
    span: TextSpan
    key_span: TextSpan
    value_span: TextSpan | None


class LoadedPackage(Record):
    r"""A package, a class or a library that is loaded; `command` without its backslash; `span` is the name's."""

    command: str
    name: str
    options: tuple[Option, ...]
    span: TextSpan


class Definition(Record):
    r"""`\def\name#1{value}` and its kin; `comment` is what stands behind it on its line, without the percent sign."""

    command: str
    name: str
    parameters: str
    value: str
    span: TextSpan
    name_span: TextSpan
    value_span: TextSpan
    comment: str = ""


class ParameterBlock(Record):
    """What stands between the two marker lines; `start` and `end` are the spans of those comments."""

    span: TextSpan
    start: TextSpan
    end: TextSpan
    parameters: tuple[Definition, ...]


class Color(Record):
    r"""A colour's definition: `model` is HTML, rgb …, or empty for `\colorlet`."""

    command: str
    name: str
    model: str
    value: str
    span: TextSpan
    value_span: TextSpan


class ColorUse(Record):
    """A colour's name in an expression such as `otblue!20!paper`; `stock` for those that xcolor brings along."""

    name: str
    span: TextSpan
    stock: bool


class ColorLiteral(Record):
    r"""A colour spelt as numbers where it is used: `\color[HTML]{0072B2}`, `fill={rgb,255:red,10;green,20;blue,30}`."""

    model: str
    value: str
    span: TextSpan


class SourceStyle(Record):
    """`name/.style={…}`; `extends` for `/.append style` and `/.prefix style`; `value` lies inside the braces."""

    name: str
    options: tuple[Option, ...]
    span: TextSpan
    name_span: TextSpan
    value_span: TextSpan
    extends: bool
    picture: int | None


class SourcePicture(Record):
    r"""A `tikzpicture` or a `\tikz`; `parent` is the picture around it, `macro` the command that it is the body of."""

    span: TextSpan
    body: TextSpan
    options: tuple[Option, ...]
    parent: int | None
    macro: str | None


class SourceScope(Record):
    """An environment inside a picture: a scope, a layer."""

    name: str
    span: TextSpan
    options: tuple[Option, ...]
    picture: int


class ListEntry(Record):
    """An entry of a list, and its parts where it has several (`1/first`)."""

    text: str
    span: TextSpan
    parts: tuple[TextSpan, ...]


class Loop(Record):
    r"""`\foreach \w/\i in {…}`; `list_span` lies inside the braces; `parent` is the loop around it."""

    variables: tuple[str, ...]
    members: tuple[ListEntry, ...]
    span: TextSpan
    list_span: TextSpan
    body: TextSpan
    picture: int
    parent: int | None


class SourceStatement(Record):
    r"""A path with its semicolon. `command` has no backslash; `picture`, `scope` and `loop` are where it stands."""

    command: str
    span: TextSpan
    options: tuple[Option, ...]
    picture: int
    scope: int | None
    loop: int | None


class SourceCoordinate(Record):
    """What stands in parentheses, without them. A `name` is a node's or a coordinate's own, all others are places."""

    text: str
    span: TextSpan
    kind: Literal["name", "place"]


class SourceNode(Record):
    """A node, a named coordinate or a pic. `name` and `text` may be missing; `inline` where it stands on a path."""

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

    def option(self, key: str) -> Option | None:
        """The last option of this name."""
        return next((option for option in reversed(self.options) if option.key == key), None)


class Reference(Record):
    r"""A node's name where the node is used; `role` tells how; `span` is the name's alone, without the anchor.

    `\w` stands for the name that a loop gives; the loop's list then holds references of the role "list".
    """

    name: str
    anchor: str
    span: TextSpan
    role: Literal["coordinate", "fit", "of", "list"]
    statement: int | None


class SourceFlow(Record):
    """A line from one named node to another; `operator` is `--`, `to`, `edge` …; `labels` are indices of nodes."""

    source: Reference
    target: Reference
    operator: str
    options: tuple[Option, ...]
    labels: tuple[int, ...]
    span: TextSpan
    statement: int
    style: str = ""


class Inclusion(Record):
    """A file that the figure takes in."""

    command: str
    path: str
    span: TextSpan


@dataclass
class Collected:
    """What is found, each kind in the order of the file; `settings` are option lists, which may name colours.

    `others` are the commands that stand between paths and begin none.
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
