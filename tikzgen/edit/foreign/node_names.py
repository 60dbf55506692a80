"""Renaming of a node and of its uses."""

from __future__ import annotations

import re

from tikzgen.base.errors import EditRefused, quote
from tikzgen.edit.foreign.family_members import find_family, refuse_names_in_loops
from tikzgen.edit.foreign.foreign_figure import SpanReplacements, Subject, line_of, require_node
from tikzgen.lint.inventory import LABEL
from tikzgen.texfile import Facts, TextSpan

# Code before the name of a node: (w1), ([xshift=1pt]w1.east), of w1, name=w1.
_MEANT = re.compile(r"(?:\(\s*(?:\[[^\]]*\]\s*)?|\bof[\s{]+|\bname\s*=\s*\{?\s*)$")

# Code in a macro that draws.
_DRAWS = re.compile(r"\\(?:draw|node|path|fill|filldraw|coordinate|clip|tikz)\b|--|\bto\b|\bedge\b")
_BEFORE_CHARS = 200  # characters before a use that show its meaning


def rename_id(subject: Subject, *, old: str, new: str) -> SpanReplacements:
    """Rename a node, all its uses, and the node of its label."""
    facts, figure = subject.facts, subject.inventory
    names = [each.name for each in figure.nodes]
    require_node(subject, old)
    if old == new:
        return SpanReplacements(facts)
    _free(subject, old, new)
    pairs = {old: new} | ({old + LABEL: new + LABEL} if old + LABEL in names else {})
    change = SpanReplacements(facts, renamed=pairs)
    for before, after in pairs.items():
        _rename_uses(facts, before, after, change)
    return change


def _rename_uses(facts: Facts, old: str, new: str, change: SpanReplacements) -> None:
    declared = [node for node in facts.nodes if node.name == old and node.name_span]
    if len(declared) != 1:
        if not declared:
            raise EditRefused("loop", f"a loop makes the name {quote(old)}", nearest="write its nodes out")
        lines = " and ".join(line_of(facts, node.span.start) for node in declared)
        raise EditRefused("several", f"several nodes are called {quote(old)} ({lines})")
    spans = {node.name_span for node in declared if node.name_span}
    spans |= {each.span for each in facts.references if each.name == old}
    refuse_names_in_loops(facts, {old}, f"the name {quote(old)}")
    spans |= _uses_in_options(facts, old, spans)
    for span in sorted(spans):
        change.replace(span, new)


def _free(subject: Subject, old: str, new: str) -> None:
    facts, figure = subject.facts, subject.inventory
    taken = {each.name for each in figure.nodes} | {each.name for each in facts.nodes if each.name}
    taken |= {each.name for each in facts.references}
    if new in taken or new + LABEL in taken:
        raise EditRefused("name-taken", f"{quote(new)} is taken", invariant="names of nodes are unique")
    if new in {style.name for style in facts.styles}:
        raise EditRefused("name-of-style", f"{quote(new)} is a style", invariant="no node has the name of a style")
    if subject.contract and old in subject.contract.fixed:
        message = f"the contract fixes the name {quote(old)}"
        raise EditRefused("fixed-name", message, invariant=subject.find_sentence("fixed-names"))
    family = find_family(subject, old)
    if family and family.read_number(new) is None:
        way = f"rename-node {old} … changes what it is called in the figure"
        message, says = f"{quote(new)} is not a name for a worker", subject.find_sentence("name-pattern")
        raise EditRefused("name-pattern", message, invariant=says, nearest=way)


def _uses_in_options(facts: Facts, old: str, known: set[TextSpan]) -> set[TextSpan]:
    """Return the uses in options of pictures and scopes, such as `shift={(data.east)}`.

    Raise `EditRefused` for a use in other code, such as the body of a macro. Words in labels are not uses.
    """
    found = set()
    given = [option for picture in facts.pictures for option in picture.options]
    given += [option for scope in facts.scopes for option in scope.options]
    options = [option.value_span for option in given if option.value_span]
    texts = [node.text_span for node in facts.nodes if node.text_span]
    texts += [each.value_span for each in facts.definitions if not _DRAWS.search(facts.code.mask, *each.value_span)]
    for use in re.finditer(rf"(?<![\w@\\-]){re.escape(old)}(?![\w@-])", facts.code.mask):
        span = TextSpan(*use.span())
        if span in known or not _MEANT.search(facts.code.mask, max(0, span.start - _BEFORE_CHARS), span.start):
            continue
        if _within(span, texts) and not facts.code.mask.startswith(".", span.end):
            continue
        if not _within(span, options):
            where = line_of(facts, span.start)
            raise EditRefused("unread", f"{quote(old)} is used in code that tikzgen cannot read ({where})")
        found.add(span)
    return found


def _within(span: TextSpan, others: list[TextSpan]) -> bool:
    return any(other.start <= span.start and span.end <= other.end for other in others)
