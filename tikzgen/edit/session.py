"""An open figure: operations one after the other, then one text that keeps what people changed by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from tikzgen.edit.acts import ACTS
from tikzgen.edit.describe import Data, figure_of_data
from tikzgen.edit.fold import folded
from tikzgen.edit.merge import Conflict, Side, merge
from tikzgen.edit.outcome import EditRefused, Outcome
from tikzgen.edit.own import Own, read_own

__all__ = ["Edited", "Session", "merged_text"]


@dataclass(frozen=True, slots=True)
class Edited:
    """What the files shall hold, and where a person and the operations changed the same lines."""

    tex: str
    metadata: dict[str, Any]
    conflicts: tuple[Conflict, ...] = ()


@dataclass(slots=True)
class Session:
    """A figure that tikzgen wrote, open for operations; nothing is written before `result` is."""

    own: Own
    data: Data
    outcomes: list[Outcome] = field(default_factory=list)

    @classmethod
    def of(cls, text: str, name: str) -> Session:
        """Open the text of a figure; parameters that were changed by hand count as said. `EditRefused` if not ours."""
        own = read_own(text, name)
        return cls(own, folded(own))

    def apply(self, operation: str, arguments: Mapping[str, Any]) -> Outcome:
        """Do one operation, or say why not; what was refused leaves everything as it was."""
        outcome = self._tried(operation, arguments)
        self.outcomes.append(outcome)
        return outcome

    def _tried(self, operation: str, arguments: Mapping[str, Any]) -> Outcome:
        act = ACTS.get(operation)
        if act is None:
            return Outcome(operation, "refused", "no-operation", "there is no such operation", nearest=", ".join(ACTS))
        try:
            data = act(self.data, self.own.name, **arguments)
            before = figure_of_data(self.data, self.own.name)
            after = figure_of_data(data, self.own.name)
            if after == before:
                return Outcome(operation, "noop", "unchanged", "the figure says so already")
            _rendered(after)
        except EditRefused as refused:
            return Outcome(operation, "refused", refused.code, refused.message, refused.invariant, refused.nearest)
        self.data = data
        return Outcome(operation, "applied")

    def result(self, prefer: Side | None = None) -> Edited:
        """The text with everything in it; `prefer` decides where lines were changed twice."""
        return merged_text(self.own, self.data, prefer)


def merged_text(own: Own, data: Data, prefer: Side | None = None) -> Edited:
    """What `own` becomes when tikzgen writes `data` there: hand edits are kept, ours are what tikzgen writes."""
    figure = figure_of_data(data, own.name)
    tex, metadata = _rendered(figure)
    if not own.edited:
        return Edited(tex, metadata)
    base, ours, theirs = (_parts(text) for text in (own.base, tex, own.text))
    body = merge(base[0], ours[0], theirs[0], prefer)
    # the description is tikzgen's own; what a person wrote after it stays
    tail = merge(base[2], ours[2], theirs[2], prefer)
    return Edited("".join([*body.lines, *ours[1], *tail.lines]), metadata, (*body.conflicts, *tail.conflicts))


def _parts(text: str) -> tuple[list[str], list[str], list[str]]:
    """The lines of the figure, of the description after it, and of what follows that."""
    from tikzgen.render.capsule import split

    head, capsule, tail = split(text)
    return head.splitlines(keepends=True), capsule.splitlines(keepends=True), tail.splitlines(keepends=True)


def _rendered(figure: Any) -> tuple[str, dict[str, Any]]:
    from tikzgen.errors import SpecError
    from tikzgen.render import render

    try:
        rendered = render(figure)
    except SpecError as error:
        problem = error.problems[0]
        raise EditRefused("layout", problem.message, nearest=problem.hint) from None
    return rendered.tex, rendered.metadata


def file_hash(data: bytes) -> str:
    """What binds a plan to the file that it was made for."""
    return sha256(data).hexdigest()


def metadata_text(metadata: Mapping[str, Any]) -> str:
    """The metadata as their file holds them."""
    return json.dumps(metadata, ensure_ascii=False, indent=2) + "\n"


def merged_metadata(path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The metadata file, with what a person changed in it."""
    ours = metadata_text(new)
    try:
        theirs = path.read_text(encoding="utf-8")
    except OSError:
        return ours
    base, mine, yours = (text.splitlines(keepends=True) for text in (metadata_text(old), ours, theirs))
    return "".join(merge(base, mine, yours, "ours").lines)
