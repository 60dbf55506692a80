"""Rules of `tikzgen check` and their findings. Each rule is in the module of its subject.

`rule` defines a rule, `rules_in` returns the rules of a package, `look` applies rules to a subject.
"""

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
    from tikzgen.texfile import Replacement  # not loaded for rendering


class Severity(StrEnum):
    """Severity of a finding: an error makes the figure wrong, a warning makes it doubtful."""

    ERROR = "error"
    WARNING = "warning"


class Fix(Record):
    """Automatic fix of a finding: edits of the figure, and edits of its metadata file.

    `rewrite` regenerates the metadata from the description inside the figure.
    """

    figure: tuple[Replacement, ...] = ()
    metadata: tuple[Replacement, ...] = ()
    rewrite: bool = False


class Finding(Record):
    """A broken rule: code and `name` of the rule, `place` (location), `hint` for the user, `fix` if automatic.

    `more` marks the last listed finding of a rule that has more.
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
        """Return the finding for programs; `line` and `column` count from 1 and are null if unknown."""
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
    """A violation of a rule: location, message, hint, and an automatic fix if that is safe."""

    place: Place
    message: str
    hint: str = ""
    fix: Fix | None = None


Look = Callable[[Any], Iterator[Broken]]


class Rule(Record):
    """A rule with its code, subject type and check function.

    TG1xx are rules of schedules and timelines, TG2xx rules of the source of a .tex. TG3xx are rules of a figure as TeX
    draws it (in `tikzgen.lint.probe.rules`). `look` yields the violations of a `subject` of the given types. The rule
    does not apply to other subjects.
    """

    code: str
    name: str
    summary: str
    subject: type | UnionType
    look: Look
    severity: Severity = Severity.ERROR
    fixes: str = ""
    """Action of `--fix`; empty if the fix needs a decision."""

    def as_json(self) -> dict[str, str]:
        """Return the rule for programs."""
        facts = {"code": self.code, "name": self.name, "severity": self.severity.value}
        return {**facts, "summary": self.summary, "fixes": self.fixes}


def rule(code: str, summary: str, severity: Severity = Severity.ERROR, *, fixes: str = "") -> Callable[[Look], Rule]:
    """Return a decorator that makes a rule of a function.

    The rule has the name of the function. Its subjects have the annotated type of the parameter `subject`.
    """

    def make_rule(look: Look) -> Rule:
        name = look.__name__.strip("_").replace("_", "-")
        kinds = look.__annotations__["subject"]  # a string where annotations are not evaluated
        if isinstance(kinds, str):
            kinds = reduce(or_, map(look.__globals__.__getitem__, kinds.split(" | ")))
        return Rule(code, name, summary, kinds, look, severity, fixes)

    return make_rule


FINDINGS_PER_RULE = 40  # findings per rule and drawing
"""Maximum number of findings per rule and drawing; more have one common cause."""


def look(subject: object, rules: Iterable[Rule], most: int | None = None) -> Iterator[Finding]:
    """Yield the findings of these rules in a subject, at most `most` of each rule (None: all).

    A rule that is at its limit stops its search: many findings have one cause, and the rest may take minutes.
    """
    for rule in rules:
        if isinstance(subject, rule.subject):
            every = list(islice(rule.look(subject), None if most is None else most + 1))
            for number, broken in enumerate(every[:most], 1):
                facts = broken.message, broken.place, broken.hint, broken.fix
                more = number == most and len(every) > number
                yield Finding(rule.code, rule.name, rule.severity, *facts, more)
