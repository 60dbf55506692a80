"""TG216: a text that stands in a node although a parameter holds it."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.findings import Fix
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written
from tikzgen.texfile.edits import Replacement
from tikzgen.texfile.text import Span

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    if subject.facts.parameters is None:
        return
    facts = subject.facts
    holding: dict[str, list[str]] = {}
    for each in subject.facts.parameters.parameters:
        if not each.parameters and any(char.isalpha() for char in each.value):
            holding.setdefault(each.value.strip(), []).append(each.name)
    for node in facts.nodes:
        if not node.text or node.text_span is None or facts.pictures[facts.statements[node.statement].picture].macro:
            continue
        text = node.text.strip()
        if macros := holding.get(text):
            start = node.text_span.start + node.text.index(text)
            fix = Fix((Replacement(Span(start, start + len(text)), text, macros[0]),)) if len(macros) == 1 else None
            message = f"{quoted(text)} stands here once more, it is the value of {' and of '.join(macros)}"
            yield Broken(subject.place(start), message, f"write {' or '.join(macros)}", fix)


_SUMMARY = "no label stands twice instead of coming from its parameter"
RULE = Rule("TG216", "repeated-text", _SUMMARY, Written, _look, fixes="puts the parameter in its place")
