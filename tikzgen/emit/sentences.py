"""Numbers and sentences as English says them, and as many sentences as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from tikzgen.base import plain_words
from tikzgen.base.record import Record
from tikzgen.model.exact_fields import spell_time


def number(value: Fraction | int) -> str:
    """A number as it is: 33, 4.5, 14/3.

    >>> number(Fraction(9, 2)), number(Fraction(14, 3)), number(33)
    ('4.5', '14/3', '33')
    """
    return str(spell_time(Fraction(value)))


def percent(share: Fraction) -> str:
    """A share: `27.3 %`."""
    return f"{plain_words.percent(share)} %"


def duration(value: Fraction, unit: str) -> str:
    """A time with its unit: `33 time units`, `4.5 ms`."""
    return f"{number(value)} {unit or ('time unit' if value == 1 else 'time units')}"


DESCRIPTION_CHARS = 600
"""Characters: what a reader can bear to hear, and what screen readers read in one go."""

_DETAIL_LEVELS = 3  # of sentences, at most


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


def fit_sentences(say: Callable[[int], Sequence[str]], longest: int = DESCRIPTION_CHARS) -> str:
    """Return the most detailed sentences of `say` that fit into `longest` characters, else as many as fit."""
    for detail in range(_DETAIL_LEVELS, -1, -1):
        text = join_sentences(say(detail))
        if len(text) <= longest:
            return text
    return shorten_text(text, longest)


def shorten_text(text: str, longest: int = DESCRIPTION_CHARS) -> str:
    """Shorten a text after the last word that fits, with an ellipsis if words are missing.

    >>> shorten_text("one two three", 9)
    'one two…'
    """
    if len(text) <= longest:
        return text
    head = text[: longest - 1]
    word = head.rpartition(" ")[0] if text[longest - 1] != " " and " " in head[-60:] else head
    return word.rstrip(" ,;:.(") + "…"


def join_sentences(sentences: Sequence[str]) -> str:
    """Join sentences into one text, each with its full stop."""
    found = [sentence for sentence in sentences if sentence]
    return " ".join(one if one.endswith((".", "!", "?", "。", "…")) else f"{one}." for one in found)
