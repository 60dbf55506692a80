"""Error types. The message of every error is one line that the user can act on.

TikzgenError            root; `exit_status` is the exit status of the command line
├── SpecError           invalid spec: one `Problem` per line, each with its location
│   └── PartRefused     invalid part in Python code; also a `ValueError`
├── InvalidSchedule     a schedule that breaks rules, without permission to draw it anyway
├── EditRefused         a forbidden change of a figure
├── FileRefused         a file that must not be overwritten, or is unreadable
│   └── FileMissing     a named file that does not exist
└── LatexError          LaTeX failed
    └── LatexMissing    LaTeX is not installed; `hint` is the command that installs it
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from errno import ENOSPC
from typing import Any

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record, replace

_MESSAGE_CHARS = 80
"""Longest user input that a message repeats, in characters."""


class ExitStatus(IntEnum):
    """Exit statuses of the `tikzgen` command."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    LATEX = 3
    INTERRUPTED = 130


class Place(Record):
    """Location in a file: `line` and `column` count from 1.

    Input that is not in a file has a name instead, such as `--set width`. `field` is the field that this name
    includes.
    """

    file: str
    line: int | None = None
    column: int | None = None
    field: str = ""

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)


class Problem(Record):
    """Problem in the input: `path` names the field (`workers[1].label`), `hint` the fix.

    `impossible` marks a well-formed description of an impossible run; `check` reports it as a finding.
    """

    message: str
    path: str = ""
    place: Place | None = None
    hint: str = ""
    impossible: bool = False

    def __str__(self) -> str:
        path = "" if self.place and self.place.field == self.path else self.path
        head = "".join(f"{part}: " for part in (self.place, path) if part)
        return head + self.message + (f" ({self.hint})" if self.hint else "")

    def as_json(self) -> dict[str, object]:
        """Return the message with its location and hint as plain data."""
        place = self.place or Place("")
        where = {"file": place.file or None, "line": place.line, "column": place.column}
        return {"message": self.message, "path": self.path, **where, "hint": self.hint}


class TikzgenError(Exception):
    """Root of all errors that tikzgen raises itself; `path` and `place` are its field and location, if known."""

    exit_status = ExitStatus.USAGE
    path = ""
    place: Place | None = None

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return str(self._problem)

    @property
    def _problem(self) -> Problem:
        return Problem(self.message, self.path, self.place, self.hint)

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling for other processes, for any signature of the subclass."""
        return _made_again, (type(self), self.args, self.__dict__)

    def list_problems(self) -> tuple[Problem, ...]:
        """List the problems as data."""
        return (self._problem,)

    def as_json(self) -> list[dict[str, object]]:
        """Return the problems as plain data: message, path, file, line, column, hint."""
        return [problem.as_json() for problem in self.list_problems()]


def _made_again(kind: type[TikzgenError], args: tuple[Any, ...], facts: dict[str, Any]) -> TikzgenError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(facts)
    return error


class SpecError(TikzgenError):
    """Invalid description; `problems` has one entry for each line of the message."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def list_problems(self) -> tuple[Problem, ...]:
        """List the problems."""
        return self.problems

    @property
    def is_impossible(self) -> bool:
        """Whether the description is well formed but impossible."""
        return all(problem.impossible for problem in self.problems)


class PartRefused(SpecError, ValueError):
    """Invalid part in Python code; `cause` is the error of Pydantic."""

    def __init__(self, problems: Sequence[Problem], cause: Any) -> None:
        super().__init__(problems)
        self.cause = cause


class InvalidSchedule(TikzgenError):
    """Schedule that breaks rules, without permission to draw it; `problems` has one entry for each violation."""

    exit_status = ExitStatus.FINDINGS

    def __init__(self, problems: Sequence[tuple[tuple[str | int, ...], Problem]]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for _, problem in problems))

    def list_problems(self) -> tuple[Problem, ...]:
        """List the problems."""
        return tuple(problem for _, problem in self.problems)

    def with_places(self, place: Callable[[tuple[str | int, ...]], Place]) -> InvalidSchedule:
        """Return the error with a location for each problem, found by `place` from the path of its field."""
        return InvalidSchedule([(path, replace(problem, place=place(path))) for path, problem in self.problems])


class EditRefused(TikzgenError):
    """Forbidden edit operation; `code` is stable for programs."""

    exit_status = ExitStatus.FINDINGS

    def __init__(self, code: str, message: str, *, invariant: str = "", nearest: str = "") -> None:
        super().__init__(message, hint=nearest)
        self.code = code
        self.invariant = invariant
        self.nearest = nearest


class FileRefused(TikzgenError):
    """File that tikzgen does not read, write or run, with the reason."""

    exit_status = ExitStatus.FINDINGS

    def __init__(self, message: str, *, hint: str = "", path: str = "", place: Place | None = None) -> None:
        super().__init__(message, hint=hint)
        self.path = path
        self.place = place


class FileMissing(FileRefused):
    """Named file that does not exist."""

    exit_status = ExitStatus.USAGE


class LatexError(TikzgenError):
    """Failure of LaTeX; `line` is the line of the .tex file, `excerpt` its text, `log` the whole log.

    `read` is the part of that line that TeX had read. `trail` names the macros being expanded, innermost first.
    `tikzgen.compile.diagnosis` sets `path` and `place`: the field of the spec that causes the error, and its location.
    For a .tex that tikzgen did not render, they are the macro or the node. Both are empty if the cause is unknown.
    """

    exit_status = ExitStatus.LATEX

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        line: int | None = None,
        excerpt: str = "",
        log: str = "",
        read: str = "",
        trail: Sequence[str] = (),
    ) -> None:
        super().__init__(message, hint=hint)
        self.line = line
        self.excerpt = excerpt
        self.log = log
        self.read = read
        self.trail = tuple(trail)

    def as_json(self) -> list[dict[str, object]]:
        """Return the error with its location, and with the line of the .tex at which TeX stopped."""
        return [{**self._problem.as_json(), "tex_line": self.line, "excerpt": self.excerpt}]


class LatexMissing(LatexError):
    """Missing or unusable LaTeX; `hint` is the command that installs it."""


def shorten_for_message(value: object) -> str:
    r"""Format a value for a message: on one line, without invisible characters, at most 80 characters.

    >>> shorten_for_message("one\ntwo")
    'one\\ntwo'
    """
    text = str(value)
    visible = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text[: _MESSAGE_CHARS + 1])
    return visible if len(visible) <= _MESSAGE_CHARS else visible[: _MESSAGE_CHARS - 1] + "…"


def quote(value: object) -> str:
    """Format a value like `shorten_for_message`, in double quotes.

    >>> quote("w1")
    '"w1"'
    """
    return f'"{shorten_for_message(value)}"'


def describe_os_error(error: OSError) -> str:
    """Return the reason that the operating system gives, in lowercase: `permission denied`."""
    return error.strerror.lower() if error.strerror else str(error)


def read_error(path: object, error: OSError) -> FileRefused:
    """Return the error for a file that cannot be read."""
    missing = isinstance(error, (FileNotFoundError, NotADirectoryError))
    return (FileMissing if missing else FileRefused)(f"{path}: {describe_os_error(error)}")


def system_error(error: OSError) -> str:
    """Return an error of the operating system as one line: `figs/k: permission denied`."""
    file = f"{error.filename}: " if error.filename else ""
    return file + describe_os_error(error) + (" (free some, or set TMPDIR)" if error.errno == ENOSPC else "")


_NAME = pattern_of(r"[\w$-]+")


def format_path(path: Sequence[str | int]) -> str:
    """Format a path in dotted notation: `workers[1].label`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _NAME.fullmatch(step):
            text += f".{shorten_for_message(step)}" if text else shorten_for_message(step)
        else:
            text += f"[{quote(step)}]"
    return text


class SettingByOption(str):
    """Setting `width=8` made by the option `--width 8`: its errors name that option."""

    __slots__ = ()
