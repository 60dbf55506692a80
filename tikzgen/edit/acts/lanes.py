"""One lane more or fewer on a timeline, and another schedule on it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tikzgen.edit.acts.workers import add_worker, remove_worker
from tikzgen.edit.describe import Data, contents, is_recipe, spelt_out
from tikzgen.edit.outcome import EditRefused
from tikzgen.errors import quoted
from tikzgen.model.timeline_parts import span_names

__all__ = ["add_lane", "remove_lane", "set_schedule"]

_PLANNED = ("schedule", "devices", "microbatches", "chunks", "forward", "backward", "input_grad", "weight_grad")


def add_lane(data: Data, name: str, *, lane: str = "", label: str = "") -> Data:
    """A lane after the last one: in a recipe one device more, by hand an empty lane."""
    if is_recipe(data) and not lane and not label:
        return add_worker(data, name)
    data = deepcopy(spelt_out(data, name))
    found = [part for _, _, part in contents(data, "timeline")]
    if not found:
        raise EditRefused("no-timeline", "the figure has no timeline", nearest="add-worker, for a topology")
    for part in found:
        ids = [one["id"] for one in part["lanes"]]
        new = lane or _next_lane(ids)
        if new in ids:
            raise EditRefused(
                "name-taken", f"there is a lane {quoted(new)} already", nearest=f"add-lane {_next_lane(ids)}"
            )
        part["lanes"].append({"id": new, **({"label": label} if label else {})})
    return data


def _next_lane(ids: list[str]) -> str:
    from tikzgen.edit.acts.workers import next_id

    return next_id(ids)


def remove_lane(data: Data, name: str, *, lane: str = "") -> Data:
    """The last lane, or the one named, away with all that stands on it."""
    if is_recipe(data) and not lane:
        return remove_worker(data, name)
    data = deepcopy(spelt_out(data, name))
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


def set_schedule(data: Data, name: str, **facts: Any) -> Data:
    """Other facts of a schedule: kind, devices, microbatches, durations; the times follow."""
    if not is_recipe(data):
        raise EditRefused(
            "no-schedule", "the figure was not made from a schedule", nearest="edit its spans in the spec"
        )
    from tikzgen.recipe import recipe

    known = recipe(data["recipe"]).model_fields
    for field in facts:
        if field not in known:
            fields = ", ".join(field for field in _PLANNED if field in known) or "none"
            raise EditRefused("no-field", f"{data['recipe']} has no {quoted(field)}", nearest=f"its facts are {fields}")
    return {**data, **{field: value for field, value in facts.items() if value is not None}}
