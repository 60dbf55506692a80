"""What each operation does to a description. Every act takes the description, its name and the arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tikzgen.edit.acts.flows import add_flow, remove_flow
from tikzgen.edit.acts.lanes import add_lane, remove_lane, set_schedule
from tikzgen.edit.acts.looks import change_spacing, palette, recolor, swap_icon, width
from tikzgen.edit.acts.names import rename_id
from tikzgen.edit.acts.texts import rename_node, set_parameter
from tikzgen.edit.acts.workers import add_worker, remove_worker

__all__ = ["ACTS"]

ACTS: dict[str, Callable[..., dict[str, Any]]] = {
    "set": set_parameter,
    "rename-node": rename_node,
    "rename-id": rename_id,
    "add-worker": add_worker,
    "remove-worker": remove_worker,
    "add-lane": add_lane,
    "remove-lane": remove_lane,
    "change-spacing": change_spacing,
    "swap-icon": swap_icon,
    "recolor": recolor,
    "palette": palette,
    "width": width,
    "add-flow": add_flow,
    "remove-flow": remove_flow,
    "set-schedule": set_schedule,
}
