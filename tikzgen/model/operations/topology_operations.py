"""Operations on topologies: flows, frames, layers, icons."""

from typing import ClassVar, Literal

from pydantic import Field

from tikzgen.base.errors import EditRefused, quoted, shortened
from tikzgen.model.entities import Dots, Entity, Pin, Worker
from tikzgen.model.figure import Figure
from tikzgen.model.operations.operation_model import Name, Operation
from tikzgen.model.operations.parts_of_figures import Named, Renames, changed_first, changed_parts, copied, parts
from tikzgen.model.operations.worker_operations import ids_of
from tikzgen.model.topology import Flow, Group, Topology
from tikzgen.model.topology_layouts import Auto
from tikzgen.text import Text


def entities(topology: Topology) -> list[Entity]:
    """Its entities, without the dots among them."""
    return [node for node in topology.nodes if isinstance(node, Entity)]


NODES = Named(Topology, "nodes", "node", lambda part: [node.id for node in entities(part)])


class _FlowOperation(Operation):
    """What is done to a flow."""

    source: Name
    """Where it begins."""
    target: Name
    """Where it ends."""

    of_others = "by contract"
    makes_parts = True


class AddFlow(_FlowOperation):
    """Draw a flow between two nodes."""

    do: Literal["add-flow"]
    kind: str = "data"
    """Its kind: data, gradient, weight …"""
    label: Text = ""
    """Text beside it."""

    hand = "draw it with the style of its kind ({styles}) between the two nodes"
    needs = ("pairs",)
    names: ClassVar = {"source": "nodes", "target": "nodes"}
    undoes = ("remove-flow",)

    def change(self, figure: Figure) -> Figure:
        """A flow after the others, in the first topology that holds both nodes."""

        def grown(topology: Topology) -> tuple[Topology, Renames] | None:
            if not {self.source, self.target} <= {one.id for one in (*topology.nodes, *topology.groups)}:
                return None
            for flow in topology.flows:
                if (flow.source, flow.target, flow.kind) == (self.source, self.target, self.kind):
                    kind = shortened(self.kind)
                    message = f"there is a {kind} flow from {self.source} to {self.target} already"
                    raise EditRefused("flow-exists", message)
            flow = Flow(source=self.source, target=self.target, kind=self.kind, label=self.label)
            return copied(topology, flows=[*topology.flows, flow]), {}

        made = changed_first(figure, Topology, grown)
        if made is None:
            message = f"no topology holds both {quoted(self.source)} and {quoted(self.target)}"
            raise EditRefused("no-node", message, nearest=NODES.listed(figure))
        return made


class RemoveFlow(_FlowOperation):
    """Remove the flow between two nodes."""

    do: Literal["remove-flow"]
    kind: str | None = None
    """Its kind, where several flows join the two."""

    hand = "take out the line that draws it and the node of its label; from a \\foreach list, its nodes"
    names: ClassVar = {"source": "flow_sources", "target": "flow_targets"}

    def change(self, figure: Figure) -> Figure:
        """The flow away."""
        hits = [flow for _, part in parts(figure, Topology) for flow in part.flows if self._is(flow)]
        if not hits:
            of_kind = f"{shortened(self.kind)} " if self.kind else ""
            message = f"there is no {of_kind}flow from {shortened(self.source)} to {shortened(self.target)}"
            raise EditRefused("no-flow", message)
        if len({flow.kind for flow in hits}) > 1:
            kinds = ", ".join(flow.kind for flow in hits)
            message = f"several flows run from {self.source} to {self.target}"
            raise EditRefused("which-flow", message, nearest=f"name a kind: {kinds}")
        ends = {end.partition("@")[0].rpartition(".")[2] for link in figure.links for end in (link.source, link.target)}
        for flow in hits:
            if flow.id in ends:
                message = f"a link ends on the flow {quoted(flow.id)}"
                raise EditRefused("linked", message, nearest="remove the link in the spec first")
        return changed_parts(figure, Topology, self._without) or figure

    def _is(self, flow: Flow) -> bool:
        return (flow.source, flow.target) == (self.source, self.target) and self.kind in (None, flow.kind)

    def _without(self, topology: Topology) -> tuple[Topology, Renames]:
        return copied(topology, flows=[flow for flow in topology.flows if not self._is(flow)]), {}


class AddGroup(Operation):
    """Draw a frame around entities, or around frames."""

    do: Literal["add-group"]
    group: Name
    """What the frame is called."""
    members: list[Name] = Field(min_length=1)
    """What stands inside."""
    label: Text = ""
    """Its label."""

    hand = "draw a node in the style group that fits around the members"
    names: ClassVar = {"members": "unframed"}
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """A frame after the others, in the first topology that holds all members."""

        def framed(topology: Topology) -> tuple[Topology, Renames] | None:
            if not {*self.members} <= {*unframed_names(topology)}:
                return None
            if self.group in ids_of(topology):
                raise EditRefused("name-taken", f"{quoted(self.group)} is taken", nearest="call the frame otherwise")
            group = Group(id=self.group, members=self.members, label=self.label)
            return copied(topology, groups=[*topology.groups, group]), {}

        made = changed_first(figure, Topology, framed)
        if made is None:
            free = ", ".join(name for _, part in parts(figure, Topology) for name in unframed_names(part))
            message = f"no topology has {shortened(', '.join(self.members))} outside of all frames"
            raise EditRefused("no-node", message, nearest=f"there are {free}" if free else "every entity is in a frame")
        return made


class Move(Operation):
    """Keep an entity or a frame in another layer of a topology that finds its own layout."""

    do: Literal["move"]
    node: Name
    """What is moved."""
    level: int = Field(ge=0, le=63)
    """Its layer, among those of the frame that holds it; the first one is 0."""

    hand = "change the place of its node, and of the corners of its flows"
    names: ClassVar = {"node": "layered"}
    about = ("node",)

    def change(self, figure: Figure) -> Figure:
        """The same with a pin."""

        def pinned(topology: Topology) -> tuple[Topology, Renames] | None:
            if self.node not in layered_names(topology):
                return None
            pin = Pin(level=self.level)
            nodes, groups = (
                [copied(one, pin=pin) if one.id == self.node else one for one in each]
                for each in (topology.nodes, topology.groups)
            )
            return copied(topology, nodes=nodes, groups=groups), {}

        made = changed_parts(figure, Topology, pinned)
        if made is None:
            free = ", ".join(name for _, part in parts(figure, Topology) for name in layered_names(part))
            message = f"{quoted(self.node)} is nothing that a layer could hold"
            raise EditRefused("no-node", message, nearest=f"there are {free}" if free else "leave out the layout")
        return made


class SwapIcon(Operation):
    """Draw a node with another icon; workers change together."""

    do: Literal["swap-icon"]
    node: Name
    """The node."""
    icon: str | None
    """The icon; null draws a box."""

    hand = "replace a node body picture macro ({icons}) with another icon's"
    needs = ("with_icon",)
    names: ClassVar = {"node": "with_icon", "icon": "icons"}
    of_others = "by contract"
    about = ("node",)

    def change(self, figure: Figure) -> Figure:
        """The icon of the node; of one of several workers, of all of them."""
        nodes = [node for _, part in parts(figure, Topology) for node in entities(part)]
        target = next((node for node in nodes if node.id == self.node), None)
        if target is None:
            raise EditRefused("no-node", f"there is no node {quoted(self.node)}", nearest=NODES.listed(figure))
        if not any(node.icon for node in nodes):
            message = "no node of this figure has an icon"
            raise EditRefused("no-icon", message, nearest="give one an icon in the spec, and render it")
        together = isinstance(target, Worker)

        def swapped(topology: Topology) -> tuple[Topology, Renames]:
            nodes = [
                copied(one, icon=self.icon) if one is target or (together and isinstance(one, Worker)) else one
                for one in topology.nodes
            ]
            return copied(topology, nodes=nodes), {}

        return changed_parts(figure, Topology, swapped) or figure


def layered_names(topology: Topology) -> list[str]:
    """What a pin can move: entities and frames in a layout that finds itself, but for dots."""
    if not isinstance(topology.arrangement, Auto):
        return []
    return [one.id for one in (*topology.nodes, *topology.groups) if not isinstance(one, Dots)]


def unframed_names(topology: Topology) -> list[str]:
    """The entities and frames that no frame holds."""
    held = {member for group in topology.groups for member in group.members}
    return [one.id for one in (*topology.nodes, *topology.groups) if one.id not in held]


TOPOLOGY_OPERATIONS: tuple[type[Operation], ...] = (
    AddFlow,
    RemoveFlow,
    AddGroup,
    Move,
    SwapIcon,
)
