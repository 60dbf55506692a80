"""TG217: a number that stands in a coordinate although a parameter holds it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.lint.findings import Fix, Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written
from tikzgen.texfile.edits import Replacement
from tikzgen.texfile.source_facts import Definition, Statement
from tikzgen.texfile.text import Span

__all__ = ["RULE"]

# a number that people choose: at least two digits count, and one of them is behind the point
_TELLING = re.compile(r"(?=\d*\.\d*[1-9])(?=[\d.]*[1-9][\d.]*\d)\d*\.\d+$")
_PLACE = re.compile(r"\(([^()\\]*,[^()\\]*|[^()\\]*,[^(),]*|[^(),]*,[^()\\]*)\)")
_PART = re.compile(r"[^,]+")
_NUMBER = re.compile(r"(?<![\w.])\d*\.\d+(?![\w.])")
_ACROSS = re.compile(r"\b(horizontal\w*|width|column)\b")
_UPWARDS = re.compile(r"\b(vertical\w*|height|row)\b")
_UNITS = ("x", "y", "z", "scale", "xscale", "yscale", "cm")


def _look(subject: Written) -> Iterator[Broken]:
    if subject.facts.parameters is None:
        return
    facts = subject.facts
    holding: dict[str, list[Definition]] = {}
    for each in subject.facts.parameters.parameters:
        if _TELLING.match(each.value):
            holding.setdefault(_plain(each.value), []).append(each)
    if not holding:
        return
    for statement in facts.statements:
        if facts.pictures[statement.picture].macro or _has_units(subject, statement):
            continue
        for place in _PLACE.finditer(facts.code.mask, *statement.span):
            for axis, part in enumerate(_PART.finditer(facts.code.mask, *place.span(1))):
                if "\\" in part[0] or "=" in part[0] or ":" in part[0]:  # a distance from what a parameter says
                    continue
                for number in _NUMBER.finditer(facts.code.mask, *part.span()):
                    held = holding.get(_plain(number[0]), ())
                    if macros := [each.name for each in held if not _crosswise(each, axis)]:
                        yield _broken(subject, Span(*number.span()), macros)


def _crosswise(parameter: Definition, axis: int) -> bool:
    """Whether a parameter says of itself that it is a distance in the other direction: its value is so by chance."""
    across, upwards = (bool(each.search(parameter.comment.lower())) for each in (_ACROSS, _UPWARDS))
    return across != upwards and axis < 2 and across != (axis == 0)


def _broken(subject: Written, span: Span, macros: list[str]) -> Broken:
    number = span.of(subject.facts.text)
    fix = Fix((Replacement(span, number, macros[0]),)) if len(macros) == 1 else None
    message = f"{number} stands here once more, it is the value of {' and of '.join(macros)}"
    return Broken(subject.place(span.start), message, f"write {' or '.join(macros)}", fix)


def _plain(number: str) -> str:
    return f"{float(number):g}"


def _has_units(subject: Written, statement: Statement) -> bool:
    """Whether numbers are no lengths in cm here: time units of a timeline, coordinates that are scaled."""
    facts = subject.facts
    picture, start = facts.pictures[statement.picture], statement.span.start
    around = [scope.options for scope in facts.scopes if scope.span.start <= start < scope.span.end]
    given = [*picture.options, *(option for options in around for option in options), *statement.options]
    return any(option.key in _UNITS for option in given)


_SUMMARY = "no number of a coordinate stands twice instead of coming from its parameter"
RULE = Rule("TG217", "repeated-number", _SUMMARY, Written, _look, Severity.WARNING, "puts the parameter in its place")
