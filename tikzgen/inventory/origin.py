"""Where a figure comes from: the description inside it, and what was changed by hand since."""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from typing import Any

from tikzgen.inventory.parts import HandEdit, Origin
from tikzgen.source import Facts, scan

__all__ = ["hand_edits", "origin"]


def origin(text: str) -> tuple[Origin, dict[str, Any] | None]:
    """What the description inside says of itself, and the description where it can be used."""
    from tikzgen.rendering.capsule import FORMAT, digest_of, is_untouched, unseal

    inside = unseal(text.removeprefix("\ufeff"))
    if inside is None:
        return Origin(), None
    digest = digest_of(text)
    try:
        data = json.loads(inside)
        if not isinstance(data, dict):
            raise ValueError
    except (ValueError, RecursionError):
        return Origin(digest=digest, trouble="the description inside cannot be read"), None
    recipe, number = data.get("recipe"), data.get("tikzgen")
    found = Origin(
        kind="recipe" if recipe else "figure",
        recipe=str(recipe or ""),
        format=number if isinstance(number, int) else None,
        digest=digest,
        untouched=is_untouched(text),
        trouble="" if number == FORMAT else f"the description inside has format {number}, not {FORMAT}",
    )
    return found, None if found.trouble else data


def hand_edits(facts: Facts, name: str) -> tuple[HandEdit, ...] | str:
    """What was changed since tikzgen wrote the file, or the reason why nobody can tell.

    The figure is rendered again from the description inside, unless that was done before; its digest tells whether that
    is what was written.
    """
    from tikzgen.errors import TikzgenError
    from tikzgen.inventory.bases import written_base
    from tikzgen.rendering.capsule import digest_of, split, unseal

    text = facts.text.removeprefix("\ufeff").replace("\r\n", "\n")
    inside = unseal(text)
    if inside is None:
        return "the file carries no description"
    try:
        base = written_base(inside, digest_of(text), name)
    except TikzgenError as error:
        return f"the description inside cannot be rendered: {str(error).splitlines()[0]}"
    if base is None:
        return "another version of tikzgen wrote the file, or one with templates of its own"
    edits = [*_changes(split(base)[0], split(text)[0], facts)]
    tail = split(text)[2]
    if tail.strip():
        line = text.count("\n", 0, len(text) - len(tail)) + 1
        edits.append(HandEdit("added", "", "", tail.rstrip("\n"), line))
    return tuple(edits)


def _changes(base: str, text: str, facts: Facts) -> list[HandEdit]:
    """The differences by line, each parameter for itself."""
    before, after = base.splitlines(), text.splitlines()
    block = facts.parameters
    now = {facts.lines.line(each.span.start): each for each in block.parameters} if block else {}
    written = scan(base).parameters
    then = {each.name: each.value for each in written.parameters} if written else {}
    found: list[HandEdit] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        gone = list(before[i1:i2])
        left: list[tuple[int, str]] = []
        for number, line in enumerate(after[j1:j2], j1 + 1):
            parameter = now.get(number)
            if parameter and parameter.name in then and parameter.value != then[parameter.name]:
                found.append(HandEdit("parameter", parameter.name, then[parameter.name], parameter.value, number))
                gone = [each for each in gone if not each.startswith(f"\\def{parameter.name}{{")]
            else:
                left.append((number, line))
        first = left[0][0] if left else j1 + 1
        old, new = "\n".join(gone), "\n".join(line for _, line in left)
        if gone or left:
            kind = "changed" if gone and left else "added" if left else "removed"
            found.append(HandEdit(kind, "", old, new, first))  # type: ignore[arg-type]  # one of the three
    return found
