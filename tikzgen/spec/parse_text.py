"""Parsers of descriptions in YAML, JSON, TOML or another language, with the location of every value."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NoReturn

from tikzgen.base.errors import Place, Problem, SpecError, quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.read_files import one_figure
from tikzgen.spec.diagrams.import_formats import is_diagram, read_diagram_text
from tikzgen.spec.document import Document, DocumentBuilder
from tikzgen.spec.extends import with_shared
from tikzgen.spec.source import check_text, read_named_text
from tikzgen.spec.toml_text import build_toml
from tikzgen.spec.yaml import build_yaml, check_escapes, number

_SPACE = pattern_of(r"[ \t\n]*")
_TOKEN = pattern_of(
    r"""(?P<text>"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+")
      | (?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)
      | (?P<word>true|false|null)\b
      | (?P<sign>[][{}:,])
      | (?P<end>\Z)""",
    re.VERBOSE,
)
_QUOTE = '"'
_WORDS = {"true": True, "false": False, "null": None}

# Parser states: the next expected token. `FIRST` follows an opening bracket, where the closing one is also valid.
_VALUE, _FIRST_VALUE, _KEY, _FIRST_KEY, _COLON, _NEXT, _END = range(7)


class NotJson(SpecError):
    """Text that breaks the grammar of JSON; it may still be YAML."""


def build_json(text: str, name: str) -> DocumentBuilder:
    """Read one JSON value into a builder. Raise `NotJson`, or `SpecError` for duplicates and limits."""
    builder = DocumentBuilder(name)
    closers: list[str] = []  # closing bracket of each open mapping or list
    state, position, line, line_start = _VALUE, 0, 1, 0
    while True:
        begin = _SPACE.match(text, position).end()  # type: ignore[union-attr]  # it matches the empty text
        if newlines := text.count("\n", position, begin):
            line, line_start = line + newlines, text.rfind("\n", position, begin) + 1
        mark = (line, begin - line_start + 1)
        match = _TOKEN.match(text, begin)
        if match is None:
            _fail(text[begin], state, closers, Place(name, *mark))
        kind, token, position = match.lastgroup, match[0], match.end()
        if kind == "text" and state in (_KEY, _FIRST_KEY):
            builder.add_key(_decode(token, mark, builder), mark)
            state = _COLON
        elif kind == "sign" and state == _COLON and token == ":":
            state = _VALUE
        elif kind == "sign" and state == _NEXT and token == ",":
            state = _KEY if closers[-1] == "}" else _VALUE
        elif closers and token == closers[-1] and state in (_NEXT, _FIRST_KEY, _FIRST_VALUE):
            builder.end()
            closers.pop()
            state = _NEXT if closers else _END
        elif state in (_VALUE, _FIRST_VALUE) and token in ("{", "["):
            builder.begin({} if token == "{" else [], mark)
            closers.append("}" if token == "{" else "]")
            state = _FIRST_KEY if token == "{" else _FIRST_VALUE
        elif state in (_VALUE, _FIRST_VALUE) and kind in ("text", "number", "word"):
            _add_scalar(kind, token, mark, builder)
            state = _NEXT if closers else _END
        elif state == _END and kind == "end":
            return builder
        else:
            _fail(token, state, closers, Place(name, *mark))


def _add_scalar(kind: str, token: str, mark: tuple[int, int], builder: DocumentBuilder) -> None:
    if kind == "text":
        builder.add_scalar(_decode(token, mark, builder), mark)
    elif kind == "word":
        builder.add_scalar(_WORDS[token], mark)
    else:
        try:
            builder.add_scalar(number(token), mark)
        except ValueError as error:
            builder.refuse(str(error), mark, hint="put it in double quotes to make it a string")


def _decode(token: str, mark: tuple[int, int], builder: DocumentBuilder) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        value: str = json.loads(token, strict=False)
    except ValueError:
        builder.refuse("a backslash is not allowed here", mark, hint="for TeX write two backslashes")
    check_escapes(token, value, mark, builder.refuse)
    return value


_EXPECTED_EVENTS = {
    _VALUE: "expected a value",
    _FIRST_VALUE: 'expected a value or "]"',
    _KEY: "expected a name in double quotes",
    _FIRST_KEY: 'expected a name in double quotes or "}"',
    _COLON: 'expected ":"',
    _END: "nothing more can stand here",
}


def _fail(token: str, state: int, closers: list[str], place: Place) -> NoReturn:
    message = _EXPECTED_EVENTS.get(state) or f'expected "," or "{closers[-1]}"'
    if token in ("#", "/"):
        hint = "JSON has no comments; a .yaml file may have them"
    elif token in ("}", "]") and state in (_VALUE, _KEY):
        hint = "remove the comma before it"
    elif token == "":
        hint = "the file ends too early"
    elif token in ("'", "`") or token.isalpha():
        hint = "put names and strings in double quotes"
    elif token == '"':
        hint = "a string ends on its first line"
    else:
        hint = f"there is {quote(token.strip(_QUOTE))}"
    raise NotJson([Problem(message, place=place, hint=hint)])


def parse(text: str, name: str = "<text>") -> Document:
    """Parse the description in `text`: YAML, JSON, or by the suffix of `name` TOML or a diagram.

    Raise `SpecError` for invalid input.
    """
    with one_figure():
        return with_shared(_build(check_text(text, name), name).make_document(), _read_shared)


def _read_shared(name: str, by: Path) -> Document:
    """Return the description in a file that another file extends, without its own `extends` resolved."""
    return _build(*read_named_text(name, by)).make_document()


def _build(text: str, name: str) -> DocumentBuilder:
    if name.lower().endswith(".toml"):
        return build_toml(text, name)
    if is_diagram(name):
        return read_diagram_text(text, name)[0]
    named_json = name.lower().endswith(".json")
    if named_json or text.lstrip()[:1] in ("{", "["):
        try:
            return build_json(text, name)
        except NotJson:
            if named_json:
                raise
            # a YAML flow collection begins like JSON
    return build_yaml(text, name)
