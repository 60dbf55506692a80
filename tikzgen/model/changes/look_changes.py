"""Another colour, another icon."""

from __future__ import annotations

from tikzgen.base.errors import EditRefused, quoted
from tikzgen.model.changes.plain_figure import Data, contents

__all__ = ["kinds_of", "phases_of", "recolor", "swap_icon"]


def recolor(data: Data, *, what: str, color: str) -> Data:
    """Another palette colour for a kind of flow, a phase, or a node."""
    kinds, phases = kinds_of(data), phases_of(data)
    for field, names in (("kinds", kinds), ("phases", phases)):
        if what in names:
            looks = data.get(field, {})
            return {**data, field: {**looks, what: {**looks.get(what, {}), "color": color}}}
    nodes = [node for _, _, part in contents(data, "topology") for node in part["nodes"] if node.get("id") == what]
    if not nodes:
        known = ", ".join([*sorted(kinds), *sorted(phases)])
        raise EditRefused(
            "nothing-such", f"there is no kind of flow, phase or node {quoted(what)}", nearest=f"there are {known}"
        )
    for node in nodes:
        node["color"] = color
    return data


def kinds_of(data: Data) -> set[str]:
    """The kinds of flow that a figure has."""
    return {flow.get("kind", "data") for _, _, part in contents(data, "topology") for flow in part.get("flows", ())}


def phases_of(data: Data) -> set[str]:
    """The phases that a figure has; every timeline may stand idle."""
    found: set[str] = set()
    for _, _, part in contents(data, "timeline"):
        found.add("idle")
        for span in part.get("spans", ()):
            found.add(span.get("phase", "compute"))
            if span.get("second"):
                found.add(span["second"]["phase"])
    return found


def swap_icon(data: Data, *, node: str, icon: str | None) -> Data:
    """Another icon for a node; for one of several workers, for all of them."""
    nodes = [one for _, _, part in contents(data, "topology") for one in part["nodes"] if one.get("kind") != "ellipsis"]
    target = next((one for one in nodes if one.get("id") == node), None)
    if target is None:
        known = ", ".join(dict.fromkeys(one["id"] for one in nodes))
        raise EditRefused("no-node", f"there is no node {quoted(node)}", nearest=f"the nodes are {known}")
    for one in nodes:
        if one is target or (target.get("kind") == "worker" == one.get("kind")):
            one["icon"] = icon
    return data
