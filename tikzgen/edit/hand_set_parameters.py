"""Parameters that a person changed in a file: said in its description, as if they had been set by an operation; and the
lines that no description can say, which a pulled spec leaves in the .tex."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from difflib import SequenceMatcher
from typing import Any

from pydantic import ValidationError

from tikzgen.base.errors import EditRefused
from tikzgen.base.record import replace
from tikzgen.edit.own_figure import Own, Said, read_own
from tikzgen.edit.run_operation import run_operation
from tikzgen.edit.set_spacing_and_texts import macro_fields
from tikzgen.lint.inventory import lines_by_hand
from tikzgen.model.operations import read_operation
from tikzgen.spec.embedded_spec import hash_lines, split_file
from tikzgen.texfile import decode
from tikzgen.text import TextRefused, typeset_label

_REMARK = re.compile(r"[ \t]*(?<!\\)%[^\n]*")
_DEF = re.compile(r"\\def\\([A-Za-z]+)(?:#1)?\{(.*)\}%")


def parse_definition(row: str) -> tuple[str, str]:
    """Return the name and the value of the parameter that a line defines, empty for any other line."""
    found = _DEF.match(row)
    return (found[1], found[2]) if found else ("", "")


def fold_hand_edits(own: Own) -> Own:
    """Move parameters that were edited by hand into the description.

    A change that no field of a description can state stays a manual edit.
    """
    changed = dict(_changed_parameters(own))
    if not changed:
        return own
    before = dict(_before(own, changed))
    said = own.said
    told = {}
    for name, value in changed.items():
        if before.get(name) in (None, value):
            continue
        try:
            said = _with_parameter(said, name, value)
        except EditRefused:
            continue
        told[name] = value
    return replace(own, said=said, folded=told)


def with_parameters(said: Said, values: Mapping[str, str]) -> Said:
    """A description with what a person wrote into these parameters, as far as its fields can say it."""
    for parameter, value in values.items():
        with suppress(EditRefused):
            said = _with_parameter(said, parameter, value)
    return said


def _with_parameter(said: Said, parameter: str, source: str) -> Said:
    try:
        return run_operation(said, read_operation("set", {"parameter": parameter, "value": _parse_text(source)}))
    except ValidationError:
        raise EditRefused("raw-tex", "it is no TeX that a description may hold") from None


def _changed_parameters(own: Own) -> Iterator[tuple[str, str]]:
    """Yield the parameters on changed lines with their current values."""
    rows = own.rows
    changed, _ = lines_by_hand(own.written.lines, rows)
    for number in sorted(changed):
        name, value = parse_definition(rows[number - 1])
        if name:
            yield name, value


def _before(own: Own, changed: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What tikzgen wrote into these parameters: from its lines where they are known, else from its record."""
    if own.written.rows is not None:
        yield from map(parse_definition, own.written.rows)
        return
    yield from own.identity.values.items()
    if set(changed) - set(own.identity.values):
        known = macro_fields(own.first.drawn_figure)
        yield from ((name, field.source) for name, field in known.items())


def _parse_text(source: str) -> Any:
    """Return the text of TeX source: plain if it is equivalent, raw otherwise."""
    try:
        if typeset_label(source).source == source:
            return source
    except TextRefused:
        pass
    return {"tex": source}


def unsaid_lines(data: bytes, name: str) -> tuple[int, ...]:
    """The lines of a figure of tikzgen's, from 1, with hand edits that its spec does not say once it is pulled.

    Where a line was taken away, the one that stands there now; comments that a person added are none.
    """
    own = fold_hand_edits(read_own(decode(data), name))
    return tuple(_lines(own))


def _lines(own: Own) -> Iterator[int]:
    rows = own.rows
    matched = SequenceMatcher(None, own.written.lines, hash_lines(rows), autojunk=False)
    for kind, _, _, first, last in matched.get_opcodes():
        if kind == "delete":
            yield first + 1
        elif kind != "equal":
            yield from (number + 1 for number in range(first, last) if not _is_said(rows[number], own))
    tail = split_file(own.text)[2]
    if tail.strip():
        yield own.text.count("\n", 0, len(own.text) - len(tail.lstrip("\n"))) + 1


def _is_said(row: str, own: Own) -> bool:
    """Whether a line says what the spec does, or nothing at all, or what tikzgen wrote there and a remark."""
    if row.lstrip()[:1] in ("", "%") or parse_definition(row)[0] in own.folded:
        return True
    without = _REMARK.sub("", row)
    return without != row and set(hash_lines([without])) <= set(own.written.lines)
