"""Reader of TOML: Python's parser reads the values, and this module finds their locations."""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

from tikzgen.base.errors import Place, Problem, SpecError
from tikzgen.base.patterns import pattern_of
from tikzgen.spec.document import DocumentBuilder, Path

_BLANK = pattern_of(r"(?:[ \t\n]+|#[^\n]*)*")
_TEXT = r"""\"{3}(?:[^\\]|\\.)*?\"{3,5}|'{3}.*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'"""
_NAME = pattern_of(rf"[ \t]*({_TEXT}|[A-Za-z0-9_-]+)[ \t]*", re.DOTALL)
_SCALAR = pattern_of(rf"{_TEXT}|[^,\]}}#\n]*", re.DOTALL)
_LOCATION = pattern_of(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def build_toml(text: str, name: str, within: Path = ()) -> DocumentBuilder:
    """Read TOML, or the table `within` it, into a builder. Raise `SpecError` for invalid input."""
    import tomllib  # few figures are TOML, or have a configuration

    try:
        data: Any = tomllib.loads(text)
    except ValueError as error:
        at = _LOCATION.search(str(error))
        line, column = (int(at[1]), int(at[2])) if at and at[1] else _position(text, len(text))
        message = f"is not valid TOML: {_LOCATION.sub('', str(error))}"
        raise SpecError([Problem(message, place=Place(name, line, column), hint='a field is name = "value"')]) from None
    for step in within:
        data = data.get(step, {})
    builder = DocumentBuilder(name)
    _add_value(data, within, _Marks(text), builder)
    return builder


def _add_value(value: Any, path: Path, marks: _Marks, builder: DocumentBuilder) -> None:
    """Add a value and its contents to the builder."""
    mark = marks.of_value(path)
    if isinstance(value, dict | list):
        builder.begin({} if isinstance(value, dict) else [], mark)
        for step, part in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(step, str):
                builder.add_key(step, marks.of_key((*path, step)))
            _add_value(part, (*path, step), marks, builder)
        builder.end()
    elif isinstance(value, str | int) or (isinstance(value, float) and isfinite(value)):
        builder.add_scalar(value, mark)
    else:
        builder.refuse("should be a string, a finite number, or true or false", mark, hint="put it in quotes")


def _position(text: str, index: int) -> tuple[int, int]:
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


class _Marks:
    """Locations of names and values in valid TOML."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._values: dict[Path, int] = {}
        self._keys: dict[Path, int] = {}
        self._lengths: dict[Path, int] = {}  # of arrays of tables
        table: Path = ()
        while self._skip():
            if self._accept_sign("["):
                begin, listed = self._at - 1, self._accept_sign("[")
                table = self._read_table_header(begin, listed=listed)
                self._at = self._text.index("]", self._at) + 1 + listed
            else:
                self._read_field(table)

    def of_value(self, path: Path) -> tuple[int, int]:
        """Return the location of the value at `path`, or of its nearest parent."""
        while path and path not in self._values:
            path = path[:-1]
        return _position(self._text, self._values.get(path, 0))

    def of_key(self, path: Path) -> tuple[int, int]:
        """Return the location of the field name at `path`."""
        return _position(self._text, self._keys[path]) if path in self._keys else self.of_value(path)

    def _skip(self) -> bool:
        """Skip whitespace and comments; return whether any text follows."""
        self._at = _BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]  # it matches the empty text
        return self._at < len(self._text)

    def _accept_sign(self, sign: str) -> bool:
        found = self._text.startswith(sign, self._at)
        self._at += len(sign) * found
        return found

    def _read_names(self, path: Path) -> Path:
        """Read names separated by dots, below `path`, and record their locations."""
        while True:
            match = _NAME.match(self._text, self._at)
            assert match is not None  # the text is valid TOML
            name = match[1]
            if self._lengths.get(path):
                path = (*path, self._lengths[path] - 1)
            path = (*path, name[1:-1] if name[0] in "'\"" else name)
            self._keys.setdefault(path, match.start(1))
            self._values.setdefault(path, match.start(1))
            self._at = match.end()
            if not self._accept_sign("."):
                return path

    def _read_table_header(self, begin: int, *, listed: bool) -> Path:
        path = self._read_names(())
        if listed:
            self._lengths[path] = self._lengths.get(path, 0) + 1
            path = (*path, self._lengths[path] - 1)
        elif self._lengths.get(path):
            path = (*path, self._lengths[path] - 1)
        self._values.setdefault(path, begin)
        return path

    def _read_field(self, table: Path) -> None:
        path = self._read_names(table)
        self._at = self._text.index("=", self._at) + 1
        self._read_value(path)

    def _read_value(self, path: Path) -> None:
        self._skip()
        self._values[path] = self._at
        if self._accept_sign("["):
            number = 0
            while self._skip() and not self._accept_sign("]"):
                self._read_value((*path, number))
                number += 1
                self._skip()
                self._accept_sign(",")
        elif self._accept_sign("{"):
            while self._skip() and not self._accept_sign("}"):
                self._read_field(path)
                self._skip()
                self._accept_sign(",")
        else:
            self._at = _SCALAR.match(self._text, self._at).end()  # type: ignore[union-attr]
