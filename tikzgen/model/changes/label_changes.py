"""Other texts: the label of what has an id, or any text by its place in the figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tikzgen.base.errors import EditRefused, quoted
from tikzgen.model.changes.plain_figure import Data, contents
from tikzgen.model.timeline_parts import span_names

__all__ = ["place_of_text", "rename_node", "set_text"]

Step = str | int
_MANY = 12  # names that a message lists


def rename_node(data: Data, *, node: str, label: Any) -> Data:
    """The label of a node, lane, frame or flow, in all panels; its id stays."""
    found = [
        one
        for kind, fields in (("topology", ("nodes", "groups", "flows")), ("timeline", ("lanes", "groups")))
        for _, _, part in contents(data, kind)
        for field in fields
        for one in part.get(field, ())
        if one.get("id") == node
    ]
    if not found:
        ids = [one["id"] for _, _, part in contents(data, "topology") for one in part["nodes"] if "id" in one]
        ids += [lane["id"] for _, _, part in contents(data, "timeline") for lane in part["lanes"]]
        known = f"the nodes are {', '.join(dict.fromkeys(ids))}"
        raise EditRefused("no-node", f"there is no node {quoted(node)}", nearest=known)
    for one in found:
        one["label"] = label
    return data


def set_text(data: Data, *, at: Sequence[str], text: Any) -> Data:
    """The texts at some places, such as `panels.main.caption`; what has an id or a name is found by it."""
    for place in at:
        *way, last = place.split(".")
        there: Any = data
        for depth, step in enumerate(way):
            field = way[depth - 1] if depth else ""
            if isinstance(there, dict) and way[0] == "phases":
                found = there.setdefault(step, {})  # what a phase leaves out is as it is by default
            else:
                found = _inside(there, step, field)
            if found is None:
                names = list(filter(None, _names(there, field))) if isinstance(there, list) else []
                known = f"the {field} are {', '.join(names[:_MANY])}" if names else "take the override away"
                raise EditRefused("no-text", f"there is no {quoted(place)}", nearest=known)
            there = found
        there[last] = text
    return data


def place_of_text(data: Data, path: Sequence[Step]) -> str:
    """Where a field of a figure stands, in the words that `set_text` takes."""
    there: Any = data
    words: list[str] = []
    for depth, step in enumerate(path):
        if isinstance(step, int):
            name = _names(there, str(path[depth - 1]))[step]
            words.append(name or str(step))
            there = there[step]
        else:
            words.append(step)
            there = there.get(step, {}) if isinstance(there, dict) else {}
            if step == "content" and isinstance(there, dict):
                there = [there]
    return ".".join(words)


def _inside(there: Any, step: str, field: str) -> Any:
    """What a step leads to; None where it leads nowhere."""
    if isinstance(there, list):
        names = _names(there, field)
        if step in names:
            return there[names.index(step)]
        return there[int(step)] if step.isdigit() and int(step) < len(there) and not names[int(step)] else None
    found = there.get(step) if isinstance(there, dict) else None
    return [found] if step == "content" and isinstance(found, dict) else found


def _names(entries: Sequence[Any], field: str) -> list[str]:
    """What the entries of a list are called, empty where they have no name of their own."""
    if field == "panels":
        return [entry.get("id", "main") for entry in entries]
    if field == "spans":
        spans = ((span["lane"], span.get("phase", "compute"), span.get("id")) for span in entries)
        return span_names((lane if isinstance(lane, list) else [lane], *rest) for lane, *rest in spans)
    return [entry.get("id") or "" if isinstance(entry, dict) else "" for entry in entries]
