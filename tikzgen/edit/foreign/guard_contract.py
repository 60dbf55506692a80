"""What holds after every operation: the metadata follow, no new finding of `tikzgen check`, nothing else changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from itertools import pairwise
from typing import Any

from tikzgen.base.errors import EditRefused
from tikzgen.contract.program_contract import Check
from tikzgen.edit.foreign.foreign_figure import Change, Subject
from tikzgen.inventory.metadata_text import Metadata
from tikzgen.lint.checking import RULES
from tikzgen.lint.registry import Finding, Severity, look, rules_in
from tikzgen.lint.written_tex import Written
from tikzgen.texfile.source_text import apply

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
        edits = [each for at, new in changed for each in metadata.replaced(new["default"], *_LISTED, at, "default")]
        return apply(metadata.text, edits).text
    for neighbour, name in pairwise(after):
        at = next((at for at, each in enumerate(entries) if each["name"] == neighbour), None)
        if at is not None and name not in before and all(each["name"] != name for each in entries):
            alike = {key: value for key, value in entries[at].items() if key != "default"}
            entries.insert(at + 1, alike | {"name": name, "meaning": meanings.get(name, "text")})
    return apply(metadata.text, metadata.replaced(entries, *_LISTED)).text


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
    if change.recounted:
        return
    kept = _nodes(before, change, renamed=True), _flows(before, change, renamed=True)
    if kept != (_nodes(after, change), _flows(after, change)):
        message = "the edit would change nodes or flows that it does not name"
        raise EditRefused("reaches-further", message, invariant="what an operation does not name stays as it is")


def _rules(before: Subject, after: Subject, change: Change) -> None:
    then, now = _findings(before), _findings(after)
    counted = Counter(finding.code for finding in then)
    known = {(finding.code, finding.message) for finding in then}
    for code in dict.fromkeys(finding.code for finding in now):
        found = [finding for finding in now if finding.code == code]
        if len(found) > counted[code] and code not in change.tolerated | _AT_LAST:
            new = next((one for one in found if (code, one.message) not in known), found[-1])
            says = after.contract.says(_CHECKS[code]) if after.contract and code in _CHECKS else ""
            invariant = f"{code}: {says or new.name}"
            raise EditRefused("invariant", new.message, invariant=invariant, nearest=new.hint)


def keep_at_last(before: Subject, after: Subject) -> None:
    """Refuse what several operations must do together, and did not: lists that belong together are equally long."""
    known = {finding.message for finding in _findings(before)}
    for finding in _findings(after):
        if finding.code in _AT_LAST and finding.message not in known:
            raise EditRefused(
                "invariant", finding.message, invariant=f"{finding.code}: {finding.name}", nearest=finding.hint
            )


def _findings(subject: Subject) -> list[Finding]:
    """The errors in the source, by its contract; where it and its metadata differ, those follow when it is written."""
    figure = Written(subject.figure.file, subject.facts, subject.figure, subject.metadata)
    errors = (found for found in look(figure, rules_in(RULES)) if found.severity is Severity.ERROR)
    return [found for found in errors if found.code not in _FOLLOWING]


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
