"""Operations on any figure: parameters, labels, names, colors, spacing, title, legend, width."""

from typing import ClassVar, Literal

from pydantic import Field

from tikzgen.base.errors import EditRefused, quote
from tikzgen.base.suggest import suggest_known_names
from tikzgen.model.content import Content
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks.palettes import Color, PaletteName
from tikzgen.model.looks.phase_and_flow_looks import FlowKind, Phase
from tikzgen.model.looks.widths import Width as AnyWidth
from tikzgen.model.operations.operation_model import Name, Operation
from tikzgen.model.operations.parts_of_figures import (
    Renames,
    changed_parts,
    copy_with,
    ids_in,
    iterate_entries,
    with_renamed,
)
from tikzgen.model.operations.text_fields import path_of_text, with_value_at
from tikzgen.model.part import Id
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.model.timeline.timeline_operations import LANES
from tikzgen.model.topology.entities import Entity
from tikzgen.model.topology.node_operations import NODES
from tikzgen.model.topology.topology import Topology
from tikzgen.text import Tex, Text


class Set(Operation):
    """Give a parameter another value."""

    do: Literal["set"]
    parameter: Name
    """Name of the parameter, without its backslash."""
    value: str | float | Tex
    """New value: a number in the parameter's unit, or a string."""

    hand = "change the value between the braces of its line; {values}"
    names: ClassVar = {"parameter": "parameters"}
    of_others = "always"


class SetText(Operation):
    """Change a label by its address in the figure."""

    do: Literal["set-text"]
    at: list[Name] = Field(min_length=1)
    """Address of the text, such as `panels.main.caption` or `phases.forward.label`; several addresses get the same
    text."""
    text: Text
    """New text."""

    hand = "edit the macro of the text, whose comment names its position"
    about = ("at",)

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the label at all given locations."""
        for place in self.at:
            figure = with_value_at(figure, path_of_text(figure, place), self.text)
        return figure


class RenameNode(Operation):
    """Change the label of a node, a lane, a group or a flow; its name and all flows stay."""

    do: Literal["rename-node"]
    node: Name
    """Node, lane, group or flow."""
    label: Text
    """New label."""

    hand = "edit the matching label macro ({labels})"
    names: ClassVar = {"node": "labelled"}
    of_others = "always"
    about = ("node",)

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the new label on every part with this id, in every panel."""
        hit = False
        for number, panel in enumerate(figure.panels):
            for place, content in enumerate(panel.content):
                for field, index, entry in iterate_entries(content):
                    if getattr(entry, "id", None) == self.node and "label" in type(entry).model_fields:
                        way = ("panels", number, "content", place, field, index, "label")
                        figure, hit = with_value_at(figure, way, self.label), True
        if not hit:
            raise _no_node(figure, self.node)
        return figure


class RenameId(Operation):
    """Change the name of a node, a span or a lane and every reference to it; its label stays."""

    do: Literal["rename-id"]
    old: Name
    """Node, span or lane."""
    new: Id
    """New name: letters, digits, single hyphens."""

    hand = "change the name in its node and in all flows, lists and positions"
    names: ClassVar = {"old": "named"}
    of_others = "always"
    undoes = ("rename-id",)

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the new id in place of the old one and in every reference to it."""
        if self.old == self.new:
            return figure
        known = [name for panel in figure.panels for content in panel.content for name in ids_in(content)]
        figure = changed_parts(figure, Content, self._rename_in) or figure
        if self.old not in known:
            ids = ", ".join(dict.fromkeys(known))
            raise EditRefused("no-node", f"unknown node {quote(self.old)}", nearest=f"the ids are {ids}")
        return figure

    def _rename_in(self, content: Content) -> tuple[Content, Renames] | None:
        ids = ids_in(content)
        if self.old not in ids:
            made = with_renamed(content, {self.old: self.new})  # a lane may name a worker of another part
            return None if made is content else (made, {})
        if self.new in ids:
            message = f"there is a {quote(self.new)} already"
            raise EditRefused("name-taken", message, invariant="every id names one node")
        renames: Renames = {self.old: self.new}
        made = with_renamed(content, renames)
        # Names of spans contain their lane, names of messages their lifeline.
        before, after = ([name for name, _ in part.named_parts()] for part in (content, made))
        renames = {**dict(zip(before, after, strict=True)), **renames}
        return with_renamed(content, renames), renames


class Recolor(Operation):
    """Give a kind of flow, a phase or a style another color."""

    do: Literal["recolor"]
    what: Name
    """Flow kind, phase, style or node."""
    color: Color
    """New color."""

    hand = "change the palette name in {looks}{keep}; never inline hex"
    needs = ("colored",)
    names: ClassVar = {"what": "recolored"}
    of_others = "always"
    about = ("what",)

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the color on all flows of the kind, all spans of the phase, or the node."""
        kinds, phases = kinds_of(figure), phases_of(figure)
        for field, known, usual in (("kinds", kinds, FlowKind()), ("phases", phases, Phase())):
            if self.what in known:
                looks = getattr(figure, field)
                look = looks.get(self.what, usual).with_color(self.color)
                return copy_with(figure, **{field: {**looks, self.what: look}})
        made = changed_parts(figure, Topology, self._recolor_in)
        if made is None:
            names = ", ".join([*sorted(kinds), *sorted(phases)])
            message = f"unknown kind of flow, phase or node {quote(self.what)}"
            raise EditRefused("nothing-such", message, nearest=f"there are {names}")
        return made

    def _recolor_in(self, topology: Topology) -> tuple[Topology, Renames] | None:
        found = [node for node in topology.nodes if isinstance(node, Entity) and node.id == self.what]
        nodes = [copy_with(node, color=self.color) if node in found else node for node in topology.nodes]
        return (copy_with(topology, nodes=nodes), {}) if found else None


class ChangeSpacing(Operation):
    """Change a distance; all positions follow."""

    do: Literal["change-spacing"]
    parameter: Name
    """Name of the distance, without its backslash."""
    value: float = Field(ge=0, le=40)
    """New distance, in cm."""

    hand = "edit {lengths}; all positions are derived from them"
    names: ClassVar = {"parameter": "lengths"}
    of_others = "always"


class Palette(Operation):
    """Use the colors for white pages, or for dark slides."""

    do: Literal["palette"]
    palette: PaletteName
    """Colors for a white page (`light`) or for dark slides (`dark`)."""

    hand = "change the values in the block of colors: nothing else differs"
    of_others = "always"


class Width(Operation):
    """Fit the figure to a width by its spacing."""

    do: Literal["width"]
    width: AnyWidth | None
    """Width in cm, with a unit (3.25in), or a venue's name; null takes the natural width."""

    hand = "shorten the distances until it is as wide as the column; never resize the picture"


class SetTitle(Operation):
    """Set or remove the title of the figure."""

    do: Literal["set-title"]
    title: Text
    """Title above the figure; empty removes it."""

    hand = r"edit \titlelabel; without one, add its macro and a node above the figure"


class SetLegend(Operation):
    """Move or remove the legend, or order its entries."""

    do: Literal["set-legend"]
    position: Literal["top", "bottom", "none"] | None = None
    """Position of the legend; `none` removes it."""
    entries: list[Name] | None = None
    """Phases in the legend, in order; null lists all phases that have a label."""

    hand = "move the nodes of the legend, each with its swatch; remove entries"
    needs = ("phases",)
    names: ClassVar = {"entries": "phases"}
    about = ("do",)

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the given fields of the legend."""
        if not phases_of(figure):
            raise EditRefused("no-phases", "the figure has no phases, which a legend explains", nearest="set-title")
        for phase in self.entries or ():
            if phase not in phases_of(figure):
                hint = suggest_known_names(phase, sorted(phases_of(figure)), "the phases are")
                raise EditRefused("no-phase", f"the figure has no phase {quote(phase)}", nearest=hint)
        given = self.given_arguments()
        if given.get("position", "") is None:
            del given["position"]
        return copy_with(figure, legend=copy_with(figure.legend, **given))


def kinds_of(figure: FigureModel) -> set[str]:
    """Return the flow kinds in a figure."""
    return {kind for panel in figure.panels for content in panel.content for kind, _ in content.flow_kinds()}


def map_styles_to_kinds(figure: FigureModel) -> dict[str, str]:
    """Return the flow kinds in a figure by their TikZ styles."""
    return {figure.kind(kind).tikz_style(kind): kind for kind in kinds_of(figure)}


def phases_of(figure: FigureModel) -> set[str]:
    """Return the phases in a figure; a timeline always has `idle`."""
    found = {phase for panel in figure.panels for content in panel.content for phase, _ in content.phases()}
    return found | {"idle" for _ in figure.parts(Timeline)}


def _no_node(figure: FigureModel, name: str) -> EditRefused:
    known = ", ".join(dict.fromkeys([*NODES.names_in(figure), *LANES.names_in(figure)]))
    return EditRefused("no-node", f"unknown node {quote(name)}", nearest=f"the nodes are {known}")


FIGURE_OPERATIONS: tuple[type[Operation], ...] = (
    Set,
    SetText,
    RenameNode,
    RenameId,
    Recolor,
    ChangeSpacing,
    Palette,
    Width,
    SetTitle,
    SetLegend,
)
