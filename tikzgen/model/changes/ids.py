"""Another id for a node, in every place that speaks of it."""

from __future__ import annotations

from typing import Any

from tikzgen.base.errors import EditRefused, quoted
from tikzgen.model.changes.plain_figure import Data, contents

__all__ = ["rename_id"]


def rename_id(data: Data, *, old: str, new: str) -> Data:
    """The node, frame, flow, lane or span `old` is called `new` from now on; its label stays."""
    if old == new:
        return data
    known: list[str] = []
    hit = False
    for kind, rename in (("topology", _in_topology), ("timeline", _in_timeline)):
        for panel, _, part in contents(data, kind):
            ids = _ids(part)
            known += ids
            if old not in ids:
                continue
            if new in ids:
                raise EditRefused(
                    "name-taken", f"there is a {quoted(new)} already", invariant="every id names one node"
                )
            rename(part, old, new)
            hit = True
            _in_links(data, data["panels"][panel].get("id", "main"), old, new)
    if not hit:
        raise EditRefused(
            "no-node", f"there is no node {quoted(old)}", nearest="the ids are " + ", ".join(dict.fromkeys(known))
        )
    return data


def _ids(part: Data) -> list[str]:
    fields = ("nodes", "flows", "groups") if part["type"] == "topology" else ("lanes", "spans")
    return [one["id"] for field in fields for one in part.get(field, ()) if one.get("id")]


def _in_topology(part: Data, old: str, new: str) -> None:
    def swapped(value: Any) -> Any:
        return new if value == old else value

    for field, names in (("nodes", ("id",)), ("flows", ("id", "source", "target")), ("groups", ("id",))):
        for one in part.get(field, ()):
            one.update({key: swapped(one[key]) for key in names if key in one})
    for group in part.get("groups", ()):
        group["members"] = [swapped(one) for one in group["members"]]
    layout = part.get("layout", {})
    layout.update({key: swapped(layout[key]) for key in ("center", "root") if key in layout})
    if "levels" in layout:
        layout["levels"] = [[swapped(one) for one in level] for level in layout["levels"]]


def _in_timeline(part: Data, old: str, new: str) -> None:
    lanes = {lane["id"] for lane in part["lanes"]}

    def swapped(value: Any) -> Any:
        if isinstance(value, list):
            return [swapped(one) for one in value]
        return new if value == old else value

    for field in ("lanes", "spans", "groups", "events", "strips"):
        for one in part.get(field, ()):
            if "id" in one:
                one["id"] = swapped(one["id"])
    if old in lanes:
        for field, key in (
            *(("spans", "lane"), ("bubbles", "lane"), ("dimensions", "lane"), ("events", "lane"), ("strips", "lane")),
            *(("frames", "lanes"), ("barriers", "lanes"), ("groups", "lanes")),
        ):
            for one in part.get(field, ()):
                if one.get(key) is not None:
                    one[key] = swapped(one[key])

    def renamed(ref: str) -> str:
        # spans are named after their lane: <lane>-<phase><k>
        if ref == old:
            return new
        return new + ref.removeprefix(old) if old in lanes and ref.startswith(f"{old}-") else ref

    for one in part.get("dependencies", ()):
        one["source"], one["target"] = renamed(one["source"]), renamed(one["target"])
    for one in part.get("remarks", ()):
        one["about"] = renamed(one["about"])
    if "critical" in part:
        part["critical"] = [renamed(ref) for ref in part["critical"]]


def _in_links(data: Data, panel: str, old: str, new: str) -> None:
    several = len(data["panels"]) > 1
    for link in data.get("links", ()):
        for end in ("source", "target"):
            name, at, place = link[end].partition("@")
            owner, dot, local = name.rpartition(".")
            if several and owner != panel:
                continue
            if local == old or local.startswith(f"{old}-"):
                link[end] = f"{owner}{dot}{new}{local.removeprefix(old)}{at}{place}"
