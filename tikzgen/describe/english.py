"""Numbers, lists and sentences as English says them, and as many sentences as there is room for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

from tikzgen.base import rounding
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.model.base import spell_time

_LAST_NUMBER = pattern_of(r"\d+(?=\D*$)")
_MOST = 4  # names that are listed one by one


def counted(many: int, noun: str) -> str:
    """`3 workers`, `1 worker`, `2 GPipes`; a noun in `y` or a sibilant has its own plural.

    >>> counted(1, "lane"), counted(2, "barrier"), counted(3, "entity"), counted(2, "push")
    ('1 lane', '2 barriers', '3 entities', '2 pushes')
    """
    return f"{many} {noun if many == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """The plural of a noun."""
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "sh", "ch", "x")) else f"{noun}s"


def joined(parts: Iterable[str]) -> str:
    """`a, b and c`.

    >>> joined("abc"), joined("ab"), joined("a")
    ('a, b and c', 'a and b', 'a')
    """
    *first, last = [*parts] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def listed(names: Sequence[str], most: int = _MOST) -> str:
    """Names one by one, as a series where they are counted on, or the first ones and how many more.

    >>> listed(["GPU 0", "GPU 1", "GPU 2"]), listed(["w1", "w2", "w64"]), listed(list("abcdef"))
    ('GPU 0 to GPU 2', 'w1, w2, … w64', 'a, b, c and 3 more')
    """
    if len(names) > 2 and (steps := _steps(names)):
        return f"{names[0]} to {names[-1]}" if steps == {1} else f"{names[0]}, {names[1]}, … {names[-1]}"
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    return joined(names)


def _steps(names: Sequence[str]) -> set[int]:
    """How far apart the names are that differ in their last number alone; empty for others."""
    found = [_LAST_NUMBER.search(name) for name in names]
    stems = {
        name[: match.start()] + "#" + name[match.end() :] for name, match in zip(names, found, strict=True) if match
    }
    if len(stems) != 1 or not all(found):
        return set()
    numbers = [int(match[0]) for match in found if match]
    steps = {after - before for before, after in pairwise(numbers)}
    return steps if min(steps) > 0 else set()


def number(value: Fraction | int) -> str:
    """A number as it is: 33, 4.5, 14/3.

    >>> number(Fraction(9, 2)), number(Fraction(14, 3)), number(33)
    ('4.5', '14/3', '33')
    """
    return str(spell_time(Fraction(value)))


def percent(share: Fraction) -> str:
    """A share: `27.3 %`."""
    return f"{rounding.percent(share)} %"


def duration(value: Fraction, unit: str) -> str:
    """A time with its unit: `33 time units`, `4.5 ms`."""
    return f"{number(value)} {unit or ('time unit' if value == 1 else 'time units')}"


LONGEST = 600
"""Characters: what a reader can bear to hear, and what screen readers read in one go."""

_DETAIL = 3  # of sentences, at most


class Sentence(Record):
    """What is said, without a full stop; `rank` 0 is said always, greater ones where there is room.

    `named` where it begins with a name, whose capital stays.
    """

    rank: int
    text: str
    named: bool = False

    @property
    def inside(self) -> str:
        """The same inside another sentence."""
        return self.text if self.named else self.text[:1].lower() + self.text[1:]


class Known(Record):
    """What is known of a panel: the `subject` of its figure, which tells who is there already; where its schedule was
    computed, its end, in time units, and the share of idle time."""

    end: Fraction | None = None
    idle: Fraction | None = None
    subject: str = ""


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
