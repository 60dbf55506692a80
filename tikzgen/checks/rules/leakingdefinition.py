"""TG213: definitions that a paper would find after the figure."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.checks.registry import Broken, Rule
from tikzgen.checks.subjects import Subject
from tikzgen.checks.written import Written

__all__ = ["RULE"]

_EVERYWHERE = ("\\global", "\\pgfsetlayers")


def _look(subject: Subject) -> Iterator[Broken]:
    if not isinstance(subject, Written):
        return
    facts = subject.facts
    opened = [span.start for span in facts.uses.get("\\begingroup", ())]
    closed = [span.start for span in facts.uses.get("\\endgroup", ())]
    inside = [picture.span for picture in facts.pictures] + [each.value_span for each in facts.definitions]
    loose = []
    for each in facts.definitions:
        at = each.span.start
        grouped = sum(start < at for start in opened) > sum(start < at for start in closed)
        if each.command in ("gdef", "xdef"):
            grouped = False
        if not grouped and not any(start <= at < end for start, end in inside):
            loose.append(each)
    if loose:
        names = ", ".join(each.name for each in loose[:3]) + (", …" if len(loose) > 3 else "")
        hint = r"put them between \begingroup and \endgroup"
        yield Broken(subject.place(loose[0].span.start), f"definitions leak into a paper: {names}", hint)
    for name in _EVERYWHERE:
        for span in facts.uses.get(name, ()):
            if not any(start <= span.start < end for start, end in inside):
                yield Broken(subject.place(span.start), f"{name} leaks into a paper", "move it into the picture")
    for library in facts.loaded:
        if library.command.endswith("library") and library.span.start > subject.body > 0:
            message = f"the library {library.name} is loaded in the body, where it works once"
            yield Broken(subject.place(library.span.start), message, "load it in the preamble")


RULE = Rule("TG213", "leaking-definition", "nothing that the figure defines leaks into a paper", _look)
