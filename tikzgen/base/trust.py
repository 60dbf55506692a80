"""Permissions of a description: raw TeX commands, the number of drawn items, and overlapping spans.

`tex: {allow: […]}` in a description is a request. It is granted inside `trust_commands`, or if the options of the
command line trust all descriptions of the process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeVar

MOST_DRAWN_ITEMS = 65_536
"""Maximum number of operations in the figure of a recipe, which take a few seconds and do not fit on a page."""

_FOR_DRAWING = ContextVar("drawn", default=False)
_T = TypeVar("_T")


@contextmanager
def _set_inside(variable: ContextVar[_T], value: _T) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def allow_drawing() -> AbstractContextManager[None]:
    """Mark the computation inside as one for drawing, not only for measuring."""
    return _set_inside(_FOR_DRAWING, True)


def is_drawn() -> bool:
    """Return whether the current computation is for drawing."""
    return _FOR_DRAWING.get()


_TRUST = ContextVar("trusted", default=False)
_ALLOWED_COMMANDS: ContextVar[frozenset[str]] = ContextVar("wished", default=frozenset())
_everywhere: list[bool] = []  # not in a context: threads begin with an empty one


@contextmanager
def trust_commands(*, everywhere: bool = False) -> Iterator[None]:
    """Trust the TeX commands of descriptions read inside; with `everywhere`, also in other threads."""
    token = _TRUST.set(True)
    _everywhere.extend([True] * everywhere)
    try:
        yield
    finally:
        _TRUST.reset(token)
        del _everywhere[len(_everywhere) - everywhere :]


def is_trusted() -> bool:
    """Return whether the description being read may allow TeX commands."""
    return _TRUST.get() or bool(_everywhere)


def expect_commands(words: Iterable[str]) -> AbstractContextManager[None]:
    """Read the descriptions inside as if they allowed these TeX commands."""
    return _set_inside(_ALLOWED_COMMANDS, frozenset(word.removeprefix("\\") for word in words))


def expected_commands() -> frozenset[str]:
    """Return the commands, without backslashes, that the description being read would allow."""
    return _ALLOWED_COMMANDS.get()


_OVERLAPS = ContextVar("overlaps", default=False)


def allow_overlaps() -> AbstractContextManager[None]:
    """Accept overlapping spans inside: between the operations of one call."""
    return _set_inside(_OVERLAPS, True)


def may_overlap() -> bool:
    """Return whether spans may overlap in the description being read."""
    return _OVERLAPS.get()
