"""TG214: metadata that are invalid, or out of step with the file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.findings import Fix
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.shape import misshapen
from tikzgen.lint.written import Written

__all__ = ["RULE"]

_UNIT = re.compile(r"\s*\((cm|mm|pt|em|ex)\)$")


def _look(subject: Written) -> Iterator[Broken]:
    own, metadata = subject.inventory.own, subject.metadata
    anew = Fix(rewrite=True) if own else None
    if metadata.trouble:
        yield Broken(metadata.where, f"the metadata are {metadata.trouble}", "write them again", anew)
    if metadata.data is None:
        return
    wrong = [] if subject.metadata_written else misshapen(metadata.data)
    for steps, message, hint in wrong:
        yield Broken(metadata.place(*steps), message, hint, anew)
    if not wrong:
        yield from _styles(subject, own)
        yield from _parameters(subject, own)


def _styles(subject: Written, own: bool) -> Iterator[Broken]:
    """Styles of the contract that the file does not declare."""
    known = {style.name for style in subject.facts.styles}
    listed = subject.contract_styles
    left = [each for each in listed if each in known]
    for index, style in enumerate(listed):
        if style not in known:
            steps = ("edit_contract", "styles")
            used = re.search(rf"(?<![\w-]){re.escape(style)}(?![\w-])", subject.facts.code.mask)
            fix = Fix(metadata=subject.metadata.replaced(left, *steps)) if own and left and not used else None
            message = f"the contract has a style {quoted(style)} that the file does not declare"
            yield Broken(subject.metadata.place(*steps, index), message, "declare it, or take it off the list", fix)


def _parameters(subject: Written, own: bool) -> Iterator[Broken]:
    """Parameters of the file that the contract does not list."""
    block, listed = subject.facts.parameters, subject.contract_parameters
    if block is None or not listed:
        return
    for each in block.parameters:
        if each.name not in listed:
            fix = Fix(metadata=subject.metadata.replaced(_all(subject), "edit_contract", "parameters")) if own else None
            message = f"{each.name} is a parameter that the metadata do not list"
            yield Broken(subject.place(each.span.start), message, "list it there", fix)


def _all(subject: Written) -> list[dict[str, object]]:
    """The entries of all parameters in the order of the file; new ones say what their lines say."""
    listed, block = subject.contract_parameters, subject.facts.parameters
    entries: list[dict[str, object]] = []
    for each in block.parameters if block else ():
        if each.name in listed:
            entries.append(listed[each.name][1])
        else:
            unit = _UNIT.search(each.comment)
            kind = f"length-{unit[1]}" if unit else "text"
            meaning = _UNIT.sub("", each.comment) or each.name.removeprefix("\\")
            entry: dict[str, object] = {"name": each.name, "type": kind, "meaning": meaning}
            entries.append(entry | ({"default": each.value} if each.value else {}))
    gone = [entry for name, (_, entry) in listed.items() if name not in {str(each["name"]) for each in entries}]
    return entries + gone


_SUMMARY = "the metadata are valid, and in step with the file"
_FIXES = "writes the metadata of tikzgen's own figures again"
RULE = Rule("TG214", "metadata", _SUMMARY, Written, _look, fixes=_FIXES)
