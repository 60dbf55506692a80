"""Acts that change a value in its place: parameters, labels, colours, icons with their definitions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tikzgen.base.errors import EditRefused, quote
from tikzgen.base.suggest import suggest_known_names
from tikzgen.edit.foreign.family_members import find_family, find_label, list_members
from tikzgen.edit.foreign.foreign_figure import SpanReplacements, Subject, as_tex, inserted_after, line_of
from tikzgen.emit.environment import fill
from tikzgen.lint.inventory import LABEL, ParameterInFile, check_value, is_text, placed_beside, spell_value
from tikzgen.lint.rules.colors_used import find_palette
from tikzgen.model.looks import HUES, PALETTES, discover_icons
from tikzgen.texfile import Facts, Option, Replacement, TextSpan


def macro_of(icon: str) -> str:
    """The macro that draws an icon: `cpu` is drawn by `\\cpupic`."""
    name = icon.removeprefix("\\")
    return f"\\{re.sub('[^A-Za-z]', '', name)}pic" if name in discover_icons() else f"\\{name}"


def brought_along(facts: Facts, icon: str) -> list[Replacement]:
    """The definition of an icon, behind those of the figure's own, and of its colours, behind those of the palette."""
    macros = {picture.macro for picture in facts.pictures if picture.macro}
    drawn = [each for each in facts.definitions if each.name in macros]
    if not drawn or not facts.colors:
        raise EditRefused("no-such-icon", f"the figure has no place for the definition of {quote(icon)}")
    found = discover_icons()[icon]
    text = fill("icon_definition.tex.j2", macro=macro_of(icon)[1:], icon=icon, color=found.color).rstrip("\n")
    values = PALETTES[find_palette(facts)]
    known = {color.name for color in facts.colors}
    lacking = [name for name in values if name not in known and re.search(rf"(?<![A-Za-z]){name}(?![A-Za-z])", text)]
    colors = "\n".join(f"\\definecolor{{{name}}}{{HTML}}{{{values[name]}}}%" for name in lacking)
    newline = "\r\n" if "\r\n" in facts.text else "\n"
    pieces = [(facts.colors[-1].span, colors), (drawn[-1].span, text)]
    return [inserted_after(facts, span, new.replace("\n", newline)) for span, new in pieces if new]


_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)$")
_WORDS = re.compile(r"\s*(?:[^\\]|\\[%&$#_{}]|\$[^$]*\$)*[^\s\\](?:[^\\]|\\[%&$#_{}])*")
_ICON = re.compile(r"\s*(\\[A-Za-z@]+)\s*$")


def set_parameter(subject: Subject, *, parameter: str, value: Any) -> SpanReplacements:
    """Another value between the braces of a parameter, of the type that it has."""
    found = _parameter(subject, parameter)
    if is_text(found.type):
        change = _set_parameter(subject, found.name, str(value))
        change.recounted = _counts(subject, found.name)
        return change
    new = spell_value(found, value if isinstance(value, str) else f"{value:.6f}".rstrip("0").rstrip("."))
    number, held = _NUMBER.match(new), _NUMBER.match(found.value.strip())
    if new == found.value.strip() or (number and held and float(new) == float(found.value)):
        return SpanReplacements()
    bounds = subject.contract.parameters.get(found.name) if subject.contract else None
    if fault := check_value(found, new, [(bounds.least, bounds.most)] if bounds else ()):
        bounded = fault.code in ("too-small", "too-large")
        nearest = f"set {found.name[1:]}={fault.nearest}" if bounded else fault.nearest
        raise EditRefused(fault.code, fault.message, nearest=nearest)
    replaced = Replacement.make_for_span(subject.facts.text, _value(subject, found.name), new)
    return SpanReplacements([replaced], recounted=_counts(subject, found.name))


def _counts(subject: Subject, macro: str) -> bool:
    """Whether a parameter says what loops run over, or is part of a node's name."""
    facts = subject.facts
    texts = [loop.list_span.extract_from(facts.text) for loop in facts.loops] + [
        node.name or "" for node in facts.nodes
    ]
    return any(re.search(re.escape(macro) + r"(?![A-Za-z@])", text) for text in texts)


def change_spacing(subject: Subject, *, parameter: str, value: float) -> SpanReplacements:
    """Another distance."""
    found = _parameter(subject, parameter)
    if found.type != "length-cm":
        lengths = [each.name[1:] for each in subject.inventory.parameters if each.type == "length-cm"]
        raise EditRefused("no-length", f"{found.name} is no distance", nearest=_list_names("distance", lengths))
    return set_parameter(subject, parameter=parameter, value=value)


def rename_node(subject: Subject, *, node: str, label: str) -> SpanReplacements:
    """The value of the macro that labels a node."""
    macros = [each for one in subject.inventory.nodes if one.name == node for each in one.labels if "label" in each]
    macros = macros or find_label(subject, node)
    if not macros:
        names = [each.name for each in subject.inventory.nodes if any("label" in one for one in each.labels)]
        if node in {each.name for each in subject.inventory.nodes}:
            return _relabel_node(subject, node, label, names)
        raise EditRefused("no-node", f"unknown node {quote(node)}", nearest=_list_names("node", names, node))
    macro = macros[0]
    others = [one.name for one in subject.inventory.nodes if macro in one.labels and one.name != node]
    change = _set_parameter(subject, macro, label)
    if others and change.replacements:
        raise EditRefused("shared-label", f"{macro} labels {quote(others[0])}, too", nearest=f"set {macro[1:]} …")
    return change


def _relabel_node(subject: Subject, node: str, label: str, others: Sequence[str]) -> SpanReplacements:
    """Other words in a node, or in the one that labels it, where they stand there themselves."""
    facts = subject.facts
    for index in subject.list_direct():
        one = facts.nodes[index]
        labels = one.name in (node, node + LABEL) or (one.name is None and node in placed_beside(one))
        if labels and one.text_span and _WORDS.fullmatch(one.text or ""):
            if facts.statements[one.statement].loop is not None:
                raise EditRefused("loop", f"a loop labels {quote(node)} ({line_of(facts, one.span.start)})")
            new = as_tex(label, facts)
            return SpanReplacements(
                [Replacement.make_for_span(facts.text, one.text_span, new)] if new != one.text else [], touched={node}
            )
    message = f"the label of {quote(node)} is neither a parameter nor plain words"
    raise EditRefused("no-label", message, nearest=_list_names("node", others))


def recolor(subject: Subject, *, what: str, color: str) -> SpanReplacements:
    """Another palette color in a style, and in the text that a contract gives the same colour."""
    facts = subject.facts
    style = facts.find_style(what)
    defined = {each.name for each in facts.colors}
    inline = _find_painted(subject, what)
    if style is None and inline is None:
        names = [each.name for each in subject.inventory.styles if set(each.colors) & set(HUES)]
        raise EditRefused("no-style", f"unknown style {quote(what)}", nearest=_list_names("style", names, what))
    if color not in defined:
        raise EditRefused("no-color", f"the file does not define {color}")
    given, options = (style.value_span, style.options) if style else inline or (TextSpan(0, 0), ())
    spans = _palette_uses(subject, given)
    if len({span.extract_from(facts.text) for span in spans}) > 1:  # the color of its lines and areas
        texts = [option.value_span for option in options if option.key == "text" and option.value_span]
        spans = [span for span in spans if not any(text.start <= span.start < text.end for text in texts)]
    found = {span.extract_from(facts.text) for span in spans}
    if len(found) != 1:
        what_it_has = f"has {' and '.join(sorted(found))}" if found else "has no palette color"
        raise EditRefused("which-color", f"{quote(what)} {what_it_has} ({line_of(facts, given.start)})")
    old = found.pop()
    _own_color(subject, what, old, color)
    for follower in subject.contract.followers if subject.contract else ():
        for index in subject.list_direct() if style and follower.color_of == what else ():
            node = facts.nodes[index]
            if (node.text or "").strip() == follower.text and node.options:
                given = TextSpan(node.options[0].span.start, node.options[-1].span.end)
                spans += [span for span in _palette_uses(subject, given) if span.extract_from(facts.text) == old]
    return SpanReplacements([Replacement.make_for_span(facts.text, span, color) for span in spans if old != color])


def _find_painted(subject: Subject, what: str) -> tuple[TextSpan, tuple[Option, ...]] | None:
    """Return the options that give a part its own color: of its node, or of the path that the contract names."""
    facts, contract = subject.facts, subject.contract
    for row in contract.paints if contract else ():
        drawn = [each for each in facts.statements if row.style in {option.key for option in each.options}]
        if row.part == what and len(drawn) >= row.number:
            options = drawn[row.number - 1].options
            return TextSpan(options[0].span.start, options[-1].span.end), options
    for index in subject.list_direct():
        node = facts.nodes[index]
        if node.name == what and node.options and not node.inline:
            return TextSpan(node.options[0].span.start, node.options[-1].span.end), node.options
    return None


def _own_color(subject: Subject, what: str, old: str, color: str) -> None:
    """Refuse a colour that another style has of those of flows, or of those that the contract keeps apart."""
    distinct = subject.contract.distinct if subject.contract else ()
    kept_apart = {name for names in distinct if what in names for name in names}
    flows = {flow.style for flow in subject.inventory.flows} - {name for names in distinct for name in names}
    flows = (flows if what in flows and not distinct else set()) | kept_apart
    drawn = [style for style in subject.inventory.styles if style.name in flows - {what} and style.colors]
    taken = {style.colors[0]: style.name for style in drawn}
    if color not in taken or old in taken:
        return
    says = subject.find_sentence("distinct-colors")
    free = [
        each.name for each in subject.facts.colors if each.name in HUES and each.name not in taken and each.name != old
    ]
    raise EditRefused(
        "invariant",
        f"the style {quote(taken[color])} is {color} already",
        invariant=f"TG207: {says or 'flows of different styles have different colors'}",
        nearest=f"recolor {what} {free[0]}" if free else "",
    )


def palette(subject: Subject, *, palette: str) -> SpanReplacements:
    """The values of the palette's names, wherever the file defines them."""
    wanted = PALETTES[palette]
    change = SpanReplacements()
    known = [color for color in subject.facts.colors if color.name in wanted]
    for color in known:
        if color.model != "HTML":
            where = line_of(subject.facts, color.span.start)
            raise EditRefused("no-hex", f"{color.name} is not defined by an HTML value ({where})")
        if color.value.upper() != wanted[color.name]:
            change.replacements.append(
                Replacement.make_for_span(subject.facts.text, color.value_span, wanted[color.name])
            )
    if not known:
        raise EditRefused("no-palette", "the file defines no color of the palette")
    if palette == "dark" and "paper" not in {color.name for color in known}:
        change.message = "the figure names no paper and no ink: give it a dark page and light text"
    return change


def swap_icon(subject: Subject, *, node: str, icon: str | None) -> SpanReplacements:
    """Another picture in a node; the workers change together."""
    subject.require_contract("swap-icon")
    facts, figure = subject.facts, subject.inventory
    if pictures := _find_pictures(facts, node):
        return _swap_picture(facts, node, pictures, icon)
    known = {each.name: each for each in figure.nodes}
    if node not in known or not known[node].icon:
        names = [each.name for each in figure.nodes if each.icon]
        raise EditRefused("no-icon", f"{quote(node)} is no node with an icon", nearest=_list_names("node", names, node))
    if icon is None:
        raise EditRefused("no-such-icon", "the contract knows no node without an icon", nearest=_icons(figure.icons))
    wanted = macro_of(icon)
    if wanted not in figure.icons and icon not in discover_icons():
        raise EditRefused("no-such-icon", f"unknown icon {quote(icon)}", nearest=_icons(figure.icons, icon))
    family = find_family(subject, node)
    members = [each.name for each in list_members(subject, family)] if family else []
    names = members if node in members else [node]
    change = SpanReplacements(icons=set(names))
    for index in subject.list_direct():
        one = facts.nodes[index]
        found = _ICON.match(one.text or "")
        if one.name in names and one.text_span and found and found[1] != wanted:
            start = one.text_span.start
            span = TextSpan(start + found.start(1), start + found.end(1))
            change.replacements.append(Replacement.make_for_span(facts.text, span, wanted))
    if change.replacements and wanted not in figure.icons:
        change.replacements += brought_along(facts, icon)
    return change


def _find_pictures(facts: Facts, node: str) -> list[TextSpan]:
    r"""Return the names of the pictures that `\\pic` statements place on a node."""
    placed = {each.statement for each in facts.references if each.name == node and each.role == "coordinate"}
    return [
        each.text_span
        for each in facts.nodes
        if each.statement in placed and facts.statements[each.statement].command == "pic" and each.text_span
    ]


def _swap_picture(facts: Facts, node: str, spans: list[TextSpan], icon: str | None) -> SpanReplacements:
    defined = [each.name for each in facts.styles if f"{each.name}/.pic" in facts.code.mask]
    if icon not in defined:
        message = f"the file defines no picture {quote(icon or '')}; add its colors and its definition first"
        raise EditRefused("no-such-icon", message, nearest=_list_names("picture", defined, icon or ""))
    change = SpanReplacements(icons={node})
    for span in spans:
        change.replace(facts, span, icon)
    return change


def _icons(defined: Sequence[str], given: str = "") -> str:
    """The icons that a figure may have: those that it defines, and those that are brought along."""
    return _list_names("icon", [*defined, *discover_icons()], given)


def _palette_uses(subject: Subject, within: TextSpan) -> list[TextSpan]:
    uses = [use for use in subject.facts.color_uses if within.start <= use.span.start < within.end]
    return [use.span for use in uses if use.name in HUES]


def _parameter(subject: Subject, name: str) -> ParameterInFile:
    known = {each.name[1:]: each for each in subject.inventory.parameters}
    name = name.removeprefix("\\")
    if name not in known:
        raise EditRefused(
            "no-parameter", f"unknown parameter {quote(name)}", nearest=_list_names("parameter", known, name)
        )
    return known[name]


def _value(subject: Subject, macro: str) -> TextSpan:
    block = subject.facts.parameters
    spans = [each.value_span for each in (block.parameters if block else ()) if each.name == macro]
    if len(spans) != 1:
        raise EditRefused("defined-twice", f"{macro} is defined {len(spans)} times", nearest="keep one definition")
    return spans[0]


def _set_parameter(subject: Subject, macro: str, value: str) -> SpanReplacements:
    span = _value(subject, macro)
    if value == span.extract_from(subject.facts.text):
        return SpanReplacements()
    return SpanReplacements([Replacement.make_for_span(subject.facts.text, span, as_tex(value, subject.facts))])


def _list_names(what: str, names: Any, given: str = "") -> str:
    return suggest_known_names(given, names, f"the {what}s are", most=12) if names else ""
