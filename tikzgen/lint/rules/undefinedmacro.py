"""TG227: a macro that a node shows, or that a place is computed from, and that nothing defines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.base.suggest import did_you_mean
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written
from tikzgen.texfile import Span

__all__ = ["RULE"]

_ALONE = re.compile(r"\s*(\\[A-Za-z@]+)\s*$")
_MACRO = re.compile(r"\\[A-Za-z@]+")
# what figures call what they define themselves
_OURS = re.compile(r"\\[A-Za-z]*(?:pic|icon|label|text|cell|sep|gap)$")


def _look(subject: Written) -> Iterator[Broken]:
    """Only what a file reads and never writes: where it stands elsewhere, too, somebody may define it there."""
    facts = subject.facts
    used = facts.document_class
    if facts.inclusions or (used is not None and used.name not in ("standalone", "article")):
        return
    defined = {each.name for each in facts.definitions}
    read: dict[str, list[Span]] = {}
    for node in facts.nodes:
        if node.text_span and (found := _ALONE.match(node.text or "")) and _OURS.match(found[1]):
            start = node.text_span.start + found.start(1)
            read.setdefault(found[1], []).append(Span(start, start + len(found[1])))
        if node.at is not None and node.at.kind == "place":
            for macro in _MACRO.finditer(facts.code.mask, *node.at.span):
                if _OURS.match(macro[0]):
                    read.setdefault(macro[0], []).append(Span(*macro.span()))
    for name, spans in read.items():
        if name not in defined and len(facts.uses.get(name, ())) == len({span.start for span in spans}):
            hint = did_you_mean(name, sorted(defined)) or "define it"
            yield Broken(subject.place(min(span.start for span in spans)), f"nothing defines {name}", hint)


_SUMMARY = "icons, labels and distances that the drawing uses are defined"
RULE = Rule("TG227", "undefined-macro", _SUMMARY, Written, _look)
