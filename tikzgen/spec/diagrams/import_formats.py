"""Languages of diagrams that tikzgen imports: the table `IMPORT_FORMATS` and the base class of its entries."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tikzgen.base.errors import Place, Problem, SpecError, TikzgenError, quote
from tikzgen.base.extensions import Table
from tikzgen.base.record import Record
from tikzgen.base.suggest import suggest_known_names
from tikzgen.spec.diagrams.diagram_source import DiagramSource, add_data
from tikzgen.spec.document import DocumentBuilder


class Syntax(Record):
    """A piece of a language for the documentation: an example, and its counterpart in a spec."""

    example: str
    meaning: str
    is_taken: bool = True
    """Whether the import takes it; otherwise it is an error, and `--partial` leaves it out."""


class ImportFormat:
    """A language of diagrams."""

    phrase: str
    """Name in a sentence, such as "Mermaid flowchart"."""
    suffixes: tuple[str, ...]
    """Suffixes of its files in lowercase, such as ".mmd"."""
    frame: str
    """A whole diagram around an example of `syntax`, with `{}` for the example."""
    syntax: tuple[Syntax, ...]
    """Examples of supported and unsupported statements, for the documentation; tests import each example."""

    @abstractmethod
    def recognizes_text(self, text: str) -> bool:
        """Return whether a file begins like a diagram of this language."""

    @abstractmethod
    def read_diagram(self, source: DiagramSource) -> dict[str, Any]:
        """Return the data of a spec; report unsupported statements. Raise `SpecError` for a broken structure."""


_HERE = "tikzgen.spec.diagrams"

IMPORT_FORMATS: Table[ImportFormat] = Table(
    "imports",
    {
        "flowchart": f"{_HERE}.mermaid_flowchart:MermaidFlowchart",
        "sequence": f"{_HERE}.mermaid_sequence:MermaidSequence",
        "gantt": f"{_HERE}.mermaid_gantt:MermaidGantt",
        "dot": f"{_HERE}.dot_graph:DotGraph",
        "d2": f"{_HERE}.d2_graph:D2Diagram",
    },
    needed=("phrase", "suffixes", "frame", "syntax", "recognizes_text", "read_diagram"),
)
"""Languages in the order of recognition."""
BUILT_IN_SUFFIXES = (".mmd", ".mermaid", ".dot", ".gv", ".d2")
"""Suffixes of the built-in languages; no language is imported to recognize a file."""
_SPEC_SUFFIXES = ("", ".yaml", ".yml", ".json", ".toml", ".tex", ".csv")


def is_diagram(name: str) -> bool:
    """Return whether the suffix of a file is one of a language of diagrams."""
    suffix = Path(name).suffix.lower() if not name.startswith("<") else ""
    if suffix in BUILT_IN_SUFFIXES or suffix in _SPEC_SUFFIXES:
        return suffix in BUILT_IN_SUFFIXES
    return any(suffix in IMPORT_FORMATS[each].suffixes for each in IMPORT_FORMATS.map_entry_packages())


def read_diagram_text(
    text: str, name: str, *, stated: str = "", partial: bool = False
) -> tuple[DocumentBuilder, DiagramSource]:
    """Read a diagram into a builder of a document; return also its source with the problems and notes.

    `stated` is the language that the user states; empty means that the suffix and the contents decide. Raise
    `SpecError` with one line per problem.
    """
    source = DiagramSource(text, name, partial=partial)
    if not text.strip():
        source.refuse("is empty", 0, "write a diagram")
    data = IMPORT_FORMATS[_find_format(text, name, stated)].read_diagram(source)
    source.check()
    builder = DocumentBuilder(name)
    add_data(builder, data, source)
    return builder, source


def _find_format(text: str, name: str, stated: str) -> str:
    """Return the language of a diagram. Raise `TikzgenError` for an unknown one."""
    if stated:
        if stated not in IMPORT_FORMATS:
            hint = suggest_known_names(stated, IMPORT_FORMATS.list_entry_names(), "the languages are")
            raise TikzgenError(f"language: unknown language {quote(stated)}", hint=hint)
        return stated
    suffix = Path(name).suffix.lower()
    candidates: list[str] = []
    tables: tuple[Iterable[str], ...] = (IMPORT_FORMATS.built_in, IMPORT_FORMATS.map_entry_packages())
    for names in tables:
        known = [each for each in names if suffix in IMPORT_FORMATS[each].suffixes]
        candidates += known if is_diagram(name) else names
        if is_diagram(name) and len(candidates) == 1:
            return candidates[0]
        for each in candidates:
            if IMPORT_FORMATS[each].recognizes_text(text):
                return each
    phrases = [IMPORT_FORMATS[each].phrase for each in candidates]
    hint = f"tikzgen imports {', '.join(phrases)}"
    raise SpecError([Problem("unknown kind of diagram", place=Place(name, 1, 1), hint=hint)])
