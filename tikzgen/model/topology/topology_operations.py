"""Operations on the flows and the groups of a topology."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from tikzgen.base.errors import EditRefused, quote, shorten_for_message
from tikzgen.model.addresses import read_address
from tikzgen.model.figure import FigureModel
from tikzgen.model.operations.operation_model import Name, Operation
from tikzgen.model.operations.parts_of_figures import Renames, changed_first, changed_parts, copy_with
from tikzgen.model.operations.removed_entity import ids_of, without_entity
from tikzgen.model.topology.flows_and_groups import Flow, FlowDirection, Group, LabelAt, LabelSide, Route, Side
from tikzgen.model.topology.node_operations import GROUPS, NODES
from tikzgen.model.topology.topology import Topology
from tikzgen.model.topology.topology_layouts import Auto
from tikzgen.text import Text


class _FlowOperation(Operation):
    """Base class of operations on a flow."""

    source: Name
    """Node where the flow starts."""
    target: Name
    """Node where the flow ends."""

    def _find_flows(self, figure: FigureModel, kind: str | None) -> list[Flow]:
        """Return the flow between source and target, one per topology that has it; `kind` may be its id.

        Raise `EditRefused` if no flow matches, or several flows of one topology do.
        """
        found = [
            [
                flow
                for flow in part.flows
                if (flow.source, flow.target) == (self.source, self.target) and kind in (None, flow.kind, flow.id)
            ]
            for _, _, part in figure.parts(Topology)
        ]
        hits = [flow for flows in found for flow in flows]
        if not hits:
            raise self._no_flow(figure, kind)
        mixed = hits if len({flow.kind for flow in hits}) > 1 else []
        if several := next((flows for flows in found if len(flows) > 1), mixed):
            raise self._which_flow(several)
        return hits

    def _no_flow(self, figure: FigureModel, kind: str | None) -> EditRefused:
        of_kind = f"{shorten_for_message(kind)} " if kind else ""
        message = f"unknown {of_kind}flow from {shorten_for_message(self.source)} to {shorten_for_message(self.target)}"
        flows = [flow for _, _, part in figure.parts(Topology) for flow in part.flows]
        ends = ", ".join(dict.fromkeys(flow.target for flow in flows if flow.source == self.source))
        return EditRefused("no-flow", message, nearest=f"its flows lead to {shorten_for_message(ends)}" if ends else "")

    def _which_flow(self, several: Sequence[Flow]) -> EditRefused:
        kinds = [flow.kind for flow in several]
        known = [flow.kind if kinds.count(flow.kind) == 1 else flow.id for flow in several]
        message = f"several flows run from {self.source} to {self.target}"
        names = ", ".join(dict.fromkeys(filter(None, known)))
        return EditRefused(
            "which-flow", message, nearest=f"name one by its kind: {names}" if names else "give them ids in the spec"
        )


class AddFlow(_FlowOperation):
    """Draw a flow between two nodes."""

    do: Literal["add-flow"]
    kind: str = "data"
    """Kind of the flow: data, gradient, weight …"""
    label: Text = ""
    """Text next to the flow."""

    hand = "draw it with the style of its kind ({styles}) between the two nodes"
    needs = ("pairs",)
    names: ClassVar = {"source": "nodes", "target": "nodes"}
    of_others = "by contract"
    makes_parts = True
    undoes = ("remove-flow",)

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the flow last in the first topology that has both ends."""

        def add_flow(topology: Topology) -> tuple[Topology, Renames] | None:
            if not {self.source, self.target} <= {one.id for one in (*topology.nodes, *topology.groups)}:
                return None
            for flow in topology.flows:
                if (flow.source, flow.target, flow.kind) == (self.source, self.target, self.kind):
                    kind = shorten_for_message(self.kind)
                    message = f"there is a {kind} flow from {self.source} to {self.target} already"
                    raise EditRefused("flow-exists", message)
            flow = Flow(source=self.source, target=self.target, kind=self.kind, label=self.label)
            return copy_with(topology, flows=[*topology.flows, flow]), {}

        made = changed_first(figure, Topology, add_flow)
        if made is None:
            message = f"no topology holds both {quote(self.source)} and {quote(self.target)}"
            raise EditRefused("no-node", message, nearest=NODES.list_names_in(figure))
        return made


class SetFlow(_FlowOperation):
    """Change a flow: its kind, its route, its label or its step number."""

    do: Literal["set-flow"]
    kind: str | None = None
    """Kind or id of the flow, if several flows join the two nodes."""
    label: Text | None = None
    """Text next to the flow."""
    step: int | None = Field(default=None, ge=0, le=99)
    """Number in a circle on the flow; 0 removes it."""
    direction: FlowDirection | None = None
    """Ends with arrow heads."""
    route: Route | None = None
    """Shape of the line."""
    from_side: Side | None = None
    """Side of the source where it starts."""
    to_side: Side | None = None
    """Side of the target where it ends."""
    feedback: bool | None = None
    """Whether it makes no layers, and runs around them."""
    side: LabelSide | None = None
    """Side of the label, relative to the flow's direction."""
    label_at: LabelAt | None = None
    """Position of the label: next to the flow, on it, or rotated along it."""
    new_kind: str | None = None
    """New kind of the flow."""

    hand = "change the line that draws it, its style ({styles}), and the macro of its label"
    names: ClassVar = {"source": "flow_sources", "target": "flow_targets"}
    about = ("source", "target", "kind")

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the changed flow."""
        hits = self._find_flows(figure, self.kind)
        changes = self.collect_changes()
        if "new_kind" in changes:
            changes["kind"] = changes.pop("new_kind")
        if "step" in changes:
            changes["step"] = changes["step"] or None

        def change_flow(topology: Topology) -> tuple[Topology, Renames]:
            flows = [
                copy_with(flow, **changes) if any(flow is hit for hit in hits) else flow for flow in topology.flows
            ]
            return copy_with(topology, flows=flows), {}

        return changed_parts(figure, Topology, change_flow) or figure


class RemoveFlow(_FlowOperation):
    """Remove the flow between two nodes."""

    do: Literal["remove-flow"]
    kind: str | None = None
    """Kind or id of the flow, if several flows join the two nodes."""

    hand = "remove the line that draws it and the node of its label; from a \\foreach list, its nodes"
    names: ClassVar = {"source": "flow_sources", "target": "flow_targets"}
    of_others = "by contract"
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure without the flow; raise `EditRefused` if a link ends on it."""
        hits = self._find_flows(figure, self.kind)
        ends = {read_address(end).inside.name for link in figure.links for end in (link.source, link.target)}
        for flow in hits:
            if flow.id in ends:
                message = f"a link ends on the flow {quote(flow.id)}"
                raise EditRefused("linked", message, nearest="remove the link in the spec first")

        def drop_flow(topology: Topology) -> tuple[Topology, Renames]:
            return copy_with(topology, flows=[one for one in topology.flows if all(one is not hit for hit in hits)]), {}

        return changed_parts(figure, Topology, drop_flow) or figure


class AddGroup(Operation):
    """Draw a group around nodes or groups."""

    do: Literal["add-group"]
    group: Name
    """Name of the group."""
    members: list[Name] = Field(min_length=1)
    """Nodes and groups inside."""
    label: Text = ""
    """Label of the group."""

    hand = "draw a node in the style group that fits around the members"
    names: ClassVar = {"members": "unframed"}
    of_others = "by contract"
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the group in the first topology that has all members outside of groups."""

        def add_group(topology: Topology) -> tuple[Topology, Renames] | None:
            if not {*self.members} <= {*unframed_names(topology)}:
                return None
            if self.group in ids_of(topology):
                raise EditRefused("name-taken", f"{quote(self.group)} is taken", nearest="call the frame otherwise")
            group = Group(id=self.group, members=self.members, label=self.label)
            return copy_with(topology, groups=[*topology.groups, group]), {}

        made = changed_first(figure, Topology, add_group)
        if made is None:
            free = ", ".join(name for _, _, part in figure.parts(Topology) for name in unframed_names(part))
            message = f"no topology has {shorten_for_message(', '.join(self.members))} outside of all frames"
            raise EditRefused("no-node", message, nearest=f"there are {free}" if free else "every node is in a frame")
        return made


class RemoveGroup(Operation):
    """Remove a group; its members remain, in the enclosing group if there is one."""

    do: Literal["remove-group"]
    group: Name
    """Name of the group."""

    hand = "remove its node, the macro of its label and the flows that end at it, and its name from other groups"
    names: ClassVar = {"group": "groups"}
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure without the group and the flows that end at it."""

        def remove_group(topology: Topology) -> tuple[Topology, Renames] | None:
            frame = next((one for one in topology.groups if one.id == self.group), None)
            if frame is None:
                return None

            joined = any({flow.source, flow.target} <= {*frame.members} for flow in topology.flows)
            apart = joined and isinstance(topology.layout, Auto)  # its orders are of one layer, and flows join layers

            def replace_by_members(names: Sequence[str | None]) -> list[Any]:
                return [each for name in names for each in ((name, *frame.members) if name == frame.id else (name,))]

            def replace_in_order(names: Sequence[str | None]) -> list[Any]:
                return [*names] if apart else replace_by_members(names)

            groups = [
                copy_with(
                    one,
                    members=[] if one is frame else replace_by_members(one.members),
                    like=None if one.like == frame.id else one.like,
                )
                for one in topology.groups
            ]
            return without_entity(
                copy_with(topology, groups=groups, layout=topology.layout.with_rows(replace_in_order)), frame.id
            )

        made = changed_parts(figure, Topology, remove_group)
        if made is None:
            raise EditRefused("no-group", f"unknown frame {quote(self.group)}", nearest=GROUPS.list_names_in(figure))
        return made


def unframed_names(topology: Topology) -> list[str]:
    """Return the nodes and groups that are in no group."""
    held = {member for group in topology.groups for member in group.members}
    return [one.id for one in (*topology.nodes, *topology.groups) if one.id not in held]


TOPOLOGY_OPERATIONS: tuple[type[Operation], ...] = (
    AddFlow,
    SetFlow,
    RemoveFlow,
    AddGroup,
    RemoveGroup,
)
