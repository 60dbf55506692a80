r"""Statements of a LaTeX preamble: its top-level commands with their arguments and lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.base.record import Record
from tikzgen.texfile import Code, TextSpan, split_at_commas

_COMMAND = re.compile(r"\\([A-Za-z@]+)\*?")
_BLANK = re.compile(r"[ \t]*\n?[ \t]*")
_COMMAND_NAME = re.compile(r"[ \t]*(\\[A-Za-z@]+)")
_LET_TARGET = re.compile(r"[ \t]*=?[ \t]*\\[A-Za-z@]+")
_CONDITION = re.compile(r"(?<!\\newif)\\(if[A-Za-z@]*|fi)(?![A-Za-z@])")

# Commands whose first argument may be a command without braces.
_DEFINE = {"def", "edef", "gdef", "xdef", "let", "newif", "setlength", "addtolength"}
_DEFINE |= {f"{verb}{what}" for verb in ("new", "renew", "provide") for what in ("command", "length", "savebox")}
_DEFINE |= {"DeclareMathOperator", "DeclareRobustCommand", "NewDocumentCommand", "newcount", "newdimen", "newbox"}
_PRIMITIVE = {"def", "edef", "gdef", "xdef"}  # parameter text before the body is not an argument


class PreambleCommand(Record):
    r"""A command without its backslash, its arguments with their brackets, and its line, counted from 1.

    A condition is one statement: its command is `if`, its only argument everything up to the `\fi`. `span` is the
    range of the entire statement.
    """

    command: str
    arguments: tuple[str, ...]
    line: int
    span: TextSpan

    @property
    def options(self) -> str:
        """Contents of square brackets before the braces; brackets after them, such as a date, are not options."""
        return self.arguments[0][1:-1] if self.arguments and self.arguments[0].startswith("[") else ""

    @property
    def required_arguments(self) -> tuple[str, ...]:
        """Contents of the pairs of braces."""
        return tuple(argument[1:-1].strip() for argument in self.arguments if argument.startswith("{"))


def read_commands(text: str) -> Iterator[PreambleCommand]:
    """Yield the commands of a preamble, in order, without comments; skip everything else."""
    code = Code.read_source(text)
    at = 0
    while found := _COMMAND.search(code.mask, at):
        line = text.count("\n", 0, found.start()) + 1
        end = _after_fi(code.mask, found.end()) if found[1].startswith("if") else None
        if end is not None:
            yield PreambleCommand("if", (code.mask[found.start() : end],), line, TextSpan(found.start(), end))
            at = end
        else:
            arguments, at = _read_arguments(code, found[1], found.end())
            yield PreambleCommand(found[1], arguments, line, TextSpan(found.start(), at))


def split_entries(text: str) -> tuple[str, ...]:
    """Return the entries of a list between commas outside of braces, trimmed, without empty ones."""
    return tuple(" ".join(part.split()) for part in split_at_commas(text) if part)


def _read_arguments(code: Code, command: str, at: int) -> tuple[tuple[str, ...], int]:
    """Return the arguments that begin at `at`, and their end."""
    found: list[str] = []
    if command in _DEFINE and (name := _COMMAND_NAME.match(code.mask, at)):
        found.append(f"{{{name[1]}}}")
        at = name.end()
    if command == "let" and (other := _LET_TARGET.match(code.mask, at)):
        at = other.end()
    if command in _PRIMITIVE:
        at = max(code.mask.find("{", at), at)
    while True:
        blank = _BLANK.match(code.mask, at)
        start = blank.end() if blank else at
        if start not in code.closes:
            return tuple(found), at
        at = code.skip_group(start)
        found.append(code.mask[start:at])


def _after_fi(text: str, at: int) -> int | None:
    r"""Return the position after the `\fi` of the condition whose name ends at `at`, or None."""
    depth = 1
    for found in _CONDITION.finditer(text, at):
        depth += -1 if found[1] == "fi" else 1
        if depth == 0:
            return found.end()
    return None
