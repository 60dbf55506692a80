r"""Third-party figures in a paper: their definitions are moved into a group of their body.

`\input` under the `standalone` package drops a preamble, and with it the macros and layers of the figure. Definitions
in the body outside of pictures stay defined in the paper. In a group of the body, the figure has both, and the paper
has neither.
"""

from __future__ import annotations

import re

from tikzgen.compile.paper.statements import PreambleCommand, read_commands
from tikzgen.emit.environment import fill
from tikzgen.texfile import Facts, TextSpan, scan, tokenize

_BEGIN = "\\begin{document}"
_END = "\\end{document}"
_LINE_END = re.compile(r"[ \t]*(%[^\n]*)?(\r?\n|$)")
# Commands with the same effect in a group of the body as in the preamble.
_MOVED_COMMANDS = {
    "def",
    "edef",
    "let",
    "newif",
    "setlength",
    "addtolength",
    "tikzset",
    "pgfkeys",
    "tikzstyle",
    "pgfdeclarelayer",
    "pgfsetlayers",
}
_NEW = {"newcommand", "providecommand", "NewDocumentCommand"}
_MOVED_COMMANDS |= _NEW | {"renewcommand", "DeclareRobustCommand", "pgfplotsset"}
# Commands that choose the fonts of a document when it begins.
_FONTS = re.compile(r"\\(?:family|rm|sf|tt|encoding|series|shape)default\b")


def group_definitions(text: str) -> str:
    """Put the definitions of a document into a group of its body, unless that is useless."""
    facts = scan(text)
    mask = facts.code.mask
    begin, end = mask.find(_BEGIN), mask.rfind(_END)
    if begin < 0 or end < begin:
        return text
    moved = [one for one in read_commands(text[:begin]) if is_moved(one)]
    if not moved and not _has_leaks(facts, begin, end):
        return text
    spans = [_extend_to_line_end(text, one.span) for one in moved]
    head = "".join(text[start:stop] for start, stop in _find_gaps(spans, begin))
    kept = [(_find_new_macro(one), text[one.span.start : one.span.end].rstrip()) for one in moved]
    body = text[begin + len(_BEGIN) : end].strip("\r\n")
    return fill("housed.tex.j2", head=head, definitions=kept, body=body, tail=text[end + len(_END) :])


def is_moved(one: PreambleCommand) -> bool:
    """Return whether a statement has the same effect in a group of the body."""
    return one.command in _MOVED_COMMANDS and not (one.required_arguments and _FONTS.match(one.required_arguments[0]))


def _find_new_macro(one: PreambleCommand) -> str:
    """Return the macro that a statement makes and the paper may have as well, else an empty string."""
    return (
        one.required_arguments[0]
        if one.command in _NEW and one.required_arguments and one.required_arguments[0].startswith("\\")
        else ""
    )


def _has_leaks(facts: Facts, begin: int, end: int) -> bool:
    """Return whether the body defines something that stays defined in the paper."""
    if "\\begingroup" in facts.uses:
        return False
    made = [each.span.start for each in facts.definitions] + [each.span.start for each in facts.colors]
    return any(begin < at < end and not facts.is_sheltered(at) for at in made)


def _extend_to_line_end(text: str, span: TextSpan) -> TextSpan:
    """Return a span with the rest of its last line, if it begins a line and only a comment follows."""
    if text[text.rfind("\n", 0, span.start) + 1 : span.start].strip():
        return span
    found = _LINE_END.match(text, span.end)
    return TextSpan(span.start, found.end()) if found else span


def _find_gaps(spans: list[TextSpan], end: int) -> list[tuple[int, int]]:
    starts = [0, *(span.end for span in spans)]
    return list(zip(starts, [*(span.start for span in spans), end], strict=True))


# In these arguments, `%` is a character.
_ADDRESS = re.compile(r"\\(?:url|nolinkurl|path|href)[ \t]*\{[^}\n]*$")


def strip_comments(text: str) -> str:
    r"""Remove comments, lines with only a comment, and the text after `\end{document}`.

    A `%` that prevents a space at the end of a line stays. Verbatim text and addresses stay.
    """
    tokens, _ = tokenize(text)
    kept: list[str] = []  # output so far
    for kind, start, end in tokens:
        if kind == "after":
            kept.append("\n")
        elif kind != "comment":
            kept.append(text[start:end])
        else:
            line = text[text.rfind("\n", 0, start) + 1 : start]
            kept.append(text[start:end] if _ADDRESS.search(line) else _SIGN if line.strip() else _ALONE_MARK)
    return _ONLY.sub("", "".join(kept)).replace(_SIGN, "%")


# Placeholders that no source contains, because files with control characters are errors.
_SIGN = "\x00"
_ALONE_MARK = "\x01"
_ONLY = re.compile(f"[ \t]*{_ALONE_MARK}(?:\r?\n|$)")
