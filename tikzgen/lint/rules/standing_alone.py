"""Rules on a .tex that compiles alone, and in a paper without side effects.

TG201, TG212, TG213, TG222.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tikzgen.lint.registry import Broken, Fix, rule
from tikzgen.lint.written_tex import FigureFile
from tikzgen.texfile import Color, Definition, Replacement, TextSpan

_CLOSING = {"]": "[", ")": "("}
_MARK = re.compile(r"\\.|[][(){}]", re.DOTALL)


@rule("TG201", "braces, environments and statements end where they should")
def _balance(subject: FigureFile) -> Iterator[Broken]:
    for error in subject.facts.errors:
        yield Broken(subject.place_of(error.at), error.message)
    yield from _find_unbalanced_groups(subject)
    yield from _find_unbalanced_brackets(subject)


def _find_unbalanced_groups(subject: FigureFile) -> Iterator[Broken]:
    r"""Find a `\begingroup` without `\endgroup` or the reverse; the body of a macro may contain one of them."""
    facts = subject.facts
    marks = [(span.start, True) for span in facts.uses.get("\\begingroup", ())]
    marks += [(span.start, False) for span in facts.uses.get("\\endgroup", ())]
    bodies = [each.value_span for each in facts.definitions]
    opened: list[int] = []
    for at, opens in sorted(marks):
        if any(start <= at < end for start, end in bodies):
            continue
        if opens:
            opened.append(at)
        elif opened:
            opened.pop()
        else:
            yield Broken(subject.place_of(at), "this group was never opened")
    for at in opened:
        yield Broken(subject.place_of(at), "this group is never closed")


def _find_unbalanced_brackets(subject: FigureFile) -> Iterator[Broken]:
    """Find a bracket or parenthesis of a path without its counterpart; text in braces is skipped."""
    code = subject.facts.code.mask
    for statement in subject.facts.statements:
        opened: list[int] = []
        depth = 0
        for found in _MARK.finditer(code, *statement.span):
            mark = found[0]
            depth += (mark == "{") - (mark == "}")
            if depth < 0:  # the path is split over the body of a macro
                opened.clear()
                break
            if depth or len(mark) > 1 or mark in "{}":
                continue
            if mark in _CLOSING.values():
                opened.append(found.start())
            elif opened and code[opened[-1]] == _CLOSING[mark]:
                opened.pop()
            else:
                yield Broken(subject.place_of(found.start()), f"this {mark} closes nothing", "open it, or take it away")
                opened.clear()
                break
        if opened:
            mark = code[opened[-1]]
            yield Broken(subject.place_of(opened[-1]), f"this {mark} is never closed", "close it")


_BLANK = re.compile(r"[ \t]+(?=%)|[ \t]*(?=[\r\n])")


@rule("TG212", "lines of the body add no space next to the picture", fixes="ends the lines with %")
def _leaked_space(subject: FigureFile) -> Iterator[Broken]:
    facts = subject.facts
    used = facts.document_class
    if used is not None and used.name != "standalone":  # other classes ignore spaces at the start of a paragraph
        return
    made = [each.span for each in facts.definitions] + [each.span for each in facts.colors]
    edits = []
    for _, end in sorted(made):
        found = _BLANK.match(facts.text, end)
        # A space between two pictures may be intended.
        if end > subject.body and found and not facts.is_sheltered(end):
            comment = facts.text.startswith("%", found.end())
            edits.append(Replacement(TextSpan(end, found.end()), found[0], "" if comment else "%"))
    if edits and (used is not None or subject.facts.parameters is not None):
        lines = f"{len(edits)} lines add a space each" if len(edits) > 1 else "this line adds a space"
        hint = "end the line with % right after the brace"
        yield Broken(subject.place_of(edits[0].span.start), f"{lines} beside the picture", hint, Fix(tuple(edits)))


# Commands that create or change something and have no scope themselves.
_MAKING = ("let", "newif", "newlength", "newdimen", "newcount", "newcounter", "newsavebox", "newbox", "newenvironment")
_CHANGING = ("setlength", "addtolength", "setcounter", "pagecolor", "tikzset", "pgfkeys", "tikzstyle", "pgfsetlayers")


@rule("TG213", "no macro, style, color, layer or library leaks into a paper")
def _leaking_definition(subject: FigureFile) -> Iterator[Broken]:
    facts = subject.facts
    loose = [
        each
        for each in facts.definitions
        if subject.is_leaking(each.span.start)
        or (each.command in ("gdef", "xdef") and not facts.is_sheltered(each.span.start))
    ]
    if loose:
        hint = r"put them between \begingroup and \endgroup"
        yield Broken(
            subject.place_of(loose[0].span.start), f"definitions leak into a paper: {_definition_names(loose)}", hint
        )
    for span in facts.uses.get("\\global", ()):
        if not facts.is_sheltered(span.start):
            yield Broken(subject.place_of(span.start), "\\global leaks into a paper", "move it into the picture")
    for command in (*_MAKING, *_CHANGING):
        for span in facts.uses.get(f"\\{command}", ()):
            if subject.is_leaking(span.start):
                message = f"\\{command} leaks into a paper"
                yield Broken(subject.place_of(span.start), message, "move it into the picture or a group")
    colors = [
        each for each in facts.colors if each.span.start > subject.body > 0 and subject.is_leaking(each.span.start)
    ]
    if colors:
        message = f"colors leak into a paper: {_definition_names(colors)}"
        yield Broken(subject.place_of(colors[0].span.start), message, "define them in the preamble or in a group")
    for library in facts.loaded:
        if library.command.endswith("library") and library.span.start > subject.body > 0:
            message = f"the library {library.name} is loaded in the body, where it works once"
            yield Broken(subject.place_of(library.span.start), message, "load it in the preamble")


def _definition_names(found: Sequence[Definition | Color]) -> str:
    return ", ".join(each.name for each in found[:3]) + (", …" if len(found) > 3 else "")


@rule("TG222", "standalone figures include no other files")
def _side_file(subject: FigureFile) -> Iterator[Broken]:
    used = subject.facts.document_class
    if used is None or used.name != "standalone":
        return
    for each in subject.facts.inclusions:
        message = f"the standalone figure includes the file {each.path}"
        yield Broken(subject.place_of(each.span.start), message, "draw its contents, or paste its text here")
