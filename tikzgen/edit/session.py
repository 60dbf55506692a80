"""An open figure: operations one after the other, then one text that keeps what people changed by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tikzgen.edit.acts import ACTS
from tikzgen.edit.describe import figure_of_data
from tikzgen.edit.fold import folded
from tikzgen.edit.invariants import broken, keep
from tikzgen.edit.merge import Conflict, Side, merge
from tikzgen.edit.outcome import EditRefused, Outcome
from tikzgen.edit.own import Own, read_own
from tikzgen.files import read_bounded
from tikzgen.record import Record

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure

__all__ = ["Edited", "Session", "merged_text"]


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

    def apply(self, operation: str, arguments: Mapping[str, Any]) -> Outcome:
        """Do one operation, or say why not; what was refused leaves everything as it was."""
        try:
            data = ACTS[operation](self._data, self._own.name, **arguments)
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

    def result(self, prefer: Side | None = None) -> Edited:
        """The text with everything in it; `prefer` decides where lines were changed twice."""
        return _merged(self._own, self._drawing(), prefer)

    def metadata_text(self, path: Path) -> str:
        """The metadata file beside the figure, with what a person changed in it."""
        return merged_metadata(path, self._own.metadata, self._drawing()[1])

    def _drawing(self) -> Drawn:
        self._drawn = self._drawn or _draw(self._figure)
        return self._drawn


def merged_text(text: str, name: str, figure: Figure, prefer: Side | None = None) -> tuple[Edited, dict[str, Any]]:
    """What a file that tikzgen wrote becomes when it writes `figure` there, and the metadata that it had written."""
    own = read_own(text, name)
    return _merged(own, _draw(figure), prefer), own.metadata


def _merged(own: Own, drawn: Drawn, prefer: Side | None) -> Edited:
    tex, metadata = drawn
    if not own.edited:
        return Edited(tex, metadata)
    base, ours, theirs = (_parts(text) for text in (own.base, tex, own.text))
    body = merge(base[0], ours[0], theirs[0], prefer)
    # the description is tikzgen's own; what a person wrote after it stays
    tail = merge(base[2], ours[2], theirs[2], prefer)
    text = "".join([*body.lines, *ours[1], *tail.lines])
    conflicts = (*body.conflicts, *tail.conflicts)
    if not conflicts:
        _refuse_broken(own, text, metadata)
    return Edited(text, metadata, conflicts)


def _refuse_broken(own: Own, text: str, metadata: dict[str, Any]) -> None:
    """What two sides make of a file must keep the rules that each of them keeps: a line of one may need one that the
    other took away."""
    try:
        keep(broken(own.text, own.metadata), broken(text, metadata))
    except EditRefused as refused:
        message = f"put together with the hand edits, the figure would be broken: {refused.message}"
        nearest = "--ours takes tikzgen's lines where both changed"
        raise EditRefused("merge", message, invariant=refused.invariant, nearest=nearest) from None


def _parts(text: str) -> tuple[list[str], list[str], list[str]]:
    """The lines of the figure, of the description after it, and of what follows that."""
    from tikzgen.rendering.capsule import split

    head, capsule, tail = split(text)
    return head.splitlines(keepends=True), capsule.splitlines(keepends=True), tail.splitlines(keepends=True)


def _draw(figure: Figure) -> Drawn:
    from tikzgen.errors import SpecError
    from tikzgen.rendering import render

    try:
        rendered = render(figure)
    except SpecError as error:
        problem = error.problems[0]
        raise EditRefused("layout", problem.message, nearest=problem.hint) from None
    return rendered.tex, rendered.metadata


def merged_metadata(path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The metadata file, with what a person changed in it."""
    from tikzgen.rendering.files import spelt_metadata

    ours = spelt_metadata(new)
    try:
        theirs = read_bounded(path, plain=True).decode("utf-8", "replace")
    except OSError:
        return ours
    base, mine, yours = (text.splitlines(keepends=True) for text in (spelt_metadata(old), ours, theirs))
    return "".join(merge(base, mine, yours, "ours").lines)
