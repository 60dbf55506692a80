"""Inventory of a figure as plain data. Lines and columns count from 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from tikzgen.base.record import Record

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel


class ParameterInFile(Record):
    """A macro at the top of the file, with None for an unknown `default`.

    `least` and `most` bound its value, in `unit`. If `over_least`, the value must be larger than `least`.
    """

    name: str
    type: str
    unit: str
    value: str
    default: str | None
    meaning: str
    least: float | None
    over_least: bool
    most: float | None
    line: int
    column: int


class NodeInFile(Record):
    """A named node; `id` is its name without the panel's. `labels` are its label macros, `icon` its picture.

    `kind` is `node`, `coordinate` (a point with a name), `pic` or `matrix`.
    """

    name: str
    id: str
    kind: str
    panel: str
    label: str
    labels: tuple[str, ...]
    styles: tuple[str, ...]
    icon: str
    line: int
    column: int


class NodeFamily(Record):
    """Numbered nodes: `pattern` is `w{n}`.

    `listed` is true if a loop names them. Without a bound, `most` has the value None.
    """

    pattern: str
    kind: Literal["worker", "series"]
    members: tuple[str, ...]
    least: int
    most: int | None
    listed: bool


class FlowInFile(Record):
    """A line from one node to another. `label` is its macros or text; `loop` is true if a loop draws it."""

    source: str
    target: str
    style: str
    label: str
    loop: bool
    line: int
    column: int


class StyleInFile(Record):
    """A style and the colors in it."""

    name: str
    colors: tuple[str, ...]
    value: str
    line: int
    column: int


class Colour(Record):
    """A color that the file defines; `value` as written, `model` such as HTML or rgb."""

    name: str
    model: str
    value: str
    line: int
    column: int


class Requires(Record):
    """Document class, packages and libraries that the file loads."""

    document_class: str
    packages: tuple[str, ...]
    libraries: tuple[str, ...]


class Origin(Record):
    """Origin of the figure.

    `kind` is the type of the embedded description, None without one. `untouched` is true if the file equals tikzgen's
    output. `trouble` is the reason why a description is unusable.
    """

    kind: Literal["recipe", "figure"] | None = None
    recipe: str = ""
    format: int | None = None
    digest: str = ""
    untouched: bool = False
    trouble: str = ""


class HandEdit(Record):
    """A change since tikzgen wrote the file. `name` is set for a parameter; `line` is its current line."""

    kind: Literal["parameter", "changed", "added", "removed"]
    name: str
    before: str
    after: str
    line: int


class TexProblem(Record):
    """A TeX error in the source."""

    message: str
    line: int
    column: int


class Inventory(Record):
    """Contents of a figure; `hand_edits` equals None if the edits are unknown or were not requested."""

    file: str
    digest: str
    origin: Origin
    contract: str
    contract_prose: Mapping[str, str]
    parameters: tuple[ParameterInFile, ...]
    nodes: tuple[NodeInFile, ...]
    families: tuple[NodeFamily, ...]
    flows: tuple[FlowInFile, ...]
    lanes: tuple[str, ...]
    styles: tuple[StyleInFile, ...]
    colors: tuple[Colour, ...]
    icons: tuple[str, ...]
    requires: Requires
    hand_edits: tuple[HandEdit, ...] | None
    problems: tuple[TexProblem, ...]
    description: dict[str, Any] | None
    """Description in the file, if it is usable."""
    figure: FigureModel | None
    """Figure of the description, if it was requested and the description is valid."""
    title: str
    """Name of the figure in its metadata file."""
    summary: str
    """Summary of the figure in its metadata file."""

    @property
    def own(self) -> bool:
        """Whether the figure can be rendered again from the embedded description."""
        return self.description is not None
