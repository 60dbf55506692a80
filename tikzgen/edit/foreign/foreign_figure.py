"""A third-party figure with its contract, and the replacements of spans that an operation returns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tikzgen.base.errors import EditRefused, quote
from tikzgen.base.suggest import suggest_known_names
from tikzgen.emit.contract_for_programs import Check, Contract
from tikzgen.lint.inventory import drawn_directly
from tikzgen.lint.written_tex import FigureFile
from tikzgen.texfile import Facts, Replacement, SourceFlow, TextSpan
from tikzgen.text import Tex, TextRefused, typeset_label


class Subject(FigureFile):
    """A third-party figure with its metadata and its contract."""

    def require_contract(self, operation: str = "") -> Contract:
        """Return the contract; raise `EditRefused` without one, or if it excludes the operation in prose."""
        if self.contract is None:
            way = "set, rename-node, rename-id, change-spacing, recolor and palette need none"
            raise EditRefused("no-contract", "this figure has no contract", nearest=way)
        if why := self.contract.prose.get(operation):
            raise EditRefused("prose", f"the contract of {self.contract.figure} has no row for this: {why}")
        return self.contract

    def find_sentence(self, check: Check) -> str:
        """Return the sentence of a rule in the contract, or an empty string."""
        return self.contract.says.get(check, "") if self.contract else ""

    def list_direct(self) -> list[int]:
        """Return the indices of the nodes of the figure itself, without nodes of pictures inside icons."""
        facts = self.facts
        return [index for index, node in enumerate(facts.nodes) if drawn_directly(facts, node.statement)]


@dataclass
class SpanReplacements:
    """The replacements that an operation requests.

    `touched` are nodes that may come or go, or whose flows may; `flows` are pairs of nodes whose flows may;
    `renamed` maps old names to new ones. `recounted`: loops make another number of nodes and flows.
    """

    facts: Facts
    replacements: list[Replacement] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    flows: set[tuple[str, str]] = field(default_factory=set)
    icons: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    message: str = ""
    recounted: bool = False

    def replace(self, span: TextSpan, new: str) -> None:
        """Request new text at a span."""
        if new != span.extract_from(self.facts.text):
            self.replacements.append(Replacement.make_for_span(self.facts.text, span, new))

    def insert(self, at: int, new: str) -> None:
        """Request more text at an offset."""
        self.replace(TextSpan(at, at), new)

    def insert_line(self, after: TextSpan, new: str) -> None:
        """Insert text on a new line after the line of a span; on the same line if more code follows there."""
        text = self.facts.text
        start, end, newline = self._find_line(after)
        if self.facts.code.mask[after.end : end].strip():
            return self.insert(after.end, f" {new}")
        indent = text[start : len(text) - len(text[start:].lstrip(_BLANKS))]
        return self.insert(end, f"{newline}{indent}{new}")

    def remove(self, span: TextSpan) -> None:
        """Remove a span with its line and the comment after it; alone if other code is on its lines."""
        text = self.facts.text
        start, end, newline = self._find_line(span)
        after = text[span.end : end].lstrip(_BLANKS)
        if text[start : span.start].strip(_BLANKS):
            self.replace(with_blanks_before(text, span), "")
        elif after and not after.startswith("%"):
            self.replace(TextSpan(span.start, end - len(after)), "")
        else:
            self.replace(TextSpan(start, end + len(newline) * text.startswith(newline, end)), "")

    def define(self, macro: str, value: str, like: str) -> None:
        """Define a macro after another one, in the same form."""
        found = self.facts.find_definition(like)
        if found is None:
            raise EditRefused("no-definition", f"{like} is not defined", nearest="define it among the parameters")
        if self.facts.find_definition(macro) is not None or macro in self.facts.uses:
            raise EditRefused("name-taken", f"{macro} is taken")
        copy = copy_span(self.facts.text, found.span, [(found.name_span, macro), (found.value_span, value)])
        self.insert_line(found.span, copy + "%" * self.facts.text.startswith("%", found.span.end))

    def covers(self, at: int) -> bool:
        """Return whether a replacement covers an offset."""
        return any(each.span.start <= at < each.span.end for each in self.replacements)

    def _find_line(self, span: TextSpan) -> tuple[int, int, str]:
        """Return the start of the first line of a span, the end of its last line, and the line end there."""
        found = _LINE_END.search(self.facts.text, span.end)
        start = span.start - self.facts.find_line_and_column(span.start)[1] + 1
        return (start, found.start(), found[0]) if found else (start, len(self.facts.text), "\n")


_CJK = {"ctex", "xeCJK", "CJKutf8", "luatexja", "luatexja-fontspec"}
_T1 = {"fontenc", "fontspec", "ctex", "xeCJK", "luatexja-fontspec"}
_MATHS = re.compile(r"\$[^$]*\$")


def as_tex(value: str, facts: Facts) -> str:
    """Return the TeX of a label: escape plain text; check text with a backslash outside math as TeX.

    Raise `EditRefused` for invalid text, and for text that needs a package the file does not load.
    """
    raw = "\\" in _MATHS.sub("", value)
    try:
        found = typeset_label(Tex(value) if raw else value)
    except TextRefused as refused:
        raise EditRefused("text", str(refused)) from None
    missing = [name for name in found.packages if name not in facts.packages]
    if found.cjk and _CJK.isdisjoint(facts.packages):
        missing.append("xeCJK or CJKutf8")
    lent = all(f"\\string\\{name}\\endcsname" in facts.text for name in found.borrowed)
    if not lent and _T1.isdisjoint(facts.packages):
        missing.append("fontenc with T1")
    if missing:
        raise EditRefused(
            "needs-package", f"the label needs {', '.join(missing)}, which the file does not load", nearest="load it"
        )
    return found.source


_LINE_END = re.compile(r"\r\n|\r|\n")
_BLANKS = " \t"


def copy_span(text: str, span: TextSpan, changes: Iterable[tuple[TextSpan, str]]) -> str:
    """Copy the text of a span with changes at some spans inside it."""
    pieces: list[str] = []
    at = span.start
    for inner, new in sorted(changes):
        pieces += text[at : inner.start], new
        at = inner.end
    return "".join([*pieces, text[at : span.end]])


def with_blanks_before(text: str, span: TextSpan) -> TextSpan:
    """Return the span with the whitespace before it on its line."""
    start = span.start
    while start and text[start - 1] in _BLANKS:
        start -= 1
    return TextSpan(start, span.end)


def require_node(subject: Subject, name: str) -> None:
    """Raise `EditRefused` if the figure has no node of this name."""
    names = [each.name for each in subject.inventory.nodes]
    if name not in names:
        nearest = suggest_known_names(name, names, "the nodes are")
        raise EditRefused("no-node", f"unknown node {quote(name)}", nearest=nearest)


def find_only_flow(facts: Facts, statement: int, name: str) -> SourceFlow:
    """Return the one flow of a statement; raise `EditRefused` if the statement draws more than it."""
    flows = [each for each in facts.flows if each.statement == statement]
    if len(flows) != 1 or sum(each.statement == statement for each in facts.references) != 2:
        where = line_of(facts, facts.statements[statement].span.start)
        message = f"one statement draws more than the flow of {quote(name)} ({where})"
        raise EditRefused("shared-statement", message, nearest="write each flow on a separate line")
    return flows[0]


def line_of(facts: Facts, at: int) -> str:
    """Return the line of an offset for messages, such as `line 12`."""
    return f"line {facts.place_of(at).line}"


def list_fits(facts: Facts) -> list[tuple[set[str], dict[str, TextSpan]]]:
    """Return, for each statement that fits nodes, its names and the fitted nodes with their spans."""
    found: dict[int, dict[str, TextSpan]] = {}
    mask = facts.code.mask
    for each in facts.references:
        if each.role == "fit" and each.statement is not None:
            span = TextSpan(mask.rfind("(", 0, each.span.start), mask.find(")", each.span.end) + 1)
            found.setdefault(each.statement, {})[each.name] = span
    names = {at: {each.name for each in facts.nodes if each.statement == at and each.name} for at in found}
    return [(names[at], fits) for at, fits in found.items()]
