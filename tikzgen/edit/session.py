"""An open figure: operations one after the other, then one text that keeps what people changed by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tikzgen.base.files import read_bounded
from tikzgen.base.record import Record
from tikzgen.edit.acts import ACTS
from tikzgen.edit.hand_parameters import defined, folded
from tikzgen.edit.invariants import broken, keep
from tikzgen.edit.merge import Conflict, Merged, Prefer, Sides, merge
from tikzgen.edit.merge_tokens import UNKNOWN
from tikzgen.edit.outcome import EditRefused, Outcome
from tikzgen.edit.own_figure import Own, read_own
from tikzgen.edit.spec_data import Data, figure_of_data, frozen
from tikzgen.tikz.embedded_spec import split, unseal
from tikzgen.tikz.identity import digest_of_metadata, hashes, rows_of

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure

__all__ = ["Edited", "Session", "merged_text"]

_BLANKS = re.compile(r"(?<!\s)[ \t]*(?=%)|(?<!\s)[ \t]+")


Drawn: TypeAlias = tuple[str, dict[str, Any]]
"""The text of a .tex and its metadata."""


class Edited(Record):
    """What the files shall hold, and where a person and the operations changed the same lines."""

    tex: str
    metadata: dict[str, Any]
    conflicts: tuple[Conflict, ...] = ()


class Session:
    """A figure that tikzgen wrote, open for operations; nothing is written before `result` is.

    Parameters that were changed by hand count as said. `EditRefused` for the text of a file that is not ours.
    """

    def __init__(self, text: str, name: str) -> None:
        own = read_own(text, name)
        self._own = folded(own)
        self._data = self._own.data
        self._figure = own.figure if self._data is own.data else figure_of_data(self._data, name)
        self._drawn: Drawn | None = None
        self._broken: dict[str, list[Any]] | None = None

    def freeze(self) -> Outcome:
        """Give the recipe up: the figure is said part by part from now on. Nothing of a figure that is so already."""
        data = frozen(self._said(), self._own.name)
        if data is self._data:
            return Outcome("freeze", "noop", "unchanged", "the figure comes from no recipe")
        self._data, self._figure, self._drawn = data, figure_of_data(data, self._own.name), None
        return Outcome("freeze", "applied")

    def apply(self, operation: str, arguments: Mapping[str, Any]) -> Outcome:
        """Do one operation, or say why not; what was refused leaves everything as it was."""
        try:
            data = ACTS[operation](self._said(), self._own.name, **arguments)
            figure = figure_of_data(data, self._own.name)
            if figure == self._figure:
                return Outcome(operation, "noop", "unchanged", "the figure says so already")
            drawn = _draw(figure)
            now = broken(*drawn)
            if now:  # what was broken before is no obstacle
                self._broken = broken(*self._drawing()) if self._broken is None else self._broken
                keep(self._broken, now)
        except EditRefused as refused:
            return Outcome(operation, "refused", refused.code, refused.message, refused.invariant, refused.nearest)
        self._data, self._figure, self._drawn, self._broken = data, figure, drawn, now
        return Outcome(operation, "applied")

    @property
    def description(self) -> dict[str, Any]:
        """The description as the operations left it, without the mark of its format."""
        return {key: value for key, value in self._data.items() if key != "tikzgen"}

    def _said(self) -> Data:
        """The description, with the form in which it was drawn last."""
        if self._drawn is None:
            return self._data
        return {**self._data, "tikzgen": json.loads(unseal(self._drawn[0]) or "{}")["tikzgen"]}

    def result(self, prefer: Prefer = None) -> Edited:
        """The text with everything in it; `prefer` decides where lines were changed twice."""
        return _merged(self._own, self._drawing(), prefer)

    def metadata_text(self, path: Path) -> str:
        """The metadata file beside the figure, with what a person changed in it."""
        return merged_metadata(path, self._own, self._drawing()[1])

    def _drawing(self) -> Drawn:
        self._drawn = self._drawn or _draw(self._figure)
        return self._drawn


def merged_text(text: str, name: str, figure: Figure, prefer: Prefer = None) -> tuple[Edited, Own]:
    """What a file that tikzgen wrote becomes when it writes `figure` there, and what that file is."""
    own = read_own(text, name)
    return _merged(own, _draw(figure), prefer), own


def _merged(own: Own, drawn: Drawn, prefer: Prefer) -> Edited:
    tex, metadata = drawn
    if not own.edited:
        return Edited(tex, metadata)
    head, capsule, _ = split(tex)
    ours = rows_of(head)
    theirs = _with_parameters(own, ours)
    body = _merged_rows(own, ours, theirs, prefer)
    # the description is tikzgen's own; what a person wrote after it stays
    text = "".join([*body.lines, capsule, split(own.text)[2]])
    if not body.conflicts:
        _refuse_broken(own, text, metadata)
    return Edited(text, metadata, body.conflicts)


def _merged_rows(own: Own, ours: Sequence[str], theirs: Sequence[str], prefer: Prefer) -> Merged:
    """The merged lines: a line of the base that nobody has any more is known by its hash alone.

    Where that leaves conflicts, the base is rendered: with its text, more of them can be told apart.
    """
    known = [*(row for each in theirs for row in _without_words(each)), *ours, *theirs]
    texts = dict(zip(hashes(known), known, strict=True))
    rows = own.written.rows or [texts.get(line, UNKNOWN + line) for line in own.written.lines]
    body = merge(rows, ours, theirs, tokens=True)
    if not body.conflicts and not isinstance(prefer, Sides):
        return body
    if body.conflicts and (first := own.first_rows()) is not None:
        rows = first
    return merge(rows, ours, theirs, prefer, tokens=True)


def _without_words(row: str) -> Iterator[str]:
    """What a line may have been before somebody wrote words behind it: without its comment, or the end of that."""
    code, comment, _ = row.partition("%")
    for found in _BLANKS.finditer(row, len(code.rstrip())) if comment else ():
        yield row[: found.start()] + "\n"


def _with_parameters(own: Own, ours: Sequence[str]) -> list[str]:
    """The lines of a file, but those of folded parameters as they are to be: the description has their values."""
    new = {name: row for row in ours if (name := defined(row)[0]) in own.folded}
    rows = ((row, defined(row)[0]) for row in own.rows)
    return [new.get(name, row) for row, name in rows if name in new or name not in own.folded]


def _refuse_broken(own: Own, text: str, metadata: dict[str, Any]) -> None:
    """What two sides make of a file must keep the rules that each of them keeps: a line of one may need one that the
    other took away."""
    now = broken(text, metadata)
    if not now:
        return
    try:
        keep(broken(own.text, _first_metadata(own)), now)
    except EditRefused as refused:
        message = f"put together with the hand edits, the figure would be broken: {refused.message}"
        nearest = "--ours takes tikzgen's lines where both changed"
        raise EditRefused("merge", message, invariant=refused.invariant, nearest=nearest) from None


def _first_metadata(own: Own) -> dict[str, Any]:
    """The metadata that tikzgen wrote beside a file, as it writes them today."""
    return _draw(own.figure)[1]


def _draw(figure: Figure) -> Drawn:
    from tikzgen.base.errors import SpecError
    from tikzgen.tikz import render

    try:
        rendered = render(figure)
    except SpecError as error:
        problem = error.problems[0]
        raise EditRefused("layout", problem.message, nearest=problem.hint) from None
    return rendered.tex, rendered.metadata


def merged_metadata(path: Path, own: Own, new: Mapping[str, Any]) -> str:
    """The metadata file, with what a person changed in it."""
    from tikzgen.tikz.figure_files import spelt_metadata

    ours = spelt_metadata(new)
    try:
        theirs = read_bounded(path, plain=True).decode("utf-8", "replace")
    except OSError:
        return ours
    if digest_of_metadata(theirs) == own.identity.metadata:
        return ours
    first = spelt_metadata(_first_metadata(own))
    base, mine, yours = (text.splitlines(keepends=True) for text in (first, ours, theirs))
    return "".join(merge(base, mine, yours, "ours").lines)
