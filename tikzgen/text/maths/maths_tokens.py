r"""Cut the maths between two dollar signs into tokens; Unicode becomes commands here."""

from __future__ import annotations

import re

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.text import characters
from tikzgen.text.characters import TextRefused, describe
from tikzgen.text.maths.maths_commands import TEXTS

_COMMAND = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL)
_PLAIN = set("0123456789+-*/=<>:()[]|,.;!?@'~^_{}") | set(map(chr, range(65, 91))) | set(map(chr, range(97, 123)))
_WRITE = {"&": r"\&", "#": r"\#", "%": r"\%", '"': "''", "`": r"\text{`}", "$": r"\$"}
_ESCAPED = "$%&#_{}"  # what a backslash makes literal inside \text
_WORD_END = pattern_of(r"\\[A-Za-z]+$")


class Token(Record):
    """A character, a command or a space; `words` is the TeX source inside a `\\text{...}`."""

    text: str
    position: int
    words: str | None = None
    packages: frozenset[str] = frozenset()

    @property
    def source(self) -> str:
        return self.text if self.words is None else f"{self.text}{{{self.words}}}"


def glue(tokens: list[Token]) -> str:
    """The TeX source of some tokens; a space parts a command from a letter after it."""
    source = ""
    for token in tokens:
        if token.text[0].isalpha() and _WORD_END.search(source):
            source += " "
        source += token.source
    return source


def tokenise(maths: str, start: int = 0, *, trusted: bool = False) -> list[Token]:
    """The tokens of `maths`, which begins at character `start` of its text; trusted maths is TeX already."""
    tokens: list[Token] = []
    at = 0
    while at < len(maths):
        char, place = maths[at], start + at
        if char == "\\":
            command = _command(maths, at, place)
            at += len(command)
            if command[1:] in TEXTS or command == r"\mbox":
                token, at = _words(maths, at, start, command, trusted)
            else:
                token = Token(command, place)
            tokens.append(token)
            continue
        at += 1
        if char.isspace() and char != "\N{NO-BREAK SPACE}":
            if tokens and tokens[-1].text != " ":
                tokens.append(Token(" ", place))
        elif char in _PLAIN or (trusted and char.isascii()):
            tokens.append(Token(char, place))
        elif char in _WRITE:
            raise TextRefused(describe(char), "cannot stand in maths", position=place, hint=f"write {_WRITE[char]}")
        else:
            tokens += _unicode(char, place)
    if tokens and tokens[-1].text == " ":
        tokens.pop()
    return tokens


def _command(maths: str, at: int, place: int) -> str:
    match = _COMMAND.match(maths, at)
    if match is None:
        raise TextRefused("a lone backslash", "in maths", position=place, hint=r"write \backslash")
    if match[1].isspace():
        return "\\ "
    if not match[1].isascii() or not match[1].isprintable():
        raise TextRefused("a backslash", f"before {describe(match[1])}", position=place, hint=r"write \backslash")
    return match[0]


def _unicode(char: str, place: int) -> list[Token]:
    maths = characters.find(char, place).maths
    if maths is None:
        raise TextRefused(describe(char), "cannot stand in maths", position=place, hint=rf"write \text{{{char}}}")
    return [Token(token.text, place, token.words, token.packages) for token in tokenise(maths)]


def _words(maths: str, at: int, start: int, command: str, trusted: bool) -> tuple[Token, int]:
    """Read `{...}` after a text command, and say where the maths goes on."""
    place = start + at - len(command)
    while at < len(maths) and maths[at].isspace():
        at += 1
    if at >= len(maths) or maths[at] != "{":
        raise TextRefused(f"{command}", "needs its text in braces", position=place, hint=rf"write {command}{{...}}")
    end = _closing_brace(maths, at)
    if end is None:
        raise TextRefused(f"the brace after {command}", "is never closed", position=place, hint="write }")
    inner = maths[at + 1 : end]
    if trusted:
        return Token(command, place, inner), end + 1
    source, packages = _text(inner, start + at + 1, command)
    return Token(command, place, source, packages), end + 1


def _closing_brace(maths: str, opening: int) -> int | None:
    depth, at = 0, opening
    while at < len(maths):
        if maths[at] == "\\":
            at += 1
        elif maths[at] in "{}":
            depth += 1 if maths[at] == "{" else -1
            if depth == 0:
                return at
        at += 1
    return None


def _text(inner: str, start: int, command: str) -> tuple[str, frozenset[str]]:
    """Text inside maths: escaped like any text, except that `\\%` and its like may be written as in TeX."""
    source = ""
    packages: set[str] = set()
    at = 0
    while at < len(inner):
        char, place = inner[at], start + at
        if char == "\\":
            at += 1
            char = inner[at]
            if char not in _ESCAPED:
                raise TextRefused(f"a command inside {command}", position=place, hint="end its braces before it")
        elif char in "{}":
            raise TextRefused(f"a brace inside {command}", position=place, hint=rf"write \{char}")
        if char in "\t\n\r":
            source, at = source + " ", at + 1
            continue
        entries, at = characters.cluster(inner, at, start)
        source += "".join(entry.source for entry in entries)
        packages.update(package for entry in entries for package in entry.packages)
    return source, frozenset(packages)
