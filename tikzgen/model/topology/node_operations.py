"""Operations on the nodes of a topology: add, change, remove and move them."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar, Literal

from pydantic import Field

from tikzgen.base.errors import EditRefused, quote
from tikzgen.model.figure import FigureModel
from tikzgen.model.operations.operation_model import Name, Operation
from tikzgen.model.operations.parts_of_figures import (
    Named,
    Renames,
    changed_first,
    changed_parts,
    copy_with,
    list_entry_ids,
)
from tikzgen.model.operations.removed_entity import ids_of, without_entity
from tikzgen.model.operations.worker_operations import WORKERS, RemoveWorker, insert_after
from tikzgen.model.topology.entities import DataSource, Dots, Entity, Node, Pin, Server, ShapeName, Shift, State, Worker
from tikzgen.model.topology.topology import Topology
from tikzgen.model.topology.topology_layouts import Auto
from tikzgen.text import Text

_KINDS: dict[str, type[Entity]] = {"node": Node, "server": Server, "data-source": DataSource}


def list_entities(topology: Topology) -> list[Entity]:
    """Return its nodes, without ellipses."""
    return [node for node in topology.nodes if isinstance(node, Entity)]


NODES = Named(Topology, "nodes", "node", lambda part: [node.id for node in list_entities(part)])
GROUPS = Named(
    Topology, "groups", "frame", lambda part: list_entry_ids(part.groups), otherwise="the figure has no frames"
)


def _where_it_stands(
    figure: FigureModel, node: str, change: Callable[[Topology], tuple[Topology, Renames]]
) -> FigureModel:
    """Return the figure with every topology changed that has a node of this name, not an ellipsis.

    Raise `EditRefused` if there is no such node.
    """
    made = changed_parts(figure, Topology, lambda part: change(part) if node in NODES.names(part) else None)
    if made is None:
        raise EditRefused("no-node", f"unknown node {quote(node)}", nearest=NODES.suggest_name(figure, node))
    return made


class AddNode(Operation):
    """Add a node, a server or a data source; `add-worker` adds workers."""

    do: Literal["add-node"]
    node: Name
    """Name of the new node."""
    kind: Literal["node", "server", "data-source"] = "node"
    """Kind of the node."""
    label: Text = ""
    """Label of the node."""
    icon: str | None = None
    """Icon of the node; by default the icon of its kind, or a box."""
    shape: ShapeName | None = None
    """Shape around the label."""
    group: Name | None = None
    """Group that contains the node."""

    hand = "declare a node of that name with its label; for a group, add it to the nodes that the group fits"
    needs = ("nodes",)
    names: ClassVar = {"icon": "icons", "group": "groups"}
    of_others = "by contract"
    undoes = ("remove-node",)
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the node last in the first topology, or in the first one with the group."""

        def add_node(topology: Topology) -> tuple[Topology, Renames] | None:
            if self.group is not None and all(group.id != self.group for group in topology.groups):
                return None
            if self.node in ids_of(topology):
                raise EditRefused("name-taken", f"{quote(self.node)} is taken", nearest="choose another id")
            facts = {
                name: value for name, value in self.collect_changes().items() if name in ("label", "icon", "shape")
            }
            node = _KINDS[self.kind].model_validate({"id": self.node, **facts})
            members = [name for group in topology.groups if group.id == self.group for name in group.members]
            last = members[-1] if members else _find_outermost_group(topology, topology.nodes[-1].id)
            joined = partial(insert_after, old=last, new=self.node)
            groups = [
                copy_with(
                    one,
                    members=[*one.members, self.node] if one.id == self.group else one.members,
                    layout=one.layout and one.layout.with_places(joined),
                )
                for one in topology.groups
            ]
            layout = topology.layout.with_places(joined)
            return copy_with(topology, nodes=[*topology.nodes, node], groups=groups, layout=layout), {}

        made = changed_first(figure, Topology, add_node)
        if made is None:
            nearest = GROUPS.list_names_in(figure) if GROUPS.names_in(figure) else "leave out the frame"
            raise EditRefused("no-group", f"unknown frame {quote(self.group or '')}", nearest=nearest)
        return made


def _find_outermost_group(topology: Topology, name: str) -> str:
    """Return the outermost group that contains a node, or the node if it is in no group."""
    holder = next((group.id for group in topology.groups if name in group.members), None)
    return name if holder is None else _find_outermost_group(topology, holder)


class SetNode(Operation):
    """Change a node: its state, its shape, the copies in its stack, its second line, its position."""

    do: Literal["set-node"]
    node: Name
    """Name of the node."""
    state: State | None = None
    """State of the node: normal, highlighted, failed, idle, slow or new."""
    shape: ShapeName | None = None
    """Shape around the label."""
    sublabel: Text | None = None
    """Second line, below the label."""
    replicas: int | None = Field(default=None, ge=1, le=4)
    """Number of copies in the stack."""
    offset: list[Shift] | None = Field(default=None, min_length=2, max_length=2)
    """Distance in cm by which the node is moved from the position of the layout: to the right, and up."""

    hand = (
        "write the style of the state (failed, idle, slow, new, highlighted) or of the shape into its node's options; "
        "change the position of its node"
    )
    names: ClassVar = {"node": "nodes"}
    of_others = "by contract"
    about = ("node",)

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the changed node."""
        changes = self.collect_changes()
        if changes.get("shape") not in (None, "card"):
            changes["icon"] = None  # a shape replaces the default icon

        def change_node(topology: Topology) -> tuple[Topology, Renames]:
            nodes = [copy_with(one, **changes) if one.id == self.node else one for one in topology.nodes]
            return copy_with(topology, nodes=nodes), {}

        return _where_it_stands(figure, self.node, change_node)


class RemoveNode(Operation):
    """Remove a node with its label, its flows and its notes."""

    do: Literal["remove-node"]
    node: Name
    """Name of the node."""

    hand = "remove its node, the macro of its label and its flows, and its name from lists and groups"
    needs = ("pairs",)
    names: ClassVar = {"node": "nodes"}
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure without all nodes of this name; a worker is removed with its lane."""
        if self.node in WORKERS.names_in(figure):
            return RemoveWorker(do="remove-worker", worker=self.node).change(figure)

        def drop_node(topology: Topology) -> tuple[Topology, Renames]:
            if len(topology.nodes) == 1:
                message = f"{quote(self.node)} is the only node"
                raise EditRefused("last-node", message, invariant="a topology keeps a node")
            return without_entity(topology, self.node)

        return _where_it_stands(figure, self.node, drop_node)


class Move(Operation):
    """Move a node or a group to another layer of a topology with an `auto` layout."""

    do: Literal["move"]
    node: Name
    """Name of the node or group to move."""
    level: int = Field(ge=0, le=63)
    """Number of the layer in the group that contains it, or in the topology; the first one is 0."""

    hand = "change the position of its node and of the bends of its flows"
    names: ClassVar = {"node": "layered"}
    about = ("node",)

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the node or the group pinned to the layer."""

        def pin_node(topology: Topology) -> tuple[Topology, Renames] | None:
            if self.node not in layered_names(topology):
                return None
            pin = Pin(level=self.level)
            nodes, groups = (
                [copy_with(one, pin=pin) if one.id == self.node else one for one in each]
                for each in (topology.nodes, topology.groups)
            )
            return copy_with(topology, nodes=nodes, groups=groups), {}

        made = changed_parts(figure, Topology, pin_node)
        if made is None:
            free = ", ".join(name for _, _, part in figure.parts(Topology) for name in layered_names(part))
            message = f"{quote(self.node)} is nothing that a layer could hold"
            raise EditRefused("no-node", message, nearest=f"there are {free}" if free else "leave out the layout")
        return made


class SwapIcon(Operation):
    """Draw a node with another icon; workers change together."""

    do: Literal["swap-icon"]
    node: Name
    """Name of the node."""
    icon: str | None
    """Name of the icon; null draws a box."""

    hand = "replace a node body picture macro ({icons}) with another icon's"
    needs = ("with_icon",)
    names: ClassVar = {"node": "with_icon", "icon": "icons"}
    of_others = "by contract"
    about = ("node",)

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the new icon on the node; if it is a worker, on all workers."""
        nodes = [node for _, _, part in figure.parts(Topology) for node in list_entities(part)]
        target = next((node for node in nodes if node.id == self.node), None)
        if target is None:
            raise EditRefused("no-node", f"unknown node {quote(self.node)}", nearest=NODES.list_names_in(figure))
        if not any(node.icon for node in nodes):
            message = "no node of this figure has an icon"
            raise EditRefused("no-icon", message, nearest="give one an icon in the spec, and render it")
        together = isinstance(target, Worker)

        def swap_icon(topology: Topology) -> tuple[Topology, Renames]:
            nodes = [
                copy_with(one, icon=self.icon) if one is target or (together and isinstance(one, Worker)) else one
                for one in topology.nodes
            ]
            return copy_with(topology, nodes=nodes), {}

        return changed_parts(figure, Topology, swap_icon) or figure


def layered_names(topology: Topology) -> list[str]:
    """Return the names that a pin can move: nodes and groups in an automatic layout, except ellipses."""
    if not isinstance(topology.arrangement, Auto):
        return []
    return [one.id for one in (*topology.nodes, *topology.groups) if not isinstance(one, Dots)]


NODE_OPERATIONS: tuple[type[Operation], ...] = (AddNode, SetNode, RemoveNode, Move, SwapIcon)
