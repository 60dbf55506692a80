"""Folding of long lines of TikZ between tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap

LINE_CHARS = 100
_PARAMETER = re.compile(r"\\def\\[A-Za-z]+(?:#\d)?\{")
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*(%)")
_BREAK = re.compile(r"(?<=[,;)\]}]) (?=[^ ])")
_BREAK_WITHOUT_SPACE = re.compile(r"(?<=[,\[])(?=[^ ])")
"""A line that ends here gets `%` at its end: TeX then reads no space."""
_BOUND = re.compile(r"at (?=\()|(\{)")
"""Code that belongs to the text before it: no line begins with it unless nothing else fits."""
_SEGMENT = re.compile(r"(?:--|\|-|-\||to\[[^]]*\]) (?:node|coordinate|\(\[)")
"""A segment of a flow with a label or a shifted corner: it stays on one line if it fits."""


def fold_lines(text: str) -> str:
    """Fold the lines of TeX that are too long, except definitions of labels; TeX reads the same tokens.

    The comment of a folded line moves to a line above it.
    """
    lines = text.split("\n")
    if max(map(len, lines)) <= LINE_CHARS:
        return text
    return "\n".join(part for line in lines for part in ([line] if len(line) <= LINE_CHARS else _fold(line)))


def _fold(line: str) -> Iterator[str]:
    pad = line[: len(line) - len(line.lstrip())]
    mark = _COMMENT.search(line)
    code, comment = (line[: mark.start(1)], line[mark.end() :]) if mark else (line, "")
    if not line.strip() or (mark and code.endswith("\\ ")):  # an empty line ends a paragraph, `\ ` needs its space
        yield line
    elif not code.strip():
        for part in wrap(comment.strip(), LINE_CHARS - len(pad) - 2, break_long_words=False, break_on_hyphens=False):
            yield f"{pad}% {part}"
    elif _PARAMETER.match(line) and mark:
        yield line
    else:
        if comment.strip():
            yield from _fold_or_keep(f"{pad}% {comment.strip()}")
            code = code.rstrip() if code.endswith(" ") else code + "%"
        yield from _fold_code(code, pad)


def _fold_or_keep(line: str) -> Iterator[str]:
    yield from [line] if len(line) <= LINE_CHARS else _fold(line)


def _fold_code(code: str, pad: str) -> Iterator[str]:
    """Break a line of code at its outermost places, as late as possible."""
    while len(code) > LINE_CHARS and (at := _choose_break(code, len(pad))):
        yield code[: at - 1] if code[at - 1] == " " else code[:at] + "%"
        code = f"{pad}  {code[at:]}"
    yield code


def _choose_break(code: str, indent: int) -> int:
    """Return the place where a line is broken, or 0 if no place fits."""
    depths = _measure_depths(code)
    for breaks, last in ((_BREAK, LINE_CHARS + 1), (_BREAK_WITHOUT_SPACE, LINE_CHARS - 1)):
        fitting = [found.end() for found in breaks.finditer(code, indent + 3, last + 1)]
        if fitting:
            bonds = {at: _count_bonds(code, at) for at in fitting}
            late = [at for at in fitting if at > LINE_CHARS // 2 or bonds[at] < 0] or fitting
            return min(late, key=lambda at: (depths[at - 1] + bonds[at], -at))
    return 0


def _count_bonds(code: str, at: int) -> int:
    """Return the cost of a break at a position."""
    if _SEGMENT.match(code, at):
        return -1
    bound = _BOUND.match(code, at)
    return 0 if bound is None else 2 if bound[1] else 1


def _measure_depths(code: str) -> list[int]:
    """Return how many braces and brackets are open at each place."""
    found, depth = [], 0
    for sign in code:
        depth += (sign in "{[(") - (sign in "}])")
        found.append(depth)
    return found
