"""The rules of `tikzgen check`: each says what it looks at, and stands in a module with those of its subject."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import UnionType
from typing import Any

from tikzgen.base.errors import Place
from tikzgen.base.record import Record
from tikzgen.lint.findings import Finding, Fix, Severity


class Broken(Record):
    """What a rule says of a subject: where, what is wrong, the way out, and what `--fix` does where that is safe."""

    place: Place
    message: str
    hint: str = ""
    fix: Fix | None = None


class Rule(Record):
    """One thing to look at: TG1xx are the rules of schedules and timelines, TG2xx those of a .tex as it is written,
    TG3xx those of a figure as TeX sets it (in `tikzgen.probe.rules`).

    `look` gives what is wrong with a `subject` of that type, or of these; others are none of its business.
    """

    code: str
    name: str
    summary: str
    subject: type | UnionType
    look: Callable[[Any], Iterator[Broken]]
    severity: Severity = Severity.ERROR
    fixes: str = ""
    """What `--fix` does about it; empty where a person has to decide."""

    def as_json(self) -> dict[str, str]:
        """The rule for programs."""
        facts = {"code": self.code, "name": self.name, "severity": self.severity.value}
        return {**facts, "summary": self.summary, "fixes": self.fixes}


@cache
def rules_in(room: str, without: tuple[str, ...] = ()) -> tuple[Rule, ...]:
    """The rules of a package, by code; modules `without` which one does are not even loaded."""
    files = (file.name for file in iter_modules(import_module(room).__path__))
    modules = (import_module(f"{room}.{name}") for name in files if name not in without)
    found = (value for module in modules for value in vars(module).values() if isinstance(value, Rule))
    return tuple(sorted(found, key=lambda rule: rule.code))


def look(subject: object, rules: Iterable[Rule]) -> Iterator[Finding]:
    """What these rules find in a subject."""
    for rule in rules:
        if isinstance(subject, rule.subject):
            for broken in rule.look(subject):
                yield Finding(
                    rule.code, rule.name, rule.severity, broken.message, broken.place, broken.hint, broken.fix
                )
