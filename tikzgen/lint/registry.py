"""The rules of `tikzgen check` and what they find: each stands in a module with those of its subject."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import reduce
from itertools import islice
from operator import or_
from types import UnionType
from typing import TYPE_CHECKING, Any

from tikzgen.base.errors import Place
from tikzgen.base.record import Record

if TYPE_CHECKING:
    from tikzgen.texfile import Replacement  # who renders reads no .tex


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
    """One broken rule; `name` is the rule's, `place` says where, `hint` how to mend it, `fix` mends it.

    `more` marks the last finding that is listed of a rule that has more.
    """

    code: str
    name: str
    severity: Severity
    message: str
    place: Place
    hint: str = ""
    fix: Fix | None = None
    more: bool = False

    def __str__(self) -> str:
        more = f", and more {self.code} that are not listed" if self.more else ""
        return f"{self.place}: {self.code} {self.message}{more}" + (f" ({self.hint})" if self.hint else "")

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
            "more": self.more,
        }


class Broken(Record):
    """What a rule says of a subject: where, what is wrong, the way out, and what `--fix` does where that is safe."""

    place: Place
    message: str
    hint: str = ""
    fix: Fix | None = None


Look = Callable[[Any], Iterator[Broken]]


class Rule(Record):
    """One thing to look at: TG1xx are the rules of schedules and timelines, TG2xx those of a .tex as it is written,
    TG3xx those of a figure as TeX sets it (in `tikzgen.lint.probe.rules`).

    `look` gives what is wrong with a `subject` of that type, or of these; others are none of its business.
    """

    code: str
    name: str
    summary: str
    subject: type | UnionType
    look: Look
    severity: Severity = Severity.ERROR
    fixes: str = ""
    """What `--fix` does about it; empty where a person has to decide."""

    def as_json(self) -> dict[str, str]:
        """The rule for programs."""
        facts = {"code": self.code, "name": self.name, "severity": self.severity.value}
        return {**facts, "summary": self.summary, "fixes": self.fixes}


def rule(code: str, summary: str, severity: Severity = Severity.ERROR, *, fixes: str = "") -> Callable[[Look], Rule]:
    """Makes a rule of a function: it is called as that is, and its subjects are of the type of that one's `subject`."""

    def make_rule(look: Look) -> Rule:
        name = look.__name__.strip("_").replace("_", "-")
        kinds = look.__annotations__["subject"]  # a string where annotations are not evaluated
        if isinstance(kinds, str):
            kinds = reduce(or_, map(look.__globals__.__getitem__, kinds.split(" | ")))
        return Rule(code, name, summary, kinds, look, severity, fixes)

    return make_rule


FINDINGS_PER_RULE = 40  # findings per rule and drawing
"""The search of a rule in a drawing ends after so many: a figure with more has one cause for them."""


def look(subject: object, rules: Iterable[Rule], most: int | None = None) -> Iterator[Finding]:
    """Yield the findings of these rules in a subject, `most` of each rule (null: all).

    A rule that is at its limit stops its search: many findings have one cause, and the rest may take minutes.
    """
    for rule in rules:
        if isinstance(subject, rule.subject):
            every = list(islice(rule.look(subject), None if most is None else most + 1))
            for number, broken in enumerate(every[:most], 1):
                facts = broken.message, broken.place, broken.hint, broken.fix
                more = number == most and len(every) > number
                yield Finding(rule.code, rule.name, rule.severity, *facts, more)
