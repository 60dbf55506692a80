"""One lane more or fewer on a timeline."""

from __future__ import annotations

from typing import Any

from tikzgen.base.errors import EditRefused, quoted
from tikzgen.model.changes.plain_figure import Data, contents
from tikzgen.model.changes.worker_changes import next_id
from tikzgen.model.timeline_parts import span_names

__all__ = ["add_lane", "remove_lane"]


def add_lane(data: Data, *, lane: str = "", label: str = "") -> Data:
    """An empty lane after the last one."""
    found = [part for _, _, part in contents(data, "timeline")]
    if not found:
        raise EditRefused("no-timeline", "the figure has no timeline", nearest="add-worker, for a topology")
    for part in found:
        ids = [one["id"] for one in part["lanes"]]
        new = lane or next_id(ids)
        if new in ids:
            raise EditRefused(
                "name-taken", f"there is a lane {quoted(new)} already", nearest=f"add-lane {next_id(ids)}"
            )
        part["lanes"].append({"id": new, **({"label": label} if label else {})})
    return data


def remove_lane(data: Data, *, lane: str = "") -> Data:
    """The last lane, or the one named, away with all that stands on it."""
    hit = False
    for _, _, part in contents(data, "timeline"):
        ids = [one["id"] for one in part["lanes"]]
        target = lane or ids[-1]
        if target in ids:
            if len(ids) == 1:
                raise EditRefused(
                    "last-lane", f"{quoted(target)} is the only lane", invariant="a timeline keeps a lane"
                )
            _drop(part, target)
            hit = True
    if not hit:
        ids = [one["id"] for _, _, part in contents(data, "timeline") for one in part["lanes"]]
        raise EditRefused(
            "no-lane", f"there is no lane {quoted(lane)}", nearest=f"the lanes are {', '.join(dict.fromkeys(ids))}"
        )
    return data


def _drop(part: Data, lane: str) -> None:
    part["lanes"] = [one for one in part["lanes"] if one["id"] != lane]
    gone = _span_names(part)
    for field in ("spans", "bubbles", "dimensions", "events", "strips"):
        part[field] = [one for one in map(_without(lane, "lane"), part.get(field, ())) if one is not None]
    for field in ("frames", "barriers", "groups"):
        part[field] = [one for one in map(_without(lane, "lanes"), part.get(field, ())) if one is not None]
    left = _span_names(part)
    lost = gone - left
    if lost:
        part.pop("summary", None)  # what was measured with them does not hold any more
    part["dependencies"] = [
        one for one in part.get("dependencies", ()) if one["source"] not in lost and one["target"] not in lost
    ]
    part["remarks"] = [one for one in part.get("remarks", ()) if one["about"] not in lost]
    part["critical"] = [one for one in part.get("critical", ()) if one not in lost]


def _without(lane: str, field: str) -> Any:
    """A function that takes a lane away from a part: None where nothing of the part is left."""

    def cut(one: Data) -> Data | None:
        value = one.get(field)
        if value == lane:
            return None
        if isinstance(value, list) and lane in value:
            rest = [each for each in value if each != lane]
            return {**one, field: rest} if rest else None
        return one

    return cut


def _span_names(part: Data) -> set[str]:
    spans = ((span["lane"], span.get("phase", "compute"), span.get("id")) for span in part.get("spans", ()))
    return set(span_names((lane if isinstance(lane, list) else [lane], *rest) for lane, *rest in spans))
