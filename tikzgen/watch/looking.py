"""What stands beside the picture: the findings of `tikzgen check`, and the fields of the form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.checks.valid import valid_reading
from tikzgen.errors import TikzgenError
from tikzgen.reading import Reading

if TYPE_CHECKING:
    from tikzgen.checks import Finding
    from tikzgen.watch.fields import Field

__all__ = ["Looker", "fields_of"]


@dataclass(frozen=True, slots=True)
class Looker:
    """Looks at a file; with `geometry` also at what TeX sets of it, which takes a TeX run."""

    allow_invalid: bool = False
    geometry: bool = False

    def __call__(self, reading: Reading, source: str | None) -> dict[str, Any]:
        """The facts of a view: `findings`, and `fields`; none of what cannot be read."""
        from tikzgen.checks import check_read

        found: list[Finding] = []
        fields: tuple[Field, ...] = ()
        if not Path(reading.path).is_file():
            return {"findings": (), "fields": ()}
        try:
            found += check_read(reading)
            fields = _fields(reading, allow_invalid=self.allow_invalid)
            if self.geometry and source is not None:
                found += _seen(reading, source)
        except TikzgenError:
            pass  # it stands in place of the picture
        return {"findings": tuple(found), "fields": fields}


def fields_of(path: Path, *, allow_invalid: bool = False) -> tuple[Field, ...]:
    """The fields of a file as it stands; none for a list of operations. Raises what is wrong with the file."""
    return _fields(Reading(path), allow_invalid=allow_invalid)


def _fields(reading: Reading, *, allow_invalid: bool) -> tuple[Field, ...]:
    from tikzgen.watch.fields import fields_of_spec, fields_of_tex

    path = Path(reading.path)
    if path.suffix.lower() == ".tex":
        from tikzgen.source.text import read_source

        return fields_of_tex(read_source(path), path)
    if path.suffix.lower() == ".csv":
        return ()
    valid = valid_reading(reading, allow_invalid=allow_invalid)
    found, document = valid.facts
    return fields_of_spec(found, document.data, valid.figure, valid.rendered.tex)


def _seen(reading: Reading, source: str) -> list[Finding]:
    """What is wrong with the figure as it is shown, whose texts TeX may have measured."""
    from tikzgen.geometry.looking import drawing_of, look_at

    drawing = drawing_of(reading)
    return look_at([replace(drawing, source=source)]).findings if drawing else []
