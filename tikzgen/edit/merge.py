"""Three-way merge of lines: what two people made of one text, put together; where both changed the same, a conflict."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from tikzgen.base.errors import EditRefused, TikzgenError, quote
from tikzgen.base.record import NOTHING, Record
from tikzgen.edit.merge_tokens import Hunk, MergePiece, changed_blocks, parts, refine_piece

Side = Literal["ours", "theirs"]

_SIDES: dict[str, Side] = {"ours": "ours", "theirs": "theirs"}
_ALIKE = 0.75  # of two lines' characters: from here on one is taken for the other, changed
_ABOUT_THE_SAME = 0.5  # the same for lines that name the same nodes
_NAME = re.compile(r"\(([A-Za-z][\w-]*)[.)]")
_MOST = 2500  # pairs of lines that are compared; larger changes are taken as a whole


class Sides(Record):
    """Which side wins at a conflict, by its number, and which at all others; nobody where nothing is said."""

    each: Mapping[int, Side] = NOTHING
    rest: Side | None = None

    @property
    def gives_up(self) -> bool:
        """Whether some edits by hand are given up."""
        return "ours" in (self.rest, *self.each.values())

    def of(self, number: int) -> Side | None:
        """The side that wins at the conflict of this number, counted from 1."""
        return self.each.get(number, self.rest)


def parse_sides(words: Iterable[str]) -> Sides:
    """Parse sides: `ours` or `theirs` for all conflicts, `2=ours` for one of them."""
    each: dict[int, Side] = {}
    rest: Side | None = None
    for word in words:
        number, equals, name = word.rpartition("=")
        side = _SIDES.get(name)
        if side is None or (equals and not (number.isascii() and number.isdigit() and int(number))):
            raise TikzgenError(f"{quote(word)} decides no conflict", hint="ours, theirs, or 2=ours for the second one")
        said = each.get(int(number)) if equals else rest
        if said not in (None, side):
            which = f"conflict {int(number)}" if equals else "all conflicts"
            raise TikzgenError(f"{which} cannot go to both sides", hint="ours or theirs; 2=ours decides one by itself")
        if equals:
            each[int(number)] = side
        else:
            rest = side
    return Sides(each, rest)


Prefer: TypeAlias = Side | Sides | None
"""Who wins where both sides changed the same: nobody, one of them, or one here and the other there."""


class Conflict(Record):
    """Lines that both sides changed, each in its own way; `line` counts from 1 in the merged text.

    `number` is what the conflict is decided by; those that were decided are counted, too.
    """

    line: int
    base: tuple[str, ...]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    number: int


class Merged(Record):
    """The merged lines; at a conflict they hold the base's lines, or those of the side that was to win."""

    lines: tuple[str, ...]
    conflicts: tuple[Conflict, ...]


def merge(
    base: Sequence[str],
    ours: Sequence[str],
    theirs: Sequence[str],
    prefer: Prefer = None,
    *,
    tokens: bool = False,
) -> Merged:
    """Put the changes from `base` to `ours` and from `base` to `theirs` together.

    Changes that only touch each other are both taken; those that overlap are a conflict, unless they are the same or
    `prefer` names the side that wins. With `tokens`, the lines are TeX: what overlaps is merged token by token,
    comments are no conflict, and of two insertions at one place both are taken.
    """
    sides = prefer if isinstance(prefer, Sides) else Sides(rest=prefer)
    lines: list[str] = []
    conflicts: list[Conflict] = []
    number = 0
    for whole in parts(base, _line_hunks(base, ours), _line_hunks(base, theirs)):
        for part in refine_piece(whole) if tokens and whole.agreement is None else (whole,):
            if part.agreement is not None:
                lines += part.agreement
                continue
            if tokens and not part.kept:
                lines += [*part.mine, *part.yours]
                continue
            number += 1
            side = sides.of(number)
            if side is None:
                conflicts.append(Conflict(len(lines) + 1, part.kept, part.mine, part.yours, number))
            lines += _of_side(part, side)
    if missing := [each for each in sides.each if each > number]:
        there = f"there are {number}" if number > 1 else "there is one" if number else "there is none"
        raise EditRefused("no-conflict", f"there is no conflict {missing[0]}: {there}")
    return Merged(tuple(lines), tuple(conflicts))


def _of_side(part: MergePiece, side: Side | None) -> tuple[str, ...]:
    return part.mine if side == "ours" else part.yours if side else part.kept


def _line_hunks(base: Sequence[str], other: Sequence[str]) -> Iterator[Hunk]:
    for start, stop, new in changed_blocks(base, other):
        if start < stop and new:
            # line by line: neighbours that different people changed are not one change
            for low, high, lines in _pairs(base[start:stop], new):
                yield Hunk(start + low, start + high, lines)
        else:
            yield Hunk(start, stop, new)


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Which old line became which new one, by likeness; new lines without an old one stand before the next pair."""
    if len(old) == len(new):
        yield from ((index, index + 1, (line,)) for index, line in enumerate(new))
        return
    if len(old) * len(new) > _MOST:
        yield 0, len(old), tuple(new)
        return
    done_old = done_new = 0
    for one, two in [*_align_lines(old, new), (len(old), len(new))]:
        if done_old < one or done_new < two:
            yield done_old, one, tuple(new[done_new:two])
        if one < len(old):
            yield one, one + 1, (new[two],)
        done_old, done_new = one + 1, two + 1


def _align_lines(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pair lines in order by similarity; different lines are no pair."""
    likeness = [[_like(one, two) for two in new] for one in old]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], likeness[i][j] and likeness[i][j] + best[i + 1][j + 1])
    found, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if likeness[i][j] and best[i][j] == likeness[i][j] + best[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _like(one: str, two: str) -> float:
    """How alike two lines are, 0 for those that have little in common; lines about the same nodes are most alike."""
    ratio = SequenceMatcher(None, one, two, autojunk=False).ratio()
    names = _NAME.findall(one)
    same = bool(names) and names == _NAME.findall(two)
    return ratio + same if ratio > (_ABOUT_THE_SAME if same else _ALIKE) else 0.0


class MergeConflict(EditRefused):
    """Lines that a person changed and that tikzgen changes too; nothing was written."""

    def __init__(self, name: str, conflicts: tuple[Conflict, ...]) -> None:
        self.conflicts = conflicts
        super().__init__("conflict", "\n".join(_both_sides(name, conflict) for conflict in conflicts))

    def __str__(self) -> str:
        ways = "--ours takes tikzgen's lines, --theirs keeps the hand edits"
        one_by_one = f"; --resolve {self.conflicts[0].number}=ours decides one" if len(self.conflicts) > 1 else ""
        return f"{self.message}\n{ways}{one_by_one}"


def _both_sides(name: str, conflict: Conflict) -> str:
    """A conflict with both sides."""
    head = f"{name}:{conflict.line}: conflict {conflict.number}: changed by hand, and by tikzgen"
    sides = (("tikzgen", conflict.ours), ("by hand", conflict.theirs))
    lines = [f"  {who}: {text.strip()}" for who, texts in sides for text in texts or ("(nothing)",)]
    return "\n".join([head, *lines])
