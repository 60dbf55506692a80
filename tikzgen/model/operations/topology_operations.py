"""Operations on topologies: workers, flows, icons."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Literal, TypeVar, cast

from pydantic import Field

from tikzgen.base.errors import EditRefused, quoted, shortened
from tikzgen.model.entities import Dots, Entity, Pin, Worker
from tikzgen.model.figure import Figure
from tikzgen.model.operations.operation_model import Name, Operation
from tikzgen.model.operations.parts_of_figures import Renames, changed_parts, copied, next_id, parts, renumbered
from tikzgen.model.operations.timeline_changes import with_lane_like, without_lane
from tikzgen.model.timeline import Timeline
from tikzgen.model.topology import Auto, Bar, Flow, Grid, Group, Levels, Star, Topology, Tree
from tikzgen.text import Text

_N = TypeVar("_N", bound=str | None)


class AddWorker(Operation):
    """Add a worker after the last one, with the flows and the lane that the last one has."""

    do: Literal["add-worker"]
    """The operation."""
    label: Text = ""
    """Its label; by default it continues those of the others."""

    hand = "{add_worker}"
    needs = ("workers",)
    of_others = "by contract"
    undoes = ("remove-worker",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """One worker more in every topology that has some."""
        made = changed_parts(figure, Topology, self._grown)
        if made is None:
            raise EditRefused("no-workers", "the figure has no workers", nearest="add-lane, for a timeline")
        last, new = (
            _workers(next(part for _, part in parts(one, Topology) if _workers(part)))[-1].id for one in (figure, made)
        )
        return changed_parts(made, Timeline, lambda part: with_lane_like(part, last, new)) or made

    def _grown(self, topology: Topology) -> tuple[Topology, Renames] | None:
        workers = _workers(topology)
        if not workers:
            return None
        last, new = workers[-1], next_id([worker.id for worker in workers])
        taken = {entry.id for entry in (*topology.nodes, *topology.flows, *topology.groups)}
        if new in taken:
            raise EditRefused("name-taken", f"{quoted(new)} is taken by another node", nearest=f"rename-id {new} …")
        texts = {field: renumbered(getattr(last, field), last.id, new) for field in ("label", "sublabel")}
        worker = copied(last, id=new, **{**texts, **({"label": self.label} if self.label else {})})
        flows: list[Flow] = []
        for flow in topology.flows:
            flows.append(flow)
            if last.id in (flow.source, flow.target):
                flows.append(_with_end(flow, last.id, new, taken))
        groups = [copied(group, members=_beside(group.members, last.id, new)) for group in topology.groups]
        spans = [copied(one, over=_beside(one.over, last.id, new)) for one in topology.braces]
        layout = topology.layout
        if isinstance(layout, Levels):
            layout = copied(layout, levels=[_in_level(level, last.id, new) for level in layout.levels])
        if isinstance(layout, Grid) and layout.cells is not None:
            layout = copied(layout, cells=[_beside(row, last.id, new) for row in layout.cells])
        nodes = list(topology.nodes)
        nodes.insert(nodes.index(last) + 1, worker)
        return copied(topology, nodes=nodes, flows=flows, groups=groups, braces=spans, layout=layout), {}


class RemoveWorker(Operation):
    """Remove a worker with its label, its flows and its lane."""

    do: Literal["remove-worker"]
    """The operation."""
    worker: str = ""
    """Which one; by default the last."""

    hand = "{remove_worker}"
    needs = ("workers", "spare_workers")
    names: ClassVar = {"worker": "workers"}
    of_others = "by contract"
    undoes = ("add-worker",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """One worker fewer, with its flows, its lane, and the links to any of these."""
        known = [worker.id for _, part in parts(figure, Topology) for worker in _workers(part)]
        made = changed_parts(figure, Topology, self._shrunk)
        if made is None:
            listed = f"the workers are {', '.join(dict.fromkeys(known))}" if known else "the figure has no workers"
            raise EditRefused("no-worker", f"there is no worker {quoted(self.worker)}", nearest=listed)
        gone = self.worker or known[-1]
        for _, timeline in parts(made, Timeline):
            for lane in timeline.lanes:
                if lane.worker == gone:
                    made = changed_parts(made, Timeline, partial(without_lane, name=lane.id)) or made
        return made

    def _shrunk(self, topology: Topology) -> tuple[Topology, Renames] | None:
        workers = _workers(topology)
        gone = next((one for one in reversed(workers) if self.worker in ("", one.id)), None)
        if gone is None:
            return None
        if len(workers) == 1:
            message = f"{quoted(gone.id)} is the only worker"
            raise EditRefused("last-worker", message, invariant="a figure keeps a worker")
        layout = topology.layout
        if (isinstance(layout, Star) and layout.center == gone.id) or (
            isinstance(layout, Tree) and layout.root == gone.id
        ):
            message = f"{quoted(gone.id)} holds the layout together"
            raise EditRefused("layout-needs-it", message, nearest="remove another worker")
        if isinstance(layout, Levels):
            if gone.id in layout.bars:
                message = f"{quoted(gone.id)} is a level of its own"
                raise EditRefused("layout-needs-it", message, nearest="remove another worker")
            layout = copied(layout, levels=[_without(level, gone.id) for level in layout.levels])
        if isinstance(layout, Grid) and layout.cells is not None:
            layout = copied(layout, cells=[[None if one == gone.id else one for one in row] for row in layout.cells])
        if isinstance(layout, Auto) and layout.keep:
            layout = copied(layout, keep=[[one for one in order if one != gone.id] for order in layout.keep])
        nodes = [node for node in topology.nodes if node.id != gone.id]
        flows = _without_ends(topology.flows, gone.id)
        groups = [copied(one, members=[name for name in one.members if name != gone.id]) for one in topology.groups]
        for empty in (one.id for one in groups if not one.members):
            flows = _without_ends(flows, empty)
        groups = [one for one in groups if one.members]
        left: set[str | None] = {entry.id for entry in (*nodes, *groups)}
        spans = [copied(one, over=[name for name in one.over if name in left]) for one in topology.braces]
        spans = [one for one in spans if one.over]
        left |= {flow.id for flow in flows}
        notes = [one for one in topology.notes if one.about in (None, *left)]
        made = copied(topology, nodes=nodes, flows=flows, groups=groups, braces=spans, notes=notes, layout=layout)
        return made, dict.fromkeys(_ids(topology) - _ids(made))


class AddFlow(Operation):
    """Draw a flow between two nodes."""

    do: Literal["add-flow"]
    """The operation."""
    source: Name
    """Where it begins."""
    target: Name
    """Where it ends."""
    kind: str = "data"
    """Its kind: data, gradient, weight …"""
    label: Text = ""
    """Text beside it."""

    hand = "draw it with the style of its kind ({styles}) between the two nodes"
    needs = ("pairs",)
    names: ClassVar = {"source": "nodes", "target": "nodes"}
    of_others = "by contract"
    undoes = ("remove-flow",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """A flow after the others, in the first topology that holds both nodes."""
        done = False

        def grown(topology: Topology) -> tuple[Topology, Renames] | None:
            nonlocal done
            if done or not {self.source, self.target} <= {one.id for one in (*topology.nodes, *topology.groups)}:
                return None
            done = True
            for flow in topology.flows:
                if (flow.source, flow.target, flow.kind) == (self.source, self.target, self.kind):
                    kind = shortened(self.kind)
                    message = f"there is a {kind} flow from {self.source} to {self.target} already"
                    raise EditRefused("flow-exists", message)
            flow = Flow(source=self.source, target=self.target, kind=self.kind, label=self.label)
            return copied(topology, flows=[*topology.flows, flow]), {}

        made = changed_parts(figure, Topology, grown)
        if made is None:
            ids = [node.id for _, part in parts(figure, Topology) for node in part.nodes if isinstance(node, Entity)]
            message = f"no topology holds both {quoted(self.source)} and {quoted(self.target)}"
            raise EditRefused("no-node", message, nearest=f"the nodes are {', '.join(dict.fromkeys(ids))}")
        return made


class RemoveFlow(Operation):
    """Remove the flow between two nodes."""

    do: Literal["remove-flow"]
    """The operation."""
    source: Name
    """Where it begins."""
    target: Name
    """Where it ends."""
    kind: str | None = None
    """Its kind, where several flows join the two."""

    hand = "take out the line that draws it and the node of its label; from a \\foreach list, its nodes"
    needs = ("flow_sources",)
    names: ClassVar = {"source": "flow_sources", "target": "flow_targets"}
    of_others = "by contract"
    undoes = ("add-flow",)
    makes_parts = True

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
    """The operation."""
    group: Name
    """What the frame is called."""
    members: list[Name] = Field(min_length=1)
    """What stands inside."""
    label: Text = ""
    """Its label."""

    hand = "draw a node in the style group that fits around the members"
    needs = ("unframed",)
    names: ClassVar = {"members": "unframed"}
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """A frame after the others, in the first topology that holds all members."""
        done = False

        def framed(topology: Topology) -> tuple[Topology, Renames] | None:
            nonlocal done
            if done or not {*self.members} <= {*unframed_names(topology)}:
                return None
            done = True
            if self.group in _ids(topology):
                raise EditRefused("name-taken", f"{quoted(self.group)} is taken", nearest="call the frame otherwise")
            group = Group(id=self.group, members=self.members, label=self.label)
            return copied(topology, groups=[*topology.groups, group]), {}

        made = changed_parts(figure, Topology, framed)
        if made is None:
            free = ", ".join(name for _, part in parts(figure, Topology) for name in unframed_names(part))
            message = f"no topology has {shortened(', '.join(self.members))} outside of all frames"
            raise EditRefused("no-node", message, nearest=f"there are {free}" if free else "every entity is in a frame")
        return made


class Move(Operation):
    """Keep an entity or a frame in another layer of a topology that finds its own layout."""

    do: Literal["move"]
    """The operation."""
    node: Name
    """What is moved."""
    level: int = Field(ge=0, le=63)
    """Its layer, among those of the frame that holds it; the first one is 0."""

    hand = "change the place of its node, and of the corners of its flows"
    needs = ("layered",)
    names: ClassVar = {"node": "layered"}
    about = ("node",)

    def change(self, figure: Figure) -> Figure:
        """The same with a pin."""

        def pinned(topology: Topology) -> tuple[Topology, Renames] | None:
            if self.node not in layered_names(topology):
                return None
            pin = Pin(level=self.level)
            nodes = [copied(one, pin=pin) if one.id == self.node else one for one in topology.nodes]
            groups = [copied(one, pin=pin) if one.id == self.node else one for one in topology.groups]
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
    """The operation."""
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
        nodes = [node for _, part in parts(figure, Topology) for node in part.nodes if isinstance(node, Entity)]
        target = next((node for node in nodes if node.id == self.node), None)
        if target is None:
            known = ", ".join(dict.fromkeys(node.id for node in nodes))
            message = f"there is no node {quoted(self.node)}"
            raise EditRefused("no-node", message, nearest=f"the nodes are {known}")
        if not any(node.icon for node in nodes):
            message = "no node of this figure has an icon"
            raise EditRefused("no-icon", message, nearest="give one an icon in the spec, and render it")
        together = isinstance(target, Worker)

        def swapped(topology: Topology) -> tuple[Topology, Renames]:
            hit = (node is target or (together and isinstance(node, Worker)) for node in topology.nodes)
            pairs = zip(topology.nodes, hit, strict=True)
            return copied(topology, nodes=[copied(one, icon=self.icon) if yes else one for one, yes in pairs]), {}

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


def _workers(topology: Topology) -> list[Worker]:
    return [node for node in topology.nodes if isinstance(node, Worker)]


def _ids(topology: Topology) -> set[str]:
    return {entry.id for entry in (*topology.nodes, *topology.flows, *topology.groups) if entry.id}


def _in_level(level: list[str | None] | Bar, last: str, new: str) -> list[str | None] | Bar:
    """A level with a new entity beside the last one, where that is in it."""
    if isinstance(level, Bar):
        return [last, new] if level.span == last else level
    return _beside(level, last, new)


def _without(level: list[str | None] | Bar, gone: str) -> list[str | None] | Bar:
    return level if isinstance(level, Bar) else [one for one in level if one != gone]


def _beside(names: Sequence[_N], old: str, new: _N) -> list[_N]:
    found = list(names)
    if old in found:
        found.insert(found.index(cast(_N, old)) + 1, new)
    return found


def _with_end(flow: Flow, old: str, new: str, taken: set[str | None]) -> Flow:
    """The same flow of another worker; its label and its number are said once."""
    source, target = (new if end == old else end for end in (flow.source, flow.target))
    name = renumbered(flow.id, old, new)
    return copied(flow, source=source, target=target, label="", step=None, id=None if name in taken else name)


def _without_ends(flows: list[Flow], gone: str) -> list[Flow]:
    """The flows that do not touch a node; a label that speaks for all of its kind moves to the next of them."""
    kept = [flow for flow in flows if gone not in (flow.source, flow.target)]
    for flow in flows:
        if flow.label and flow not in kept:
            heir = next((place for place, one in enumerate(kept) if one.kind == flow.kind and not one.label), None)
            if heir is not None:
                kept[heir] = copied(kept[heir], label=flow.label, **({"id": flow.id} if flow.id else {}))
    return kept


TOPOLOGY_OPERATIONS: tuple[type[Operation], ...] = (
    AddWorker,
    RemoveWorker,
    AddFlow,
    RemoveFlow,
    AddGroup,
    Move,
    SwapIcon,
)
