"""TG222: a figure that does not stand alone."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    used = subject.facts.document_class
    if used is None or used.name != "standalone":
        return
    for each in subject.facts.inclusions:
        message = f"the figure needs another file, {each.path}, so it does not stand alone"
        yield Broken(subject.place(each.span.start), message, "draw what it shows, or put its text here")


RULE = Rule("TG222", "side-file", "a standalone figure takes in no other file", Written, _look)
