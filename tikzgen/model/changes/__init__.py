"""What may be changed in a figure, on its plain data: each takes the data, which it may change, and gives them back.

`EditRefused` says what a figure does not allow. An override of a recipe is one of these with its arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tikzgen.model.changes.flow_changes import add_flow, remove_flow
from tikzgen.model.changes.ids import rename_id
from tikzgen.model.changes.label_changes import rename_node, set_text
from tikzgen.model.changes.lane_changes import add_lane, remove_lane
from tikzgen.model.changes.look_changes import recolor, swap_icon
from tikzgen.model.changes.worker_changes import add_worker, remove_worker

__all__ = ["CHANGES"]

CHANGES: dict[str, Callable[..., dict[str, Any]]] = {
    "rename-node": rename_node,
    "set-text": set_text,
    "rename-id": rename_id,
    "recolor": recolor,
    "swap-icon": swap_icon,
    "add-worker": add_worker,
    "remove-worker": remove_worker,
    "add-lane": add_lane,
    "remove-lane": remove_lane,
    "add-flow": add_flow,
    "remove-flow": remove_flow,
}
