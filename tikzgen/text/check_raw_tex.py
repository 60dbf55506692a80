"""Check of raw TeX: it may use permitted commands only, and can neither break nor leave its label."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

from tikzgen.base.errors import shorten_for_message
from tikzgen.base.patterns import pattern_of
from tikzgen.base.suggest import find_similar_name
from tikzgen.base.trust import expected_commands
from tikzgen.text import escape_characters
from tikzgen.text.escape_characters import TextRefused, describe
from tikzgen.text.raw_tex_commands import (
    Usage,
    arguments_end,
    list_environments,
    list_raw_commands,
    usage_of,
    usage_of_environment,
)

_GROUP_LIMIT = 40  # nested groups: a safeguard for the stacks of TeX and Python

# Text before a group in which TikZ cannot break a line: a font command, or none.
_STYLED_TEXT = pattern_of(
    r"(?:\\(?:text(?!color)[a-z]+|emph|mbox|hbox|fbox|underline|textcolor\s*\{[^{}]*\})\s*|^\s*|\\\\\s*)\Z"
)
_COMMAND = pattern_of(r"\\([A-Za-z]+|.?)", re.DOTALL)
_ENVIRONMENT = pattern_of(r"\s*\{([A-Za-z]+\*?)\}")
_BREAKERS = {
    "%": ("begins a comment", r"write \%"),
    "#": ("is TeX's sign for a parameter", r"write \#"),
}
_PARAGRAPHS = {rf"\begin{{{name}}}" for name in ("minipage", "center", "flushleft", "flushright")}  # without &
_SENTENCE_ENDS = tuple(".,:;?!')")
_BLANKS = {"\t": " ", "\n": " ", "\r": " "}


def check(tex: str, allowed: Collection[str] = ()) -> tuple[str, set[str]]:
    """Check raw TeX; return the source in ASCII (except Chinese and Japanese) and its required packages.

    Raise `TextRefused` with the position for input that could break the .tex, and for every command that is not known
    to be harmless. Known are the commands of `tikzgen.text.raw_tex_commands` and `allowed`, names without backslashes.
    """
    if (place := tex.find("^^")) >= 0:  # also after a backslash, because TeX converts it there as well
        raise TextRefused("^^", "hides characters", position=place, hint="write the character itself")
    reader = _Checker(tex, allowed)
    source = "".join(reader.check_pieces())
    if reader.open:
        sign, place = reader.open[-1]
        raise TextRefused(sign, "is never closed", position=place, hint="close it")
    return source, reader.packages


class _Checker:
    """Scanner of raw TeX; `open` has the braces, dollars and environments that are not closed yet."""

    def __init__(self, tex: str, allowed: Collection[str]) -> None:
        self.tex = tex
        self.allowed = allowed
        self.open: list[tuple[str, int]] = []
        self.packages: set[str] = set()

    def check_pieces(self) -> Iterator[str]:
        at = 0
        while at < len(self.tex):
            char = self.tex[at]
            if char == "\\":
                match = _COMMAND.match(self.tex, at)
                assert match is not None  # the pattern matches any character
                source, at = self.command(match[1], at, match.end())
                yield source
            elif char in "{}$%#&^_" or char in _BLANKS:
                self.check_special_character(char, at)
                yield _BLANKS.get(char, char)
                at += 1
            elif " " <= char <= "~" and not unicodedata.combining(self.tex[at + 1 : at + 2] or " "):
                yield char
                at += 1
            else:
                entries, at = escape_characters.read_cluster(self.tex, at)
                self.packages.update(package for entry in entries for package in entry.packages)
                yield "".join(entry.source for entry in entries)

    def command(self, name: str, place: int, after: int) -> tuple[str, int]:
        """Check a command with its arguments that are not text; return its source and its end."""
        if not name:
            raise TextRefused("a lone backslash", position=place, hint=r"write \textbackslash{}")
        if name in ("begin", "end"):
            end = self.check_environment(name, place, after)
        elif name[0].isascii() and name[0].isalpha():
            end = self.check_word(name, place, after)
        else:
            source = self.check_sign(name, place, self.tex[after : after + 1])
            end = self.check_arguments(source, after, usage_of(source[1:]) or Usage())
            return source + self.spell_arguments(after, end), end
        following = self.tex[end : end + 1]
        # some engines treat Chinese characters as letters, and a paper may make @ a letter
        parted = (following.isascii() and following != "@") or escape_characters.find(following, end).source[:1] == "\\"
        return f"\\{name}{self.spell_arguments(after, end)}{'' if parted or end > after else ' '}", end

    def check_word(self, name: str, place: int, after: int) -> int:
        """Check a command whose name has letters; return the end of its arguments."""
        usage = usage_of(name)
        if name in self.allowed:  # the user who allows a command is responsible for its arguments
            usage = Usage(usage.package if usage else "")
        if usage is None:
            said = f"\\{shorten_for_message(name)}"
            near = find_similar_name(name, list_raw_commands(), cutoff=0.8)
            hint = f"did you mean \\{near}?" if near else f"`tex: {{allow: [{said}]}}` allows it, with --trust"
            if name in expected_commands():
                hint = "`tex` of the spec allows it: add --trust if you know its effect"
            raise TextRefused(said, "is not a command that raw TeX may use", position=place, hint=hint)
        return self.check_arguments(f"\\{name}", after, usage)

    def check_arguments(self, said: str, after: int, usage: Usage) -> int:
        if usage.package:
            self.packages.add(usage.package)
        return arguments_end(self.tex, after, said, usage)

    def spell_arguments(self, begin: int, end: int) -> str:
        """Return checked arguments with tabs and line ends replaced by spaces."""
        return "".join(_BLANKS.get(char, char) for char in self.tex[begin:end])

    def check_environment(self, name: str, place: int, after: int) -> int:
        r"""Check `\begin{name}` or `\end{name}`; return its end, after its arguments."""
        match = _ENVIRONMENT.match(self.tex, after)
        usage = usage_of_environment(match[1]) if match else None
        if match is None or usage is None:
            kinds = ", ".join(sorted(list_environments()))
            raise TextRefused(f"\\{name}", "of an environment that labels do not support", position=place, hint=kinds)
        sign = f"\\begin{{{match[1]}}}"
        if name == "end":
            self.close(sign, f"\\end{{{match[1]}}}", place)
            return match.end()
        self.enter(sign, place)
        return self.check_arguments(sign, match.end(), usage)

    def enter(self, sign: str, place: int) -> None:
        """Record an opening delimiter or environment."""
        if len(self.open) == _GROUP_LIMIT:
            raise TextRefused(sign, f"is nested more than {_GROUP_LIMIT} deep", position=place, hint="nest it less")
        self.open.append((sign, place))

    def check_sign(self, sign: str, place: int, following: str) -> str:
        """Check a command of one character that is not a letter, and the character that follows it."""
        if sign == "@" and following not in _SENTENCE_ENDS:
            # If a paper makes @ a letter, \@input is LaTeX's \input.
            raise TextRefused(r"\@", "is not followed by punctuation", position=place, hint=r"write \@.")
        if sign == "(":
            self.enter(r"\(", place)
        elif sign == ")":
            self.close(r"\(", r"\)", place)
        elif (
            sign == "\\"
            and self.open
            and self.open[-1][0] == "{"
            and _STYLED_TEXT.search(self.tex, 0, self.open[-1][1])
        ):
            why, hint = "breaks the line inside braces", r"close them before it: \textbf{a}\\\textbf{b}"
            raise TextRefused(r"\\", why, position=place, hint=hint)
        elif sign in "[]":
            raise TextRefused(f"\\{sign}", "displays maths", position=place, hint="write $...$")
        elif not sign.isspace() and usage_of(sign) is None:
            raise TextRefused("a backslash", f"before {describe(sign)}", position=place, hint="remove it")
        return "\\ " if sign.isspace() else f"\\{sign}"

    def check_special_character(self, char: str, place: int) -> None:
        """Check a special character of TeX, or whitespace."""
        if char == "{":
            self.enter(char, place)
        elif char == "}":
            self.close("{", char, place)
        elif char == "$":
            if self.tex.startswith("$$", place) and not self.in_dollars():
                raise TextRefused("$$", "displays maths", position=place, hint="write $...$")
            if self.in_dollars():
                self.close("$", "$", place)
            else:
                self.enter("$", place)
        elif char in _BREAKERS:
            reason, hint = _BREAKERS[char]
            raise TextRefused(char, reason, position=place, hint=hint)
        elif char == "&" and not any(sign.startswith("\\begin") and sign not in _PARAGRAPHS for sign, _ in self.open):
            raise TextRefused("&", "outside a table", position=place, hint=r"write \&")
        elif char in "^_" and not self.open:
            raise TextRefused(char, "outside math", position=place, hint=rf"write \{char}, or $...$ around it")
        elif char in "\n\r" and re.match(r"[ \t\r]*\n[ \t\r]*\n", self.tex[place:]):
            raise TextRefused("an empty line", position=place, hint=r"write \\ to break the line")

    def in_dollars(self) -> bool:
        """Return whether the innermost open element is math in `$`."""
        return bool(self.open) and self.open[-1][0] == "$"

    def close(self, sign: str, closing: str, place: int) -> None:
        if not self.open or self.open[-1][0] != sign:
            why = f"before {self.open[-1][0]} is closed" if self.open else "closes nothing"
            raise TextRefused(closing, why, position=place, hint="balance them")
        self.open.pop()
