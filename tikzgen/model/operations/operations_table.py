"""Table of all operations; each type of content adds its own.

The contract, `tikzgen edit`, `tikzgen show`, the tools for agents with their guide, and the documentation are
generated from it. The overrides of a recipe are operations that change parts. To add an operation, write a model with
a `change` method in the module of its type of content, and add it to that module's list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tikzgen.base.extensions import load_address
from tikzgen.model.content import KINDS
from tikzgen.model.operations.figure_operations import FIGURE_OPERATIONS
from tikzgen.model.operations.operation_model import Operation
from tikzgen.model.operations.schedule_operations import SCHEDULE_OPERATIONS
from tikzgen.model.operations.worker_operations import WORKER_OPERATIONS

_OPERATIONS: tuple[type[Operation], ...] = (
    *FIGURE_OPERATIONS,
    *WORKER_OPERATIONS,
    *(each for name in KINDS.built_in for each in load_address(KINDS[name].operations_address)),
    *SCHEDULE_OPERATIONS,
)
OPERATIONS: Mapping[str, type[Operation]] = {each.operation_name(): each for each in _OPERATIONS}
"""All operations by name, in the order of the documentation."""
OVERRIDES: Mapping[str, type[Operation]] = {name: each for name, each in OPERATIONS.items() if "change" in vars(each)}
"""Operations that change the parts of a figure and can therefore be in `overrides`."""


def read_operation(name: str, arguments: Mapping[str, Any]) -> Operation:
    """Return an operation with its arguments; raise Pydantic's `ValidationError` for invalid arguments."""
    return OPERATIONS[name].model_validate({**arguments, "do": name})
