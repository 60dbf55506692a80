"""One worker or lane more or fewer: a number of a recipe where it has one, else a change of the figure."""

from __future__ import annotations

from typing import Any

from tikzgen.base.errors import quoted
from tikzgen.edit.outcome import EditRefused
from tikzgen.edit.overriding import changed
from tikzgen.edit.spec_data import Data, drawn_of_data, fields_of, figure_of_data, is_recipe, recipe_of
from tikzgen.model.base import shortest
from tikzgen.model.changes.plain_figure import contents
from tikzgen.model.changes.worker_changes import workers_of

__all__ = ["add_lane", "add_worker", "remove_lane", "remove_worker", "set_schedule"]

_COUNTS = ("workers", "ranks", "devices")
_PLANNED = ("schedule", "devices", "microbatches", "chunks", "forward", "backward", "input_grad", "weight_grad")


def add_worker(data: Data, name: str, *, label: str = "") -> Data:
    """One worker after the last one, with the flows that the last one has."""
    field = _count_field(data)
    if not field:
        return changed(data, name, "add-worker", **_said(label=label))
    counted = _counted(data, field, 1)
    if not label:
        return counted
    last = _last(figure_of_data(counted, name))
    return changed(counted, name, "rename-node", node=last, label=label)


def remove_worker(data: Data, name: str, *, worker: str = "") -> Data:
    """The last worker, or the one named, away with its flows and with the links to any of these."""
    field = _count_field(data)
    if field and worker in ("", _last(drawn_of_data(data, name))):
        return _counted(data, field, -1)
    return changed(data, name, "remove-worker", **_said(worker=worker))


def add_lane(data: Data, name: str, *, lane: str = "", label: str = "") -> Data:
    """A lane after the last one: in a recipe one device more, by hand an empty lane."""
    if is_recipe(data) and not lane and not label:
        return add_worker(data, name)
    return changed(data, name, "add-lane", **_said(lane=lane, label=label))


def remove_lane(data: Data, name: str, *, lane: str = "") -> Data:
    """The last lane, or the one named, away with all that stands on it."""
    if is_recipe(data) and not lane:
        return remove_worker(data, name)
    if data.get("recipe") == "pipeline" and _works_on(data, name, lane):
        message = f"the other devices wait for what {quoted(lane)} does, so this would be no schedule"
        ways = "set-schedule devices=…, or --freeze, which gives the recipe up"
        raise EditRefused("needs-freeze", message, invariant="a schedule keeps its devices", nearest=ways)
    return changed(data, name, "remove-lane", **_said(lane=lane))


def _said(**texts: str) -> dict[str, Any]:
    """The arguments that say something."""
    return {name: text for name, text in texts.items() if text}


def _works_on(data: Data, name: str, lane: str) -> bool:
    """Whether anything stands on a lane."""
    long = shortest(figure_of_data(data, name).model_copy())
    spans = [span for _, _, part in contents(long, "timeline") for span in part.get("spans", ())]
    return any(lane == span["lane"] or lane in span["lane"] for span in spans)


def _last(figure: Any) -> str:
    """The last worker of a figure, or its last lane."""
    long = shortest(figure.model_copy())
    for _, _, part in contents(long, "topology"):
        if workers := workers_of(part):
            return str(workers[-1]["id"])
    return next((str(part["lanes"][-1]["id"]) for _, _, part in contents(long, "timeline")), "")


def _count_field(data: Data) -> str:
    """The field of a recipe that says how many workers there are, empty where none does."""
    if not is_recipe(data):
        return ""
    known = fields_of(data)
    return next((field for field in _COUNTS if field in known), "")


def _counted(data: Data, field: str, step: int) -> Data:
    """The recipe with one worker more or fewer; a number that follows from its other facts is not said."""
    value = shortest(getattr(recipe_of(data), field))
    follows = _columns(data)
    crowd = dict(value) if isinstance(value, dict) else {"count": value if value is not None else follows}
    crowd["count"] += step
    if crowd["count"] < 1:
        raise EditRefused("last-worker", "there is only one worker", invariant="a figure keeps a worker")
    rest = {key: one for key, one in data.items() if key != field}
    if crowd.get("show") is not None:
        return {**rest, field: crowd}
    return rest if crowd["count"] == follows else {**rest, field: crowd["count"]}


def _columns(data: Data) -> int:
    """How many workers a recipe's table of durations speaks of; 0 where it has none."""
    steps = getattr(recipe_of(data), "steps", None)
    return len(steps[0]) if isinstance(steps, list) and isinstance(steps[0], list) else 0


def set_schedule(data: Data, name: str, **facts: Any) -> Data:
    """Other facts of a schedule: kind, devices, microbatches, durations; the times follow."""
    if not is_recipe(data):
        raise EditRefused(
            "no-schedule", "the figure was not made from a schedule", nearest="edit its spans in the spec"
        )
    known = fields_of(data)
    for field in facts:
        if field not in known:
            fields = ", ".join(field for field in _PLANNED if field in known) or "none"
            raise EditRefused("no-field", f"{data['recipe']} has no {quoted(field)}", nearest=f"its facts are {fields}")
    return {**data, **{field: value for field, value in facts.items() if value is not None}}
