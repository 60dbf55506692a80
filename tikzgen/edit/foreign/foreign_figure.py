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

    contract: Contract | None

    def require_contract(self, operation: str = "") -> Contract:
        """Return the contract; raise `EditRefused` without one, or where it rules the operation out in prose."""
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

    replacements: list[Replacement] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    flows: set[tuple[str, str]] = field(default_factory=set)
    icons: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    message: str = ""
    recounted: bool = False

    def replace(self, facts: Facts, span: TextSpan, new: str) -> None:
        """Request other text at a span."""
        if new != span.extract_from(facts.text):
            self.replacements.append(Replacement.make_for_span(facts.text, span, new))

    def covers(self, at: int) -> bool:
        """Return whether a replacement covers an offset."""
        return any(each.span.start <= at < each.span.end for each in self.replacements)


_CJK = {"ctex", "xeCJK", "CJKutf8", "luatexja", "luatexja-fontspec"}
_T1 = {"fontenc", "fontspec", "ctex", "xeCJK", "luatexja-fontspec"}
_MATHS = re.compile(r"\$[^$]*\$")


def as_tex(value: str, facts: Facts) -> str:
    """The TeX of a text: plain text is escaped, with a backslash outside maths it is TeX and is checked.

    `EditRefused` for what cannot be set, or needs a package that the file does not load.
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


def inserted_after(facts: Facts, span: TextSpan, new: str, *, blank_line: bool = False) -> Replacement:
    """Insert text on a new line after the line of a span; on the same line if more code follows there."""
    text = facts.text
    found = _LINE_END.search(text, span.end)
    end = found.start() if found else len(text)
    if facts.code.mask[span.end : end].strip():
        return Replacement.make_for_span(text, TextSpan(span.end, span.end), f" {new}")
    start = _line_start(facts, span.start)
    line = text[start : span.start]
    indent = line[: len(line) - len(line.lstrip(_BLANKS))]
    newline = found[0] if found else "\n"
    return Replacement.make_for_span(text, TextSpan(end, end), f"{newline * (1 + blank_line)}{indent}{new}")


def follows_blank_line(facts: Facts, span: TextSpan) -> bool:
    """Return whether the line before the line of a span is blank."""
    lines = facts.text[: _line_start(facts, span.start)].splitlines()
    return bool(lines) and not lines[-1].strip()


def taken_out(facts: Facts, span: TextSpan) -> Replacement:
    """Remove a span with its line and the comment after it; alone if other code is on its lines."""
    text = facts.text
    start = _line_start(facts, span.start)
    found = _LINE_END.search(text, span.end)
    end = found.start() if found else len(text)
    before, after = text[start : span.start], text[span.end : end].lstrip(_BLANKS)
    if before.strip(_BLANKS):
        return Replacement.make_for_span(text, with_blanks_before(text, span), "")
    if after and not after.startswith("%"):
        return Replacement.make_for_span(text, TextSpan(span.start, end - len(after)), "")
    return Replacement.make_for_span(text, TextSpan(start, found.end() if found else end), "")


def with_blanks_before(text: str, span: TextSpan) -> TextSpan:
    """The span with the blanks before it on its line."""
    start = span.start
    while start and text[start - 1] in _BLANKS:
        start -= 1
    return TextSpan(start, span.end)


def insert_definition(change: SpanReplacements, facts: Facts, after: str, macro: str, value: str) -> None:
    """Define a macro as another one is defined, after it."""
    found = facts.find_definition(after)
    if found is None:
        raise EditRefused("no-definition", f"{after} is not defined", nearest="define it among the parameters")
    if facts.find_definition(macro) is not None or macro in facts.uses:
        raise EditRefused("name-taken", f"{macro} is taken")
    copy = copy_span(facts.text, found.span, [(found.name_span, macro), (found.value_span, value)])
    closed = "%" if facts.text.startswith("%", found.span.end) else ""
    change.replacements.append(inserted_after(facts, found.span, copy + closed))


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
    """`line 12`, for messages."""
    return f"line {facts.place_of(at).line}"


def _line_start(facts: Facts, at: int) -> int:
    return at - facts.find_line_and_column(at)[1] + 1
