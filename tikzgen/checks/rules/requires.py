"""TG210: metadata that require something else than the file loads."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.checks.registry import Broken, Rule
from tikzgen.checks.subjects import Subject
from tikzgen.checks.written import Written

__all__ = ["RULE"]

_WITH_CHINESE = {"iftex", "CJKutf8", "xeCJK", "luatexja-fontspec"}


def _look(subject: Subject) -> Iterator[Broken]:
    if not isinstance(subject, Written) or subject.metadata is None:
        return
    required = {str(name) for name in subject.metadata.get("requires", ())}
    loaded = {each.name: each.span for each in subject.facts.loaded if each.command != "documentclass"}
    for name in sorted(required - set(loaded) - _WITH_CHINESE):
        yield Broken(subject.place(0), f"the metadata require {name}, which the file does not load")
    for name, span in loaded.items():
        if name not in required | _WITH_CHINESE:
            yield Broken(subject.place(span.start), f"{name} is loaded, and the metadata do not require it")


RULE = Rule("TG210", "requires", "the metadata require what the file loads", _look)
