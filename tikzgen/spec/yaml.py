"""Reader of YAML 1.2: converts the events of a parser to a `Document`, or to one located error.

Unquoted scalars follow the core schema. Escapes that would damage TeX are errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import isinf
from typing import TYPE_CHECKING, Any

from tikzgen.base.errors import Place, Problem, SpecError, quote, shorten_for_message
from tikzgen.base.patterns import pattern_of
from tikzgen.base.spelt_numbers import with_spelling
from tikzgen.spec.document import MAX_DEPTH_LEVELS, DocumentBuilder
from tikzgen.spec.source import NOT_TEXT
from tikzgen.text import Tex

if TYPE_CHECKING:
    from ruamel.yaml.error import YAMLError


_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED_NUMBER = pattern_of(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NO_NUMBER = pattern_of(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMBER_CHARS = 100  # characters of a number

# An escaped `$` (`\\$`, not math), an escape with the letters after it, or a `$`.
_ESCAPE = pattern_of(r"\\\\\$|\\(.)([A-Za-z]*)|\$", re.DOTALL)
_EATS_TEX = "0abefrtvNLP_"


def parse_scalar(text: str) -> str | int | float | bool | None:
    """Parse an unquoted scalar; `no`, `on`, `2024-01-01` are strings. Raise `ValueError` for an invalid number."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _FLOAT.fullmatch(text):
        return number(text)
    if _BASED_NUMBER.fullmatch(text) and len(text) <= _NUMBER_CHARS:
        return with_spelling(int(text, 0), text)
    if _NO_NUMBER.fullmatch(text):
        raise ValueError("a number must be finite")
    return text


def number(text: str) -> int | float:
    """Return the value of a decimal number. Raise `ValueError` if it is too long or too large."""
    if len(text) > _NUMBER_CHARS:
        raise ValueError(f"a number has at most {_NUMBER_CHARS} digits")
    if _INTEGER.fullmatch(text):
        return with_spelling(int(text), text)
    value = float(text)
    if isinf(value):
        raise ValueError(f"{shorten_for_message(text)} is too large for a number")
    return with_spelling(value, text)


def check_escapes(raw: str, value: str, mark: tuple[int, int], refuse: Callable[..., object]) -> None:
    r"""Report TeX that a double-quoted text would damage, such as `"$\theta$"`, in which `\t` is a tab.

    `raw` is the text in the file at `mark`, including quotes; `value` is its parsed value. A line feed (`\n`) is
    accepted, except inside math: `"$\nabla$"` is probably a TeX command.
    """
    in_maths, last_dollar = False, raw.rfind("$")
    for match in _ESCAPE.finditer(raw):
        escaped, word = match[1], match[2]
        if match[0] == "$":
            in_maths = not in_maths
        elif escaped is None:
            continue
        elif escaped in _EATS_TEX or (escaped == "n" and in_maths and match.end() <= last_dollar):
            what = "a line break" if escaped == "n" else "a control character or a special space"
            hint = f'for TeX write "\\\\{escaped}{word}"'
            refuse(f'"\\{escaped}" in double quotes is {what}', _shift_mark(mark, raw[: match.start()]), hint=hint)
    if found := NOT_TEXT.search(value):
        refuse(f"an escape here gives U+{ord(found[0]):04X}, which is not allowed", mark)


def _shift_mark(mark: tuple[int, int], by: str) -> tuple[int, int]:
    newlines = by.count("\n")
    return (mark[0] + newlines, len(by) - by.rfind("\n")) if newlines else (mark[0], mark[1] + len(by))


def build_yaml(text: str, name: str) -> DocumentBuilder:
    """Read one YAML document into a builder. Raise `SpecError` for invalid input."""
    if color := _LOST_COLOR.search(text):
        mark = text.count("\n", 0, color.start(1)) + 1, color.start(1) - text.rfind("\n", 0, color.start(1))
        hint = f'put it in quotes: "{color[1]}"'
        DocumentBuilder(name).refuse(f'"{color[1]}" is a comment, not a color', mark, hint=hint)
    return _build_with_libyaml(text, name) or _build_in_python(text, name)


_LOST_COLOR = pattern_of(
    r"^[ \t]*(?:- +)?(?:color|band|ot[a-z]+):[ \t]+(#(?:[0-9A-Fa-f]{3}){1,2})[ \t]*$", re.MULTILINE
)
_BRACKET = pattern_of(r"[\[\]{}]")


def _refuse_deep(text: str, name: str) -> None:
    """Reject text with too many open brackets, because the parser takes quadratic time in their number.

    Brackets in quotes and comments count here as well. So the text up to the first excess bracket is parsed, which
    raises an error if the nesting is really too deep.
    """
    from ruamel.yaml.error import YAMLError

    depth, most = 0, MAX_DEPTH_LEVELS
    for found in _BRACKET.finditer(text):
        depth += 1 if found[0] in "[{" else -1
        if depth > most:
            builder = DocumentBuilder(name)
            with suppress(YAMLError, OverflowError, ValueError):  # the text is truncated there
                for event in _parse_in_python(text[: found.end()]):
                    _take_event(event, text, builder)
            most *= 2


# Text that libyaml may read by other rules. Tabs, line breaks, directives. Unusual anchors, aliases and tags. Comments
# and blank lines at the beginning of a block. A value next to the colon of a quoted name.
_PYTHON_ONLY = pattern_of(
    r"[\t\r\x85\u2028\u2029\ufeff]|[&*](?![\w-]+[\s\]}])|!(?!tex [^&\s])|[|>]\S* *(?:#|\n\s*\n)|[\"'] *:\S|^%",
    re.MULTILINE,
)


def _build_with_libyaml(text: str, name: str) -> DocumentBuilder | None:
    """Read YAML with libyaml, which is written in C.

    Return None for text that libyaml rejects, because the errors of the parser in Python have hints, for text that the
    two may read differently, and on platforms without libyaml.
    """
    try:
        from yaml import YAMLError
        from yaml.cyaml import CSafeLoader
    except ImportError:
        return None
    if _PYTHON_ONLY.search(text):
        return None
    builder, parser = DocumentBuilder(name), CSafeLoader(text)
    try:
        while parser.check_event():
            _take_event(parser.get_event(), text, builder)
    except (YAMLError, ValueError, OverflowError):
        return None
    return builder


def _build_in_python(text: str, name: str) -> DocumentBuilder:
    from ruamel.yaml.error import YAMLError

    _refuse_deep(text, name)
    builder = DocumentBuilder(name)
    try:
        for event in _parse_in_python(text):
            _take_event(event, text, builder)
    except YAMLError as error:
        raise SpecError([_describe_problem(error, text, name)]) from None
    except (OverflowError, ValueError):  # error of chr() for "\U99999999"
        raise SpecError([_bad_number(text, name)]) from None
    return builder


def _parse_in_python(text: str) -> Iterator[Any]:
    from ruamel.yaml import YAML

    return iter(YAML(typ="safe", pure=True).parse(text))


def _take_event(event: Any, text: str, builder: DocumentBuilder) -> None:
    """Add an event of either parser to the document."""
    kind, mark = type(event).__name__, (event.start_mark.line + 1, event.start_mark.column + 1)
    if kind == "ScalarEvent":
        _take_scalar(event, mark, text, builder)
    elif kind in ("MappingStartEvent", "SequenceStartEvent"):
        if event.tag is not None:
            builder.refuse(
                f"the tag {_spell_tag(event)} is not allowed here", mark, hint="!tex belongs before a string"
            )
        builder.begin({} if kind == "MappingStartEvent" else [], mark, anchor=event.anchor)
    elif kind in ("MappingEndEvent", "SequenceEndEvent"):
        builder.end()
    elif kind == "AliasEvent":
        builder.add_alias(event.anchor, mark)
    elif kind == "DocumentStartEvent":
        if event.version not in (None, (1, 2)):
            builder.refuse("only YAML 1.2 is read", mark, hint="remove the %YAML line")
        if builder.is_complete:
            builder.refuse("a second spec begins here", mark, hint="one file holds one")


def _take_scalar(event: Any, mark: tuple[int, int], text: str, builder: DocumentBuilder) -> None:
    value: Any = event.value
    unquoted = not event.style
    if event.style == '"':
        check_escapes(text[event.start_mark.index : event.end_mark.index], value, mark, builder.refuse)
    if builder.wants_key:
        if event.tag is not None:
            builder.refuse("the name of a field has no tag", mark)
        if not value:
            builder.refuse("the name of a field is missing", mark)
        builder.add_key(value, mark, anchor=event.anchor, is_merge=unquoted and value == "<<")
        return
    if event.tag is not None:
        if event.tag != "!tex":
            builder.refuse(f"unknown tag {_spell_tag(event)}", mark, hint="only !tex has a meaning")
        value = Tex(value)
    elif unquoted:
        try:
            value = parse_scalar(value)
        except ValueError as error:
            builder.refuse(str(error), mark, hint="quote it to make it a string")
    builder.add_scalar(value, mark, anchor=event.anchor)


def _spell_tag(event: Any) -> str:
    return quote(str(event.tag).replace("tag:yaml.org,2002:", "!!"))


_ENDLESS = "this quote never ends"

# ruamel.yaml message -> (message, hint). `{start}` is the location of the opening bracket.
_WORDING = [
    (r"character '\\t' that cannot start", "a tab cannot stand here", "indent with spaces"),
    (r"found character '(.)' that cannot start", r'a string cannot begin with "\1"', "put it in quotes"),
    (r"mapping values are not", 'a ":" cannot stand here', 'quote a text that holds ": ", or check the indentation'),
    (r"sequence entries are not allowed", 'a "-" cannot stand here', "begin a list on a line of its own"),
    (r"could not find expected ':'", 'expected ":" and a value before this', "a field is `name: value`"),
    (r"unknown escape character '\\x00'|unexpected (end of stream|document sep)", _ENDLESS, ""),
    (r"unknown escape character ['\"](.)", r'"\\\1" means nothing in double quotes', "for TeX use single quotes"),
    (r"expected escape sequence of", "this escape lacks its digits", "for TeX use single quotes"),
    (r"expected ',' or '([\]}])'", r'expected "," or "\1"', "{start}"),
    (r"expected <block end>", "this line fits neither the line above nor a new field", "check its indentation"),
    (r"more indented follow up", "this line is indented deeper than the first of its text", "indent them alike"),
    (r"expected the node content", "a value is missing here", ""),
    (r"mapping keys are not allowed", 'a "?" cannot stand here', "put it in quotes"),
    (r"expected '<document start>'|found non-comment", "nothing more can stand here", "the spec ended before it"),
]


_QUOTED_STRING = pattern_of(r"'[^']*'|\"[^\"]*\"")
_COMMENT = pattern_of(r"\s#[^\n]*[\]}]\s*$")  # a comment that contains the closing bracket
_COMMAND = pattern_of(r"\\[A-Za-z]+\{[^{}$\n]*\}")
_MATHS = "inside {…}, write math in single quotes: label: '$w_{1}$'"

# Errors for an unquoted string that begins with a special character of YAML.
_SIGNS = pattern_of(r"while \w+ing an? (?:alias|anchor|tag|directive|block scalar)|found undefined tag handle")


def _describe_problem(error: YAMLError, text: str, name: str) -> Problem:
    context, start = getattr(error, "context", None) or "", getattr(error, "context_mark", None)
    mark = getattr(error, "problem_mark", None) or start
    said = " ".join(str(getattr(error, "problem", None) or context or error).split())
    if mark is None:
        return Problem(f"not YAML: {shorten_for_message(said)}", "", Place(name))
    start = start or mark
    began = Place(name, start.line + 1, start.column + 1)
    if _SIGNS.search(f"{context} {said}"):
        sign = text[start.index]
        hint = 'a comment begins with "#"' if sign == "%" else "put it in quotes"
        return Problem(f'a string cannot begin with "{sign}"', "", began, hint)
    place = Place(name, mark.line + 1, mark.column + 1)
    for pattern, message, hint in _WORDING:
        if match := re.search(pattern, said):
            way_out = match.expand(hint)
            if hint == "{start}":
                way_out = _way_out_of_braces(
                    _QUOTED_STRING.sub("", text[start.index : mark.index]), text[mark.index :], began
                )
            return Problem(match.expand(message), "", began if message == _ENDLESS else place, way_out)
    return Problem(f"not YAML: {shorten_for_message(said)}", "", place)


def _way_out_of_braces(bare: str, rest: str, began: Place) -> str:
    """Return a hint for an unclosed bracket; `bare` are its contents without quoted strings."""
    if "$" not in bare and (command := _COMMAND.search(bare + rest)):
        return f"TeX commands stand after !tex in single quotes: label: !tex '{shorten_for_message(command[0])}'"
    if "$" in bare or "\\" in bare or (bare.endswith(("_", "^")) and rest.startswith("{")):
        return _MATHS
    if _COMMENT.search(bare):
        return 'within {…} a "#" after a space begins a comment: put the text in quotes'
    if rest.startswith(": ") and "\n" not in bare:
        return 'put a text that holds ": " in quotes'
    return f"it begins at {began}"


def _bad_number(text: str, name: str) -> Problem:
    found = re.search(r"\\U(?!000|0010)[0-9A-Fa-f]{8}", text)
    if found is None:
        return Problem("not YAML: a number is too long", "", Place(name))
    before = text[: found.start()]
    place = Place(name, before.count("\n") + 1, len(before) - before.rfind("\n"))
    return Problem(f"{found[0]} is not a character", "", place, "for TeX use single quotes")
