"""What a person changed in a figure and no spec can say: a pulled spec leaves it in the .tex."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from tikzgen.edit.hand_set_parameters import defined, folded
from tikzgen.edit.own_figure import Own, read_own
from tikzgen.texfile.source_text import decode
from tikzgen.tikz.embedded_spec import hashes, split


def unsaid_lines(data: bytes, name: str) -> tuple[int, ...]:
    """The lines of a figure of tikzgen's, from 1, with hand edits that its spec does not say once it is pulled.

    Where a line was taken away, the one that stands there now; comments that a person added are none. Nothing where
    nobody can tell, because an earlier version wrote the file that recorded too little.
    """
    own = folded(read_own(decode(data), name))
    return () if own.written.guessed else tuple(_lines(own))


def _lines(own: Own) -> Iterator[int]:
    rows = own.rows
    matched = SequenceMatcher(None, own.written.lines, hashes(rows), autojunk=False)
    for kind, _, _, first, last in matched.get_opcodes():
        if kind == "delete":
            yield first + 1
        elif kind != "equal":
            yield from (number + 1 for number in range(first, last) if not _is_said(rows[number], own))
    tail = split(own.text)[2]
    if tail.strip():
        yield own.text.count("\n", 0, len(own.text) - len(tail.lstrip("\n"))) + 1


def _is_said(row: str, own: Own) -> bool:
    """Whether a line says what the spec does, or nothing at all."""
    return row.lstrip()[:1] in ("", "%") or defined(row)[0] in own.folded
