"""Rules of a third party: for the .tex as it is written, and for the page that is drawn of it."""

from collections.abc import Iterator

from tikzgen.base.errors import Place
from tikzgen.lint.probe.page_with_source import Sheet
from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.lint.written_tex import FigureFile


@rule("ACME001", "a figure has at most five nodes", Severity.WARNING)
def few_nodes(subject: FigureFile) -> Iterator[Broken]:
    if len(subject.facts.nodes) > 5:
        yield Broken(Place(subject.name, 1), f"{len(subject.facts.nodes)} nodes", "draw fewer workers")


@rule("ACME002", "a page has nodes")
def short_title(subject: Sheet) -> Iterator[Broken]:
    if subject.page.nodes:
        yield Broken(Place(subject.name, 1), f"{len(subject.page.nodes)} nodes on the page")
