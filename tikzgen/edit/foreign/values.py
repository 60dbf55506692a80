"""Operations that change a value in its place: parameters, labels, colors, icons with definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from tikzgen.base.errors import EditRefused, quote
from tikzgen.base.suggest import suggest_known_names
from tikzgen.edit.foreign.family_members import find_family, find_label, list_members
from tikzgen.edit.foreign.foreign_figure import SpanReplacements, Subject, as_tex, line_of
from tikzgen.emit.environment import fill
from tikzgen.lint.inventory import LABEL, ParameterInFile, check_value, is_text, placed_beside, spell_value
from tikzgen.lint.rules.colors_used import find_palette
from tikzgen.model.looks import HUES, PALETTES, discover_icons
from tikzgen.texfile import Option, TextSpan

_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)$")
_WORDS = re.compile(r"\s*(?:[^\\]|\\[%&$#_{}]|\$[^$]*\$)*[^\s\\](?:[^\\]|\\[%&$#_{}])*")
_ICON = re.compile(r"\s*(\\[A-Za-z@]+)\s*$")


def set_parameter(subject: Subject, *, parameter: str, value: Any) -> SpanReplacements:
    """Set a parameter to a value of its type."""
    found = _find_parameter(subject, parameter)
    if is_text(found.type):
        return _set_text(subject, found.name, str(value))
    new = spell_value(found, value if isinstance(value, str) else f"{value:.6f}".rstrip("0").rstrip("."))
    number, held = _NUMBER.match(new), _NUMBER.match(found.value.strip())
    if new == found.value.strip() or (number and held and float(new) == float(found.value)):
        return SpanReplacements(subject.facts)
    if fault := check_value(found, new, subject.bounds.get(found.name, ())):
        bounded = fault.code in ("too-small", "too-large")
        nearest = f"set {found.name[1:]}={fault.nearest}" if bounded else fault.nearest
        raise EditRefused(fault.code, fault.message, nearest=nearest)
    return _set_value(subject, found.name, new)


def _set_text(subject: Subject, macro: str, text: str) -> SpanReplacements:
    known = {each.name: each.value for each in subject.inventory.parameters}
    return _set_value(subject, macro, text if text == known[macro] else as_tex(text, subject.facts))


def _set_value(subject: Subject, macro: str, new: str) -> SpanReplacements:
    spans = [each.value_span for each in subject.parameters if each.name == macro]
    if len(spans) != 1:
        raise EditRefused("defined-twice", f"{macro} is defined {len(spans)} times", nearest="keep one definition")
    facts = subject.facts
    counted = [each.list_span.extract_from(facts.text) for each in facts.loops]
    counted += [each.name or "" for each in facts.nodes]  # a name or a loop's list with the macro
    uses = re.compile(re.escape(macro) + r"(?![A-Za-z@])")
    change = SpanReplacements(facts, recounted=any(map(uses.search, counted)))
    change.replace(spans[0], new)
    return change


def change_spacing(subject: Subject, *, parameter: str, value: float) -> SpanReplacements:
    """Set a distance."""
    found = _find_parameter(subject, parameter)
    if found.type != "length-cm":
        lengths = [each.name[1:] for each in subject.inventory.parameters if each.type == "length-cm"]
        raise EditRefused("no-length", f"{found.name} is not a distance", nearest=_list_names("distance", lengths))
    return set_parameter(subject, parameter=parameter, value=value)


def rename_node(subject: Subject, *, node: str, label: str) -> SpanReplacements:
    """Set the macro that labels a node, or its words in the source."""
    nodes = subject.inventory.nodes
    macros = [each for one in nodes if one.name == node for each in one.labels if "label" in each]
    macros = macros or find_label(subject, node)
    if not macros:
        names = [each.name for each in nodes if any("label" in one for one in each.labels)]
        if node in {each.name for each in nodes}:
            return _set_words(subject, node, label, names)
        raise EditRefused("no-node", f"unknown node {quote(node)}", nearest=_list_names("node", names, node))
    macro = macros[0]
    beside = {each.name for each in subject.facts.nodes if node in placed_beside(each)}
    others = [one.name for one in nodes if macro in one.labels and one.name not in beside | {node}]
    change = _set_text(subject, macro, label)
    if others and change.replacements:
        raise EditRefused("shared-label", f"{macro} labels {quote(others[0])}, too", nearest=f"set {macro[1:]} …")
    return change


def _set_words(subject: Subject, node: str, label: str, others: Sequence[str]) -> SpanReplacements:
    """Replace the words in a node, or in the node of its label, if they are in the source."""
    facts = subject.facts
    for index in subject.list_direct():
        one = facts.nodes[index]
        labels = one.name in (node, node + LABEL) or (one.name is None and node in placed_beside(one))
        if labels and one.text_span and _WORDS.fullmatch(one.text or ""):
            if facts.statements[one.statement].loop is not None:
                raise EditRefused("loop", f"a loop labels {quote(node)} ({line_of(facts, one.span.start)})")
            change = SpanReplacements(facts, touched={node})
            change.replace(one.text_span, as_tex(label, facts))
            return change
    message = f"the label of {quote(node)} is neither a parameter nor plain words"
    raise EditRefused("no-label", message, nearest=_list_names("node", others))


def recolor(subject: Subject, *, what: str, color: str) -> SpanReplacements:
    """Set another palette color in a style, and in labels that a contract gives the same color."""
    facts = subject.facts
    style = facts.find_style(what)
    if color not in {each.name for each in facts.colors}:
        raise EditRefused("no-color", f"the file does not define {color}")
    options = style.options if style else _find_painted(subject, what)
    given = style.value_span if style else _join_spans(options)
    spans = _list_hues(subject, given)
    if len({span.extract_from(facts.text) for span in spans}) > 1:  # the color of its lines and areas
        texts = [option.value_span for option in options if option.key == "text" and option.value_span]
        spans = [span for span in spans if not any(text.start <= span.start < text.end for text in texts)]
    found = {span.extract_from(facts.text) for span in spans}
    if len(found) != 1:
        what_it_has = f"has {' and '.join(sorted(found))}" if found else "has no palette color"
        raise EditRefused("which-color", f"{quote(what)} {what_it_has} ({line_of(facts, given.start)})")
    followers = {each.text for each in subject.contract.followers if each.color_of == what} if subject.contract else ()
    for index in subject.list_direct() if style and followers else ():
        node = facts.nodes[index]
        if (node.text or "").strip() in followers and node.options:
            spans += [
                span
                for span in _list_hues(subject, _join_spans(node.options))
                if span.extract_from(facts.text) in found
            ]
    change = SpanReplacements(facts)
    for span in spans:
        change.replace(span, color)
    return change


def _find_painted(subject: Subject, what: str) -> tuple[Option, ...]:
    """Return the options that color a part: of its node, or of the path that the contract names."""
    facts = subject.facts
    for row in subject.contract.paints if subject.contract else ():
        drawn = [each for each in facts.statements if row.style in {option.key for option in each.options}]
        if row.part == what and len(drawn) >= row.number:
            return drawn[row.number - 1].options
    for index in subject.list_direct():
        node = facts.nodes[index]
        if node.name == what and node.options and not node.inline:
            return node.options
    names = [each.name for each in subject.inventory.styles if set(each.colors) & set(HUES)]
    raise EditRefused("no-style", f"unknown style {quote(what)}", nearest=_list_names("style", names, what))


def _join_spans(options: Sequence[Option]) -> TextSpan:
    return TextSpan(options[0].span.start, options[-1].span.end)


def _list_hues(subject: Subject, within: TextSpan) -> list[TextSpan]:
    uses = [use for use in subject.facts.color_uses if within.start <= use.span.start < within.end]
    return [use.span for use in uses if use.name in HUES]


def palette(subject: Subject, *, palette: str) -> SpanReplacements:
    """Set the values of the palette's names, in each of their definitions."""
    wanted = PALETTES[palette]
    change = SpanReplacements(subject.facts)
    known = [color for color in subject.facts.colors if color.name in wanted]
    if not known:
        raise EditRefused("no-palette", "the file defines no color of the palette")
    for color in known:
        if color.model != "HTML":
            where = line_of(subject.facts, color.span.start)
            raise EditRefused("no-hex", f"{color.name} is not defined by an HTML value ({where})")
        if color.value.upper() != wanted[color.name]:
            change.replace(color.value_span, wanted[color.name])
    if palette == "dark" and "paper" not in {color.name for color in known}:
        change.message = "the figure names no paper and no ink: give it a dark page and light text"
    return change


def swap_icon(subject: Subject, *, node: str, icon: str | None) -> SpanReplacements:
    """Replace the icon of a node; all workers change together."""
    subject.require_contract("swap-icon")
    facts, figure = subject.facts, subject.inventory
    if spans := _find_pictures(subject, node):
        names, known = [node], [each.name for each in facts.styles if f"{each.name}/.pic" in facts.code.mask]
        wanted = icon or ""
    else:
        names, known = _list_alike(subject, node), [*figure.icons, *discover_icons()]
        wanted, spans = macro_of(icon or ""), []
        for index in subject.list_direct():
            one = facts.nodes[index]
            if one.name in names and one.text_span and (found := _ICON.match(one.text or "")):
                start = one.text_span.start
                spans.append(TextSpan(start + found.start(1), start + found.end(1)))
    if not {icon, wanted} & {*known}:
        raise EditRefused(
            "no-such-icon", f"unknown icon {quote(icon or '')}", nearest=_list_names("icon", known, icon or "")
        )
    change = SpanReplacements(facts, icons=set(names))
    for span in spans:
        change.replace(span, wanted)
    if change.replacements and wanted.startswith("\\") and wanted not in figure.icons:
        _define_icon(change, icon or "")
    return change


def _list_alike(subject: Subject, node: str) -> list[str]:
    """Return a node with an icon, or all members of its family."""
    with_icon = [each.name for each in subject.inventory.nodes if each.icon]
    if node not in with_icon:
        raise EditRefused(
            "no-icon", f"{quote(node)} is not a node with an icon", nearest=_list_names("node", with_icon, node)
        )
    family = find_family(subject, node)
    return [each.name for each in list_members(subject, family)] if family else [node]


def _find_pictures(subject: Subject, node: str) -> list[TextSpan]:
    r"""Return the names of the pictures that `\\pic` statements place on a node."""
    facts = subject.facts
    placed = {each.statement for each in facts.references if each.name == node and each.role == "coordinate"}
    return [
        each.text_span
        for each in facts.nodes
        if each.statement in placed and facts.statements[each.statement].command == "pic" and each.text_span
    ]


def macro_of(icon: str) -> str:
    """Return the macro that draws an icon: `\\cpupic` for `cpu`."""
    name = icon.removeprefix("\\")
    return f"\\{re.sub('[^A-Za-z]', '', name)}pic" if name in discover_icons() else f"\\{name}"


def _define_icon(change: SpanReplacements, icon: str) -> None:
    """Define an icon after the icons of the figure, and its colors after the palette colors."""
    facts = change.facts
    macros = {picture.macro for picture in facts.pictures if picture.macro}
    drawn = [each for each in facts.definitions if each.name in macros]
    if not drawn or not facts.colors:
        raise EditRefused("no-such-icon", f"the figure has no place for the definition of {quote(icon)}")
    color = discover_icons()[icon].color
    text = fill("icon_definition.tex.j2", macro=macro_of(icon)[1:], icon=icon, color=color).rstrip("\n")
    values = PALETTES[find_palette(facts)]
    known = {each.name for each in facts.colors}
    lacking = [name for name in values if name not in known and re.search(rf"(?<![A-Za-z]){name}(?![A-Za-z])", text)]
    newline = "\r\n" if "\r\n" in facts.text else "\n"
    if lacking:
        colors = (f"\\definecolor{{{name}}}{{HTML}}{{{values[name]}}}%" for name in lacking)
        change.insert_line(facts.colors[-1].span, newline.join(colors))
    change.insert_line(drawn[-1].span, text.replace("\n", newline))


def _find_parameter(subject: Subject, name: str) -> ParameterInFile:
    known = {each.name[1:]: each for each in subject.inventory.parameters}
    name = name.removeprefix("\\")
    if name not in known:
        raise EditRefused(
            "no-parameter", f"unknown parameter {quote(name)}", nearest=_list_names("parameter", known, name)
        )
    return known[name]


def _list_names(what: str, names: Iterable[str], given: str = "") -> str:
    return suggest_known_names(given, names, f"the {what}s are")
