"""Files with manual edits: the description that expresses them, and the lines that stay."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from pydantic import ValidationError

from tikzgen.base.errors import EditRefused, PartRefused, Place, Problem, SpecError
from tikzgen.base.plain_words import count_of, list_names
from tikzgen.base.record import Record, replace
from tikzgen.edit.lift.candidates import Call
from tikzgen.edit.lift.hand_lines import LINE, HandLines, LeftLine, name_unit
from tikzgen.edit.lift.lift_operations import lift
from tikzgen.edit.lift.present_macros import find_present_rows, replace_rows
from tikzgen.edit.lift.read_elements import Elements
from tikzgen.edit.merge import Merged, Prefer, merge
from tikzgen.edit.merge_tokens import UNKNOWN
from tikzgen.edit.own_figure import Own, Said, draw_rows, read_own
from tikzgen.edit.run_operation import run_operation
from tikzgen.lint.inventory import without_words
from tikzgen.model.operations import read_operation
from tikzgen.model.topology import Entity, Topology
from tikzgen.spec.embedded_spec import hash_lines, is_untouched, split_file
from tikzgen.texfile import decode


class LiftedFile(Record):
    """A file with manual edits: `said` is the description with the operations that express them.

    `edits` is missing for an unedited file and for a description that has no drawing.
    """

    own: Own
    said: Said
    edits: HandLines | None = None

    @property
    def left_lines(self) -> tuple[LeftLine, ...]:
        """Manual edits that no operation expresses, in the order of the file."""
        found = [] if self.edits is None else _place_in_file(self.edits, self.own.rows)
        return (*found, *_iterate_after_spec(self.own))


def _place_in_file(edits: HandLines, rows: Sequence[str]) -> list[LeftLine]:
    """Return manual edits with their lines in a file, in which an earlier version drew other lines."""
    if edits.hand.rows == list(rows):
        return list(edits.left_lines)
    lines: list[int] = []  # line in the file of each line that was read
    blocks = SequenceMatcher(None, edits.hand.rows, rows, autojunk=False).get_opcodes()
    for _, start, stop, first, last in blocks:
        lines += [min(first + at, max(last - 1, first)) + 1 for at in range(stop - start)]
    return [replace(each, line=[*lines, len(rows)][each.line - 1]) for each in edits.left_lines]


def lift_file(own: Own) -> LiftedFile:
    """Find the manual edits of a file as operations."""
    sides = _read_sides(own) if own.is_edited else None
    if sides is None:
        return LiftedFile(own, own.first)
    found = lift(own.first, *sides)
    return LiftedFile(own, found.said, None if own.identity.templates else HandLines(found))


def lift_onto(own: Own, said: Said) -> tuple[LiftedFile, Said]:
    """Find the manual edits of a file as operations on another description; return both results.

    An edit that only one of the descriptions can express stays a manual edit, unless the other one states it already.
    A moved node gets the same offset from its new position, unless the other description states another offset.
    """
    sides = _read_sides(own) if own.is_edited and not own.identity.templates else None
    if sides is None:
        return LiftedFile(own, own.first), said
    calls = lift(own.first, *sides).calls
    stated = [call for call in calls if _states(said, call)]
    for call in calls:
        if call not in stated and (moved := _move_node(own.first, said, call)) is not None:
            stated.append(call)
            said = moved
    there = lift(own.first, *sides, onto=said)
    here = lift(own.first, *sides, within=there, stated=stated)
    return LiftedFile(own, here.said, HandLines(here)), there.said


def _move_node(first: Said, said: Said, call: Call) -> Said | None:
    """Return a description with the offset of a moved node; None for other calls and other offsets."""
    operation, arguments = call
    if operation != "set-node" or arguments.keys() != {"node", "offset"}:
        return None
    if _find_offsets(first, arguments["node"]) != _find_offsets(said, arguments["node"]):
        return None
    return _run_call(said, call)


def _find_offsets(said: Said, name: str) -> list[tuple[float, float]]:
    """Return the offset of a node in each topology that has it."""
    nodes = (node for _, _, part in said.figure.parts(Topology) for node in part.nodes)
    return [node.offset for node in nodes if isinstance(node, Entity) and node.id == name]


def _states(said: Said, call: Call) -> bool:
    """Return whether an operation has no effect on a description."""
    changed = _run_call(said, call)
    return changed is not None and changed.draws_as(said)


def _run_call(said: Said, call: Call) -> Said | None:
    """Return a description after an operation, or None if the operation is impossible."""
    try:
        return run_operation(said, read_operation(*call))
    except (EditRefused, PartRefused, ValidationError):
        return None


def _read_sides(own: Own) -> tuple[Sequence[str], Sequence[str], frozenset[str]] | None:
    """Return the drawing of the description, the lines of the file, and the hashes of unedited lines."""
    try:
        first = draw_rows(own.first)
    except SpecError:
        return None
    hand = own.rows
    if own.identity.templates:
        first, hand = _select_parameters(own, first)
    elif hash_lines(first) != own.written.lines:
        hand = list(merge_rows(own, first, "theirs").lines)
    return first, hand, frozenset((*hash_lines(first), *own.identity.lifted))


def merge_rows(own: Own, ours: Sequence[str], prefer: Prefer) -> Merged:
    """Merge the lines of a new drawing with the file: its lines as tikzgen wrote them are the base.

    If neither side has a line of the base, only its hash is known. If conflicts remain, the base is rendered, because
    its text resolves more of them.
    """
    present = find_present_rows(own.rows, ours, own.written.lines)
    theirs = replace_rows(own.rows, present.file)
    known = [*(row for each in own.rows for row in without_words(each)), *ours, *present.written, *own.rows]
    texts = dict(zip(hash_lines(known), known, strict=True))
    rows = own.written.rows or [texts.get(line, UNKNOWN + line) for line in own.written.lines]
    rows = replace_rows(rows, present.written)
    body = merge(rows, ours, theirs, tokens=True)
    if not body.conflicts:
        return body
    if (written := own.first_rows()) is not None:
        rows = written
    return merge(rows, ours, theirs, prefer, tokens=True)


_IDENTITY = {"node": 2, "frame": 2, "flow": 4, "carried": 3, "span": 7, "lane": 3}
"""Drawn elements: the length of a key without the number of an equal element."""


def refuse_lost_changes(edits: HandLines, operated: Sequence[str], merged: Sequence[str]) -> None:
    """Raise `EditRefused` if manual code still draws an element that the drawing `operated` of an operation changes."""
    hand = edits.hand
    sides = (edits.drawn.rows, operated, merged, hand.rows)
    before, after, now, file = (Elements(list(rows)).as_facts for rows in sides)
    changed = {(key[: _IDENTITY.get(key[0])], name) for key, name, _ in file - now}
    for key, name, _ in sorted((before - after) & now & file):
        owner = hand.labels.get(key, key)
        unit = next((unit for unit in hand.units if owner in unit.subjects), None)
        if key[0] not in _IDENTITY or (key[: _IDENTITY[key[0]]], name) in changed or unit is None:
            continue
        what = name_unit(unit, hand)
        message = f"line {unit.first + 1} is a manual edit of the {what}, which the operation would not change"
        invariant = "an operation changes the drawing"
        raise EditRefused("by-hand", message, invariant=invariant, nearest=f"edit line {unit.first + 1}")


_PARAMETER = ("\\def", "% ===")  # starts of the lines of the parameter block


def _select_parameters(own: Own, first: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the parameters of a drawing and of a file with custom templates."""
    written = [row for row in first if row.startswith(_PARAMETER)]
    named = {row.partition("{")[0]: row for row in written}
    recorded = set(own.written.lines)
    rows = (row for row in own.rows if row.startswith(_PARAMETER))
    hand = [named.get(row.partition("{")[0], row) if {*hash_lines([row])} <= recorded else row for row in rows]
    return written, hand


def _iterate_after_spec(own: Own) -> Iterator[LeftLine]:
    """Yield the code after the embedded spec."""
    tail = split_file(own.text)[2]
    if tail.strip():
        yield LeftLine(own.text.count("\n", 0, len(own.text) - len(tail.lstrip("\n"))) + 1, "line after the spec")


def report_left_lines(text: str, name: str) -> Problem | None:
    """Return a note on the manual edits of a figure that no operation expresses, or None.

    Raise `EditRefused` for an edited figure without an embedded spec.
    """
    if is_untouched(text):
        return None
    left = lift_file(read_own(text, name)).left_lines
    if not left:
        return None
    parts = list(dict.fromkeys(each.what if each.what != LINE else f"line {each.line}" for each in left))
    message = f"the spec cannot express {count_of(len(parts), 'manual edit')}: {list_names(parts)}"
    hint = "the .tex keeps them; `tikzgen render --merge` keeps them in a new figure"
    return Problem(message, place=Place(name, left[0].line), hint=hint)


def describe_hand_edits(data: bytes, name: str) -> tuple[list[str], list[str]]:
    """Return the operations that express manual edits of a file, and the other edits."""
    try:
        file = lift_file(read_own(decode(data), name))
    except (EditRefused, SpecError):
        return [], []
    return describe_lifted(file)


def describe_lifted(file: LiftedFile) -> tuple[list[str], list[str]]:
    """Return the operations that express manual edits, and the other edits with their lines."""
    calls = file.edits.lifted.calls if file.edits is not None else ()
    return [_spell_call(*call) for call in calls], [f"line {each.line}: {each.what}" for each in file.left_lines]


def _spell_call(operation: str, arguments: Mapping[str, Any]) -> str:
    """Return an operation as it is typed: `rename-node node=w2 label="Node B"`."""
    words = [operation]
    for name, value in arguments.items():
        plain = value["tex"] if isinstance(value, dict) else value
        text = ",".join(map(str, plain)) if isinstance(plain, list) else str(plain)
        words.append(f"{name}={shlex.quote(text)}" if text else f"{name}=")
    return " ".join(words)
