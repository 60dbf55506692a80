"""TG214: metadata that are invalid, or out of step with the file."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.checks.registry import Broken, Rule
from tikzgen.checks.subjects import Subject
from tikzgen.checks.written import Written
from tikzgen.errors import Place

__all__ = ["RULE"]

_REQUIRED = ("id", "name", "type", "domain", "tags", "author", "license", "requires", "preview")


def _look(subject: Subject) -> Iterator[Broken]:
    if not isinstance(subject, Written):
        return
    place = Place(subject.metadata_name)
    if subject.trouble:
        yield Broken(place, subject.trouble)
    if subject.metadata is None:
        return
    for field in _REQUIRED:
        if field not in subject.metadata:
            yield Broken(place, f'the field "{field}" is missing')
    known = {style.name for style in subject.facts.styles}
    for style in subject.contract.get("styles", ()):
        if style not in known:
            yield Broken(place, f'the contract has a style "{style}" that the file does not declare')
    listed = {each.get("name") for each in subject.contract.get("parameters", ()) if isinstance(each, dict)}
    block = subject.facts.parameters
    for each in block.parameters if block and subject.contract else ():
        if each.name not in listed:
            yield Broken(subject.place(each.span.start), f"{each.name} is a parameter that the metadata do not list")


RULE = Rule("TG214", "metadata", "the metadata are valid and in step with the file", _look)
