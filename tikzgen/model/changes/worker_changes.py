"""One worker more, one worker fewer."""

from __future__ import annotations

import re
from typing import Any

from tikzgen.base.errors import EditRefused, quoted
from tikzgen.model.changes.plain_figure import Data, contents

__all__ = ["add_worker", "next_id", "remove_worker", "workers_of"]

_NUMBERED = re.compile(r"(.*?)([0-9]+)")
_DIGITS = re.compile(r"[0-9]+")


def add_worker(data: Data, *, label: str = "") -> Data:
    """One worker after the last one, with the flows that the last one has."""
    found = [part for _, _, part in contents(data, "topology") if workers_of(part)]
    if not found:
        raise EditRefused("no-workers", "the figure has no workers", nearest="add-lane, for a timeline")
    for topology in found:
        _grow(topology, label)
    return data


def remove_worker(data: Data, *, worker: str = "") -> Data:
    """The last worker, or the one named, away with its flows and with the links to any of these."""
    gone: set[str] = set()
    for panel, _, topology in contents(data, "topology"):
        workers = workers_of(topology)
        target = worker or (workers[-1]["id"] if workers else "")
        if any(one["id"] == target for one in workers):
            if len(workers) == 1:
                raise EditRefused(
                    "last-worker", f"{quoted(target)} is the only worker", invariant="a figure keeps a worker"
                )
            prefix = f"{data['panels'][panel].get('id', 'main')}." if len(data["panels"]) > 1 else ""
            gone.update(prefix + one for one in _shrink(topology, target))
    if not gone:
        ids = [one["id"] for _, _, part in contents(data, "topology") for one in workers_of(part)]
        known = f"the workers are {', '.join(dict.fromkeys(ids))}" if ids else "the figure has no workers"
        raise EditRefused("no-worker", f"there is no worker {quoted(worker)}", nearest=known)
    data["links"] = [link for link in data.get("links", ()) if gone.isdisjoint(_ends(link))]
    return data


def workers_of(topology: Data) -> list[Data]:
    """The workers of a topology, in order."""
    return [node for node in topology["nodes"] if node.get("kind") == "worker"]


def next_id(ids: list[str]) -> str:
    """The id that goes on where the last one stopped: w3 → w4."""
    match = _NUMBERED.fullmatch(ids[-1])
    stem, number = (match[1], int(match[2])) if match else (ids[-1], 1)
    while f"{stem}{number}" in ids or (number == 1 and not match):
        number += 1
    return f"{stem}{number}"


def _renumbered(text: Any, old: str, new: str) -> Any:
    """A label whose one number is set forward by as much as the id's."""
    before, after = _NUMBERED.fullmatch(old), _NUMBERED.fullmatch(new)
    if not (before and after and isinstance(text, str)) or len(_DIGITS.findall(text)) != 1:
        return text
    return _DIGITS.sub(lambda digits: str(int(digits[0]) + int(after[2]) - int(before[2])), text)


def _grow(topology: Data, label: str) -> None:
    nodes = topology["nodes"]
    last = workers_of(topology)[-1]
    ids = [node["id"] for node in nodes if "id" in node]
    new_id = next_id([node["id"] for node in workers_of(topology)])
    if new_id in ids:
        raise EditRefused("name-taken", f"{quoted(new_id)} is taken by another node", nearest=f"rename-id {new_id} …")
    new = {**last, "id": new_id}
    for field in ("label", "sublabel"):
        if field in new:
            new[field] = _renumbered(new[field], last["id"], new_id)
    if label:
        new["label"] = label
    nodes.insert(nodes.index(last) + 1, new)
    flows = topology.get("flows", [])
    for flow in [flow for flow in flows if last["id"] in (flow["source"], flow["target"])]:
        copy = {key: value for key, value in flow.items() if key not in ("label", "step")}
        copy["source"], copy["target"] = (
            new_id if end == last["id"] else end for end in (flow["source"], flow["target"])
        )
        if "id" in copy:
            copy["id"] = _fresh(_renumbered(copy["id"], last["id"], new_id), topology)
            if not copy["id"]:
                del copy["id"]
        flows.insert(flows.index(flow) + 1, copy)
    _placed(topology, last["id"], new_id)


def _fresh(wanted: str, topology: Data) -> str:
    return "" if wanted in _ids(topology) else wanted


def _ids(topology: Data) -> set[str]:
    parts = [part for field in ("nodes", "flows", "groups") for part in topology.get(field, ())]
    return {part["id"] for part in parts if part.get("id")}


def _placed(topology: Data, beside: str, new: str) -> None:
    layout = topology.get("layout", {})
    for level in layout.get("levels", ()):
        if beside in level:
            level.insert(level.index(beside) + 1, new)
    for group in topology.get("groups", ()):
        if beside in group["members"]:
            group["members"].insert(group["members"].index(beside) + 1, new)


def _shrink(topology: Data, worker: str) -> set[str]:
    """Take a worker away; returns the ids of all that went with it."""
    before = _ids(topology)
    flows = topology.get("flows", [])
    lost = [flow for flow in flows if worker in (flow["source"], flow["target"])]
    kept = [flow for flow in flows if flow not in lost]
    for flow in lost:
        heir = next((one for one in kept if one.get("kind") == flow.get("kind") and not one.get("label")), None)
        if flow.get("label") and heir is not None:
            # the label speaks for all flows of its kind: it moves to the next of them
            heir.update({key: flow[key] for key in ("label", "id") if key in flow})
    topology["flows"] = kept
    topology["nodes"] = [node for node in topology["nodes"] if node.get("id") != worker]
    layout = topology.get("layout", {})
    if layout.get("center") == worker or layout.get("root") == worker:
        raise EditRefused(
            "layout-needs-it", f"{quoted(worker)} holds the layout together", nearest="remove another worker"
        )
    if "levels" in layout:
        layout["levels"] = [[one for one in level if one != worker] for level in layout["levels"]]
    for group in topology.get("groups", ()):
        group["members"] = [one for one in group["members"] if one != worker]
    topology["groups"] = [group for group in topology.get("groups", ()) if group["members"]]
    return before - _ids(topology)


def _ends(link: Data) -> tuple[str, ...]:
    return tuple(end.partition("@")[0] for end in (link["source"], link["target"]))
