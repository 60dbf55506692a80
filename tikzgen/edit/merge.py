"""Three-way merge of lines: combine two changed versions of a file; overlapping changes conflict."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import chain
from typing import Literal, TypeAlias

from tikzgen.base.errors import EditRefused, TikzgenError, quote
from tikzgen.base.plain_words import count_of
from tikzgen.base.record import NOTHING, Record
from tikzgen.edit.merge_tokens import Hunk, MergePiece, changed_blocks, parts, refine_piece

Side = Literal["ours", "theirs"]

_SIDES: dict[str, Side] = {"ours": "ours", "theirs": "theirs"}
_ALIKE = 0.75  # minimum similarity ratio of two lines for one to be a change of the other
_ABOUT_THE_SAME = 0.5  # minimum similarity ratio of lines that name the same nodes
_NAME = re.compile(r"\(([A-Za-z][\w-]*)[.)]")
_MOST = 2500  # pairs of lines that are compared; a larger change is one change


class Sides(Record):
    """Preferred side of each conflict, by its number, and of all other conflicts; None without one."""

    each: Mapping[int, Side] = NOTHING
    rest: Side | None = None

    @property
    def gives_up(self) -> bool:
        """Whether manual edits are discarded at a conflict."""
        return "ours" in (self.rest, *self.each.values())

    def of(self, number: int) -> Side | None:
        """Return the preferred side of a conflict, by its number from 1."""
        return self.each.get(number, self.rest)


def parse_sides(words: Iterable[str]) -> Sides:
    """Parse sides: `ours` or `theirs` for all conflicts, `2=ours` for one of them."""
    each: dict[int, Side] = {}
    rest: Side | None = None
    for word in words:
        number, equals, name = word.rpartition("=")
        side = _SIDES.get(name)
        if side is None or (equals and not (number.isascii() and number.isdigit() and int(number))):
            raise TikzgenError(
                f"unknown side {quote(word)} of a conflict", hint="ours, theirs, or 2=ours for the second one"
            )
        said = each.get(int(number)) if equals else rest
        if said not in (None, side):
            which = f"conflict {int(number)}" if equals else "all conflicts"
            raise TikzgenError(
                f"{which}: --ours conflicts with --theirs", hint="choose one side; 2=ours sets it for conflict 2"
            )
        if equals:
            each[int(number)] = side
        else:
            rest = side
    return Sides(each, rest)


Prefer: TypeAlias = Side | Sides | None
"""Preferred side of conflicts: none, one side, or a side for each conflict."""


class Conflict(Record):
    """Lines that both sides changed differently; `line` counts from 1 in the merged text.

    `number` identifies the conflict for a decision; resolved conflicts are counted as well. `what` names the elements
    of the lines; it is empty for lines of unknown elements.
    """

    line: int
    base: tuple[str, ...]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    number: int
    what: str = ""


class Merged(Record):
    """Merged lines; at a conflict, the lines of the base or of the preferred side."""

    lines: tuple[str, ...]
    conflicts: tuple[Conflict, ...]


class Block(Record):
    """Lines of one side that draw or define the same elements, `subjects`; `role` identifies equal blocks.

    A block without subjects is one line, or code of unknown meaning. `name` is its name in messages.
    """

    text: str
    role: tuple[str, ...] = ()
    subjects: frozenset[tuple[str, ...]] = frozenset()
    name: str = ""


def merge(
    base: Sequence[str],
    ours: Sequence[str],
    theirs: Sequence[str],
    prefer: Prefer = None,
    *,
    tokens: bool = False,
) -> Merged:
    """Combine the changes from `base` to `ours` and from `base` to `theirs`.

    Adjacent changes do not conflict. Overlapping changes conflict unless they are equal, or `prefer` names a side. With
    `tokens`, the lines are TeX: overlapping changes are merged by token, comments never conflict, and two insertions at
    one position both apply.
    """
    whole = parts(base, _line_hunks(base, ours), _line_hunks(base, theirs))
    pieces = chain.from_iterable(map(_refine_whole, whole)) if tokens else whole
    return _decide_pieces(((piece, "") for piece in pieces), prefer, both_insert=tokens)


def _refine_whole(piece: MergePiece) -> Iterable[MergePiece]:
    return refine_piece(piece) if piece.agreement is None else (piece,)


def merge_blocks(base: Sequence[Block], ours: Sequence[Block], theirs: Sequence[Block], prefer: Prefer) -> Merged:
    """Merge blocks of TeX by token; a change of one element never reaches a block of another element."""
    whole = parts([each.text for each in base], _iterate_block_hunks(base, ours), _iterate_block_hunks(base, theirs))
    return _decide_pieces(_iterate_named_pieces(base, whole), prefer, both_insert=True)


def _iterate_named_pieces(base: Sequence[Block], whole: Iterable[MergePiece]) -> Iterator[tuple[MergePiece, str]]:
    """Yield the parts of a merge in lines, with names of elements; a block has at most one conflict."""
    done = 0
    for each in whole:
        blocks = base[done : done + len(each.kept)]
        done += len(each.kept)
        refined = [part.in_lines() for part in _refine_whole(each)]
        if any(block.subjects for block in blocks) and any(part.agreement is None for part in refined):
            refined = [_join_refined(refined)]
        name = ", ".join(dict.fromkeys(block.name for block in blocks if block.name))
        yield from ((part, name) for part in refined)


def _join_refined(refined: Sequence[MergePiece]) -> MergePiece:
    """Return the parts of a block as one conflict; resolved parts are equal on both sides."""
    sides = ([], [], [])  # type: tuple[list[str], list[str], list[str]]
    for part in refined:
        settled = part.agreement
        versions = (part.kept, part.mine, part.yours) if settled is None else (part.kept, settled, settled)
        for side, lines in zip(sides, versions, strict=True):
            side += lines
    return MergePiece(*map(tuple, sides))


def _decide_pieces(pieces: Iterable[tuple[MergePiece, str]], prefer: Prefer, *, both_insert: bool) -> Merged:
    """Return the merged lines of named pieces."""
    sides = prefer if isinstance(prefer, Sides) else Sides(rest=prefer)
    lines: list[str] = []
    conflicts: list[Conflict] = []
    number = 0
    for part, name in pieces:
        if part.agreement is not None:
            lines += part.agreement
            continue
        if both_insert and not part.kept:
            lines += [*part.mine, *part.yours]
            continue
        number += 1
        side = sides.of(number)
        if side is None:
            conflicts.append(Conflict(len(lines) + 1, part.kept, part.mine, part.yours, number, name))
        lines += _of_side(part, side)
    if missing := [each for each in sides.each if each > number]:
        found = f"the merge has {count_of(number, 'conflict')}" if number else "the merge has no conflicts"
        raise EditRefused("no-conflict", f"unknown conflict {missing[0]}", nearest=found)
    return Merged(tuple(lines), tuple(conflicts))


def _of_side(part: MergePiece, side: Side | None) -> tuple[str, ...]:
    return part.mine if side == "ours" else part.yours if side else part.kept


def _line_hunks(base: Sequence[str], other: Sequence[str]) -> Iterator[Hunk]:
    for start, stop, new in changed_blocks(base, other):
        if start < stop and new:
            # compare by line: changes of adjacent lines by both sides are separate changes
            for low, high, lines in _pairs(base[start:stop], new):
                yield Hunk(start + low, start + high, lines)
        else:
            yield Hunk(start, stop, new)


def _iterate_block_hunks(base: Sequence[Block], other: Sequence[Block]) -> Iterator[Hunk]:
    """Yield the changes of blocks; a block of other elements is a removal and an insertion."""
    done, more = 0, 0
    for one, two in [*_align_blocks(base, other), (len(base), len(other))]:
        yield from _iterate_unmatched_hunks(base[done:one], other[more:two], done)
        if one < len(base) and base[one].text != other[two].text:
            yield Hunk(one, one + 1, (other[two].text,))
        done, more = one + 1, two + 1


def _align_blocks(base: Sequence[Block], other: Sequence[Block]) -> list[tuple[int, int]]:
    """Pair blocks in order: equal blocks, and between them blocks of the same elements."""
    found: list[tuple[int, int]] = []
    mine, yours = ([block.text for block in side] for side in (base, other))
    for tag, start, stop, first, last in SequenceMatcher(None, mine, yours, autojunk=False).get_opcodes():
        if tag == "equal":
            found += zip(range(start, stop), range(first, last), strict=True)
        elif tag == "replace":
            found += _pair_elements(base, other, range(start, stop), range(first, last))
    return found


def _pair_elements(base: Sequence[Block], other: Sequence[Block], old: range, new: range) -> list[tuple[int, int]]:
    """Pair blocks of the same role, or blocks that have elements in common with each other only, in order."""
    roles = {other[at].role: at for at in new if other[at].subjects}
    pairs = {at: roles[base[at].role] for at in old if base[at].subjects and base[at].role in roles}
    taken = {*pairs.values()}
    owners: dict[tuple[str, ...], list[int]] = {}
    for at in new:
        for key in other[at].subjects if at not in taken else ():
            owners.setdefault(key, []).append(at)
    common = {(at, two) for at in old if at not in pairs for key in base[at].subjects for two in owners.get(key, ())}
    uses = Counter(one for one, _ in common), Counter(two for _, two in common)
    pairs |= {one: two for one, two in common if uses[0][one] == uses[1][two] == 1}
    return _find_longest_rising(sorted(pairs.items()))


def _find_longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest sequence of pairs in which both numbers rise."""
    tails: list[int] = []  # for each length, the pair that ends the best sequence
    before: list[int] = []
    for at, (_, two) in enumerate(pairs):
        length = bisect_left(tails, two, key=lambda tail: pairs[tail][1])
        before.append(tails[length - 1] if length else -1)
        tails[length : length + 1] = [at]
    found: list[tuple[int, int]] = []
    at = tails[-1] if tails else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _iterate_unmatched_hunks(old: Sequence[Block], new: Sequence[Block], start: int) -> Iterator[Hunk]:
    """Yield the changes between two matched blocks: similar lines as changed, elements as replaced."""
    texts = tuple(block.text for block in new)
    if not any(block.subjects for block in (*old, *new)):
        changes = _pairs([block.text for block in old], texts) if old and new else [(0, len(old), texts)]
        yield from (Hunk(start + low, start + high, lines) for low, high, lines in changes)
        return
    if len(old) == len(new) == 1 and not (old[0].subjects and new[0].subjects):
        yield Hunk(start, start + 1, texts)
        return
    done, more = 0, 0
    compared = len(old) * len(new) <= _MOST
    for one, two in [*(_align_lines(_compare_blocks(old, new)) if compared else []), (len(old), len(new))]:
        yield from (Hunk(start + at, start + at + 1, ()) for at in range(done, one))
        if more < two:
            yield Hunk(start + one, start + one, texts[more:two])
        if one < len(old):
            yield Hunk(start + one, start + one + 1, (texts[two],))
        done, more = one + 1, two + 1


def _compare_blocks(old: Sequence[Block], new: Sequence[Block]) -> list[list[float]]:
    """Return the similarity of blocks; 0 for blocks of different elements."""
    return [[0.0 if one.subjects and two.subjects else _like(one.text, two.text) for two in new] for one in old]


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield intervals of old lines with their new lines, paired by similarity.

    New lines without a counterpart precede the next pair.
    """
    if len(old) == len(new):
        yield from ((index, index + 1, (line,)) for index, line in enumerate(new))
        return
    if len(old) * len(new) > _MOST:
        yield 0, len(old), tuple(new)
        return
    done_old = done_new = 0
    likeness = [[_like(one, two) for two in new] for one in old]
    for one, two in [*_align_lines(likeness), (len(old), len(new))]:
        if done_old < one or done_new < two:
            yield done_old, one, tuple(new[done_new:two])
        if one < len(old):
            yield one, one + 1, (new[two],)
        done_old, done_new = one + 1, two + 1


def _align_lines(likeness: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pair lines in order by their similarity; never pair lines with a similarity of 0."""
    old, new = len(likeness), len(likeness[0]) if likeness else 0
    best = [[0.0] * (new + 1) for _ in range(old + 1)]
    for i in reversed(range(old)):
        for j in reversed(range(new)):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], likeness[i][j] and likeness[i][j] + best[i + 1][j + 1])
    found, i, j = [], 0, 0
    while i < old and j < new:
        if likeness[i][j] and best[i][j] == likeness[i][j] + best[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _like(one: str, two: str) -> float:
    """Return the similarity of two lines, 0 below a threshold; highest for lines about the same nodes."""
    ratio = SequenceMatcher(None, one, two, autojunk=False).ratio()
    names = _NAME.findall(one)
    same = bool(names) and names == _NAME.findall(two)
    return ratio + same if ratio > (_ABOUT_THE_SAME if same else _ALIKE) else 0.0


class MergeConflict(EditRefused):
    """Manual edits and tikzgen change the same lines; no file was written."""

    def __init__(self, name: str, conflicts: tuple[Conflict, ...]) -> None:
        self.conflicts = conflicts
        super().__init__("conflict", "\n".join(_both_sides(name, conflict) for conflict in conflicts))

    def __str__(self) -> str:
        ways = "--ours takes tikzgen's lines, --theirs keeps the manual edits"
        one_by_one = f"; --resolve {self.conflicts[0].number}=ours decides one" if len(self.conflicts) > 1 else ""
        return f"{self.message}\n{ways}{one_by_one}"


def _both_sides(name: str, conflict: Conflict) -> str:
    """Return a conflict as text, with both sides."""
    what = f"{conflict.what}: " if conflict.what else ""
    head = f"{name}:{conflict.line}: conflict {conflict.number}: {what}changed manually and by tikzgen"
    sides = (("tikzgen", conflict.ours), ("manual", conflict.theirs))
    lines = [f"  {who}: {text.strip()}" for who, texts in sides for text in texts or ("removed",)]
    return "\n".join([head, *lines])
