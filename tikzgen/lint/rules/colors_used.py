"""Rules on the colors of a .tex and on the palette that it defines (variant and names).

TG207, TG208, TG209.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from pydantic import ValidationError

from tikzgen.base.errors import quote
from tikzgen.base.suggest import did_you_mean
from tikzgen.lint.inventory.inventory_facts import StyleInFile as Inventoried
from tikzgen.lint.registry import Broken, Fix, rule
from tikzgen.lint.written_tex import FigureFile
from tikzgen.model.looks import PALETTES, Style, own_color
from tikzgen.texfile import KNOWN_COLORS, Color, ColorLiteral, ColorUse, Facts, Replacement, TextSpan

_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_SCALES = {"rgb": 255.0, "RGB": 1.0}


def hex_of(model: str, value: str) -> str:
    """Return a color as six uppercase hexadecimal digits; empty unless it is HTML, rgb, RGB or gray.

    In `rgb,255:red,0;green,114;blue,178`, the value begins with the divisor of its components.
    """
    if model == "HTML":
        return value.strip().upper()
    head, colon, parts = value.partition(":")
    if colon and model in _SCALES and {"red", "green", "blue"} <= set(re.findall("[a-z]+", parts)):
        found = dict(re.findall(r"(red|green|blue)\s*,\s*([\d.]+)", parts))
        scale = 255 / (float(head) or 1)
        given = [float(found.get(name, 0)) * scale for name in ("red", "green", "blue")]
    elif model == "gray":
        given = [float(number) * 255 for number in _NUMBER.findall(value)[:1]] * 3
    elif model in _SCALES:
        given = [float(number) * _SCALES[model] for number in _NUMBER.findall(value)]
    else:
        return ""
    if len(given) != 3 or not all(0 <= part <= 255 for part in given):
        return ""
    return "".join(f"{round(part):02X}" for part in given)


def find_palette(facts: Facts) -> str:
    """Return the palette of most colors of the file: light or dark."""
    found = Counter(
        name
        for name, palette in PALETTES.items()
        for color in facts.colors
        if palette.get(color.name) == hex_of(color.model, color.value)
    )
    return max(PALETTES, key=lambda name: found[name])


def names_of(facts: Facts) -> dict[str, str]:
    """Return the names of the palette colors that the file defines, by their values in the file."""
    known = PALETTES[find_palette(facts)]
    return {
        _convert_to_hex(color): color.name
        for color in reversed(facts.colors)
        if color.name in known and _convert_to_hex(color)
    }


def _convert_to_hex(color: Color) -> str:
    return hex_of(color.model, color.value)


_BASE_COLORS = {"paper", "ink", "black", "white"}


@rule("TG207", "flows of different styles have different colors")
def _shared_color(subject: FigureFile) -> Iterator[Broken]:
    if not subject.is_tikzgen_figure:
        return
    drawn = {flow.style for flow in subject.inventory.flows if flow.style and flow.style != "link"}
    listed = subject.contract.distinct if subject.contract else ()
    for names in listed or [drawn]:
        what = "flows of the styles" if drawn.issuperset(names) else "the styles"
        yield from _find_shared_color(subject, names, what)


def _find_shared_color(subject: FigureFile, names: Collection[str], what: str) -> Iterator[Broken]:
    """Find styles that share a color but must have distinct ones."""
    seen: dict[str, list[Inventoried]] = {}
    for style in subject.inventory.styles:
        colors = [color for color in style.colors if color not in _BASE_COLORS]
        if style.name not in names or not colors:
            continue
        alike = seen.setdefault(colors[0], [])
        other = next(
            (one for one in alike if one.name != style.name and not _differ_by_dash(subject, one, style)), None
        )
        alike.append(style)
        if other is not None:
            found = subject.facts.find_style(style.name)
            message = f"{what} {quote(other.name)} and {quote(style.name)} share the color {colors[0]}"
            yield Broken(subject.place_of(found.span.start if found else 0), message, "give one of them another")


_DASH = re.compile(r"(?:densely )?(?:dashed|dotted)|double|snake")


def _differ_by_dash(subject: FigureFile, one: Inventoried, other: Inventoried) -> bool:
    """Return whether two flow styles of tikzgen differ in their dashes; false if one was edited manually.

    tikzgen has five colors for eight kinds, so kinds may share a color.
    """
    by_hand = {one.line, other.line} & subject.changed_lines
    return not by_hand and _DASH.findall(one.value) != _DASH.findall(other.value)


_PALETTE_HINT = "use a palette color or a tint of one"
_WORD = re.compile(r"[A-Za-z]+")
_COLOR_VALUE = re.compile(r"\s*\[\w+\]\s*\{[^{}]*\}")
_KEY = re.compile(r"[A-Za-z ]+\s*=\s*\{?$")


@rule(
    "TG208",
    "colors come from the palette block, by name",
    fixes="replaces a color by its name in the palette",
)
def _stray_color(subject: FigureFile) -> Iterator[Broken]:
    if not subject.is_tikzgen_figure:
        return
    facts = subject.facts
    ours = names_of(facts)
    for literal in facts.color_literals:
        name = ours.get(hex_of(literal.model, literal.value), "")
        message = f"color {literal.value} is outside the palette block"
        fix = _by_name(subject, literal, name) if name else None
        yield Broken(subject.place_of(literal.span.start), *_stray_color_says(message, name), fix)
    known = PALETTES["light"]
    defined = {color.name for color in facts.colors}
    for use in facts.color_uses:
        unknown = not use.stock and use.name not in defined
        if unknown and subject.has_palette and (meant := did_you_mean(use.name, sorted(defined))):
            yield Broken(subject.place_of(use.span.start), f"unknown color {quote(use.name)}", meant)
    uses = (*facts.color_uses, *_in_names(facts, 0 if subject.has_palette else subject.body))
    for use in uses:
        mixed = facts.text[: use.span.start].endswith("!")
        if use.stock and not (mixed and use.name in ("black", "white")):
            name = next((each for each in ours.values() if each == f"ot{use.name}"), "")
            if use.name == "white":
                name = ours.get("FFFFFF", "")
            fix = Fix((Replacement(use.span, use.name, name),)) if name else None
            message = f"{use.name} is not a palette color" + (f", {name} is" if name else "")
            yield Broken(subject.place_of(use.span.start), message, f"use {name}" if name else _PALETTE_HINT, fix)
    if subject.has_palette:
        for color in facts.colors:
            if color.name not in known and color.model and own_color(color.name) is None:
                name = ours.get(hex_of(color.model, color.value), "")
                message = f"color {color.name} is defined as {color.value}, outside the palette"
                fix = _make_palette_fix(subject, color, name) if name else None
                yield Broken(subject.place_of(color.span.start), *_stray_color_says(message, name), fix)


def _in_names(facts: Facts, start: int) -> Iterator[ColorUse]:
    """Yield the stock colors in color aliases from `start` on, such as `red!50` for `accent`."""
    defined = {color.name for color in facts.colors}
    for color in facts.colors:
        named = not color.model and color.span.start >= start
        for word in _WORD.finditer(facts.code.mask, *color.value_span) if named else ():
            if word[0] in KNOWN_COLORS and word[0] not in defined:
                yield ColorUse(word[0], TextSpan(*word.span()), True)


def _stray_color_says(message: str, name: str) -> tuple[str, str]:
    """Return the message and the hint, with the palette's name of the color if it has one."""
    return (f"{message}, which has it as {name}", f"use {name}") if name else (message, _PALETTE_HINT)


def _by_name(subject: FigureFile, literal: ColorLiteral, name: str) -> Fix | None:
    """Return the fix that replaces a color value by a name, in a command or in an option."""
    text = subject.facts.text
    old = literal.span.extract_from(text)
    if old.startswith("\\"):
        given = _COLOR_VALUE.search(old)
        if given is None:
            return None
        span = TextSpan(literal.span.start + given.start(), literal.span.start + given.end())
        return Fix((Replacement(span, given[0], f"{{{name}}}"),))
    after = text[literal.span.end : literal.span.end + 1]
    begins = _KEY.search(text, max(literal.span.start - 40, 0), literal.span.start)
    return Fix((Replacement(literal.span, old, name),)) if begins and after == "}" else None


def _make_palette_fix(subject: FigureFile, color: Color, name: str) -> Fix | None:
    """Return the fix that uses the palette's name and removes a definition; None if a use is unclear."""
    facts = subject.facts
    text = facts.text
    uses = [Replacement(use.span, use.name, name) for use in facts.color_uses if use.name == color.name]
    spelt = re.findall(rf"(?<![\w@.-]){re.escape(color.name)}(?![\w@.-])", facts.code.mask)
    if len(spelt) != len(uses) + 1:
        return None
    start, end = color.span
    if not text[text.rfind("\n", 0, start) + 1 : start].strip() and (
        line := re.compile(r"%?[ \t]*\r?\n").match(text, end)
    ):
        start, end = text.rfind("\n", 0, start) + 1, line.end()
    return Fix((*uses, Replacement(TextSpan(start, end), text[start:end], "")))


@rule(
    "TG209",
    "palette colors have the values of one palette, light or dark",
    fixes="sets the palette's value",
)
def _palette_drift(subject: FigureFile) -> Iterator[Broken]:
    if not subject.facts.colors:
        return
    name = find_palette(subject.facts)
    right = _of_house(subject, name)
    # paper and ink are names that third-party files may use for other colors.
    strict = any(color.name.startswith("ot") and color.name in right for color in subject.facts.colors)
    for color in subject.facts.colors:
        wanted = right.get(color.name) if strict else None
        if wanted is None or hex_of(color.model, color.value) == wanted:
            continue
        message = f"{color.name} is {color.value}, in the {name} palette it is {wanted}"
        fix = None
        if color.model == "HTML":
            fix = Fix((Replacement(color.value_span, color.value_span.extract_from(subject.facts.text), wanted),))
        yield Broken(subject.place_of(color.value_span.start), message, f"set it to {wanted}", fix)


def _of_house(subject: FigureFile, palette: str) -> dict[str, str]:
    """Return the palette with the colors of the house style in the embedded description."""
    said = (subject.inventory.description or {}).get("style")
    try:
        return Style.model_validate(said or {}).colors(palette)
    except ValidationError:
        return PALETTES[palette]  # another rule reports errors of the description
