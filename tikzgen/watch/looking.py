"""What stands beside the picture: the findings of `tikzgen check`, and the fields of the form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.errors import TikzgenError
from tikzgen.tex.engines import Engine
from tikzgen.tex.process import Running
from tikzgen.watch.making import Started

if TYPE_CHECKING:
    from tikzgen.checks import Finding
    from tikzgen.watch.fields import Field

__all__ = ["Looker", "Tell", "fields_of"]

Tell = Callable[[str], None]
"""Told, in a line each, what became of a file."""


@dataclass(frozen=True, slots=True)
class Looker:
    """Looks at a file; with `geometry` also at what TeX sets of it, which takes a TeX run.

    That run is as the picture's: by the same `engine`, in as many seconds, with or without `trust`. Why there is none
    is given to `tell`.
    """

    tell: Tell
    allow_invalid: bool = False
    geometry: bool = False
    trust: bool = False
    engine: Engine | str = Engine.PDFLATEX
    time_limit: float = 60.0

    def __call__(self, path: Path, drawn: str | None, started: Started) -> dict[str, Any]:
        """The facts of a view: `findings`, and `fields`; none of what cannot be read.

        `drawn` is the TeX of the picture, whose texts TeX may have measured; what is not drawn has no geometry.
        `started` is told what runs programs.
        """
        found: list[Finding] = []
        fields: tuple[Field, ...] = ()
        if not path.is_file():
            return {"findings": (), "fields": ()}
        try:
            found += _findings(path)
            fields = fields_of(path, allow_invalid=self.allow_invalid)
            if self.geometry and drawn is not None:
                found += self._seen(path, drawn, started)
        except TikzgenError:
            pass  # it stands in place of the picture
        return {"findings": tuple(found), "fields": fields}

    def _seen(self, path: Path, drawn: str, started: Started) -> list[Finding]:
        from tikzgen.geometry.looking import look_at, read_drawing

        drawing = read_drawing(str(path))
        if drawing is None:
            return []
        started(running := Running())
        limits: dict[str, Any] = {"trust": self.trust, "time_limit": self.time_limit, "running": running}
        looked = look_at([replace(drawing, source=drawn)], engine=self.engine, **limits)
        for error in looked.errors:
            self.tell(f"no geometry: {error}")
        return looked.findings


def fields_of(path: Path, *, allow_invalid: bool = False) -> tuple[Field, ...]:
    """The fields of a file as it stands; none for a list of operations. Raises what is wrong with the file."""
    from tikzgen.watch.fields import fields_of_spec, fields_of_tex

    if path.suffix.lower() == ".tex":
        from tikzgen.source.text import read_source

        return fields_of_tex(read_source(path), path)
    if path.suffix.lower() == ".csv":
        return ()
    from tikzgen.checks.valid import read_valid
    from tikzgen.loading import expanded

    found, document = read_valid(path, (), allow_invalid=allow_invalid)
    figure = expanded(found, document)
    return fields_of_spec(found, document.data, figure, figure.tex())


def _findings(path: Path) -> tuple[Finding, ...]:
    from tikzgen.checks import check

    return check(path)
