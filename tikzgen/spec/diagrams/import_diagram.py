"""Import of a diagram: a file in another language in, the text of a valid spec out."""

from __future__ import annotations

from pathlib import Path

from tikzgen.base.errors import Problem
from tikzgen.base.record import Record
from tikzgen.spec.diagrams.import_formats import read_diagram_text
from tikzgen.spec.load_figure import figure_of
from tikzgen.spec.source import read_text
from tikzgen.spec.spec_text import to_yaml


class ImportedDiagram(Record):
    """The text of a spec in YAML, the parts of the diagram that are left out, and further remarks."""

    spec_text: str
    left_out: tuple[Problem, ...]
    notes: tuple[Problem, ...]


def import_diagram(path: str | Path, *, stated: str = "", partial: bool = False) -> ImportedDiagram:
    """Read a diagram from a file, or from standard input if `path` is `-`, and return its spec.

    `stated` is the language; empty means that the suffix or the contents decide. Raise `SpecError` for unsupported
    statements, unless the import is `partial`, and for a broken structure.
    """
    text, name = read_text(path)
    builder, source = read_diagram_text(text, name, stated=stated, partial=partial)
    document = builder.make_document()
    figure_of(document)
    return ImportedDiagram(to_yaml(document.data), tuple(source.problems), tuple(source.notes))
