"""What a figure holds, as plain data: lines and columns count from 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from tikzgen.base.record import Record

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel


class ParameterInFile(Record):
    """A macro at the top. `default` is None where nothing tells it.

    `least` and `most` bound its value, in `unit`; `over_least` where the least value is not allowed itself.
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
    """A named node; `id` is its name without the panel's. `labels` are the macros of its texts, `icon` its picture.

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
    """Nodes that are counted: `pattern` is `w{n}`. `listed` where a loop names them; `most` is None without a bound."""

    pattern: str
    kind: Literal["worker", "series"]
    members: tuple[str, ...]
    least: int
    most: int | None
    listed: bool


class FlowInFile(Record):
    """A line from one node to another; `label` are the macros or the words beside it; `loop` where a loop draws it."""

    source: str
    target: str
    style: str
    label: str
    loop: bool
    line: int
    column: int


class StyleInFile(Record):
    """A style and the colours in it."""

    name: str
    colors: tuple[str, ...]
    value: str
    line: int
    column: int


class Colour(Record):
    """A colour that the file defines; `value` as it is written, `model` HTML, rgb …"""

    name: str
    model: str
    value: str
    line: int
    column: int


class Requires(Record):
    """What the file loads."""

    document_class: str
    packages: tuple[str, ...]
    libraries: tuple[str, ...]


class Origin(Record):
    """Where the figure comes from.

    `kind` is what the description inside is; None without one. `untouched` where the file is what tikzgen wrote;
    `trouble` says why a description cannot be used.
    """

    kind: Literal["recipe", "figure"] | None = None
    recipe: str = ""
    format: int | None = None
    digest: str = ""
    untouched: bool = False
    trouble: str = ""


class HandEdit(Record):
    """A change since tikzgen wrote the file. A parameter's is named; `line` is where it stands now."""

    kind: Literal["parameter", "changed", "added", "removed"]
    name: str
    before: str
    after: str
    line: int


class TexProblem(Record):
    """What TeX would stumble over."""

    message: str
    line: int
    column: int


class Inventory(Record):
    """All that a figure holds. `hand_edits` is None where nobody can tell what was written by hand."""

    file: str
    digest: str
    origin: Origin
    contract: str
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
    """The description inside, where it can be used."""
    figure: FigureModel | None
    """What it makes, where somebody asked for that and it makes one."""
    title: str
    """What the metadata beside the figure call it."""
    summary: str
    """What they say that it shows."""

    @property
    def own(self) -> bool:
        """Whether the figure can be rendered again from the description inside."""
        return self.description is not None
