"""Rules on the parameters of a .tex, its macros, and repeated parameter values.

TG202, TG203, TG216, TG217, TG218, TG227.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from tikzgen.base.errors import quote
from tikzgen.base.record import replace
from tikzgen.base.suggest import did_you_mean, find_similar_name
from tikzgen.layout.scene import RESERVED_NAMES, STYLE_NAMES
from tikzgen.lint.inventory.check_values import check_value
from tikzgen.lint.registry import Broken, Fix, Severity, rule
from tikzgen.lint.written_tex import FigureFile
from tikzgen.model.looks import Spacing
from tikzgen.texfile import PATH_COMMANDS, Definition, Replacement, SourceStatement, TextSpan
from tikzgen.text import TextRefused, check, usage_of


@rule(
    "TG202",
    "every parameter of the contract is defined in the file, between the marks",
    fixes="removes unused parameters from the list of tikzgen's own figures",
)
def _undefined_parameter(subject: FigureFile) -> Iterator[Broken]:
    facts, listed = subject.facts, subject.metadata.parameters
    block = facts.parameters
    defined = {each.name: each for each in reversed(facts.definitions)}
    inside = {each.name for each in subject.parameters}
    if block is None and not listed.keys().isdisjoint(defined):
        hint = "put them between `% ==== parameters (edit these) ====` and `% ====`"
        first = min(defined[name].span.start for name in listed if name in defined)
        yield Broken(subject.place_of(first), "the parameter block has no marks", hint)
    left = [entry for name, (_, entry) in listed.items() if name in defined]
    for name in listed:
        if name not in defined:
            # A parameter without uses was removed intentionally.
            stale = subject.inventory.own and left and name not in facts.uses
            fix = Fix(metadata=subject.metadata.replace_value(left, "edit_contract", "parameters")) if stale else None
            place = subject.place_of(block.start.start if block else 0)
            yield Broken(place, f"the contract has a parameter {name} that the file does not define", "define it", fix)
        elif block and name not in inside:
            place = subject.place_of(defined[name].span.start)
            yield Broken(place, f"{name} is defined outside the block of parameters", "move it between the marks")


@rule("TG218", "every parameter is used", Severity.WARNING)
def _unused_parameter(subject: FigureFile) -> Iterator[Broken]:
    for each in subject.parameters:
        if len(subject.facts.uses.get(each.name, ())) < 2:
            message = f"nothing uses {each.name}, so editing it changes nothing"
            yield Broken(subject.place_of(each.span.start), message, "use it instead of its value, or remove it")


@rule("TG203", "parameters have values of their types: labels are valid, distances leave enough room")
def _parameter_value(subject: FigureFile) -> Iterator[Broken]:
    spans = {each.name: each.value_span for each in subject.parameters}
    for parameter in subject.inventory.parameters:
        _, told = subject.metadata.parameters.get(parameter.name, (0, None))
        own = subject.inventory.own
        if told is None and not (own and parameter.type == "length-cm"):
            continue
        told = told or {}
        default = told.get("default")
        if own and parameter.type != "length-cm" and parameter.value.strip() == str(default or "").strip():
            continue  # tikzgen itself wrote it, perhaps empty
        as_written = replace(parameter, value=default) if isinstance(default, str) else parameter
        if fault := check_value(as_written, parameter.value, subject.bounds.get(parameter.name, ())):
            hint = fault.nearest if fault.code != "too-small" else f"set it to {fault.nearest} or more"
            place = subject.place_of(spans[parameter.name].start)
            yield Broken(place, fault.message, hint or "give it a value, or remove it and its uses")
        elif told.get("type") == "text" and (refused := _check_label(parameter.value)):
            at = spans[parameter.name].start + (refused.position or 0)
            yield Broken(subject.place_of(at), f"{parameter.name} cannot be set: {refused}", refused.hint)


_WORD = re.compile(r"\\([A-Za-z@]+)")
_SIGNS = {*"$&_^#{}"}


def _check_label(text: str) -> TextRefused | None:
    """Return the error if a label has a misplaced special character; None for unknown commands."""
    if any(usage_of(word) is None for word in _WORD.findall(text)):
        return None
    try:
        check(text)
    except TextRefused as refused:
        return refused if refused.position is not None and text[refused.position] in _SIGNS else None
    return None


_LONE_MACRO = re.compile(r"\s*(\\[A-Za-z@]+)\s*$")
_MACRO = re.compile(r"\\[A-Za-z@]+")
# Names of macros that figures define themselves.
_OUR_MACRO = re.compile(r"\\[A-Za-z]*(?:pic|icon|label|text|cell|sep|gap)$")


# Commands that begin a path, and commands between paths.
_MISSPELT_SHARE = 0.85  # likewise for a parameter and another macro
_SIMILARITY_SHARE = 0.74  # least similarity: drow and draw are similar, fi and fill are not
_BEGINNINGS = sorted({*PATH_COMMANDS, "begin", "end", "foreach"})


@rule("TG227", "icons, labels, styles, distances and commands that the drawing uses are defined")
def _undefined_macro(subject: FigureFile) -> Iterator[Broken]:
    """Find undefined macros, misspelled styles and misspelled commands.

    A macro with other uses is not reported, because such a use may define it. Within a longer text, a macro must have
    the name of a label, and the author must not load packages.
    """
    facts = subject.facts
    used = facts.document_class
    if facts.inclusions or (used is not None and used.name not in ("standalone", "article")):
        return
    defined = {each.name for each in facts.definitions}
    read: dict[str, list[TextSpan]] = {}
    loads_more = any(facts.lines.find_line(each.span.start) in subject.changed_lines for each in facts.loaded)
    all_known = subject.has_description and used is not None and not loads_more
    for node in facts.nodes:
        alone = _LONE_MACRO.match(node.text or "")
        for macro in _MACRO.finditer(facts.code.mask, *node.text_span) if node.text_span else ():
            if _OUR_MACRO.match(macro[0]) and (alone or (all_known and _is_label(macro[0][1:]))):
                read.setdefault(macro[0], []).append(TextSpan(*macro.span()))
        if node.at is not None and node.at.kind == "place":
            for macro in _MACRO.finditer(facts.code.mask, *node.at.span):
                if _OUR_MACRO.match(macro[0]):
                    read.setdefault(macro[0], []).append(TextSpan(*macro.span()))
    if all_known:
        read |= {name: list(spans) for name, spans in facts.uses.items() if _is_owned(subject, name, defined)}
    for name, spans in read.items():
        if name not in defined and len(facts.uses.get(name, ())) == len({span.start for span in spans}):
            hint = did_you_mean(name, sorted(defined)) or "define it"
            yield Broken(subject.place_of(min(span.start for span in spans)), f"nothing defines {name}", hint)
    yield from _missing_styles(subject, complete=all_known)
    stray: dict[str, list[TextSpan]] = {}
    for span in facts.others:
        stray.setdefault(span.extract_from(facts.text), []).append(span)
    for name, spans in stray.items():
        meant = find_similar_name(name[1:], _BEGINNINGS, cutoff=_SIMILARITY_SHARE)
        # Another use may define it. Commands of packages begin with a capital.
        if meant and name.islower() and len(facts.uses[name]) == len(spans):
            yield Broken(subject.place_of(spans[0].start), f"nothing defines {name}", f"did you mean \\{meant}?")


def _is_owned(subject: FigureFile, macro: str, defined: Collection[str]) -> bool:
    """Return whether only the figure can define a macro: a parameter, or a misspelled parameter."""
    name, facts = macro[1:], subject.facts
    if macro in defined or name in RESERVED_NAMES or usage_of(name) is not None:
        return False
    if name in Spacing.model_fields or name == "backdrop" or macro in subject.metadata.parameters:
        found = True
    else:
        own = (each.name[1:] for each in subject.parameters)
        by_hand = any(facts.lines.find_line(span.start) in subject.changed_lines for span in facts.uses[macro])
        found = by_hand and bool(find_similar_name(name, own, cutoff=_MISSPELT_SHARE))
    return found and not re.search(rf"\\(?:let|new\w+|\w*command\*?)\s*\{{?\s*{re.escape(macro)}", facts.text)


def _is_label(name: str) -> bool:
    """Return whether a macro has the name of a label; False for known commands."""
    ends_like_label = any(name.endswith(end) and name != end for end in ("label", "text", "cell"))
    return ends_like_label and name not in RESERVED_NAMES and usage_of(name) is None


def _missing_styles(subject: FigureFile, *, complete: bool) -> Iterator[Broken]:
    """Yield options that are misspelled styles: two letters swapped, one missing, or one extra.

    If the file is `complete`, yield the options that are undefined styles of tikzgen's figures as well.
    """
    facts = subject.facts
    styles = {style.name for style in facts.styles} if subject.is_tikzgen_figure else set()
    lists = [*(each.options for each in facts.statements), *(each.options for each in facts.nodes)]
    missing: dict[str, TextSpan] = {}
    for option in (option for options in lists for option in options if complete and option.key not in styles):
        key = option.key
        if key in STYLE_NAMES or _PHASE_STYLE.fullmatch(key) or key in subject.metadata.styles:
            missing[key] = min(missing.get(key, option.key_span), option.key_span)
    for key, span in missing.items():
        hint = did_you_mean(key, sorted(styles)) or "define it"
        yield Broken(subject.place_of(span.start), f"nothing defines the style {quote(key)}", hint)
    options = (option for options in lists for option in options if option.value is None)
    bare = {option.span: option.key for option in options if option.key not in missing}
    for span, key in sorted(bare.items()):
        meant = next((style for style in sorted(styles) if key not in styles and _is_slip(key, style)), "")
        if meant and key not in _KEYS_OF_TIKZ:
            yield Broken(
                subject.place_of(span.start), f"no style is called {quote(key)}", f"did you mean {quote(meant)}?"
            )


_PHASE_STYLE = re.compile(r".+ (?:phase|shade \d+)")
# TikZ keys that are similar to possible names of styles.
_KEYS_OF_TIKZ = {"circle", "coordinate", "cross out", "cylinder", "dashed", "diamond", "dotted", "double", "grid"}
_KEYS_OF_TIKZ |= {"matrix", "node", "pattern", "rectangle", "shade", "solid", "thick", "thin", "transform shape"}


def _is_slip(word: str, meant: str) -> bool:
    """Return whether two words differ by two swapped letters, or by one extra or missing letter."""
    if min(len(word), len(meant)) < 3 or word == meant:
        return False
    at = next((at for at, (one, other) in enumerate(zip(word, meant, strict=False)) if one != other), None)
    if at is None:
        return abs(len(word) - len(meant)) == 1
    swapped = word[:at] + word[at : at + 2][::-1] + word[at + 2 :]
    return meant in (swapped, word[:at] + word[at + 1 :]) or word == meant[:at] + meant[at + 1 :]


@rule("TG216", "labels come from their parameters instead of copies", fixes="inserts the parameter")
def _repeated_text(subject: FigureFile) -> Iterator[Broken]:
    facts = subject.facts
    holding: dict[str, list[str]] = {}
    for each in subject.parameters:
        if not each.parameters and any(char.isalpha() for char in each.value):
            holding.setdefault(each.value.strip(), []).append(each.name)
    for node in facts.nodes if holding else ():
        if not node.text or node.text_span is None or facts.pictures[facts.statements[node.statement].picture].macro:
            continue
        text = node.text.strip()
        if macros := holding.get(text):
            start = node.text_span.start + node.text.index(text)
            fix = Fix((Replacement(TextSpan(start, start + len(text)), text, macros[0]),)) if len(macros) == 1 else None
            message = f"{quote(text)} repeats the value of {' and '.join(macros)}"
            yield Broken(subject.place_of(start), message, f"write {' or '.join(macros)}", fix)


# A number that people choose: at least two significant digits, one of them after the decimal point.
_TELLING = re.compile(r"(?=\d*\.\d*[1-9])(?=[\d.]*[1-9][\d.]*\d)\d*\.\d+$")
_PLACE = re.compile(r"\((?:[^()\\]*,[^()\\]*|[^()\\]*,[^(),]*|[^(),]*,[^()\\]*)\)")
_PART = re.compile(r"[^,]+")
_NUMBER = re.compile(r"(?<![\w.])\d*\.\d+(?![\w.])")
_WIDTH_WORDS = re.compile(r"\b(horizontal\w*|width|column)\b")
_UPWARDS = re.compile(r"\b(vertical\w*|height|row)\b")
_UNITS = ("x", "y", "z", "scale", "xscale", "yscale", "cm")


@rule(
    "TG217",
    "coordinates use parameters instead of copies of their values",
    Severity.WARNING,
    fixes="inserts the parameter",
)
def _repeated_number(subject: FigureFile) -> Iterator[Broken]:
    facts = subject.facts
    holding: dict[str, list[Definition]] = {}
    for each in subject.parameters:
        if _TELLING.match(each.value):
            holding.setdefault(_spell_number(each.value), []).append(each)
    if not holding:
        return
    own = subject.inventory.own and subject.has_description  # equal numbers in lines of a render are a coincidence
    for statement in facts.statements:
        if facts.pictures[statement.picture].macro or _has_units(subject, statement):
            continue
        if own and facts.lines.find_line(statement.span.start) not in subject.changed_lines:
            continue
        for place in _PLACE.finditer(facts.code.mask, *statement.span):
            for axis, part in enumerate(_PART.finditer(facts.code.mask, *place.span())):
                if "\\" in part[0] or "=" in part[0] or ":" in part[0]:  # computed from a parameter, shifted, or polar
                    continue
                for number in _NUMBER.finditer(facts.code.mask, *part.span()):
                    held = holding.get(_spell_number(number[0]), ())
                    if macros := [each.name for each in held if not _is_crosswise(each, axis)]:
                        yield _find_repeated(subject, TextSpan(*number.span()), macros)


def _is_crosswise(parameter: Definition, axis: int) -> bool:
    """Return whether a parameter's comment names the other direction, so that equal values are unrelated."""
    across, upwards = (bool(each.search(parameter.comment.lower())) for each in (_WIDTH_WORDS, _UPWARDS))
    return across != upwards and axis < 2 and across != (axis == 0)


def _find_repeated(subject: FigureFile, span: TextSpan, macros: list[str]) -> Broken:
    number = span.extract_from(subject.facts.text)
    fix = Fix((Replacement(span, number, macros[0]),)) if len(macros) == 1 else None
    message = f"{number} repeats the value of {' and '.join(macros)}"
    return Broken(subject.place_of(span.start), message, f"write {' or '.join(macros)}", fix)


def _spell_number(number: str) -> str:
    return f"{float(number):g}"


def _has_units(subject: FigureFile, statement: SourceStatement) -> bool:
    """Return whether numbers are not in cm: time units of a timeline, or scaled coordinates."""
    facts = subject.facts
    picture, start = facts.pictures[statement.picture], statement.span.start
    around = [scope.options for scope in facts.scopes if scope.span.start <= start < scope.span.end]
    given = [*picture.options, *(option for options in around for option in options), *statement.options]
    return any(option.key in _UNITS for option in given)
