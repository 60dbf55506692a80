"""TG213: what a paper would find changed after the figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written
from tikzgen.texfile.source_facts import Color, Definition

__all__ = ["RULE"]

_EVERYWHERE = ("\\global", "\\pgfsetlayers")
# what makes or changes something that has no braces of its own
_MAKING = ("let", "newif", "newlength", "newdimen", "newcount", "newcounter", "newsavebox", "newbox", "newenvironment")
_CHANGING = ("setlength", "addtolength", "setcounter", "pagecolor", "tikzset", "pgfkeys", "tikzstyle")


def _look(subject: Written) -> Iterator[Broken]:
    facts = subject.facts
    loose = [
        each
        for each in facts.definitions
        if subject.leaks(each.span.start)
        or (each.command in ("gdef", "xdef") and not facts.is_sheltered(each.span.start))
    ]
    if loose:
        hint = r"put them between \begingroup and \endgroup"
        yield Broken(subject.place(loose[0].span.start), f"definitions leak into a paper: {_named(loose)}", hint)
    for name in _EVERYWHERE:
        for span in facts.uses.get(name, ()):
            if not facts.is_sheltered(span.start):
                yield Broken(subject.place(span.start), f"{name} leaks into a paper", "move it into the picture")
    for command in (*_MAKING, *_CHANGING):
        for span in facts.uses.get(f"\\{command}", ()):
            if subject.leaks(span.start):
                message = f"\\{command} leaks into a paper"
                yield Broken(subject.place(span.start), message, "move it into the picture or a group")
    colors = [each for each in facts.colors if each.span.start > subject.body > 0 and subject.leaks(each.span.start)]
    if colors:
        message = f"colours leak into a paper: {_named(colors)}"
        yield Broken(subject.place(colors[0].span.start), message, "define them in the preamble or in a group")
    for library in facts.loaded:
        if library.command.endswith("library") and library.span.start > subject.body > 0:
            message = f"the library {library.name} is loaded in the body, where it works once"
            yield Broken(subject.place(library.span.start), message, "load it in the preamble")


def _named(found: Sequence[Definition | Color]) -> str:
    return ", ".join(each.name for each in found[:3]) + (", …" if len(found) > 3 else "")


_SUMMARY = "no macro, style, colour, layer or library leaks into a paper"
RULE = Rule("TG213", "leaking-definition", _SUMMARY, Written, _look)
