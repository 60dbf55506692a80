"""Selection of the sentences that fit into a number of characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

DESCRIPTION_CHARS = 600
"""Longest description in characters; screen readers read this length in one piece."""

_DETAIL_LEVELS = 3  # greatest rank of a sentence
_MORE = "The figure has more parts"


def fit_sentences(say: Callable[[int], Sequence[str]], longest: int = DESCRIPTION_CHARS) -> str:
    """Return the most detailed sentences of `say` that fit into `longest` characters.

    If the least detailed ones are too long, leave out sentences and clauses at the end, and add a short sentence.
    """
    for detail in range(_DETAIL_LEVELS, -1, -1):
        text = join_sentences(say(detail))
        if len(text) <= longest:
            return text
    sentences = [one for one in say(0) if one]
    for kept in range(len(sentences) - 1, -1, -1):
        for part in _list_beginnings(sentences[kept]):
            text = join_sentences([*sentences[:kept], part, _MORE])
            if (kept or part) and len(text) <= longest:
                return text
    return shorten_text(sentences[0], longest)


def _list_beginnings(sentence: str) -> list[str]:
    """Return a sentence without its last clauses, the longest beginning first; parentheses stay whole."""
    clauses = sentence.split("; ")
    found = ("; ".join(clauses[:count]) for count in range(len(clauses) - 1, 0, -1))
    return [*(one for one in found if one.count("(") == one.count(")")), ""]


def shorten_text(text: str, longest: int = DESCRIPTION_CHARS) -> str:
    """Shorten a string after the last word that fits, with an ellipsis if words are missing.

    >>> shorten_text("one two three", 9)
    'one two…'
    """
    if len(text) <= longest:
        return text
    head = text[: longest - 1]
    word = head.rpartition(" ")[0] if text[longest - 1] != " " and " " in head[-60:] else head
    return word.rstrip(" ,;:.(") + "…"


def join_sentences(sentences: Sequence[str]) -> str:
    """Join sentences into one string, each with its period."""
    found = [sentence for sentence in sentences if sentence]
    return " ".join(one if one.endswith((".", "!", "?", "。", "…")) else f"{one}." for one in found)
