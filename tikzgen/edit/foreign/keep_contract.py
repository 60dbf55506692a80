"""Conditions after every operation: metadata up to date, no new errors, nothing else changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from tikzgen.base.errors import EditRefused, quote
from tikzgen.edit.foreign.foreign_figure import SpanReplacements, Subject, line_of
from tikzgen.edit.refuse_broken_rules import errors_by_code, keep
from tikzgen.emit.contract_for_programs import Check
from tikzgen.lint.check_figure import broken_written
from tikzgen.lint.inventory import Metadata
from tikzgen.lint.registry import Finding
from tikzgen.texfile import Facts, Replacement, apply, list_figure_spans

_LISTED = ("edit_contract", "parameters")


def kept_in_step(
    metadata: Metadata, before: Mapping[str, str], after: Mapping[str, str], meanings: Mapping[str, str]
) -> str:
    """Return the metadata text with added, removed and changed parameters, by macro.

    `meanings` has the meaning of each added parameter. A new parameter is listed after its predecessor in the figure.
    """
    listed = metadata.contract.get("parameters")
    if not isinstance(listed, list) or not all(isinstance(each, dict) and "name" in each for each in listed):
        return metadata.text
    entries: list[dict[str, Any]] = [
        {**each, "default": after[name]} if name in after and each.get("default") == before.get(name, 0) else each
        for each in listed
        if (name := str(each["name"])) in after or name not in before
    ]
    if before.keys() == after.keys():
        changed = ((at, new) for at, (old, new) in enumerate(zip(listed, entries, strict=True)) if old != new)
        edits = [
            each for at, new in changed for each in metadata.replace_value(new["default"], *_LISTED, at, "default")
        ]
        return apply(metadata.text, edits).text
    for neighbour, name in pairwise(after):
        at = next((at for at, each in enumerate(entries) if each["name"] == neighbour), None)
        if at is not None and name not in before and all(each["name"] != name for each in entries):
            alike = {key: value for key, value in entries[at].items() if key != "default"}
            entries.insert(at + 1, alike | {"name": name, "meaning": meanings.get(name, "text")})
    return apply(metadata.text, metadata.replace_value(entries, *_LISTED)).text


def refuse_several_figures(facts: Facts, replacements: Sequence[Replacement]) -> None:
    """Raise `EditRefused` if an edit would change two figures of the file, or a name that both of them define."""
    figures = list_figure_spans(facts)
    starts = {each.span.start for each in replacements}
    for known in (facts.definitions, facts.styles) if len(figures) > 1 else ():
        names = {each.name for each in known if any(each.span.start <= start < each.span.end for start in starts)}
        starts |= {each.span.start for each in known if each.name in names}
    hit = [each for each in figures if any(each.start <= start < each.end for start in starts)]
    if len(hit) > 1:
        message = f"a second figure has the same names ({line_of(facts, hit[1].start)})"
        raise EditRefused("several-figures", message, nearest="keep each figure in a separate file")


_CHECKS: dict[str, Check] = {
    "TG206": "member-lists",
    "TG207": "distinct-colors",
    "TG215": "member-flows",
    "TG204": "name-pattern",
    "TG223": "name-pattern",
}
_NOT_JUDGED = {"TG202", "TG210", "TG211", "TG214"}
_AT_LAST = {"TG215", "TG225"}


def guard(before: Subject, after: Subject, change: SpanReplacements) -> None:
    """Raise `EditRefused` if an edit breaks a rule that was satisfied, or changes more than requested."""
    if len(after.facts.errors) > len(before.facts.errors):
        error = after.facts.errors[-1]
        raise EditRefused("breaks-source", f"TeX would stumble: {error.message}", invariant="the source stays sound")
    _rules(before, after, change)
    known = _list_early_uses(before.facts)
    for name, start in _list_early_uses(after.facts).items():
        if known.keys().isdisjoint({name, *(old for old, new in change.renamed.items() if new == name)}):
            message = f"{quote(name)} would be used before it is declared ({line_of(after.facts, start)})"
            raise EditRefused("declared-later", message)
    if change.recounted:
        return
    kept = _nodes(before, change, renamed=True), _flows(before, change, renamed=True)
    if kept != (_nodes(after, change), _flows(after, change)):
        message = "the edit would change nodes or flows that it does not name"
        raise EditRefused("reaches-further", message, invariant="what an operation does not name stays unchanged")


def _list_early_uses(facts: Facts) -> dict[str, int]:
    """Return the names of nodes used before their declaration, with the offset of a use."""
    declared = {each.name: each.span.start for each in reversed(facts.nodes) if each.name}
    return {each.name: each.span.start for each in facts.references if each.span.start < declared.get(each.name, 0)}


def _rules(before: Subject, after: Subject, change: SpanReplacements) -> None:
    def says(finding: Finding) -> str:
        return (after.find_sentence(_CHECKS[finding.code]) if finding.code in _CHECKS else "") or finding.name

    keep(_errors(before), {code: found for code, found in _errors(after).items() if code not in _AT_LAST}, says)


def keep_at_last(before: Subject, after: Subject) -> None:
    """Raise `EditRefused` if several operations together leave lists of different lengths, or flows without labels."""
    keep(_errors(before), {code: found for code, found in _errors(after).items() if code in _AT_LAST - {"TG215"}})
    for source, target in sorted(_list_unlabeled(after) - _list_unlabeled(before)):
        message = f"the flow from {quote(source)} to {quote(target)} needs a label"
        invariant = "flows from nodes of this style have labels"
        nearest = f"remove-flow {source} {target}, then add-flow {source} {target} label=…"
        raise EditRefused("no-label", message, invariant=invariant, nearest=nearest)


def _list_unlabeled(subject: Subject) -> set[tuple[str, str]]:
    """Return the flows without labels from nodes whose flows have labels according to the contract."""
    styles = {*subject.contract.flows.labeled} if subject.contract and subject.contract.flows else set()
    sources = {each.name for each in subject.inventory.nodes if styles & {*each.styles}}
    return {(each.source, each.target) for each in subject.inventory.flows if each.source in sources and not each.label}


def _errors(subject: Subject) -> dict[str, list[Finding]]:
    """Return the errors in the source by code, without differences from the metadata, which follow later."""
    found = errors_by_code(broken_written(subject))
    return {code: findings for code, findings in found.items() if code not in _NOT_JUDGED}


def _nodes(subject: Subject, change: SpanReplacements, *, renamed: bool = False) -> Counter[Hashable]:
    names = change.renamed if renamed else {}
    return Counter(
        (names.get(each.name, each.name), each.styles, "" if each.name in change.icons else each.icon, each.labels)
        for each in subject.inventory.nodes
        if each.name not in change.touched
    )


def _flows(subject: Subject, change: SpanReplacements, *, renamed: bool = False) -> Counter[Hashable]:
    names = change.renamed if renamed else {}
    return Counter(
        (names.get(each.source, each.source), names.get(each.target, each.target), each.style)
        for each in subject.inventory.flows
        if not {each.source, each.target} & change.touched and (each.source, each.target) not in change.flows
    )
