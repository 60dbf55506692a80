"""Rules on what stands twice in a .tex."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.registry import Broken, Fix, Severity, rule
from tikzgen.lint.written_tex import Written
from tikzgen.texfile.loops import node_names
from tikzgen.texfile.source_facts import Definition, Statement
from tikzgen.texfile.text import Replacement, Span


@rule("TG216", "no label stands twice instead of coming from its parameter", fixes="puts the parameter in its place")
def _repeated_text(subject: Written) -> Iterator[Broken]:
    if subject.facts.parameters is None:
        return
    facts = subject.facts
    holding: dict[str, list[str]] = {}
    for each in subject.facts.parameters.parameters:
        if not each.parameters and any(char.isalpha() for char in each.value):
            holding.setdefault(each.value.strip(), []).append(each.name)
    for node in facts.nodes:
        if not node.text or node.text_span is None or facts.pictures[facts.statements[node.statement].picture].macro:
            continue
        text = node.text.strip()
        if macros := holding.get(text):
            start = node.text_span.start + node.text.index(text)
            fix = Fix((Replacement(Span(start, start + len(text)), text, macros[0]),)) if len(macros) == 1 else None
            message = f"{quoted(text)} stands here once more, it is the value of {' and of '.join(macros)}"
            yield Broken(subject.place(start), message, f"write {' or '.join(macros)}", fix)


# a number that people choose: at least two digits count, and one of them is behind the point
_TELLING = re.compile(r"(?=\d*\.\d*[1-9])(?=[\d.]*[1-9][\d.]*\d)\d*\.\d+$")
_PLACE = re.compile(r"\(([^()\\]*,[^()\\]*|[^()\\]*,[^(),]*|[^(),]*,[^()\\]*)\)")
_PART = re.compile(r"[^,]+")
_NUMBER = re.compile(r"(?<![\w.])\d*\.\d+(?![\w.])")
_ACROSS = re.compile(r"\b(horizontal\w*|width|column)\b")
_UPWARDS = re.compile(r"\b(vertical\w*|height|row)\b")
_UNITS = ("x", "y", "z", "scale", "xscale", "yscale", "cm")


@rule(
    "TG217",
    "no number of a coordinate stands twice instead of coming from its parameter",
    Severity.WARNING,
    fixes="puts the parameter in its place",
)
def _repeated_number(subject: Written) -> Iterator[Broken]:
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
                        yield _repeated(subject, Span(*number.span()), macros)


def _crosswise(parameter: Definition, axis: int) -> bool:
    """Whether a parameter says of itself that it is a distance in the other direction: its value is so by chance."""
    across, upwards = (bool(each.search(parameter.comment.lower())) for each in (_ACROSS, _UPWARDS))
    return across != upwards and axis < 2 and across != (axis == 0)


def _repeated(subject: Written, span: Span, macros: list[str]) -> Broken:
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


@rule("TG220", "no parameter, colour, style or node of a picture is defined twice")
def _defined_twice(subject: Written) -> Iterator[Broken]:
    facts = subject.facts
    parameters = facts.parameters.parameters if facts.parameters else ()
    yield from _twice(subject, "parameter", ((each.name, 0, each.span) for each in parameters))
    # what stands in a picture or in a macro's body is defined there alone
    colors = (each for each in facts.colors if not facts.is_sheltered(each.span.start))
    yield from _twice(subject, "colour", ((each.name, 0, each.span) for each in colors))
    # a style of the same name in a scope of its own is meant
    heads = [option.span for picture in facts.pictures for option in picture.options]
    starts = {span.start: span for span in heads}
    styles = ((each.name, each.picture or 0, each.span) for each in facts.styles if each.span.start in starts)
    yield from _twice(subject, "style", styles)
    if "\\only" in facts.uses or "\\alt" in facts.uses:  # slides may draw a node once more
        return
    nodes = (
        (name, facts.statements[node.statement].picture, node.name_span or node.span)
        for index, node in enumerate(facts.nodes)
        for name in node_names(facts, index)
        if "\\" not in name
    )
    yield from _twice(subject, "node", nodes)


def _twice(subject: Written, what: str, named: Iterable[tuple[str, int, Span]]) -> Iterator[Broken]:
    first: dict[tuple[str, int], Span] = {}
    for name, picture, span in named:
        before = first.setdefault((name, picture), span)
        if before.start != span.start:
            message = f"the {what} {quoted(name)} is there already (line {subject.place(before.start).line})"
            yield Broken(subject.place(span.start), message, "give one of them another name")
