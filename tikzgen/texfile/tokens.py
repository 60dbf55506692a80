r"""Lossless tokens of a TeX source: their concatenation is the source.

Marks are the tokens with structure: all except text and whitespace, which fill the gaps between marks.

The scanner assumes the usual category codes. Three constructs are one token each, because TeX does not read them as
code: `\verb` and verbatim environments, `\iffalse … \fi`, and everything after `\end{document}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from tikzgen.base.patterns import pattern_of
from tikzgen.texfile.source_text import Error

Kind = Literal[
    "comment",  # from % to the end of the line, exclusive
    "word",  # \draw, \def, \foo@bar
    "symbol",  # \\, \%, \{
    "open",
    "close",
    "left",  # [
    "right",  # ]
    "space",  # spaces, tabs, line ends
    "text",
    "verbatim",
    "skipped",  # \iffalse up to its \fi or \else, inclusive
    "after",  # everything after \end{document}
]


class TexToken(NamedTuple):
    """Piece of the source and its kind."""

    kind: Kind
    start: int
    end: int


_MARK = pattern_of(
    r"""
    [^\\%{}\[\]]*+ (?:
    (?P<special>\\iffalse(?![A-Za-z@]) | \\verb(?![A-Za-z@]) | \\begin[ \t]*\{[A-Za-z]+\*?\} | \\end[ \t]*\{document\})
  | (?P<word>\\[A-Za-z@]+)
  | (?P<symbol>\\(?:\r\n|(?s:.))?)
  | (?P<open>\{)
  | (?P<close>\})
  | (?P<left>\[)
  | (?P<right>\])
  | (?P<comment>%[^\r\n]*)
  | (?P<rest>\Z)
    )""",
    re.VERBOSE,
)
_GAP = pattern_of(r"(?P<text>[^ \t\r\n]+)|(?P<space>[ \t\r\n]+)")
_WORD = pattern_of(r"\\[A-Za-z@]+")
_NAME = pattern_of(r"\{([A-Za-z]+\*?)\}")
_VERB = pattern_of(r"\\verb\*?([^\sA-Za-z*])[^\r\n]*?\1")
_VERBATIM = {"verbatim", "Verbatim", "BVerbatim", "LVerbatim", "lstlisting", "minted", "comment", "filecontents"}
_CONDITION = pattern_of(r"%[^\r\n]*|\\(?:(?P<word>[A-Za-z@]+)|(?s:.))")
# package commands that begin like TeX conditions, but have no \fi
_NO_CONDITION = pattern_of(
    r"ifthenelse|if(blank|bool|toggle|def|undef|cs|str|num|dim|list|rmnum|pack|class|field|patch|is)(?!ined|name\b|x\b)\w*"
)


def tokenize(text: str) -> tuple[list[TexToken], list[Error]]:
    """Return all tokens of a source, and the errors found."""
    found, errors = find_marks(text)
    tokens: list[TexToken] = []
    at = 0
    for mark in found:
        if at < mark.start:
            tokens += _split_gap(text, at, mark.start)
        tokens.append(mark)
        at = mark.end
    tokens += _split_gap(text, at, len(text))
    return tokens, errors


def _split_gap(text: str, start: int, end: int) -> Iterator[TexToken]:
    for found in _GAP.finditer(text, start, end):
        yield TexToken(found.lastgroup, *found.span())  # type: ignore[arg-type]  # a group's name


def find_marks(text: str) -> tuple[list[TexToken], list[Error]]:
    """Return the marks of a source, and the errors found."""
    tokens: list[TexToken] = []
    errors: list[Error] = []
    add, make, at, length = tokens.append, tuple.__new__, 0, len(text)
    while at < length:
        for found in _MARK.finditer(text, at):
            kind = found.lastgroup
            if kind == "special":
                at = _read_special(text, found.start("special"), tokens, errors)
                break
            if kind == "rest":  # avoids a search at every offset of text without marks
                return tokens, errors
            # a third of the time of `Token(…)`, for a thousand tokens
            add(make(TexToken, (kind, found.start(kind), found.end())))  # type: ignore[arg-type]  # there is one
        else:
            break
    return tokens, errors


def _read_special(text: str, start: int, tokens: list[TexToken], errors: list[Error]) -> int:
    """Add a construct that begins at `start` and has its special end; return its end."""
    word = _WORD.match(text, start)
    assert word is not None
    if word[0] == r"\iffalse":
        end, closed = _after_condition(text, word.end())
        if not closed:
            errors.append(Error(start, r"\iffalse without \fi: TeX skips the rest of the file"))
        tokens.append(TexToken("skipped", start, end))
        return end
    if word[0] == r"\verb":
        found = _VERB.match(text, start)
        end = found.end() if found else word.end()
        tokens.append(TexToken("verbatim" if found else "word", start, end))
        return end
    name = _NAME.search(text, word.end())
    assert name is not None
    tokens.append(TexToken("word", start, word.end()))
    tokens.append(TexToken("open", name.start(), name.start() + 1))
    tokens.append(TexToken("close", name.end() - 1, name.end()))
    if word[0] == r"\end":
        if name.end() < len(text):
            tokens.append(TexToken("after", name.end(), len(text)))
        return len(text)
    if name[1].rstrip("*") not in _VERBATIM:
        return name.end()
    end = text.find(f"\\end{name[0]}", name.end())
    if end < 0:
        errors.append(Error(start, f"\\begin{name[0]} without its \\end"))
        end = len(text)
    if end > name.end():
        tokens.append(TexToken("verbatim", name.end(), end))
    return end


def _after_condition(text: str, at: int) -> tuple[int, bool]:
    r"""Return the end of the `\fi` or `\else` of a false condition, and whether it exists."""
    depth = 1
    for found in _CONDITION.finditer(text, at):
        word = found["word"]
        if not word:
            continue
        if word == "fi" or (word == "else" and depth == 1):
            depth -= 1
            if depth == 0:
                return found.end(), True
        elif word.startswith("if") and not _NO_CONDITION.match(word):
            depth += 1
    return len(text), False


_BLANK = {"comment", "verbatim", "skipped", "after"}


def mask_non_code(text: str, tokens: list[TexToken]) -> str:
    """Return the text with spaces in place of everything except code, at unchanged offsets.

    Line ends remain. Escaped braces and brackets become question marks, so that the others pair up. Other control
    symbols do as well, because their second character is not punctuation.
    """
    return "".join(_iterate_masked_pieces(text, tokens))


def _iterate_masked_pieces(text: str, tokens: list[TexToken]) -> Iterator[str]:
    at = 0
    for kind, start, end in tokens:
        if kind in _BLANK:
            yield text[at:start]
            yield re.sub(r"[^\r\n]", " ", text[start:end]) if kind != "comment" else " " * (end - start)
            at = end
        elif kind == "symbol":
            yield text[at:start]
            yield "?" * (end - start)
            at = end
    yield text[at:]
