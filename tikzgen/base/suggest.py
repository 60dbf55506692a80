"""Suggestions for unknown names: the most similar known name, or all known names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_NAME_CHARS = 200  # a longer string is not a misspelled name, and slow to compare


_SHORT_NAME_CHARS = 6  # in short words, three of five letters often match by chance


def find_similar_name(given: object, known: Iterable[str], cutoff: float | None = None) -> str:
    """Return the most similar known name, or an empty string.

    `cutoff` is the minimum similarity, from 0 (any) to 1 (equal). The default is 0.65 for short names and 0.6 for
    others.

    >>> find_similar_name("steps", ["style"]), find_similar_name("lable", ["label"])
    ('', 'label')
    """
    from difflib import get_close_matches  # slow import, needed for errors only

    if not isinstance(given, str) or len(given) > _NAME_CHARS:
        return ""
    if cutoff is None:
        cutoff = 0.65 if len(given) <= _SHORT_NAME_CHARS else 0.6
    names = list(known)
    small = {name.lower(): name for name in names}
    near = get_close_matches(given, names, n=1, cutoff=cutoff)
    near = near or [small[name] for name in get_close_matches(given.lower(), small, n=1, cutoff=cutoff)]
    return near[0] if near else ""


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """Return `did you mean "label"?`, or an empty string if no known name is similar.

    >>> did_you_mean("lable", ["label", "kind"])
    'did you mean "label"?'
    >>> did_you_mean("interleaved", ["interleaved-1f1b", "interleaved-zb", "1f1b"])
    'did you mean "interleaved-1f1b" or "interleaved-zb"?'
    """
    names = list(known)
    begun = [name for name in names if isinstance(given, str) and len(given) > 2 and name.startswith(given)]
    two = len(begun) == 2 and given not in begun
    near = " or ".join(f'"{name}"' for name in (begun if two else [find_similar_name(given, names)]) if name)
    return f"did you mean {near}?" if near else ""


MOST_LISTED = 6
"""Maximum number of names that a message lists."""


def list_first(names: Sequence[str], these: str) -> str:
    """Return `these` with the names, or with the first ones.

    >>> list_first(["gpu", "server"], "the icons are"), list_first("abcdefgh", "choose")
    ('the icons are gpu, server', 'choose a, b, c, d, e, f, …')
    """
    more = ", …" if len(names) > MOST_LISTED else ""
    return f"{these} {', '.join(names[:MOST_LISTED])}{more}"


def suggest_known_names(given: object, known: Iterable[str], these: str = "the existing ones are") -> str:
    """Return a hint with the most similar name, or `these` with the first known names.

    >>> suggest_known_names("x", ["gpu", "server"], "the icons are")
    'the icons are gpu, server'
    """
    names = list(known)
    if not names:
        return "none exist"
    return did_you_mean(given, names) or list_first(names, these)
