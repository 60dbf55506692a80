"""What stands beside the picture: the findings of `tikzgen check`, and the fields of the form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.base.errors import TikzgenError
from tikzgen.compile.engines import Engine
from tikzgen.compile.process import Running
from tikzgen.lint.valid import valid_reading
from tikzgen.reading import Reading
from tikzgen.watch.making import Started

if TYPE_CHECKING:
    from tikzgen.lint import Finding
    from tikzgen.watch.form_fields import Field

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

    def __call__(self, reading: Reading, drawn: str | None, started: Started) -> dict[str, Any]:
        """The facts of a view: `findings`, and `fields`; none of what cannot be read.

        `drawn` is the TeX of the picture, whose texts TeX may have measured; what is not drawn has no geometry.
        `started` is told what runs programs.
        """
        from tikzgen.lint import check_read

        found: list[Finding] = []
        fields: tuple[Field, ...] = ()
        if not Path(reading.path).is_file():
            return {"findings": (), "fields": ()}
        try:
            found += check_read(reading)
            fields = _fields(reading, allow_invalid=self.allow_invalid)
            if self.geometry and drawn is not None:
                found += self._seen(reading, drawn, started)
        except TikzgenError:
            pass  # it stands in place of the picture
        return {"findings": tuple(found), "fields": fields}

    def _seen(self, reading: Reading, drawn: str, started: Started) -> list[Finding]:
        from tikzgen.probe.look_at_figures import drawing_of, look_at

        drawing = drawing_of(reading)
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
    return _fields(Reading(path, drawn=True), allow_invalid=allow_invalid)


def _fields(reading: Reading, *, allow_invalid: bool) -> tuple[Field, ...]:
    from tikzgen.watch.form_fields import fields_of_spec, fields_of_tex

    path = Path(reading.path)
    if path.suffix.lower() == ".tex":
        from tikzgen.texfile.text import read_source

        return fields_of_tex(read_source(path), path)
    if path.suffix.lower() == ".csv":
        return ()
    valid = valid_reading(reading, allow_invalid=allow_invalid)
    found, document = valid.facts
    return fields_of_spec(found, document.data, valid.figure, valid.rendered.tex)
