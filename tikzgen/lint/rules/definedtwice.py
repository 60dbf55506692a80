"""TG220: a name that is given twice: what comes second counts, and nobody is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written
from tikzgen.texfile.loops import node_names
from tikzgen.texfile.text import Span

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    facts = subject.facts
    parameters = facts.parameters.parameters if facts.parameters else ()
    yield from _twice(subject, "parameter", ((each.name, 0, each.span) for each in parameters))
    # what stands in a picture or in a macro's body is defined there alone
    colors = (each for each in facts.colors if not facts.is_sheltered(each.span.start))
    yield from _twice(subject, "colour", ((each.name, 0, each.span) for each in colors))
    # a style of the same name in a scope of its own is meant
    heads = [option.span for picture in facts.pictures for option in picture.options]
    starts = {span.start: span for span in heads}
    styles = ((each.name, each.picture or 0, each.span) for each in facts.styles if each.span.start in starts)
    yield from _twice(subject, "style", styles)
    if "\\only" in facts.uses or "\\alt" in facts.uses:  # slides may draw a node once more
        return
    nodes = (
        (name, facts.statements[node.statement].picture, node.name_span or node.span)
        for index, node in enumerate(facts.nodes)
        for name in node_names(facts, index)
        if "\\" not in name
    )
    yield from _twice(subject, "node", nodes)


def _twice(subject: Written, what: str, named: Iterable[tuple[str, int, Span]]) -> Iterator[Broken]:
    first: dict[tuple[str, int], Span] = {}
    for name, picture, span in named:
        before = first.setdefault((name, picture), span)
        if before.start != span.start:
            message = f"the {what} {quoted(name)} is there already (line {subject.place(before.start).line})"
            yield Broken(subject.place(span.start), message, "give one of them another name")


RULE = Rule(
    "TG220", "defined-twice", "no parameter, colour, style or node of a picture is defined twice", Written, _look
)
