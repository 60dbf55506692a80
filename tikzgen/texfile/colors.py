r"""Colours where they are used: in options, and in commands such as `\textcolor`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tikzgen.texfile.code import Code
from tikzgen.texfile.source_facts import ColorLiteral, ColorUse, Option
from tikzgen.texfile.text import Span

__all__ = ["STOCK", "color_literals", "color_uses"]

# The names that xcolor and its sets bring along and that figures use.
_ALWAYS = "red green blue cyan magenta yellow black gray white darkgray lightgray brown lime olive orange pink purple"
_SETS = "Red Green Blue Orange Purple Maroon Navy NavyBlue ForestGreen RoyalBlue SkyBlue SteelBlue Teal Violet Gray"
_MORE = "teal violet Black White Yellow Cyan Magenta Crimson Gold Salmon Tomato DarkGreen DarkBlue DarkRed LightGray"
STOCK = frozenset(f"{_ALWAYS} {_SETS} {_MORE}".split())
_KEYS = {"color", "draw", "fill", "text", "pattern color", "ball color", "top color", "bottom color", "left color"}
_KEYS |= {"right color", "inner color", "outer color", "middle color", "double", "shading color", "page color"}
_NAME = re.compile(r"(?<![\w.\\#@])([A-Za-z][\w@.-]*)")
_EXPRESSION = re.compile(r"[-A-Za-z][\w@.-]*(?:![-\w@.#]+)*(?:!!?[<>\[\]\w+]*)?$")
_COMMAND = re.compile(r"\\(?:text|page|f)?color(?:box)?(?:\[[^\]]*\])?\s*\{([^{}]*)\}")
_GIVEN = re.compile(
    r"\\(?:text|page|f)?color(?:box)?\s*\[(?P<model>HTML|rgb|RGB|cmyk|gray|hsb|wave)\]\s*\{(?P<value>[^{}]*)\}"
)
_MIXED = re.compile(r"\b(?P<model>rgb|RGB|cmyk|hsb)\s*,\s*(?P<value>\d+\s*:[^{}\[\]\\]*)")
_MODELS = ("rgb", "RGB", "cmyk", "hsb")


def color_uses(code: Code, lists: Iterable[tuple[Option, ...]], defined: frozenset[str]) -> Iterator[ColorUse]:
    r"""Every name in a colour expression; `defined` are the names that the file itself defines."""
    known = defined | STOCK
    for given in lists:
        for option in given:
            if option.value_span is None:
                if option.key.partition("!")[0] in known and _EXPRESSION.match(option.key):
                    yield from _names(code, option.span, known, defined)
            elif option.key in _KEYS or _is_color(option.value or "", defined):
                yield from _names(code, option.value_span, known, defined)
    for command in _COMMAND.finditer(code.mask):
        yield from _names(code, Span(*command.span(1)), known, defined)


def color_literals(code: Code) -> Iterator[ColorLiteral]:
    """Colours that are numbers where they are used; definitions have their own list."""
    found = list(_GIVEN.finditer(code.mask))
    if any(model in code.mask for model in _MODELS):  # looking for words at every place takes long
        inside = [each.span() for each in found]
        found += [
            each for each in _MIXED.finditer(code.mask) if not any(start <= each.start() < end for start, end in inside)
        ]
    for each in sorted(found, key=lambda each: each.start()):
        yield ColorLiteral(each["model"], each["value"].strip(), Span(*each.span()))


def _is_color(value: str, defined: frozenset[str]) -> bool:
    """Whether the value of a key of one's own is a colour, as in `tone=otblue`."""
    return ("!" in value or value in defined) and _EXPRESSION.match(value) is not None


def _names(code: Code, span: Span, known: frozenset[str], defined: frozenset[str]) -> Iterator[ColorUse]:
    for found in _NAME.finditer(code.mask, *span):
        if found[1] in known:
            yield ColorUse(found[1], Span(*found.span(1)), found[1] not in defined)
