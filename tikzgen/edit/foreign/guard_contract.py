"""What holds after every operation: the metadata follow, no new finding of `tikzgen check`, nothing else changed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

from tikzgen.base.errors import EditRefused
from tikzgen.contract.program_contract import Check, Contract
from tikzgen.edit.foreign.foreign_figure import Change, Subject
from tikzgen.lint.checking import RULES
from tikzgen.lint.findings import Finding, Severity
from tikzgen.lint.registry import look, rules_in
from tikzgen.lint.written import Written

_OBJECT = re.compile(r"\{")
_SEPARATOR = re.compile(r"\s*,\s*")


def kept_in_step(text: str, before: Mapping[str, str], after: Mapping[str, str], meanings: Mapping[str, str]) -> str:
    """The text of the metadata with the parameters that came, went or have another value, by macro.

    `meanings` says what those mean that came. A parameter that came is listed behind the one before it in the figure.
    A file that is no JSON stays as it is.
    """
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    for name in before.keys() - after.keys():
        text = _without(text, name)
    names = list(after)
    for place, name in enumerate(names):
        if name not in before:
            text = _with(text, name, meanings.get(name, "text"), names[place - 1] if place else "")
        elif before[name] != after[name]:
            text = _changed(text, name, before[name], after[name])
    return text


def _find(text: str, name: str) -> tuple[int, int, dict[str, Any]] | None:
    """Where the object of a parameter stands, and the object."""
    decoder = json.JSONDecoder()
    for opening in _OBJECT.finditer(text):
        try:
            found, end = decoder.raw_decode(text, opening.start())
        except ValueError:  # a brace in a text
            continue
        if found.get("name") == name and "type" in found:
            return opening.start(), end, found
    return None


def _without(text: str, name: str) -> str:
    if (place := _find(text, name)) is None:
        return text
    start, end, _ = place
    comma = text[:start].rstrip()
    if comma.endswith(","):
        return comma[:-1] + text[end:]
    after = _SEPARATOR.match(text, end)
    return text[:start] + text[after.end() if after else end :]


def _with(text: str, name: str, meaning: str, neighbour: str) -> str:
    if _find(text, name) or (place := _find(text, neighbour)) is None:
        return text
    start, end, found = place
    head = text[:start].rstrip()
    blanks = text[len(head) : start]
    new = {key: value for key, value in found.items() if key != "default"} | {"name": name, "meaning": meaning}
    return f"{text[:end]},{blanks}{json.dumps(new, ensure_ascii=False)}{text[end:]}"


def _changed(text: str, name: str, before: str, after: str) -> str:
    place = _find(text, name)
    if place is None or str(place[2].get("default")) != before:
        return text
    start, end, _ = place
    old, new = (json.dumps(value, ensure_ascii=False) for value in (before, after))
    return (
        text[:start]
        + re.sub(rf'("default"\s*:\s*){re.escape(old)}', lambda found: found[1] + new, text[start:end], count=1)
        + text[end:]
    )


_CHECKS: dict[str, Check] = {
    "TG206": "worker-lists",
    "TG207": "distinct-colors",
    "TG215": "worker-flows",
    "TG204": "name-pattern",
    "TG223": "name-pattern",
}
_FOLLOWING = {"TG202", "TG210", "TG214"}
_AT_LAST = {"TG225"}


def guard(before: Subject, after: Subject, change: Change) -> None:
    """Refuse an edit that breaks a rule which held, or that reaches further than it was asked to."""
    if len(after.facts.errors) > len(before.facts.errors):
        error = after.facts.errors[-1]
        raise EditRefused("breaks-source", f"TeX would stumble: {error.message}", invariant="the source stays sound")
    _rules(before, after, change)
    _colors(before, after)
    if change.recounted:
        return
    if _nodes(before, change, renamed=True) != _nodes(after, change) or _flows(before, change, renamed=True) != _flows(
        after, change
    ):
        raise EditRefused(
            "reaches-further",
            "the edit would change nodes or flows that it does not name",
            invariant="what an operation does not name stays as it is",
        )


def _rules(before: Subject, after: Subject, change: Change) -> None:
    then, now = _findings(before), _findings(after)
    counted = Counter(finding.code for finding in then)
    known = {(finding.code, finding.message) for finding in then}
    for code in dict.fromkeys(finding.code for finding in now):
        found = [finding for finding in now if finding.code == code]
        if len(found) > counted[code] and code not in change.tolerated | _AT_LAST:
            new = next((one for one in found if (code, one.message) not in known), found[-1])
            invariant = f"{code}: {_says(code, after.contract) or new.name}"
            raise EditRefused("invariant", new.message, invariant=invariant, nearest=new.hint)


def keep_at_last(before: Subject, after: Subject) -> None:
    """Refuse what several operations must do together, and did not: lists that belong together are equally long."""
    known = {finding.message for finding in _findings(before)}
    for finding in _findings(after):
        if finding.code in _AT_LAST and finding.message not in known:
            raise EditRefused(
                "invariant", finding.message, invariant=f"{finding.code}: {finding.name}", nearest=finding.hint
            )


def _says(code: str, contract: Contract | None) -> str:
    return contract.says(_CHECKS[code]) if contract and code in _CHECKS else ""


def _findings(subject: Subject) -> list[Finding]:
    """The errors in the source, by its contract; where it and its metadata differ, those follow when it is written."""
    figure = Written(subject.figure.file, subject.facts, subject.figure, subject.metadata)
    errors = (found for found in look(figure, rules_in(RULES)) if found.severity is Severity.ERROR)
    return [found for found in errors if found.code not in _FOLLOWING]


def _colors(before: Subject, after: Subject) -> None:
    """The contract's flows that must differ in colour, whether or not they are drawn."""
    for rule in after.contract.invariants if after.contract else ():
        if rule.check == "distinct-colors" and _shared(after, rule.styles) > _shared(before, rule.styles):
            raise EditRefused("same-color", f"{' and '.join(rule.styles)} must differ in colour", invariant=rule.says)


def _shared(subject: Subject, styles: tuple[str, ...]) -> int:
    first = [style.colors[0] for style in subject.figure.styles if style.name in styles and style.colors]
    return len(first) - len(set(first))


def _nodes(subject: Subject, change: Change, *, renamed: bool = False) -> Counter[Hashable]:
    names = change.renamed if renamed else {}
    return Counter(
        (names.get(each.name, each.name), each.styles, "" if each.name in change.icons else each.icon, each.labels)
        for each in subject.figure.nodes
        if each.name not in change.touched
    )


def _flows(subject: Subject, change: Change, *, renamed: bool = False) -> Counter[Hashable]:
    names = change.renamed if renamed else {}
    return Counter(
        (names.get(each.source, each.source), names.get(each.target, each.target), each.style)
        for each in subject.figure.flows
        if not {each.source, each.target} & change.touched and (each.source, each.target) not in change.flows
    )
