"""A flow more, a flow fewer."""

from __future__ import annotations

from tikzgen.base.errors import EditRefused, quoted, shortened
from tikzgen.model.changes.plain_figure import Data, contents

__all__ = ["add_flow", "remove_flow"]


def add_flow(data: Data, *, source: str, target: str, kind: str = "data", label: str = "") -> Data:
    """A flow between two nodes of one topology, after the others."""
    for _, _, topology in contents(data, "topology"):
        ids = {node.get("id") for node in topology["nodes"]}
        if {source, target} <= ids:
            same = {"source": source, "target": target, "kind": kind}
            for flow in topology.get("flows", ()):
                if all(flow.get(key, "data") == value for key, value in same.items()):
                    raise EditRefused(
                        "flow-exists", f"there is a {shortened(kind)} flow from {source} to {target} already"
                    )
            topology.setdefault("flows", []).append({**same, **({"label": label} if label else {})})
            return data
    known = ", ".join(
        dict.fromkeys(node["id"] for _, _, part in contents(data, "topology") for node in part["nodes"] if "id" in node)
    )
    raise EditRefused(
        "no-node", f"no topology holds both {quoted(source)} and {quoted(target)}", nearest=f"the nodes are {known}"
    )


def remove_flow(data: Data, *, source: str, target: str, kind: str | None = None) -> Data:
    """The flow between two nodes, of one kind where there are several."""
    hits = [
        (topology, flow)
        for _, _, topology in contents(data, "topology")
        for flow in topology.get("flows", ())
        if (flow["source"], flow["target"]) == (source, target) and kind in (None, flow.get("kind", "data"))
    ]
    if not hits:
        of_kind = f"{shortened(kind)} " if kind else ""
        raise EditRefused("no-flow", f"there is no {of_kind}flow from {shortened(source)} to {shortened(target)}")
    if len({flow.get("kind", "data") for _, flow in hits}) > 1:
        kinds = ", ".join(flow.get("kind", "data") for _, flow in hits)
        raise EditRefused("which-flow", f"several flows run from {source} to {target}", nearest=f"name a kind: {kinds}")
    for topology, flow in hits:
        _unlinked(data, flow)
        topology["flows"].remove(flow)
    return data


def _unlinked(data: Data, flow: Data) -> None:
    name = flow.get("id")
    ends = [end for link in data.get("links", ()) for end in (link["source"], link["target"])]
    if name and any(end.partition("@")[0].rpartition(".")[2] == name for end in ends):
        raise EditRefused(
            "linked", f"a link ends on the flow {quoted(name)}", nearest="remove the link in the spec first"
        )
