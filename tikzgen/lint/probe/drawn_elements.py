"""Descriptions of drawn elements in words of a spec: `the data flow from w1 to ps`, `the life line of s1`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.model.looks import FLOW_KINDS
from tikzgen.texfile import Facts, SourceStatement

_REFERENCE = pattern_of(r"\((?:\[[^\]]*\])?([A-Za-z][\w-]*)(?:\.[\w ]+)?\)")
_NAME = pattern_of(r"coordinate\[[^\]]*\] \(([^()]+)\)")
_ROWS = pattern_of(r"% (\d+ spans) in rows:")
_KINDS = {look.tikz_style(kind): kind for kind, look in FLOW_KINDS.items()}
_WORDS = {"time": "time axis", "leader": "leader line", "active": "activation", "fused": "span", "flatfused": "span"}
"""Words for styles whose names say too little."""


class Element(Record):
    """An element of a figure: its `words`, its own `name` if it has one, the nodes that it joins, and its style."""

    words: str
    name: str = ""
    ends: tuple[str, ...] = ()
    style: str = ""


def elements_of(facts: Facts) -> dict[int, Element]:
    """Return the elements of a source by the lines that draw them.

    The first line of a loop has the loop's first element.
    """
    found: dict[int, Element] = {}
    rows, styles = facts.text.splitlines(), frozenset(style.name for style in facts.styles)
    line, at = 1, 0
    for statement in sorted(facts.statements, key=lambda each: each.span.start):
        line, at = line + facts.text.count("\n", at, statement.span.start), statement.span.start
        if element := _read_element(statement.span.extract_from(facts.text), statement, styles):
            for number in range(line, line + statement.span.extract_from(facts.text).count("\n") + 1):
                found.setdefault(number, element)
    for number, row in enumerate(rows, start=1):
        if spans := _ROWS.search(row):
            found[number] = Element(f"one of {spans[1]}")
        elif row.lstrip().startswith("\\foreach"):
            inside = next((found[each] for each in range(number + 1, len(rows) + 1) if each in found), None)
            found |= {number: inside} if inside is not None and number not in found else {}
    return found


def _read_element(text: str, statement: SourceStatement, styles: Collection[str]) -> Element | None:
    style = next((option.key for option in statement.options if option.key in styles), "")
    if not style:
        return None
    what = f"{_KINDS[style]} flow" if style in _KINDS else _WORDS.get(style, style)
    if name := _NAME.search(text):
        return Element(f"the {what} {name[1]}", name[1], style=style)
    ends = tuple(dict.fromkeys(each[1] for each in _REFERENCE.finditer(text)))
    if len(ends) > 1:
        return Element(f"the {what} from {ends[0]} to {ends[-1]}", ends=(ends[0], ends[-1]), style=style)
    return Element(f"the {what} of {ends[0]}" if ends else f"the {what}", ends=ends, style=style)


def patterns_of(element: Element) -> Iterator[str]:
    """Yield patterns of spec fragments that may describe an element, the most reliable first."""
    names = [re.escape(each) for each in (element.name, element.name.partition("-")[2]) if each]
    yield from (rf"(?<=\bid: ){name}\b(?!-)" for name in names)
    ends = [element.ends, tuple(end.partition("-")[2] or end for end in element.ends)]
    for each in ends if len(element.ends) == 2 else ():
        for source, target in (each, each[::-1]):
            between = r"(?:,\s*|\s*\n\s*)(?:\w+:[^,\n{}]*(?:,\s*|\s*\n\s*))*?"
            yield rf"\bsource: {re.escape(source)}\b(?!-){between}target: {re.escape(target)}\b(?!-)"
    for each in ends if len(element.ends) == 1 else ():
        yield rf"(?<=\bid: ){re.escape(each[0])}\b(?!-)"
