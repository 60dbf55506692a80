"""Sentences with the weight that each has, and as many of them as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from tikzgen.base.record import Record

__all__ = ["LONGEST", "Known", "Sentence", "cut", "fitted"]

LONGEST = 600
"""Characters: what a reader can bear to hear, and what screen readers read in one go."""

_DETAIL = 3  # of sentences, at most


class Sentence(Record):
    """What is said, without a full stop; `rank` 0 is said always, greater ones where there is room."""

    rank: int
    text: str


class Known(Record):
    """What is known of a timeline whose schedule was computed: its end, in time units, and the share of idle time."""

    end: Fraction | None = None
    idle: Fraction | None = None


def fitted(say: Callable[[int], Sequence[str]]) -> str:
    """The sentences that `say` gives for the most detail whose text is short enough; else as many as fit."""
    for detail in range(_DETAIL, -1, -1):
        text = _ended(say(detail))
        if len(text) <= LONGEST:
            return text
    return cut(text)


def cut(text: str, longest: int = LONGEST) -> str:
    """The text up to the last word that fits, with an ellipsis where something is missing.

    >>> cut("one two three", 9)
    'one two…'
    """
    if len(text) <= longest:
        return text
    head = text[: longest - 1]
    word = head.rpartition(" ")[0] if text[longest - 1] != " " and " " in head[-60:] else head
    return word.rstrip(" ,;:.(") + "…"


def _ended(sentences: Sequence[str]) -> str:
    found = [sentence for sentence in sentences if sentence]
    return " ".join(one if one.endswith((".", "!", "?", "。", "…")) else f"{one}." for one in found)
