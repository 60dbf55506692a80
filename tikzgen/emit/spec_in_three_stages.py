"""A file that describes a figure, read once for all who ask what stands in it, what that means, how it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.base.trust import allow_drawing
from tikzgen.emit.figure_files import Rendered
from tikzgen.emit.render_figure import render
from tikzgen.spec.document import Document
from tikzgen.spec.load_figure import expand_recipe, validate_description
from tikzgen.spec.read_document import parse_document
from tikzgen.spec.source import PIPED_NAME, read_text

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel
    from tikzgen.model.figure_options import Options


class SpecReading:
    """What a spec, a rendered .tex or a list of operations says, with `settings` over it; is it to be `drawn`?

    Each fact is found when it is first asked for, and raises what is wrong then: `FileRefused` for a file that cannot
    be read, `SpecError` for one that is no description.
    """

    def __init__(self, path: str | Path, settings: Sequence[str] = (), *, drawn: bool = False) -> None:
        self.path = path
        self.settings = tuple(settings)
        self.drawn = drawn
        self._given: dict[tuple[str, ...], SpecReading] = {}

    def with_settings(self, *settings: str) -> SpecReading:
        """Return the same file with more settings; it is not read again."""
        if settings not in self._given:
            other = self._given[settings] = SpecReading(self.path, (*self.settings, *settings), drawn=self.drawn)
            other._source, other.document = self._source, self.document
        return self._given[settings]

    @cached_property
    def text(self) -> str:
        """What stands in the file."""
        return self._source[0]

    @cached_property
    def document(self) -> Document:
        """The description as plain data, without the settings."""
        return parse_document(*self._source, piped=self._source[1] == PIPED_NAME)

    @cached_property
    def facts(self) -> tuple[Options, Document]:
        """The figure, or the recipe that is not expanded, and the description with the settings."""
        with allow_drawing() if self.drawn else nullcontext():
            return validate_description(self.document, self.settings)

    @cached_property
    def figure(self) -> FigureModel:
        """The figure that it describes, whether or not a schedule in it breaks rules."""
        return expand_recipe(*self.facts).left_alone()

    @cached_property
    def render_result(self) -> Rendered:
        """The figure as .tex and metadata."""
        return render(self.figure)

    @cached_property
    def _source(self) -> tuple[str, str]:
        return read_text(self.path)
