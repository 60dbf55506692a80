"""English text from data: counts, plurals, lists of names, and exact numbers rounded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import pairwise

from tikzgen.base.patterns import pattern_of


def spell_rounded(value: Fraction | int, places: int = 3) -> str:
    """Format a number with at most `places` decimals, half to even: 3/8 is 0.375, 1/3 is 0.333, 2 is 2."""
    number = Context(prec=60).divide(Decimal(Fraction(value).numerator), Decimal(Fraction(value).denominator))
    text = f"{number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN, Context(prec=60)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_percent(value: Fraction | int) -> str:
    """Format a ratio in percent, with at most one decimal and without `%`: 3/11 is 27.3."""
    return spell_rounded(value * 100, 1)


_LAST_NUMBER = pattern_of(r"\d+(?=\D*$)")
_MOST_NAMES_COUNT = 4  # names to list individually


def count_of(many: int, noun: str) -> str:
    """Format a count with its noun: `3 workers`, `1 worker`, `2 GPipes`, with the plurals of `spell_plural`.

    >>> count_of(1, "lane"), count_of(2, "barrier"), count_of(3, "entity"), count_of(2, "push")
    ('1 lane', '2 barriers', '3 entities', '2 pushes')
    """
    return f"{many} {noun if many == 1 else spell_plural(noun)}"


def spell_plural(noun: str) -> str:
    """Return the regular plural of a noun: `entities` for a consonant and `y`, `pushes` for a sibilant."""
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "sh", "ch", "x")) else f"{noun}s"


def join_words(parts: Iterable[str]) -> str:
    """Join words as `a, b and c`.

    >>> join_words("abc"), join_words("ab"), join_words("a")
    ('a, b and c', 'a and b', 'a')
    """
    *first, last = [*parts] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def list_names(names: Sequence[str], most: int = _MOST_NAMES_COUNT, series: str = "to") -> str:
    """List names individually, a numbered series by its ends, or the first names and a count.

    `series` is the word between the first and the last name of a series.

    >>> list_names(["GPU 0", "GPU 1", "GPU 2"]), list_names(["w1", "w2", "w64"]), list_names(list("abcdef"))
    ('GPU 0 to GPU 2', 'w1, w2, … w64', 'a, b, c and 3 more')
    """
    if len(names) > 2 and (steps := _find_number_steps(names)):
        return f"{names[0]} {series} {names[-1]}" if steps == {1} else f"{names[0]}, {names[1]}, … {names[-1]}"
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    return join_words(names)


def _find_number_steps(names: Sequence[str]) -> set[int]:
    """Return the steps between names that differ only in an ascending last number; empty otherwise."""
    found = [_LAST_NUMBER.search(name) for name in names]
    stems = {
        name[: match.start()] + "#" + name[match.end() :] for name, match in zip(names, found, strict=True) if match
    }
    if len(stems) != 1 or not all(found):
        return set()
    numbers = [int(match[0]) for match in found if match]
    steps = {after - before for before, after in pairwise(numbers)}
    return steps if min(steps) > 0 else set()


def in_columns(rows: Iterable[Sequence[str]], left: int | None = None) -> Iterator[str]:
    """Yield rows as lines with aligned columns, two spaces apart.

    The first `left` columns, or all if None, are left-aligned, the others right-aligned.
    """
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        told = (
            text.ljust(width) if left is None or place < left else text.rjust(width)
            for place, (text, width) in enumerate(cells)
        )
        yield "  ".join(told).rstrip()
