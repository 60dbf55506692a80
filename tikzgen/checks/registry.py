"""The rules of `tikzgen check`: each is a module in `tikzgen.checks.rules` with a `RULE`; a new file is a new rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from tikzgen.checks.findings import Finding, Fix, Severity
from tikzgen.checks.subjects import Subject
from tikzgen.errors import Place
from tikzgen.record import Record

__all__ = ["Broken", "Rule", "look", "rules"]


class Broken(Record):
    """What a rule says of a subject: where, what is wrong, the way out, and what `--fix` does where that is safe."""

    place: Place
    message: str
    hint: str = ""
    fix: Fix | None = None


class Rule(Record):
    """One thing to look at: TG1xx are the rules of schedules and timelines, TG2xx those of a .tex as it is written,
    TG3xx those of a figure as TeX sets it (in `tikzgen.geometry.rules`).

    `look` gives what is wrong with a subject; it is called with every subject and passes over kinds that are none of
    its business.
    """

    code: str
    name: str
    summary: str
    look: Callable[[Subject], Iterator[Broken]]
    severity: Severity = Severity.ERROR
    fixes: str = ""
    """What `--fix` does about it; empty where a person has to decide."""

    def as_json(self) -> dict[str, str]:
        """The rule for programs."""
        facts = {"code": self.code, "name": self.name, "severity": self.severity.value}
        return {**facts, "summary": self.summary, "fixes": self.fixes}


_DESCRIBED, _DRAWN = "tikzgen.checks.rules", "tikzgen.geometry.rules"


@cache
def _in(room: str) -> tuple[Rule, ...]:
    """The rules of one room, by code."""
    files = iter_modules(import_module(room).__path__)
    return tuple(sorted((import_module(f"{room}.{file.name}").RULE for file in files), key=lambda rule: str(rule.code)))


def rules() -> tuple[Rule, ...]:
    """All rules, by code."""
    return (*_in(_DESCRIBED), *_in(_DRAWN))


def look(subject: Subject) -> Iterator[Finding]:
    """What the rules find in one subject: those of geometry look at what TeX set, the others at all else."""
    drawn = type(subject).__module__.startswith("tikzgen.geometry.")
    for rule in _in(_DRAWN if drawn else _DESCRIBED):
        for broken in rule.look(subject):
            yield Finding(rule.code, rule.name, rule.severity, broken.message, broken.place, broken.hint, broken.fix)
