"""What can go wrong, as types: every error is a line that a person can act on.

TikzgenError            the root; `exit_status` is what the command line ends with
├── SpecError           the description is wrong: one `Problem` a line, each with its place
│   └── PartRefused     a part that Python code makes is wrong; a `ValueError`, too
├── InvalidSchedule     a schedule breaks rules and is not to be drawn all the same
├── EditRefused         a change of a figure that must not be made
├── FileRefused         a file would have been overwritten, or cannot be read
│   └── FileMissing     a file that was named is not there
└── LatexError          LaTeX failed
    └── LatexMissing    LaTeX is not installed; `hint` is the line that installs it
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from errno import ENOSPC
from typing import Any

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record, replace

_MESSAGE_CHARS = 80
"""The most characters of what somebody handed in that a message repeats."""


class ExitStatus(IntEnum):
    """What the `tikzgen` command ends with."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    LATEX = 3
    INTERRUPTED = 130


class Place(Record):
    """Where in a file: `line` and `column` count from 1.

    What stands in no file has a name instead, such as `--set width`; `field` is the field that this name tells already.
    """

    file: str
    line: int | None = None
    column: int | None = None
    field: str = ""

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)


class Problem(Record):
    """One thing that is wrong: `path` names the field (`workers[1].label`), `hint` the way out.

    `impossible` marks a well-formed description of something that cannot happen; `check` reports it as a finding.
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
        """The facts of the line."""
        place = self.place or Place("")
        where = {"file": place.file or None, "line": place.line, "column": place.column}
        return {"message": self.message, "path": self.path, **where, "hint": self.hint}


class TikzgenError(Exception):
    """The root of every error that tikzgen raises on purpose; `path` and `place` say what it is about, where known."""

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
        """For another process: as it is, whatever its kind is made of."""
        return _made_again, (type(self), self.args, self.__dict__)

    def list_problems(self) -> tuple[Problem, ...]:
        """List the problems, for programs."""
        return (self._problem,)

    def as_json(self) -> list[dict[str, object]]:
        """What is wrong as plain data: message, path, file, line, column, hint."""
        return [problem.as_json() for problem in self.list_problems()]


def _made_again(kind: type[TikzgenError], args: tuple[Any, ...], facts: dict[str, Any]) -> TikzgenError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(facts)
    return error


class SpecError(TikzgenError):
    """A description that says something impossible; `problems` holds one entry for each line of the message."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def list_problems(self) -> tuple[Problem, ...]:
        """List the problems."""
        return self.problems

    @property
    def is_impossible(self) -> bool:
        """Whether the description is well formed, and only shows what cannot happen."""
        return all(problem.impossible for problem in self.problems)


class PartRefused(SpecError, ValueError):
    """A part that cannot be made of the facts that Python code gave; `cause` is what Pydantic says of it."""

    def __init__(self, problems: Sequence[Problem], cause: Any) -> None:
        super().__init__(problems)
        self.cause = cause


class InvalidSchedule(TikzgenError):
    """A schedule that breaks rules and is not to be drawn all the same; `problems` holds one entry for each."""

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
    """An operation that must not be done; `code` is stable for programs."""

    exit_status = ExitStatus.FINDINGS

    def __init__(self, code: str, message: str, *, invariant: str = "", nearest: str = "") -> None:
        super().__init__(message, hint=nearest)
        self.code = code
        self.invariant = invariant
        self.nearest = nearest


class FileRefused(TikzgenError):
    """A file that tikzgen will not read, write or run, with the reason."""

    exit_status = ExitStatus.FINDINGS

    def __init__(self, message: str, *, hint: str = "", path: str = "", place: Place | None = None) -> None:
        super().__init__(message, hint=hint)
        self.path = path
        self.place = place


class FileMissing(FileRefused):
    """A file that somebody named and that is not there."""

    exit_status = ExitStatus.USAGE


class LatexError(TikzgenError):
    """LaTeX stopped; `line` is the line of the .tex file, `excerpt` what stands there, `log` the whole log.

    `read` is what TeX had read of that line, and `trail` names the macros in whose text it was, the innermost first.
    `tikzgen.compile.diagnosis` sets `path` and `place`: the field of the spec that causes the error, and its place;
    for a .tex that tikzgen did not render, the macro or the node. Both are empty if the cause is unknown.
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
        """The error with its place, and with the line of the .tex that TeX had come to."""
        return [{**self._problem.as_json(), "tex_line": self.line, "excerpt": self.excerpt}]


class LatexMissing(LatexError):
    """No usable LaTeX on this machine; `hint` is the one line that installs it."""


def shorten(value: object) -> str:
    r"""Spell a value for a message: on one line, without invisible characters, at most 80 characters.

    >>> shorten("one\ntwo")
    'one\\ntwo'
    """
    text = str(value)
    visible = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text[: _MESSAGE_CHARS + 1])
    return visible if len(visible) <= _MESSAGE_CHARS else visible[: _MESSAGE_CHARS - 1] + "…"


def quote(value: object) -> str:
    """Spell a value as `shorten` does, in double quotes.

    >>> quote("w1")
    '"w1"'
    """
    return f'"{shorten(value)}"'


def refusal(error: OSError) -> str:
    """Why the operating system refused, as it says it: `permission denied`."""
    return error.strerror.lower() if error.strerror else str(error)


def read_error(path: object, error: OSError) -> FileRefused:
    """Return the error for a file that cannot be read."""
    missing = isinstance(error, (FileNotFoundError, NotADirectoryError))
    return (FileMissing if missing else FileRefused)(f"{path}: {refusal(error)}")


def system_error(error: OSError) -> str:
    """What the operating system refused, in a line: `figs/k: permission denied`."""
    file = f"{error.filename}: " if error.filename else ""
    return file + refusal(error) + (" (free some, or set TMPDIR)" if error.errno == ENOSPC else "")


_NAME = pattern_of(r"[\w$-]+")


def format_path(path: Sequence[str | int]) -> str:
    """Spell a path as people do: `workers[1].label`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _NAME.fullmatch(step):
            text += f".{shorten(step)}" if text else shorten(step)
        else:
            text += f"[{quote(step)}]"
    return text


class SettingByOption(str):
    """A setting `width=8` that the option `--width 8` made: its errors name that option."""

    __slots__ = ()
