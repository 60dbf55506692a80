"""From an error of TeX to its cause in the .tex: a macro, a node, a package, a brace."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tikzgen.layout.scene import collect
from tikzgen.layout.time.timeline_facts import facts_of_timelines
from tikzgen.model.content import Content
from tikzgen.model.looks import SPACING
from tikzgen.model.part import Part
from tikzgen.text import Tex, holds_text, typeset_label

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel
from typing import Literal

from tikzgen.base.errors import LatexError
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.texfile import Definition, Facts, TextSpan, scan

_DEFINING = pattern_of(r"(?:definition of|scanning use of|ended before|Use of|Argument of) (\\[A-Za-z]+)")
_COMMAND = pattern_of(r"Undefined control sequence (\\(?:[A-Za-z@]+|.))")
# A quoted name is the subject of a message: a key, a color, a node.
_QUOTED_NAME = pattern_of(r"[`'](?:/(?:tikz|pgf)/)?([^`',]+)'")
_SIZE = pattern_of(r"Dimension too large|Arithmetic overflow|Illegal unit|Missing number|number too big", re.IGNORECASE)
_FILE = pattern_of(r"File [`'](?P<name>[^']+)\.(?:sty|fd|lua)' not found|font \"(?P<font>[^\"]+)\" cannot be found")
_MACRO = pattern_of(r"\\[A-Za-z]+")
# A character that a font lacks, by its code in Unicode or in the font. TeX does not report its position.
_LACKING_CHARACTER = pattern_of(r"has no character .*?(?:\(U\+(?P<unicode>[0-9A-F]+)\)|\(\"(?P<slot>[0-9A-F]+)\))")


Kind = Literal["macro", "node", "package", "mark", "word"]


class Suspect(Record):
    r"""Cause of an error: `name` is the name of a macro (`\pslabel`), a node (`w2`), a package or a font.

    A `mark` is a brace or an environment, and its `name` is the problem. A `word` is a command in a loop. `line` and
    `column`, from 1, are the position of the macro's value, or of the cause itself.
    """

    kind: Kind
    name: str
    line: int
    column: int

    @property
    def label(self) -> str:
        """Name of the cause for users; empty if its location is sufficient."""
        return {"node": f"node {self.name}", "macro": self.name}.get(self.kind, "")


def suspect_of(error: LatexError, source: str) -> Suspect | None:
    """Return the cause of `error` in the figure `source`, or None if it is unknown."""
    facts = scan(source)
    if lacking := _LACKING_CHARACTER.search(error.message):
        return _find_character(int(lacking["unicode"] or lacking["slot"], 16), facts, literal=bool(lacking["unicode"]))
    if missing := _FILE.search(error.message):
        return _find_package(missing["name"] or missing["font"], error, facts)
    if facts.errors and (error.line is None or facts.lines.find_line(facts.errors[0].at) <= error.line):
        return _make_suspect("mark", facts.errors[0].message, facts.errors[0].at, facts)
    known = {each.name: each for each in facts.parameters.parameters} if facts.parameters else {}
    if found := _find_faulty_parameter(error, facts, known):
        return _make_suspect("macro", found.name, found.value_span.start, facts)
    return _find_word_in_loop(error, facts) or _find_node_on_line(error.line, facts)


def _make_suspect(kind: Kind, name: str, offset: int, facts: Facts) -> Suspect:
    place = facts.place_of(offset)
    return Suspect(kind, name, place.line or 1, place.column or 1)


def _find_character(code: int, facts: Facts, *, literal: bool) -> Suspect | None:
    """Return the first label with a character in any notation; else its first position elsewhere."""
    numbers = rf"(?:0*{code}(?!\d)|\"0*{code:X}(?![0-9A-F])|'0*{code:o}(?![0-7]))"
    ways = [rf"\\(?:symbol|char)\s*\{{?\s*{numbers}", rf"\^{{4}}{code:04x}", rf"\^\^{code:02x}(?![0-9a-f])"]
    written = pattern_of("|".join([*([re.escape(chr(code))] if literal else []), *ways]))
    for each in facts.parameters.parameters if facts.parameters else ():
        if written.search(each.value):
            return _make_suspect("macro", each.name, each.value_span.start, facts)
    for found in written.finditer(facts.text):
        line = facts.text[facts.text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if not re.search(r"(?<!\\)%", line):
            place = facts.lines.find_line(found.start())
            return _find_node_on_line(place, facts) or _make_suspect("word", found[0], found.start(), facts)
    return None


def _find_package(name: str, error: LatexError, facts: Facts) -> Suspect:
    found = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", facts.text)
    return (
        _make_suspect("package", name, found.start(), facts) if found else Suspect("package", name, error.line or 1, 1)
    )


def _find_faulty_parameter(error: LatexError, facts: Facts, known: dict[str, Definition]) -> Definition | None:
    """Return the parameter whose value contains the error."""
    for name in error.trail:
        if name in known:
            return known[name]
    if (told := _DEFINING.search(error.message)) and told[1] in known:
        return known[told[1]]
    used = [known[name] for name in _iterate_used_macros(error, facts) if name in known]
    if command := _COMMAND.match(error.message):
        return _find_definition(command[1], used) or _find_definition(command[1], known.values() if not used else ())
    if quoted := _QUOTED_NAME.search(error.message):
        return _find_definition(quoted[1], used)
    if _SIZE.search(error.message):
        sizes = [(abs(float(each.value)), each) for each in used if _is_number(each.value)]
        texts = [each for each in used if not _is_number(each.value)]
        ends_with_text = bool(texts) and used[-1] is texts[-1]
        if ends_with_text or not sizes:
            return texts[-1] if texts else None
        return max(sizes, key=lambda each: each[0])[1]
    return next((each for each in reversed(used) if not _is_number(each.value)), None)


def _iterate_used_macros(error: LatexError, facts: Facts) -> Iterator[str]:
    """Yield the macros that TeX had read on the line of the error.

    TeX reads a loop as a unit; there, yield the macros in its body.
    """
    if error.line is None:
        return
    if _MACRO.search(error.read):
        yield from _MACRO.findall(error.read)
        return
    loop = _find_loop_body(error, facts)
    rows = facts.text.splitlines()
    here = rows[error.line - 1] if error.line <= len(rows) else ""
    yield from _MACRO.findall(loop.extract_from(facts.text) if loop else here)


def _find_loop_body(error: LatexError, facts: Facts) -> TextSpan | None:
    """Return the body of the loop that ends on the line of the error and begins before it."""
    for loop in facts.loops:
        first, last = facts.lines.find_line(loop.span.start), facts.lines.find_line(max(loop.span.end - 1, 0))
        if first < (error.line or 0) == last:
            return loop.body
    return None


def _find_word_in_loop(error: LatexError, facts: Facts) -> Suspect | None:
    """Return the command or the name in a loop that an error names."""
    told, loop = _COMMAND.match(error.message) or _QUOTED_NAME.search(error.message), _find_loop_body(error, facts)
    if told is None or loop is None:
        return None
    found = pattern_of(rf"{re.escape(told[1])}(?![A-Za-z@])").search(facts.text, *loop)
    return _make_suspect("word", told[1], found.start(), facts) if found else None


def _find_definition(sought: str, among: object) -> Definition | None:
    """Return the definition whose value contains `sought`; of several, the one TeX read last."""
    whole = pattern_of(rf"{re.escape(sought)}(?![A-Za-z@])")
    found = [each for each in among if whole.search(each.value)]  # type: ignore[attr-defined]
    return found[-1] if found else None


def _is_number(value: str) -> bool:
    return re.fullmatch(r"-?(?:\d+\.?\d*|\.\d+)", value.strip()) is not None


def _find_node_on_line(line: int | None, facts: Facts) -> Suspect | None:
    """Return the named node on a line."""
    if line is None:
        return None
    for node in facts.nodes:
        if node.name is None or "\\" in node.name:
            continue
        ends = max(facts.statements[node.statement].span.end - 1, 0)
        if facts.lines.find_line(node.span.start) <= line <= facts.lines.find_line(ends):
            return _make_suspect("node", node.name, node.span.start, facts)
    return None


# From a macro or a node of a rendered figure to the field of the description that it comes from.

Path = tuple[str | int, ...]


def home_of(suspect: Suspect, figure: FigureModel) -> Path | None:
    """Return the field of the description, or of the recipe that made the figure, or None."""
    name = suspect.name.removeprefix("\\")
    if suspect.kind == "macro":
        return ("spacing", name) if name in SPACING else _find_recipe_field(_find_label_path(name, figure), figure)
    if suspect.kind == "package":
        return _find_recipe_field(_find_first_user(name, figure), figure)
    if suspect.kind == "node" and figure.origin is None:
        return next((path for node, path in _iterate_node_names(figure) if node == name), None)
    return None


def home_of_text(text: str, figure: FigureModel) -> Path | None:
    """Return the field that sets a label, or, for a label joined from several, a part of it."""
    slots = [slot for slot in collect(figure, facts_of_timelines(figure)).slots if slot.path]
    raw = isinstance(text, Tex)
    same = (slot for slot in slots if slot.text == text and isinstance(slot.text, Tex) is raw)
    parts = (slot for slot in slots if isinstance(slot.text, Tex) and slot.text in text)
    wholes = (slot for slot in slots if text in slot.text)
    return next((_find_recipe_field(slot.path, figure) for found in (same, parts, wholes) for slot in found), None)


def _find_label_path(macro: str, figure: FigureModel) -> Path | None:
    """Return the path of the label in a macro."""
    slots = collect(figure, facts_of_timelines(figure)).slots
    return next((path for slot in slots if slot.macro == macro for path in slot.homes if path), None)


def _find_first_user(package: str, figure: FigureModel) -> Path | None:
    """Return the path of the first label that needs a package or a Chinese font, or None."""
    cjk = re.match(r"(?i)cjk|xecjk|luatexja|ctex|c70|gbsn|fandol|haranoaji", package) is not None
    for slot in collect(figure, facts_of_timelines(figure)).slots:
        needs = typeset_label(slot.text)
        if slot.path and (package in needs.packages or (cjk and needs.cjk)):
            return slot.path
    return None


def _find_recipe_field(path: Path | None, figure: FigureModel) -> Path | None:
    """Return the recipe's field for a label of the figure: the complete label, else its largest part.

    Return the path unchanged if no recipe made the figure.
    """
    if path is None or figure.origin is None:
        return path
    value: Any = figure
    for step in path:
        value = value[step] if isinstance(step, int) or isinstance(value, Mapping) else getattr(value, step)
    said = [(home, _FILLED_NUMBER.sub(".+", re.escape(text)), text) for home, text in _iterate_labels(figure.origin)]
    whole = [home for home, pattern, _ in said if re.fullmatch(pattern, str(value), re.DOTALL)]
    parts = [(home, text) for home, pattern, text in said if re.search(pattern, str(value), re.DOTALL)]
    return whole[0] if whole else max(parts, key=lambda part: len(part[1]), default=(None, ""))[0]


_FILLED_NUMBER = re.compile(r"\\\{\w+\\\}")  # placeholder for a number, as `re.escape` spells it


def _iterate_labels(value: Any, path: Path = (), *, is_label: bool = False) -> Iterator[tuple[Path, str]]:
    """Yield the non-empty labels in a part of a description, each with its path."""
    if isinstance(value, Part):
        for name, field in type(value).model_fields.items():
            yield from _iterate_labels(getattr(value, name), (*path, name), is_label=holds_text(field))
    elif isinstance(value, list | dict):
        for step, each in enumerate(value) if isinstance(value, list) else value.items():
            yield from _iterate_labels(each, (*path, step), is_label=is_label)
    elif isinstance(value, str) and value and is_label:
        yield path, value


def _iterate_node_names(figure: FigureModel) -> Iterator[tuple[str, Path]]:
    """Yield the names of nodes, each with the path of its part."""
    for number, index, content in figure.parts(Content):
        before = f"{figure.panels[number].id}-" if len(figure.panels) > 1 else ""
        yield from (
            (before + name, ("panels", number, "content", index, *steps)) for name, steps in content.named_parts()
        )
