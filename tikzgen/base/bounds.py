"""How much a spec may ask to be drawn: more is refused before it is computed, for one line can ask for anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["MOST_DRAWN", "drawing", "is_drawn"]

MOST_DRAWN = 200_000
"""How many operations a recipe draws at most: a minute's work, and far beyond what a page can show."""

_DRAWN = ContextVar("drawn", default=False)


@contextmanager
def drawing() -> Iterator[None]:
    """What is read inside is to be drawn, and not only to be measured."""
    token = _DRAWN.set(True)
    try:
        yield
    finally:
        _DRAWN.reset(token)


def is_drawn() -> bool:
    """Whether what is computed now is to be drawn."""
    return _DRAWN.get()
