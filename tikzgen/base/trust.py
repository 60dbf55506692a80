"""Permissions of a description: raw TeX commands that it may allow, and the number of drawn items.

`tex: {allow: […]}` in a description is a request. It is granted inside `trust_commands`, or if the options of the
command line trust all descriptions of the process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MOST_DRAWN_ITEMS = 65_536
"""Maximum number of operations in the figure of a recipe, which take a few seconds and do not fit on a page."""

_FOR_DRAWING = ContextVar("drawn", default=False)


@contextmanager
def allow_drawing() -> Iterator[None]:
    """Mark the computation inside as one for drawing, not only for measuring."""
    token = _FOR_DRAWING.set(True)
    try:
        yield
    finally:
        _FOR_DRAWING.reset(token)


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


@contextmanager
def expect_commands(words: Iterable[str]) -> Iterator[None]:
    """Read the descriptions inside as if they allowed these TeX commands."""
    token = _ALLOWED_COMMANDS.set(frozenset(word.removeprefix("\\") for word in words))
    try:
        yield
    finally:
        _ALLOWED_COMMANDS.reset(token)


def expected_commands() -> frozenset[str]:
    """Return the commands, without backslashes, that the description being read would allow."""
    return _ALLOWED_COMMANDS.get()
