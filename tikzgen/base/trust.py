"""What a description is trusted with: raw TeX commands of its own, and how much it may ask to be drawn.

`tex: {allow: […]}` in a description is a wish. It counts inside `trust_commands`, and in a process that trusts
everything because its command line says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MOST_DRAWN_ITEMS = 65_536
"""How many operations a recipe draws at most: some seconds of work, and far beyond what a page can show."""

_FOR_DRAWING = ContextVar("drawn", default=False)


@contextmanager
def allow_drawing() -> Iterator[None]:
    """Read the texts inside for drawing, not only for measuring."""
    token = _FOR_DRAWING.set(True)
    try:
        yield
    finally:
        _FOR_DRAWING.reset(token)


def is_drawn() -> bool:
    """Whether what is computed now is to be drawn."""
    return _FOR_DRAWING.get()


_TRUST = ContextVar("trusted", default=False)
_ALLOWED_COMMANDS: ContextVar[frozenset[str]] = ContextVar("wished", default=frozenset())
_everywhere: list[bool] = []  # not in a context: threads begin with an empty one


@contextmanager
def trust_commands(*, everywhere: bool = False) -> Iterator[None]:
    """Trust the commands of texts that are read inside; with `everywhere`, those of any thread."""
    token = _TRUST.set(True)
    _everywhere.extend([True] * everywhere)
    try:
        yield
    finally:
        _TRUST.reset(token)
        del _everywhere[len(_everywhere) - everywhere :]


def is_trusted() -> bool:
    """Whether what is read now may allow commands."""
    return _TRUST.get() or bool(_everywhere)


@contextmanager
def expect_commands(words: Iterable[str]) -> Iterator[None]:
    """Read the texts inside as parts of a description that would allow these commands."""
    token = _ALLOWED_COMMANDS.set(frozenset(word.removeprefix("\\") for word in words))
    try:
        yield
    finally:
        _ALLOWED_COMMANDS.reset(token)


def expected_commands() -> frozenset[str]:
    """Return the commands, without backslashes, that the description being read would allow."""
    return _ALLOWED_COMMANDS.get()
