r"""Merge of TeX lines that both sides changed, by token.

A token is a definition, a macro, a number, a word, a mark, whitespace, a line end, or a comment with the whitespace
before it. Two
changes of one line are compatible if they affect different tokens: `(\colsep,\rowsep)`, changed to
`(\colsep,1.5*\rowsep)` by one side and to `(\colsep,\rowsep+0.2)` by the other, becomes `(\colsep,1.5*\rowsep+0.2)`. A
comment never conflicts: the code of one side gets the comment of the other side.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from tikzgen.base.record import Record
from tikzgen.spec.embedded_spec import rows_of


class Hunk(Record):
    """A change: `new` replaces the base from `start` to `stop`."""

    start: int
    stop: int
    new: tuple[str, ...]


class MergePiece(Record):
    """A piece of the base (`kept`), and its versions on both sides."""

    kept: tuple[str, ...]
    mine: tuple[str, ...]
    yours: tuple[str, ...]

    @property
    def agreement(self) -> tuple[str, ...] | None:
        """Common text of both sides; None if they differ."""
        if self.yours in (self.kept, self.mine):
            return self.mine
        return self.yours if self.mine == self.kept else None

    def in_lines(self) -> MergePiece:
        """Return the piece with one string for each line."""
        return MergePiece(*(tuple(rows_of("".join(side))) for side in (self.kept, self.mine, self.yours)))


def changed_blocks(base: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield the changed intervals of the base, with their contents in `other`."""
    for tag, start, stop, first, last in SequenceMatcher(None, base, other, autojunk=False).get_opcodes():
        if tag != "equal":
            yield start, stop, tuple(other[first:last])


def parts(base: Sequence[str], mine: Iterable[Hunk], yours: Iterable[Hunk]) -> Iterator[MergePiece]:
    """Yield the whole base in parts. Adjacent hunks are separate parts."""
    done = 0
    mine, yours = list(mine), list(yours)
    hunks = sorted([*((each, True) for each in mine), *((each, False) for each in yours)], key=_order)
    for cluster in _clusters(hunks):
        start, stop = min(hunk.start for hunk, _ in cluster), max(hunk.stop for hunk, _ in cluster)
        if done < start:
            same = tuple(base[done:start])
            yield MergePiece(same, same, same)
        done = stop
        versions = (
            _version(base, start, stop, [hunk for hunk, ours in cluster if ours is side]) for side in (True, False)
        )
        yield MergePiece(tuple(base[start:stop]), *versions)
    same = tuple(base[done:])
    yield MergePiece(same, same, same)


def _order(hunk: tuple[Hunk, bool]) -> tuple[int, int, bool]:
    return hunk[0].start, hunk[0].stop, not hunk[1]


def _clusters(hunks: Sequence[tuple[Hunk, bool]]) -> Iterator[list[tuple[Hunk, bool]]]:
    """Yield groups of hunks that overlap in the base or insert at one position, sorted by position."""
    cluster: list[tuple[Hunk, bool]] = []
    reach = 0
    for each in hunks:
        hunk = each[0]
        if cluster and (hunk.start < reach or (hunk.start == hunk.stop and _inserts_at(cluster, hunk.start))):
            cluster.append(each)
        else:
            if cluster:
                yield cluster
            cluster = [each]
            reach = hunk.start
        reach = max(reach, hunk.stop)
    if cluster:
        yield cluster


def _inserts_at(cluster: Sequence[tuple[Hunk, bool]], place: int) -> bool:
    return any(hunk.start == hunk.stop == place for hunk, _ in cluster)


def _version(base: Sequence[str], start: int, stop: int, hunks: Sequence[Hunk]) -> tuple[str, ...]:
    """Return the text of one side for the base from `start` to `stop`."""
    found: list[str] = []
    done = start
    for hunk in hunks:
        found += [*base[done : hunk.start], *hunk.new]
        done = hunk.stop
    return (*found, *base[done:stop])


_DEFINITION = (  # the value is one token, because words of two sides make no label; a list has a token for each entry
    r"\\def\\[A-Za-z@]+(?:#\d)*\{(?![\w./:-]*,[\w.,/:-]*\})(?:[^{}\n]|\{(?:[^{}\n]|\{[^{}\n]*\})*\})*\}"
)
_TOKEN = re.compile(
    _DEFINITION
    + r"|(?<=\{HTML\}\{)[0-9A-Fa-f]{6}|\\(?:[A-Za-z@]+|.)|[ \t]*%[^\n]*|\n|[ \t]+|\d+(?:\.\d+)?|\.\d+|[^\W\d_]+|.",
    re.DOTALL,
)
UNKNOWN = "\0"
"""Start of a line with unknown text."""

_MOST = 3000  # tokens of a side; lines with more tokens are not refined


def refine_piece(part: MergePiece) -> Iterator[MergePiece]:
    """Split the lines that both sides changed into parts of whole lines; conflicts remain."""
    kept, mine, yours = (_TOKEN.findall("".join(side)) for side in (part.kept, part.mine, part.yours))
    if UNKNOWN in kept or max(map(len, (kept, mine, yours))) > _MOST:
        yield part
        return
    decided = (_resolve_piece(each) for each in parts(kept, _hunks(kept, mine), _hunks(kept, yours)))
    pieces = [
        piece
        for each in decided
        for piece in ([each] if each.agreement is None else map(_agreed_piece, each.agreement))
    ]
    line = MergePiece((), (), ())
    for piece, following in pairwise([*pieces, _agreed_piece("\n")]):
        line = _join_pieces(line, piece)
        if piece.agreement is not None and _swallows(piece, following):
            line = _join_pieces(line, _agreed_piece("\n"))
        if all(side[-1:] in ((), ("\n",)) for side in (line.kept, line.mine, line.yours)):
            yield line.in_lines()
            line = MergePiece((), (), ())
    yield line.in_lines()


def _hunks(base: Sequence[str], other: Sequence[str]) -> Iterator[Hunk]:
    return (Hunk(*block) for block in changed_blocks(base, other))


def _resolve_piece(part: MergePiece) -> MergePiece:
    """Resolve a part: changes of comments, spaces and adjacent keys do not conflict."""
    if part.agreement is not None:
        return part
    kept, mine, yours = (_code(side) for side in (part.kept, part.mine, part.yours))
    if mine in (kept, yours):
        return _agreed_piece(*part.yours)
    if yours == kept:
        return _agreed_piece(*_with_comments(part))
    if not part.kept and _may_stand_together("".join(part.mine), "".join(part.yours)):
        return _agreed_piece(*part.mine, *part.yours)
    return part


def _agreed_piece(*tokens: str) -> MergePiece:
    return MergePiece(tokens, tokens, tokens)


def _code(tokens: Sequence[str]) -> list[str]:
    """Return the tokens that TeX reads."""
    return [token for token in tokens if token.strip() and not _is_comment(token)]


def _is_comment(token: str) -> bool:
    return token.lstrip(" \t").startswith("%")


def _with_comments(part: MergePiece) -> tuple[str, ...]:
    """Return our code with the comments that they added, on separate lines if their lines were removed."""
    found = list(part.mine)
    new = list((Counter(filter(_is_comment, part.yours)) - Counter(filter(_is_comment, part.kept))).elements())
    if new and found and _is_comment(found[-1]):
        found.pop()  # both sides have a comment there
    for token in new:
        if not found or found[-1] == "\n":
            if token != part.yours[0]:  # it was after code, or on an indented line
                token = (part.yours[0] if not part.yours[0].strip(" \t") else "") + token.lstrip()
            found += [token, "\n"]
        else:
            found.append(token)
    return tuple(found)


def _may_stand_together(one: str, other: str) -> bool:
    """Return whether two pieces inserted at one position are different keys of an option list."""
    both = (one, other)
    lists = all(text.startswith(",") for text in both) or all(text.rstrip().endswith(",") for text in both)
    whole = not any(mark in one + other for mark in "[]();\n") and all(
        text.count("{") == text.count("}") for text in both
    )
    keys = [{key.partition("=")[0].strip() for key in text.split(",")} - {""} for text in both]
    return lists and whole and keys[0].isdisjoint(keys[1])


def _swallows(piece: MergePiece, following: MergePiece) -> bool:
    """Return whether a token is a comment that would hide the rest of its line."""
    ends = {side[:1] for side in (following.kept, following.mine, following.yours) if side}
    return any(map(_is_comment, piece.kept)) and ends != {("\n",)}


def _join_pieces(one: MergePiece, other: MergePiece) -> MergePiece:
    return MergePiece(one.kept + other.kept, one.mine + other.mine, one.yours + other.yours)
