"""What holds after every operation: the metadata follow, no new finding of `tikzgen check`, nothing else changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from itertools import pairwise
from typing import Any

from tikzgen.base.errors import EditRefused
from tikzgen.edit.foreign.foreign_figure import SpanReplacements, Subject
from tikzgen.edit.session import errors_by_code, keep
from tikzgen.emit.contract_for_programs import Check
from tikzgen.lint.check_figure import broken_written
from tikzgen.lint.inventory import Metadata
from tikzgen.lint.registry import Finding
from tikzgen.texfile import apply

_LISTED = ("edit_contract", "parameters")


def kept_in_step(
    metadata: Metadata, before: Mapping[str, str], after: Mapping[str, str], meanings: Mapping[str, str]
) -> str:
    """The text of the metadata with the parameters that came, went or have another value, by macro.

    `meanings` says what those mean that came. A parameter that came is listed behind the one before it in the figure.
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


_CHECKS: dict[str, Check] = {
    "TG206": "worker-lists",
    "TG207": "distinct-colors",
    "TG215": "worker-flows",
    "TG204": "name-pattern",
    "TG223": "name-pattern",
}
_FOLLOWING = {"TG202", "TG210", "TG214"}
_AT_LAST = {"TG225"}


def guard(before: Subject, after: Subject, change: SpanReplacements) -> None:
    """Refuse an edit that breaks a rule which held, or that reaches further than it was asked to."""
    if len(after.facts.errors) > len(before.facts.errors):
        error = after.facts.errors[-1]
        raise EditRefused("breaks-source", f"TeX would stumble: {error.message}", invariant="the source stays sound")
    _rules(before, after, change)
    if change.recounted:
        return
    kept = _nodes(before, change, renamed=True), _flows(before, change, renamed=True)
    if kept != (_nodes(after, change), _flows(after, change)):
        message = "the edit would change nodes or flows that it does not name"
        raise EditRefused("reaches-further", message, invariant="what an operation does not name stays as it is")


def _rules(before: Subject, after: Subject, change: SpanReplacements) -> None:
    def says(finding: Finding) -> str:
        said = after.contract.find_sentence(_CHECKS[finding.code]) if after.contract and finding.code in _CHECKS else ""
        return said or finding.name

    passed = change.tolerated | _AT_LAST
    keep(_errors(before), {code: found for code, found in _errors(after).items() if code not in passed}, says)


def keep_at_last(before: Subject, after: Subject) -> None:
    """Refuse what several operations must do together, and did not: lists that belong together are equally long."""
    keep(_errors(before), {code: found for code, found in _errors(after).items() if code in _AT_LAST})


def _errors(subject: Subject) -> dict[str, list[Finding]]:
    """The errors in the source, by its contract; where it and its metadata differ, those follow when it is written."""
    found = errors_by_code(broken_written(subject))
    return {code: findings for code, findings in found.items() if code not in _FOLLOWING}


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
