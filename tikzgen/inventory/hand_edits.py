"""What tikzgen wrote in a file that a person may have edited since."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations

from tikzgen.base.record import Record
from tikzgen.tikz.embedded_spec import is_untouched, split
from tikzgen.tikz.identity import Identity, hashes, rows_of

__all__ = ["Written", "edited_by_hand", "written"]

_TRIES = 30_000_000  # characters that are read to find a file's first text: a third of a second


class Written(Record):
    """The lines that tikzgen wrote before the description, as hashes, and as `rows` where their text is known.

    `guessed` where they are those that this version would write, because nothing tells what an earlier one wrote.
    """

    lines: tuple[str, ...]
    rows: tuple[str, ...] | None = None
    guessed: bool = False


def written(text: str, identity: Identity, draw: Callable[[], str]) -> Written:
    """What was written in a file with plain line ends; `draw` renders the description inside it, if need be.

    A file of format 2 says it itself. Of format 1 only a digest tells, so that a first text is taken for true that has
    that digest: the file as it stands, the file as it is drawn today, or the file with the few lines of today's drawing
    in it that make the digest fit.
    """
    head, capsule, _ = split(text)
    rows = rows_of(head)
    if identity.lines:
        return Written(identity.lines, tuple(rows) if hashes(rows) == identity.lines else None)
    if is_untouched(head + capsule):
        return Written(hashes(rows), tuple(rows))
    drawn = rows_of(split(draw())[0])
    found = next((each for each in _first_texts(rows, drawn) if is_untouched("".join(each) + capsule)), None)
    return Written(hashes(found or drawn), tuple(found or drawn), guessed=found is None)


def edited_by_hand(text: str, found: Written) -> bool:
    """Whether a person changed, added or took away a line."""
    head, _, tail = split(text)
    return bool(tail.strip()) or hashes(rows_of(head)) != found.lines


def _first_texts(rows: Sequence[str], drawn: Sequence[str]) -> Iterator[list[str]]:
    """What may have stood in a file that was edited by hand, the likeliest first."""
    yield list(drawn)
    hunks = list(_hunks(rows, drawn))
    tries = _TRIES // (1 + sum(map(len, rows)))
    for number in range(1, len(hunks) + 1):
        for chosen in combinations(hunks, number):
            if not tries:
                return
            tries -= 1
            yield _with(rows, drawn, chosen)


Hunk = tuple[int, int, int, int]


def _hunks(rows: Sequence[str], drawn: Sequence[str]) -> Iterator[Hunk]:
    """Where the two differ, line by line where a line stands for a line."""
    for kind, *ends in SequenceMatcher(None, rows, drawn, autojunk=False).get_opcodes():
        start, stop, first, last = ends
        if kind == "replace" and stop - start == last - first:
            yield from ((start + at, start + at + 1, first + at, first + at + 1) for at in range(stop - start))
        elif kind != "equal":
            yield start, stop, first, last


def _with(rows: Sequence[str], drawn: Sequence[str], chosen: Sequence[Hunk]) -> list[str]:
    """The rows with those of the drawing in the chosen places."""
    found: list[str] = []
    done = 0
    for start, stop, first, last in chosen:
        found += [*rows[done:start], *drawn[first:last]]
        done = stop
    return [*found, *rows[done:]]
