"""Staged reading of a description: its text, its data, its figure, each computed at first use."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.base.trust import allow_drawing
from tikzgen.emit.figure_files import Rendered, keep_layout_of
from tikzgen.emit.render_figure import render
from tikzgen.spec.document import Document
from tikzgen.spec.load_figure import expand_recipe, validate_description
from tikzgen.spec.read_document import parse_document
from tikzgen.spec.source import PIPED_NAME, read_text

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel
    from tikzgen.model.figure_options import Options


class SpecReading:
    """A spec, a rendered .tex or a list of operations, with `settings` that override it.

    Each stage is computed at first access and then raises its errors: `FileRefused` for an unreadable file,
    `SpecError` for an invalid description. `drawn` states whether the figure will be drawn, not only measured.
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
        """Text of the file."""
        return self._source[0]

    @cached_property
    def document(self) -> Document:
        """The description as plain data, without the settings."""
        return parse_document(*self._source, piped=self._source[1] == PIPED_NAME)

    @cached_property
    def facts(self) -> tuple[Options, Document]:
        """Figure, or recipe before its expansion, and the description with the settings."""
        with allow_drawing() if self.drawn else nullcontext():
            return validate_description(self.document, self.settings)

    @cached_property
    def figure(self) -> FigureModel:
        """Figure that it describes, even if a schedule breaks rules, with the layout of the .tex next to it."""
        figure = expand_recipe(*self.facts).left_alone()
        return keep_layout_of(Path(self.path).with_suffix(".tex"), figure)

    @cached_property
    def render_result(self) -> Rendered:
        """Figure as .tex and metadata."""
        return render(self.figure)

    @cached_property
    def _source(self) -> tuple[str, str]:
        return read_text(self.path)
