"""Operations on figures whose times a recipe computes."""

from typing import Literal

from pydantic import ConfigDict

from tikzgen.model.operations.operation_model import Operation


class SetSchedule(Operation):
    """Change parameters of a schedule, such as devices or durations, and recompute all times."""

    model_config = ConfigDict(extra="allow")  # the recipe defines its parameters

    do: Literal["set-schedule"]

    hand = "change the start and the duration of all later spans, or change {facts} in the spec"
    needs = ("facts",)


SCHEDULE_OPERATIONS: tuple[type[Operation], ...] = (SetSchedule,)
