"""What each operation does to a description. Every act takes the description, its name and the arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tikzgen.edit.acts.counts import add_lane, add_worker, remove_lane, remove_worker, set_schedule
from tikzgen.edit.acts.look_acts import change_spacing, palette, recolor, swap_icon, width
from tikzgen.edit.acts.text_acts import rename_node, set_parameter
from tikzgen.edit.overriding import changed

__all__ = ["ACTS"]


def _changed(data: dict[str, Any], name: str, *, do: str, **arguments: Any) -> dict[str, Any]:
    """What needs nothing but the change itself."""
    return changed(data, name, do, **arguments)


ACTS: dict[str, Callable[..., dict[str, Any]]] = {
    "set": set_parameter,
    "rename-node": rename_node,
    "rename-id": partial(_changed, do="rename-id"),
    "add-worker": add_worker,
    "remove-worker": remove_worker,
    "add-lane": add_lane,
    "remove-lane": remove_lane,
    "change-spacing": change_spacing,
    "swap-icon": swap_icon,
    "recolor": recolor,
    "palette": palette,
    "width": width,
    "add-flow": partial(_changed, do="add-flow"),
    "remove-flow": partial(_changed, do="remove-flow"),
    "set-schedule": set_schedule,
}
