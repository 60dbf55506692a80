"""Lines that tikzgen wrote in a file, and manual edits since then.

`written_lines` returns the lines, `hand_edits` lists the edits, `read_origin` reads the embedded description.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from tikzgen.base.errors import TikzgenError
from tikzgen.base.record import Record
from tikzgen.lint.inventory.inventory_facts import HandEdit, Origin
from tikzgen.spec.embedded_spec import (
    FORMAT,
    Identity,
    digest_of,
    extract_spec,
    format_of,
    hash_lines,
    identity_of,
    is_untouched,
    rows_of,
    split_file,
)
from tikzgen.texfile import Facts, scan

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel


class WrittenLines(Record):
    """Lines that tikzgen wrote before the description: hashes in `lines`; text in `rows` if unchanged."""

    lines: tuple[str, ...]
    rows: tuple[str, ...] | None = None


def written_lines(text: str, identity: Identity) -> WrittenLines:
    """Return the lines of a file as tikzgen wrote them."""
    rows = rows_of(split_file(text)[0])
    return WrittenLines(identity.lines, tuple(rows) if hash_lines(rows) == identity.lines else None)


def edited_by_hand(text: str, found: WrittenLines) -> bool:
    """Return whether a user changed, added or removed a line."""
    head, _, tail = split_file(text)
    return bool(tail.strip()) or hash_lines(rows_of(head)) != found.lines


def lines_by_hand(written: Sequence[str], rows: Sequence[str]) -> tuple[frozenset[int], bool]:
    """Return the numbers (from 1) of changed or added lines, and whether written lines are missing.

    `written` are the hashes of the written lines. A line that only moved does not count as changed.
    """
    left = Counter(written)
    changed = set()
    for number, line in enumerate(hash_lines(rows), 1):
        left[line] -= 1
        if left[line] < 0:
            changed.add(number)
    return frozenset(changed), any(count > 0 for count in left.values())


_BLANKS = re.compile(r"(?<!\s)[ \t]*(?=%)|(?<!\s)[ \t]+")


def without_words(row: str) -> Iterator[str]:
    """Yield a line as it may have been before a comment was added or extended.

    The candidates end before a space in the comment or before the comment itself.
    """
    code, comment, _ = row.partition("%")
    for found in _BLANKS.finditer(row, len(code.rstrip())) if comment else ():
        yield row[: found.start()] + "\n"


def read_origin(text: str) -> tuple[Origin, dict[str, Any] | None]:
    """Return the origin that the embedded description states, and the description if it is usable."""
    inside = extract_spec(text)
    if inside is None:
        return Origin(), None
    digest = digest_of(text)
    try:
        data = json.loads(inside)
        if not isinstance(data, dict):
            raise ValueError
    except (ValueError, RecursionError):
        return Origin(digest=digest, trouble="the description inside cannot be read"), None
    recipe, number, identity = data.get("recipe"), format_of(data), identity_of(data)
    trouble = "" if identity is not None else f"the description inside has format {number}, not {FORMAT}"
    if identity is not None and identity.templates:
        trouble = "the figure was rendered with custom templates"
    found = Origin(
        kind="recipe" if recipe else "figure",
        recipe=str(recipe or ""),
        format=number if isinstance(number, int) else None,
        digest=digest,
        untouched=is_untouched(text),
        trouble=trouble,
    )
    return found, None if found.trouble else data


def hand_edits(facts: Facts, data: Mapping[str, Any], made: FigureModel | TikzgenError) -> tuple[HandEdit, ...] | str:
    """Return the changes since tikzgen wrote the file; if they cannot be determined, the reason.

    `data` is the description in the file, `made` the figure of it. The earlier text of a line is known if rendering
    produces that line today.
    """
    from tikzgen.emit.render_figure import render

    text = facts.text.removeprefix("\ufeff").replace("\r\n", "\n")
    identity = identity_of(data)
    if identity is None:
        return "the file carries no description"
    try:
        if isinstance(made, TikzgenError):
            raise made
        drawn = render(made).tex
    except TikzgenError as error:
        return f"the description inside cannot be rendered: {str(error).splitlines()[0]}"
    found = written_lines(text, identity)
    head, _, tail = split_file(text)
    known = dict(zip(found.lines, found.rows or (), strict=False))
    known |= {line: row for row in rows_of(head + split_file(drawn)[0]) for line in hash_lines([row])}
    edits = [
        *_compare_lines([known.get(line, _UNKNOWN_LINE) for line in found.lines], rows_of(head), identity.values, facts)
    ]
    if tail.strip():
        line = text.count("\n", 0, len(text) - len(tail)) + 1
        edits.append(HandEdit("added", "", "", tail.rstrip("\n"), line))
    return tuple(edits)


_UNKNOWN_LINE = "\0"


def _line_of(parameter: str, gone: Sequence[str]) -> str:
    """Return the removed line that held a parameter: its definition, else an unknown line if there is one."""
    return next(
        (row for row in gone if row.startswith(f"\\def{parameter}{{")), _UNKNOWN_LINE if _UNKNOWN_LINE in gone else ""
    )


def _compare_lines(base: Sequence[str], text: Sequence[str], values: Mapping[str, str], facts: Facts) -> list[HandEdit]:
    """Return the differences by line, with each parameter as a separate edit.

    Lines of `base` whose text is unknown are `_UNKNOWN_LINE`. `values` are the distances that were written.
    """
    before, after = ([row.rstrip("\n") for row in rows] for rows in (base, text))
    block = facts.parameters
    now = {facts.lines.find_line(each.span.start): each for each in block.parameters} if block else {}
    written = scan("".join(base)).parameters
    then = {f"\\{name}": value for name, value in values.items()}
    then |= {each.name: each.value for each in written.parameters} if written else {}
    found: list[HandEdit] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        gone = list(before[i1:i2])
        left: list[tuple[int, str]] = []
        for number, line in enumerate(after[j1:j2], j1 + 1):
            parameter = now.get(number)
            was = _line_of(parameter.name, gone) if parameter else ""
            if parameter is None or then.get(parameter.name, None if was else parameter.value) == parameter.value:
                left.append((number, line))
                continue
            found.append(HandEdit("parameter", parameter.name, then.get(parameter.name, ""), parameter.value, number))
            if was:
                gone.remove(was)
        first = left[0][0] if left else j1 + 1
        old, new = "\n".join(each for each in gone if each != _UNKNOWN_LINE), "\n".join(line for _, line in left)
        if gone or left:
            kind = "changed" if gone and left else "added" if left else "removed"
            found.append(HandEdit(kind, "", old, new, first))  # type: ignore[arg-type]  # one of the three
    return found
