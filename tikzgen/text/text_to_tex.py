"""Conversion of labels to TeX source that compiles with every engine, or `TextRefused` with the position."""

from __future__ import annotations

import re
from functools import lru_cache

from tikzgen.base.record import Record
from tikzgen.text import escape_characters
from tikzgen.text.check_raw_tex import check
from tikzgen.text.escape_characters import TextRefused, find_borrowed
from tikzgen.text.maths.parser import parse

LABEL_CHARS = 2000  # characters; TeX reads lines of at most 200,000
_SAFE_CHARACTER = r"[A-Za-z0-9.,()'+/=:;!?*@\[\]-]"
_PLAIN_LABEL = re.compile(rf" ?{_SAFE_CHARACTER}+(?: {_SAFE_CHARACTER}+)* ?")
_BLANK = " \t"
_OPENERS = _BLANK + "\n([{/-"  # a straight quote after one of these opens
_WORD_END = re.compile(r"\\[A-Za-z]+$")
_JOINING = "-'`"  # adjacent characters that fonts join to dashes and quotes


class Typeset(Record):
    """TeX source of a label: ASCII except for Chinese and Japanese, which remain unchanged (`cjk`).

    `borrowed` are its commands for letters that some fonts lack (`tikzgen.text.escape_characters`).
    """

    source: str
    packages: tuple[str, ...] = ()
    cjk: bool = False
    borrowed: tuple[str, ...] = ()


def typeset_label(text: str) -> Typeset:
    """Return the TeX source of a label, or of a raw `Tex` after a check. Raise `TextRefused` if invalid.

    Consecutive spaces become one. Spaces around a line break, and empty lines at the start and end, are removed.
    """
    return _typeset_cached(text, getattr(text, "allowed", None))  # a `Tex` has it; a `Tex` and a `str` may be equal


@lru_cache(maxsize=32768)
def _typeset_cached(text: str, allowed: frozenset[str] | None) -> Typeset:
    """Convert with a cache; `allowed` are extra commands of raw TeX, None for a plain label."""
    if len(text) > LABEL_CHARS:
        raise TextRefused(f"a label of {len(text)} characters; at most {LABEL_CHARS} are possible", hint="shorten it")
    if allowed is not None:
        source, packages = check(text, allowed)
    elif _PLAIN_LABEL.fullmatch(text):
        return Typeset(text)
    else:
        source, packages = _Writer(text).write()
    return Typeset(source, tuple(sorted(packages)), not source.isascii(), find_borrowed(source))


class _Writer:
    """Converter of a plain label, which collects lines of TeX."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", " \n").replace("\r", "\n")  # of equal length: positions stay valid
        self.at = 0
        self.lines = [""]
        self.symbols = False  # whether the last piece is a math symbol
        self.joinable = False  # whether the last piece is a character that the author typed
        self.packages: set[str] = set()

    def write(self) -> tuple[str, set[str]]:
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "\n":
                self.lines.append("")
                self.at += 1
            elif char in _BLANK:
                self.write_blank()
            elif char == "$":
                self.write_maths()
            elif self.text.startswith(r"\$", self.at):
                self.add(escape_characters.ASCII["$"], 2)
            elif char == '"':
                self.quote()
            elif char.isascii() and self.text[self.at + 1 : self.at + 2].isascii():
                self.add(escape_characters.find(char, self.at).source, 1, typed=char not in escape_characters.ASCII)
            else:
                self.write_cluster()
        return self.join_lines(), self.packages

    def add(self, source: str, length: int, *, typed: bool = False) -> None:
        """Append the source of `length` characters; fonts may join typed characters, but not generated ones."""
        line = self.lines[-1]
        symbol = source.startswith(escape_characters.ENSURE)
        if symbol and self.symbols and line:  # adjacent symbols share one \ensuremath
            line, source = line[:-1], source.removeprefix(escape_characters.ENSURE)
            line += " " if source[0].isalpha() and _WORD_END.search(line) else ""
        self.symbols = symbol
        joins = line[-1:] == source[:1] and source[:1] in _JOINING and not (typed and self.joinable)
        inverts = line[-1:] in ("?", "!") and source.startswith(("`", r"\textquoteleft"))
        if line and (joins or inverts):
            line += "{}"
        self.lines[-1] = line + source
        self.joinable = typed
        self.at += length

    def write_blank(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in _BLANK:
            self.at += 1
        after = self.text[self.at : self.at + 1]
        # after a Chinese character, CJKutf8 would drop a space before a number or a word
        kept = after.isascii() and after not in ("", "\n") and not self.lines[-1][-1:].isascii()
        self.add(r"\ " if kept else " ", 0)

    def quote(self) -> None:
        """Convert a straight quote to a typographic one."""
        before, after = self.text[: self.at][-1:], self.text[self.at + 1 : self.at + 2]
        opens = (not before or before in _OPENERS) and after.strip() != ""
        self.add("``" if opens else escape_characters.ASCII['"'], 1)

    def write_cluster(self) -> None:
        """Convert one character with its combining marks."""
        entries, end = escape_characters.read_cluster(self.text, self.at)
        for entry in entries:
            self.packages.update(entry.packages)
            self.add(entry.source, 0, typed=entry.source == self.text[self.at])
        self.at = end

    def write_maths(self) -> None:
        """Convert the formula up to the next `$`."""
        start = self.at + 1
        end = start
        while end < len(self.text) and self.text[end] != "$":
            end += 2 if self.text[end] == "\\" else 1
        inner = self.text[start:end]
        if end >= len(self.text):
            raise TextRefused("the dollar", "is unpaired", position=self.at, hint=r"write \$ for a dollar")
        if not inner.strip():
            raise TextRefused("nothing between two dollars", position=self.at, hint=r"write \$ for a dollar")
        if inner[0].isdigit() and self.text[end + 1 : end + 2].isdigit():
            why = "looks like two amounts of money"
            raise TextRefused(f"${inner}$", why, position=self.at, hint=r"write \$ for a dollar")
        formula = parse(inner, start)
        self.packages |= formula.packages
        self.add(f"${formula.source}$", end + 1 - self.at)

    def join_lines(self) -> str:
        r"""Join the lines with `\\`, which no bracket, star or empty line may follow."""
        lines = self.lines if len(self.lines) == 1 else [line.strip(" ") for line in self.lines]
        while len(lines) > 1 and not lines[-1]:
            lines.pop()
        while len(lines) > 1 and not lines[0]:
            lines.pop(0)
        rest = ["{}" + line if line[:1] in ("[", "*") else line or r"\mbox{}" for line in lines[1:]]
        return r"\\".join([lines[0], *rest])
