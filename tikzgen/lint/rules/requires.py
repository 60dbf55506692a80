"""TG210: metadata that require something else than the file loads."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Fix
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]

_WITH_CHINESE = {"iftex", "CJKutf8", "xeCJK", "luatexja-fontspec"}


def _look(subject: Written) -> Iterator[Broken]:
    required = (subject.metadata.data or {}).get("requires")
    if not isinstance(required, list) or not all(isinstance(each, str) for each in required):
        return
    loaded = {each.name: each.span for each in subject.facts.loaded if each.command != "documentclass"}
    stale = [name for name in dict.fromkeys(required) if name not in loaded and name not in _WITH_CHINESE]
    missing = [name for name in loaded if name not in required and name not in _WITH_CHINESE]
    if not stale and not missing:
        return
    right = [*(name for name in dict.fromkeys(required) if name not in stale), *missing]
    fix = Fix(metadata=subject.metadata.replaced(right, "requires"))
    for name in stale:
        place = subject.metadata.place("requires", required.index(name))
        yield Broken(place, f"the metadata require {name}, which the file does not load", "take it off the list", fix)
    for name in missing:
        message = f"{name} is loaded, and the metadata do not require it"
        yield Broken(subject.place(loaded[name].start), message, "add it to the list", fix)


_SUMMARY = "the metadata require what the file loads"
RULE = Rule("TG210", "requires", _SUMMARY, Written, _look, fixes="sets the list in the metadata to what the file loads")
