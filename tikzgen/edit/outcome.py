"""What became of an operation: applied, nothing to do, refused with the way out, failed, or held back by another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from tikzgen.base.record import Record, as_dict, replace

Status = Literal["applied", "noop", "refused", "failed", "held"]


class Outcome(Record):
    """The result of one operation.

    `code` is stable for programs; `invariant` is the rule of the contract that would have been broken, and `nearest`
    a call that would be accepted, where there is one.
    """

    operation: str
    status: Status
    code: str = ""
    message: str = ""
    invariant: str = ""
    nearest: str = ""

    def as_json(self) -> dict[str, Any]:
        """The same facts as plain data, without what is empty."""
        return {name: value for name, value in as_dict(self).items() if value}

    def __str__(self) -> str:
        head = f"{self.operation}: {self.status}"
        tail = f": {self.message}" if self.message else ""
        ways = [f"invariant: {self.invariant}"] if self.invariant else []
        ways += [f"try: {self.nearest}"] if self.nearest else []
        return head + tail + (f" ({'; '.join(ways)})" if ways else "")


def held_back(outcomes: Iterable[Outcome], why: str) -> list[Outcome]:
    """The outcomes of operations of which nothing was written: none of them was applied."""
    return [
        replace(each, status="held", message=f"not written, because {why}") if each.status == "applied" else each
        for each in outcomes
    ]
