r"""Tokens that partition a TeX source: put together again, they are the source, whatever it holds.

Marks are the tokens that say something of the structure: all but text and blanks, which are what lies between marks.

The scanner assumes the usual category codes. Three things are one token each, because TeX does not read them as code:
`\verb` and verbatim environments, `\iffalse … \fi`, and whatever follows `\end{document}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from tikzgen.base.patterns import pattern_of
from tikzgen.texfile.source_text import Error

Kind = Literal[
    "comment",  # from the percent sign to the end of the line, which is not part of it
    "word",  # \draw, \def, \foo@bar
    "symbol",  # \\, \%, \{
    "open",
    "close",
    "left",  # [
    "right",  # ]
    "space",  # blanks, tabs, line ends
    "text",
    "verbatim",
    "skipped",  # what stands between \iffalse and its \fi or \else, with both
    "after",  # what follows \end{document}
]


class TexToken(NamedTuple):
    """A piece of the source and its kind."""

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
# commands of packages that begin like conditions of TeX and have no \fi
_NO_CONDITION = pattern_of(
    r"ifthenelse|if(blank|bool|toggle|def|undef|cs|str|num|dim|list|rmnum|pack|class|field|patch|is)(?!ined|name\b|x\b)\w*"
)


def tokenize(text: str) -> tuple[list[TexToken], list[Error]]:
    """The tokens of a source, which leave nothing out, and the errors that were met on the way."""
    found, errors = marks(text)
    tokens: list[TexToken] = []
    at = 0
    for mark in found:
        if at < mark.start:
            tokens += _gap(text, at, mark.start)
        tokens.append(mark)
        at = mark.end
    tokens += _gap(text, at, len(text))
    return tokens, errors


def _gap(text: str, start: int, end: int) -> Iterator[TexToken]:
    for found in _GAP.finditer(text, start, end):
        yield TexToken(found.lastgroup, *found.span())  # type: ignore[arg-type]  # a group's name


def marks(text: str) -> tuple[list[TexToken], list[Error]]:
    """The marks of a source, and the errors that were met on the way."""
    tokens: list[TexToken] = []
    errors: list[Error] = []
    add, make, at, length = tokens.append, tuple.__new__, 0, len(text)
    while at < length:
        for found in _MARK.finditer(text, at):
            kind = found.lastgroup
            if kind == "special":
                at = _special(text, found.start("special"), tokens, errors)
                break
            if kind == "rest":  # else every place in a long text without marks would be tried
                return tokens, errors
            # a third of the time that `Token(…)` takes, and there are a thousand
            add(make(TexToken, (kind, found.start(kind), found.end())))  # type: ignore[arg-type]  # there is one
        else:
            break
    return tokens, errors


def _special(text: str, start: int, tokens: list[TexToken], errors: list[Error]) -> int:
    """Add what begins at `start` and ends by rules of its own; where it ends."""
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
    r"""Where the text goes on after the `\fi` or `\else` of a false condition, and whether there is one."""
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


def code(text: str, tokens: list[TexToken]) -> str:
    """The text with blanks in place of what is not code, each at its own offset.

    Line ends stay. Braces and brackets that a backslash escapes become question marks, so that what is left of them
    pairs up; so do other control symbols, whose second character is no punctuation.
    """
    return "".join(_pieces(text, tokens))


def _pieces(text: str, tokens: list[TexToken]) -> Iterator[str]:
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
