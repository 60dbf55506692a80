"""Operations that add a worker, with the flows and the lane of the last one, and remove one."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Literal

from tikzgen.base.errors import EditRefused, quote
from tikzgen.model.figure import FigureModel
from tikzgen.model.operations.operation_model import Operation
from tikzgen.model.operations.parts_of_figures import (
    Named,
    Renames,
    changed_parts,
    copy_with,
    list_entry_ids,
    next_id,
    renumber_text,
)
from tikzgen.model.operations.removed_entity import ids_of, without_entity
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.model.timeline.timeline_operations import with_lane_like, without_lane
from tikzgen.model.topology.entities import Worker
from tikzgen.model.topology.flows_and_groups import Flow
from tikzgen.model.topology.topology import Topology
from tikzgen.model.topology.topology_layouts import Row
from tikzgen.text import Text


def _list_workers(topology: Topology) -> list[Worker]:
    return [node for node in topology.nodes if isinstance(node, Worker)]


WORKERS = Named(
    Topology, "nodes", "worker", lambda part: list_entry_ids(_list_workers(part)), otherwise="the figure has no workers"
)


class AddWorker(Operation):
    """Add a worker after the last one, with the flows and the lane that the last one has."""

    do: Literal["add-worker"]
    label: Text = ""
    """Label of the worker; by default it continues the labels of the existing workers."""

    hand = "{add_worker}"
    needs = ("workers",)
    of_others = "by contract"
    undoes = ("remove-worker",)
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with one more worker in every topology that has workers."""
        made = changed_parts(figure, Topology, self._add_worker)
        if made is None:
            raise EditRefused("no-workers", "the figure has no workers", nearest="add-lane, for a timeline")
        last, new = (
            _list_workers(next(part for _, _, part in one.parts(Topology) if _list_workers(part)))[-1]
            for one in (figure, made)
        )
        return changed_parts(made, Timeline, lambda part: with_lane_like(part, last, new)) or made

    def _add_worker(self, topology: Topology) -> tuple[Topology, Renames] | None:
        workers = _list_workers(topology)
        if not workers:
            return None
        last, new = workers[-1], next_id([worker.id for worker in workers])
        taken = ids_of(topology)
        if new in taken:
            raise EditRefused("name-taken", f"{quote(new)} is taken by another node", nearest=f"rename-id {new} …")
        texts = {field: renumber_text(getattr(last, field), last.id, new) for field in ("label", "sublabel")}
        alike = all(one.state == last.state for one in workers)  # a state of the last worker alone is not copied
        named = {"label": self.label} if self.label else {}
        worker = copy_with(last, id=new, state=last.state if alike else "normal", **{**texts, **named})
        flows: list[Flow] = []
        for flow in topology.flows:
            flows.append(flow)
            if last.id in (flow.source, flow.target):
                flows.append(_with_end(flow, last.id, new, taken))
        grown = partial(insert_after, old=last.id, new=new)
        groups = [
            copy_with(group, members=grown(group.members), layout=group.layout and group.layout.with_rows(grown))
            for group in topology.groups
        ]
        spans = [copy_with(one, over=grown(one.over)) for one in topology.braces]
        layout = topology.layout.with_rows(grown)
        nodes = list(topology.nodes)
        nodes.insert(nodes.index(last) + 1, worker)
        return copy_with(topology, nodes=nodes, flows=flows, groups=groups, braces=spans, layout=layout), {}


class RemoveWorker(Operation):
    """Remove a worker with its label, its flows and its lane."""

    do: Literal["remove-worker"]
    worker: str = ""
    """Worker to remove; by default the last one."""

    hand = "{remove_worker}"
    needs = ("workers", "spare_workers")
    names: ClassVar = {"worker": "workers"}
    of_others = "by contract"
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure without the worker, its flows, its lane, and the links to any of these."""
        made = changed_parts(figure, Topology, self._remove_from)
        if made is None:
            message = f"unknown worker {quote(self.worker)}"
            raise EditRefused("no-worker", message, nearest=WORKERS.list_names_in(figure))
        gone = self.worker or WORKERS.names_in(figure)[-1]
        for _, _, timeline in made.parts(Timeline):
            for lane in timeline.lanes:
                if lane.worker == gone:
                    made = changed_parts(made, Timeline, partial(without_lane, name=lane.id)) or made
        return made

    def _remove_from(self, topology: Topology) -> tuple[Topology, Renames] | None:
        workers = _list_workers(topology)
        gone = next((one for one in reversed(workers) if self.worker in ("", one.id)), None)
        if gone is None:
            return None
        if len(workers) == 1:
            message = f"{quote(gone.id)} is the only worker"
            raise EditRefused("last-worker", message, invariant="a figure keeps a worker")
        return without_entity(topology, gone.id)


def insert_after(names: Sequence[str | None], old: str, new: str) -> Row:
    """Insert a new name after an old one in a row of a layout or the members of a group."""
    found = list(names)
    if old in found:
        found.insert(found.index(old) + 1, new)
    return found


def _with_end(flow: Flow, old: str, new: str, taken: set[str]) -> Flow:
    """Return a copy of a flow for another worker, without the label and the step number."""
    source, target = (new if end == old else end for end in (flow.source, flow.target))
    name = renumber_text(flow.id, old, new)
    return copy_with(flow, source=source, target=target, label="", step=None, id=None if name in taken else name)


WORKER_OPERATIONS: tuple[type[Operation], ...] = (AddWorker, RemoveWorker)
