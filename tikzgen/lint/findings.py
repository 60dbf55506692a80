"""What `tikzgen check` finds: which rule is broken, where, and the way out."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from tikzgen.base.errors import Place
from tikzgen.base.record import Record

if TYPE_CHECKING:
    from tikzgen.texfile.text import Replacement  # who renders reads no .tex


class Severity(StrEnum):
    """How bad a finding is: an error makes the figure wrong, a warning makes it doubtful."""

    ERROR = "error"
    WARNING = "warning"


class Fix(Record):
    """How a finding is mended without asking: edits of the figure, edits of the metadata beside it.

    `rewrite` has the metadata made anew from the description inside the figure.
    """

    figure: tuple[Replacement, ...] = ()
    metadata: tuple[Replacement, ...] = ()
    rewrite: bool = False


class Finding(Record):
    """One broken rule; `name` is the rule's, `place` says where, `hint` how to mend it, `fix` mends it."""

    code: str
    name: str
    severity: Severity
    message: str
    place: Place
    hint: str = ""
    fix: Fix | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.code} {self.message}" + (f" ({self.hint})" if self.hint else "")

    def as_json(self) -> dict[str, object]:
        """The same facts for programs; `line` and `column` count from 1 and are null where there is none."""
        return {
            "code": self.code,
            "name": self.name,
            "severity": self.severity.value,
            "message": self.message,
            "file": self.place.file,
            "line": self.place.line,
            "column": self.place.column,
            "hint": self.hint,
            "fixable": self.fix is not None,
        }
