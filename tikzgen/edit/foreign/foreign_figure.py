"""What an act on a figure of others is given and gives back: replacements of spans, pieces copied or taken out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tikzgen.base.errors import EditRefused
from tikzgen.emit.contract_for_programs import Contract, WorkersOfContract
from tikzgen.lint.inventory import drawn_directly
from tikzgen.lint.written_tex import FigureFile
from tikzgen.texfile import Facts, Replacement, TextSpan
from tikzgen.text import Tex, TextRefused, typeset_label


class Subject(FigureFile):
    """A figure of others with the metadata that stood beside it, and the contract that belongs to it."""

    contract: Contract | None

    def require_contract(self) -> Contract:
        """Return the contract; `EditRefused` without one."""
        if self.contract is None:
            way = "set, rename-node, rename-id, change-spacing, recolor and palette need none"
            raise EditRefused("no-contract", "no contract says how this figure is put together", nearest=way)
        return self.contract

    def workers(self) -> WorkersOfContract:
        """What the contract says of workers; `EditRefused` where it knows none."""
        workers = self.require_contract().workers
        if workers is None:
            raise EditRefused("no-workers", "the contract knows no workers")
        return workers

    def direct(self) -> list[int]:
        """The indices of the nodes of the figure itself, not of pictures inside icons."""
        facts = self.facts
        return [index for index, node in enumerate(facts.nodes) if drawn_directly(facts, node.statement)]


@dataclass
class SpanReplacements:
    """The replacements that an operation asks for.

    `touched` are the nodes that may come or go, or whose flows may; `renamed` leads from old names to new ones;
    `tolerated` are codes of check rules that the operation may break on its way. `recounted`: loops make another
    number of nodes and flows.
    """

    replacements: list[Replacement] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    flows: set[tuple[str, str]] = field(default_factory=set)
    icons: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    tolerated: set[str] = field(default_factory=set)
    message: str = ""
    recounted: bool = False


_COUNTED = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
NUMBERS = f"zero {_COUNTED} seventeen eighteen nineteen twenty".split()
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
            "needs-package", f"this text needs {', '.join(missing)}, which the file does not load", nearest="load it"
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


def inserted_after(facts: Facts, span: TextSpan, new: str) -> Replacement:
    """`new` on a line of its own behind the line of a piece; on the same line where more code follows there."""
    text = facts.text
    found = _LINE_END.search(text, span.end)
    end = found.start() if found else len(text)
    if facts.code.mask[span.end : end].strip():
        return Replacement.make_for_span(text, TextSpan(span.end, span.end), f" {new}")
    start = _line_start(facts, span.start)
    line = text[start : span.start]
    indent = line[: len(line) - len(line.lstrip(_BLANKS))]
    newline = found[0] if found else "\n"
    return Replacement.make_for_span(text, TextSpan(end, end), f"{newline}{indent}{new}")


def taken_out(facts: Facts, span: TextSpan) -> Replacement:
    """A piece with its line and the comment behind it; alone where other code stands on its lines."""
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


def line_of(facts: Facts, at: int) -> str:
    """`line 12`, for messages."""
    return f"line {facts.place_of(at).line}"


def _line_start(facts: Facts, at: int) -> int:
    return at - facts.find_line_and_column(at)[1] + 1
