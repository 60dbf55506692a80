"""Effect of each operation on a description: by the table, or by a parameter of the recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import NoneType
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo

from tikzgen.base.errors import EditRefused, quote, shorten_for_message
from tikzgen.base.suggest import suggest_known_names
from tikzgen.edit import set_spacing_and_texts
from tikzgen.edit.own_figure import Said, with_changed_parts
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Options
from tikzgen.model.operations import (
    WORKERS,
    AddWorker,
    Operation,
    Palette,
    Recolor,
    RemoveWorker,
    RenameNode,
    SetLegend,
    SetSchedule,
    SetTitle,
    Width,
    kinds_of,
    map_styles_to_kinds,
    phases_of,
    place_of_text,
    read_operation,
)
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.timeline import Timeline
from tikzgen.model.timeline.timeline_operations import LANES, AddLane, AddSpan, RemoveLane, RemoveSpan, SetSpan
from tikzgen.model.topology import DataSource, Server, Topology, Worker
from tikzgen.model.topology.node_operations import SwapIcon
from tikzgen.schedule import ScheduleError

_FREEZE = "--freeze, which gives the recipe up"


def add_worker(said: Said, operation: AddWorker) -> Options:
    """Add a worker after the last one, or increase the recipe's number of workers."""
    if said.recipe is None or not said.recipe.counts:
        return with_changed_parts(said, operation)
    counted = _count_worker(said.recipe, 1)
    if not operation.label:
        return counted
    more = said.with_options(counted)
    new = _new_one(said, more)
    if groups := _find_group_labels(said.figure, more.figure, new):
        return with_changed_parts(more, read_operation("set-text", {"at": groups, "text": operation.label}))
    return set_spacing_and_texts.rename_node(more, RenameNode(do="rename-node", node=new, label=operation.label))


def remove_worker(said: Said, operation: RemoveWorker) -> Options:
    """Remove a worker, by default the last one; lower the recipe's number if that removes this worker."""
    if said.recipe is None or not said.recipe.counts:
        return with_changed_parts(said, operation)
    if not _workers(said.figure):
        return remove_lane(said, RemoveLane(do="remove-lane", lane=operation.worker))
    if not operation.worker:
        return _one_fewer(said, said.recipe)
    return _one_fewer_without(said, said.recipe, operation.worker) or with_changed_parts(said, operation)


def add_lane(said: Said, operation: AddLane) -> Options:
    """Add a lane after the last one: a device of a recipe that counts them, else an empty lane.

    The label is given to the new lane. If a recipe counts workers and draws no lanes, a worker is added. A lane with a
    given id is not a device: the recipe gets it as an override.
    """
    if said.recipe is None or not said.recipe.counts:
        return with_changed_parts(said, operation)
    if operation.lane and _last_lane(said.figure):
        return with_changed_parts(said, operation)
    made = add_worker(said, AddWorker(do="add-worker", label=operation.label))
    if not operation.lane:
        return made
    more = said.with_options(made)
    return with_changed_parts(more, read_operation("rename-id", {"old": _new_one(said, more), "new": operation.lane}))


def remove_lane(said: Said, operation: RemoveLane) -> Options:
    """Remove a lane and its contents, by default the last lane; of bound devices, only the last one."""
    recipe = said.recipe
    if recipe is None or not recipe.counts:
        return with_changed_parts(said, operation)
    if _workers(said.figure) and not _last_lane(said.figure):
        return remove_worker(said, RemoveWorker(do="remove-worker", worker=operation.lane))
    if operation.lane in ("", _last_lane(said.figure)) and (not operation.lane or recipe.bound_devices):
        return _one_fewer(said, recipe)
    if recipe.bound_devices and _works_on(said.figure, operation.lane):
        message = f"the other devices wait for {quote(operation.lane)}, so the schedule is impossible without it"
        fewer = f"set-schedule {recipe.counts}={getattr(recipe, recipe.counts) - 1}"
        ways = f"{fewer}, or {_FREEZE}"
        raise EditRefused("needs-freeze", message, invariant="a schedule keeps its devices", nearest=ways)
    return with_changed_parts(said, operation)


def change_span(said: Said, operation: SetSpan | AddSpan | RemoveSpan) -> Options:
    """Change, add or remove a span; reject a change of times that a recipe computes."""
    if said.recipe is not None and (not isinstance(operation, SetSpan) or operation.moves):
        made = operation.change(said.figure)  # an invalid change raises another error
        facts = ", ".join(said.recipe.schedule_facts)
        kept = isinstance(operation, AddSpan) and not any(_computes(said.recipe, lane) for lane in operation.lane)
        if made is not None and not kept:
            message = "its recipe computes when every span begins and ends"
            ways = f"set-schedule with one of {facts}, or {_FREEZE}" if facts else _FREEZE
            raise EditRefused("needs-freeze", message, invariant="the times follow the schedule", nearest=ways)
    return with_changed_parts(said, operation)


def change_parts(said: Said, operation: Operation) -> Options:
    """Change parts of the figure; reject a change of parts that a recipe computes."""
    if said.recipe is not None and (computed := operation.computed_parts):
        operation.change(said.figure)  # an invalid change raises another error
        facts = ", ".join(said.recipe.schedule_facts)
        ways = f"set-schedule with one of {facts}, or {_FREEZE}" if facts else _FREEZE
        message, rule = f"its recipe computes the {computed}", f"the {computed} follow the recipe"
        raise EditRefused("needs-freeze", message, invariant=rule, nearest=ways)
    return with_changed_parts(said, operation)


def swap_icon(said: Said, operation: SwapIcon) -> Options:
    """Replace an icon; for all nodes of its role if the recipe has icons by role."""
    icons = getattr(said.recipe, "icons", None)
    node = next(
        (one for _, _, part in said.figure.parts(Topology) for one in part.nodes if one.id == operation.node), None
    )
    role = {Worker: "worker", Server: "server", DataSource: "data"}.get(type(node), "")  # type: ignore[arg-type]
    if said.recipe is None or icons is None or role not in type(icons).model_fields:
        return with_changed_parts(said, operation)
    return _with(said.recipe, icons=icons.model_copy(update={role: operation.icon}))


def set_schedule(said: Said, operation: SetSchedule) -> Options:
    """Set parameters of a schedule, such as kind, devices, microbatches or durations; recompute the times.

    Overrides of a device are removed with the device.
    """
    recipe, facts = said.recipe, operation.model_extra or {}
    if recipe is None or not recipe.schedule_facts:
        message = "the figure was not made from a schedule"
        raise EditRefused("no-schedule", message, nearest="set-span changes one span")
    for field in facts:
        if field not in type(recipe).model_fields or field == "overrides":
            known = suggest_known_names(field, recipe.schedule_facts, "its parameters are")
            raise EditRefused(
                "no-field", f"{shorten_for_message(getattr(recipe, 'recipe', ''))} has no {quote(field)}", nearest=known
            )
    fields = type(recipe).model_fields
    given = {name: _fact(fields[name], value) for name, value in facts.items()}
    counted = given.get(recipe.counts)
    changed = _with(recipe, **given)  # it is checked as a whole afterwards
    if isinstance(counted, int) and isinstance(before := getattr(recipe, recipe.counts), int) and counted < before:
        return _without_lost_parts(said, changed)
    return changed


def _fact(field: FieldInfo, value: Any) -> Any:
    """Return the value for a recipe parameter: null gives the default, a single value becomes a list."""
    if value is None:
        return field.get_default(call_default_factory=True)
    kind = field.annotation
    options = [kind] if get_origin(kind) is list else [each for each in get_args(kind) if each is not NoneType]
    takes_lists = {get_origin(each) for each in options} == {list}
    return [value] if takes_lists and not isinstance(value, list) else value


def _with(recipe: EditableRecipe, **facts: Any) -> EditableRecipe:
    return recipe.model_copy(update=facts)


def _computes(recipe: EditableRecipe, lane: str) -> bool:
    """Return whether the recipe itself, without its overrides, has a lane."""
    return any(one.id == lane for _, _, part in recipe.expand().parts(Timeline) for one in part.lanes)


def _works_on(figure: FigureModel, lane: str) -> bool:
    """Return whether a lane has spans."""
    return any(lane in span.lanes for _, _, part in figure.parts(Timeline) for span in part.spans)


def _new_one(said: Said, more: Said) -> str:
    """Return the worker, or the first lane, that only the figure with one more has."""
    assert more.recipe is not None, "a figure of a recipe"
    known = WORKERS if _workers(more.figure) else LANES
    before, after = (known.names_in(each.figure) for each in (said, more))
    new = [name for name in after if name.startswith(more.recipe.counted_ids) and name not in before]
    if not new or (known is WORKERS and len(new) > 1):
        message = f"{len(new)} {known.what}s come with one more of {more.recipe.counts}"
        raise EditRefused("which-worker", message, nearest="add-worker without a label, and rename-node for each")
    return new[0]


def _find_group_labels(before: FigureModel, after: FigureModel, lane: str) -> list[str]:
    """Return the addresses of the labels of the groups that contain a lane and new lanes only."""
    known = {*LANES.names_in(before)}
    return [
        place_of_text(after, ("panels", panel, "content", at, "groups", index, "label"))
        for panel, at, part in after.parts(Timeline)
        for index, group in enumerate(part.groups)
        if lane in group.lanes and known.isdisjoint(group.lanes)
    ]


def _workers(figure: FigureModel) -> list[str]:
    return WORKERS.names_in(figure)


def _last_lane(figure: FigureModel) -> str:
    return next((part.lanes[-1].id for _, _, part in figure.parts(Timeline)), "")


def _count_worker(recipe: EditableRecipe, step: int) -> EditableRecipe:
    """Add or remove a worker in a recipe; do not state a number that follows from other parameters."""
    value, follows = getattr(recipe, recipe.counts), _columns(recipe)
    count = (value.count if hasattr(value, "count") and not isinstance(value, int) else value or follows) + step
    if count < 1:
        raise EditRefused("last-worker", "there is only one worker", invariant="a figure keeps a worker")
    if isinstance(value, int) or value is None:
        return _with(recipe, **{recipe.counts: None if count == follows else count})
    return _with(recipe, **{recipe.counts: value.model_copy(update={"count": count})})


def _one_fewer(said: Said, recipe: EditableRecipe) -> EditableRecipe:
    """Return the recipe without its last worker and the overrides of that worker."""
    return _without_lost_parts(said, _count_worker(recipe, -1))


def _without_lost_parts(said: Said, recipe: EditableRecipe) -> EditableRecipe:
    """Return the recipe without overrides of lost parts; raise `EditRefused` if its numbers do not fit."""
    bare = said.with_options(_with(recipe, overrides=[], slides=None)).recipe
    assert bare is not None, "a figure of a recipe"
    return _with(bare, overrides=recipe.overrides, slides=recipe.slides).without_lost_parts()


def _one_fewer_without(said: Said, recipe: EditableRecipe, worker: str) -> EditableRecipe | None:
    """Return the recipe with one worker less, if that removes exactly this worker; else None."""
    if getattr(recipe, recipe.counts) == 1:
        return None
    fewer = _one_fewer(said, recipe)
    left = _workers(said.with_options(fewer).figure)
    return fewer if [name for name in _workers(said.figure) if name not in left] == [worker] else None


def _columns(recipe: EditableRecipe) -> int:
    """Return the number of workers in a recipe's table of durations; 0 without a table."""
    steps = getattr(recipe, "steps", None)
    return len(steps[0]) if isinstance(steps, list) and isinstance(steps[0], list) else 0


def run_operation(said: Said, operation: Operation) -> Said:
    """Run an operation on the description; `EditRefused` states why not."""
    try:
        return said.with_options(_ACTS.get(operation.do, change_parts)(said, operation))
    except ScheduleError as error:  # the recipe rejects the result
        raise EditRefused("model", error.message, nearest=error.hint) from None


def _option(said: Said, operation: Palette | Width | SetTitle) -> Options:
    """Set a field that recipes and figures share."""
    return said.options.model_copy(update={name: getattr(operation, name) for name in operation.list_arguments()})


def _set_legend(said: Said, operation: SetLegend) -> Options:
    """Set the legend, which is a parameter of many recipes."""
    if said.recipe is None or "legend" not in type(said.recipe).model_fields:
        return with_changed_parts(said, operation)
    return said.recipe.model_copy(update={"legend": operation.change(said.figure).legend})


def _recolor(said: Said, operation: Recolor) -> Options:
    """Change the palette color of a flow kind, a phase or a node."""
    figure, color = said.figure, operation.color
    kinds, phases = kinds_of(figure), phases_of(figure)
    what = map_styles_to_kinds(figure).get(operation.what, operation.what.removesuffix(" phase"))
    look = figure.kind(what) if what in kinds else figure.phase(what) if what in phases else None
    if look is not None and look.color == color:
        return said.options
    return with_changed_parts(said, operation.model_copy(update={"what": what}))


_ACTS: Mapping[str, Callable[[Said, Any], Options]] = {
    "set": set_spacing_and_texts.set_parameter,
    "change-spacing": set_spacing_and_texts.change_spacing,
    "rename-node": set_spacing_and_texts.rename_node,
    "palette": _option,
    "width": _option,
    "set-title": _option,
    "set-legend": _set_legend,
    "recolor": _recolor,
    "swap-icon": swap_icon,
    "add-worker": add_worker,
    "remove-worker": remove_worker,
    "add-lane": add_lane,
    "remove-lane": remove_lane,
    "set-span": change_span,
    "add-span": change_span,
    "remove-span": change_span,
    "set-schedule": set_schedule,
}
