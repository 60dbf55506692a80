r"""Reader of definitions: packages, libraries, colors and their uses, macros, and the parameter block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import replace
from tikzgen.base.stock_colors import STOCK
from tikzgen.texfile.code import Code
from tikzgen.texfile.options_and_coordinates import read_options, read_styles
from tikzgen.texfile.source_facts import (
    Collected,
    Color,
    ColorLiteral,
    ColorUse,
    Definition,
    Inclusion,
    LoadedPackage,
    Option,
    ParameterBlock,
    SourceStyle,
)
from tikzgen.texfile.source_text import TextSpan
from tikzgen.texfile.tokens import TexToken

# Color names of xcolor and its sets that occur in figures.
_SETS = "Red Green Blue Orange Purple Maroon Navy NavyBlue ForestGreen RoyalBlue SkyBlue SteelBlue Teal Violet Gray"
_MORE_COLORS = "Black White Yellow Cyan Magenta Crimson Gold Salmon Tomato DarkGreen DarkBlue DarkRed LightGray"
KNOWN_COLORS = frozenset((*STOCK, *f"{_SETS} {_MORE_COLORS}".split()))
_KEYS = {"color", "draw", "fill", "text", "pattern color", "ball color", "top color", "bottom color", "left color"}
_KEYS |= {"right color", "inner color", "outer color", "middle color", "double", "shading color", "page color"}
_NAME = pattern_of(r"(?<![\w.\\#@])([A-Za-z][\w@.-]*)")
_EXPRESSION = pattern_of(r"[-A-Za-z][\w@.-]*(?:![-\w@.#]+)*(?:!!?[<>\[\]\w+]*)?$")
_COLOR_NAME = pattern_of(r"[A-Za-z][A-Za-z0-9]*(?:![A-Za-z0-9.]+)*")
_COMMAND = pattern_of(r"\\(?:text|page|f)?color(?:box)?(?:\[[^\]]*\])?\s*\{([^{}]*)\}")
_GIVEN_COLOR = pattern_of(
    r"\\(?:text|page|f)?color(?:box)?\s*\[(?P<model>HTML|rgb|RGB|cmyk|gray|hsb|wave)\]\s*\{(?P<value>[^{}]*)\}"
)
_MIXED_COLOR = pattern_of(r"\b(?P<model>rgb|RGB|cmyk|hsb)\s*,\s*(?P<value>\d+\s*:[^{}\[\]\\]*)")
_MODELS = ("rgb", "RGB", "cmyk", "hsb")


def color_uses(
    code: Code, lists: Iterable[tuple[Option, ...]], styles: Iterable[SourceStyle], defined: frozenset[str]
) -> Iterator[ColorUse]:
    r"""Yield every name in a color expression; `defined` are the names that the file defines."""
    known = defined | KNOWN_COLORS
    keys = _KEYS | {style.name for style in styles if any(map(_takes_color, style.options))}
    for given in lists:
        for option in given:
            if option.value_span is None:
                if option.key.partition("!")[0] in known and _EXPRESSION.match(option.key):
                    yield from _find_color_names(code, option.span, known, defined)
            elif option.key in keys and option.value != "none" and _COLOR_NAME.fullmatch(option.value or ""):
                yield from _find_color_names(code, option.value_span, None, defined)
            elif option.key in keys or _is_color(option.value or "", defined):
                yield from _find_color_names(code, option.value_span, known, defined)
    for command in _COMMAND.finditer(code.mask):
        yield from _find_color_names(code, TextSpan(*command.span(1)), known, defined)


def color_literals(code: Code) -> Iterator[ColorLiteral]:
    """Yield colors given as numbers at their use; definitions are listed separately."""
    found = list(_GIVEN_COLOR.finditer(code.mask))
    if any(model in code.mask for model in _MODELS):  # a quick check, because the search at every offset is slow
        inside = [each.span() for each in found]
        found += [
            each
            for each in _MIXED_COLOR.finditer(code.mask)
            if not any(start <= each.start() < end for start, end in inside)
        ]
    for each in sorted(found, key=lambda each: each.start()):
        yield ColorLiteral(each["model"], each["value"].strip(), TextSpan(*each.span()))


def _takes_color(option: Option) -> bool:
    """Return whether an option of a style mixes the color that is the style's argument."""
    return option.key in _KEYS and (option.value or "").startswith("#1!")


def _is_color(value: str, defined: frozenset[str]) -> bool:
    """Return whether the value of an unknown key is a color, as in `tone=otblue`."""
    return ("!" in value or value in defined) and _EXPRESSION.match(value) is not None


def _find_color_names(
    code: Code, span: TextSpan, known: frozenset[str] | None, defined: frozenset[str]
) -> Iterator[ColorUse]:
    """Yield the color names in a span that are `known`, or all names if `known` is unset."""
    for found in _NAME.finditer(code.mask, *span):
        if known is None or found[1] in known:
            yield ColorUse(found[1], TextSpan(*found.span(1)), found[1] in KNOWN_COLORS and found[1] not in defined)


_ENTRY = pattern_of(r"[,{]")
_DEFINE = {"def", "edef", "gdef", "xdef"}
_COMMANDS = {f"{verb}command" for verb in ("new", "renew", "provide")} | {"DeclareRobustCommand"}
_MATHS = {"pgfmathsetmacro", "pgfmathtruncatemacro"}
_LOADING = {"documentclass", "usepackage", "RequirePackage", "usetikzlibrary", "usepgflibrary", "usepgfplotslibrary"}
_COLORS = {"definecolor", "providecolor", "colorlet"}
_INCLUSIONS = {"includegraphics", "input", "include", "includestandalone"}
_WANTED_COMMANDS = _DEFINE | _COMMANDS | _MATHS | _LOADING | _COLORS | _INCLUSIONS | {"tikzset", "tikzstyle", "pgfkeys"}
_WORD = pattern_of(r"[ \t\r\n]*(\\(?:[A-Za-z@]+|.))")
_COMMENT = pattern_of(r"[ \t]*(%[^\r\n]*)")
_BEGIN = pattern_of(r"%+\s*={3,}\s*parameters\b", re.IGNORECASE)
_END = pattern_of(r"%+\s*={3,}\s*$")


def read_definitions(code: Code, tokens: list[TexToken], found: Collected) -> None:
    """Find every definition and every loaded package."""
    text = code.text
    comments = {start for kind, start, _ in tokens if kind == "comment"}
    for kind, start, end in tokens:
        if kind != "word":
            continue
        command = text[start + 1 : end]
        if command not in _WANTED_COMMANDS:
            continue
        if command in _DEFINE or command in _COMMANDS or command in _MATHS:
            if definition := _read_definition(code, command, start, end):
                found.definitions.append(_with_comment(text, comments, definition))
        else:
            _read_other_command(code, command, start, end, found)


def _read_definition(code: Code, command: str, start: int, end: int) -> Definition | None:
    at = code.skip(end)
    if code.mask.startswith("*", at):
        at = code.skip(at + 1)
    if code.read_character(at) == "{" and command not in _DEFINE:
        name, at = code.trim(*code.find_group_contents(at)), code.skip_group(at)
    elif word := _WORD.match(code.mask, at):
        name, at = TextSpan(*word.span(1)), word.end()
    else:
        return None
    if command in _DEFINE:
        parameters = TextSpan(at, code.mask.find("{", at))
    else:
        after = code.skip(at)
        while code.read_character(after) == "[":
            after = code.skip(code.skip_group(after))
        parameters = TextSpan(at, after)
    opening = parameters.end
    if opening < 0 or code.read_character(opening) != "{" or opening not in code.closes:
        return None
    value, whole = code.find_group_contents(opening), TextSpan(start, code.skip_group(opening))
    signature = parameters.extract_from(code.text).strip()
    return Definition(
        command, name.extract_from(code.text), signature, value.extract_from(code.text), whole, name, value
    )


def _with_comment(text: str, comments: set[int], found: Definition) -> Definition:
    """Return the definition with the comment after it on its line."""
    comment = _COMMENT.match(text, found.span.end)
    if comment is None or comment.start(1) not in comments:  # `%` in verbatim text is not a comment
        return found
    return replace(found, comment=comment[1][1:].strip())


def _read_other_command(code: Code, command: str, start: int, end: int, found: Collected) -> None:
    """Read a command that loads, includes, or defines a color or styles."""
    if command == "tikzstyle":
        found.styles += _old_style(code, start, end)
        return
    given: tuple[Option, ...] = ()
    arguments: list[TextSpan] = []
    at = code.skip(end)
    while at in code.closes:
        inside = code.find_group_contents(at)
        if code.read_character(at) == "[" and command not in ("usetikzlibrary", "usepgflibrary"):
            if not arguments:
                given = read_options(code, *inside)
        else:
            arguments.append(inside)
        at = code.skip(code.skip_group(at))
        if command not in _COLORS and arguments:
            break
    if not arguments:
        return
    last = TextSpan(start, arguments[-1].end + 1)
    if command in _LOADING:
        for part in code.split_parts(*arguments[0], _ENTRY):
            name = code.trim(*part)
            if name.start < name.end:
                found.loaded.append(LoadedPackage(command, name.extract_from(code.text), given, name))
    elif command in _COLORS:
        if len(arguments) >= (2 if command == "colorlet" else 3):
            name, value = code.trim(*arguments[0]), code.trim(*arguments[1 if command == "colorlet" else 2])
            model = "" if command == "colorlet" else code.trim(*arguments[1]).extract_from(code.text)
            found.colors.append(
                Color(command, name.extract_from(code.text), model, value.extract_from(code.text), last, value)
            )
    elif command in _INCLUSIONS:
        path = code.trim(*arguments[0])
        found.inclusions.append(Inclusion(command, path.extract_from(code.text), path))
    else:
        settings = read_options(code, *arguments[0])
        found.settings.append(settings)
        found.styles += read_styles(code, settings, None)


def _old_style(code: Code, start: int, end: int) -> Iterator[SourceStyle]:
    r"""Read `\tikzstyle{name}=[…]`, the notation of the first version of TikZ."""
    at = code.skip(end)
    if code.read_character(at) != "{":
        return
    name, at = code.trim(*code.find_group_contents(at)), code.skip(code.skip_group(at))
    if code.read_character(at) == "+":
        at += 1
    at = code.skip(at + 1) if code.read_character(at) == "=" else at
    if code.read_character(at) == "[" and at in code.closes:
        value = code.find_group_contents(at)
        given = read_options(code, *value)
        yield SourceStyle(
            name.extract_from(code.text), given, TextSpan(start, code.skip_group(at)), name, value, False, None
        )


def parameter_block(text: str, tokens: list[TexToken], definitions: list[Definition]) -> ParameterBlock | None:
    """Return the block between `% ==== parameters … ====` and the next `% ====`; the marks may be longer."""
    begin: TextSpan | None = None
    for kind, start, end in tokens:
        if kind != "comment":
            continue
        line = text[start:end].rstrip()
        if begin is None:
            if _BEGIN.match(line):
                begin = TextSpan(start, end)
        elif _END.match(line):
            inside = tuple(each for each in definitions if begin.end <= each.span.start and each.span.end <= start)
            return ParameterBlock(TextSpan(begin.start, end), begin, TextSpan(start, end), inside)
    return None
