"""As many sentences as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

LONGEST = 600
"""Characters: what a reader can bear to hear, and what screen readers read in one go."""

_DETAIL = 3  # of sentences, at most


def fitted(say: Callable[[int], Sequence[str]], longest: int = LONGEST) -> str:
    """The sentences that `say` gives for the most detail whose text is short enough; else as many as fit."""
    for detail in range(_DETAIL, -1, -1):
        text = ended(say(detail))
        if len(text) <= longest:
            return text
    return cut(text, longest)


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


def ended(sentences: Sequence[str]) -> str:
    """Return sentences as one text, each with its full stop."""
    found = [sentence for sentence in sentences if sentence]
    return " ".join(one if one.endswith((".", "!", "?", "。", "…")) else f"{one}." for one in found)
