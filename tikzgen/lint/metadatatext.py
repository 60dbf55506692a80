"""The metadata beside a figure as text: what they say, and where each value stands."""

from __future__ import annotations

import json
import re
from functools import cached_property
from json.decoder import scanstring  # type: ignore[attr-defined]  # the scanner that json itself uses
from typing import Any

from tikzgen.base.errors import Place
from tikzgen.base.record import Record, WithCache
from tikzgen.texfile.edits import Replacement
from tikzgen.texfile.text import Lines, Span

__all__ = ["Metadata", "Steps"]

Steps = tuple[str | int, ...]

_BLANK = re.compile(r"[ \t\r\n\ufeff]*")
_READ = json.JSONDecoder().raw_decode


class Metadata(WithCache, Record):
    """`fig.meta.json`: `data` is None where there is none or where it cannot be read; `trouble` says why."""

    name: str
    text: str = ""
    data: dict[str, Any] | None = None
    trouble: str = ""
    where: Place = Place("")

    @classmethod
    def read(cls, name: str, found: bytes | None) -> Metadata:
        """Read what stands in the file; None is no file."""
        start = Place(name, 1, 1)
        if found is None:
            return cls(name, where=start)
        try:
            text = found.decode()
            data = json.loads(text.removeprefix("\ufeff"))
        except json.JSONDecodeError as error:
            return cls(name, text, None, f"no JSON: {error.msg}", Place(name, error.lineno, error.colno))
        except (ValueError, RecursionError):
            return cls(name, "", None, "no JSON in UTF-8", start)
        if not isinstance(data, dict):
            return cls(name, text, None, "no mapping", start)
        return cls(name, text, data, where=start)

    @cached_property
    def spans(self) -> dict[Steps, Span]:
        """Where each value stands."""
        found: dict[Steps, Span] = {}
        if self.data is not None:
            _walk(self.text, _after_blank(self.text, 0), (), found)
        return found

    def place(self, *steps: str | int) -> Place:
        """Where a value stands; where the nearest one around it stands if it is missing."""
        while steps and steps not in self.spans:
            steps = steps[:-1]
        if steps not in self.spans:
            return self.where
        return Lines(self.text).place(self.spans[steps].start, self.name)

    def replaced(self, value: Any, *steps: str | int) -> tuple[Replacement, ...]:
        """The edit that puts another value in place of one, written as that one is: in one line, or an entry a line."""
        span = self.spans[steps]
        old = span.of(self.text)
        if "\n" not in old:
            return (Replacement(span, old, json.dumps(value, ensure_ascii=False)),)
        line = self.text[self.text.rfind("\n", 0, span.start) + 1 : span.start]
        pad = line[: len(line) - len(line.lstrip())]
        end = "\r\n" if "\r\n" in old else "\n"
        compact = isinstance(value, list) and all(
            "\n" not in self.spans[(*steps, index)].of(self.text) for index in range(len(self._at(steps)))
        )
        if compact and any(isinstance(entry, dict) for entry in value):  # as others write them: a mapping a line
            entries = [f"{pad}  {json.dumps(entry, ensure_ascii=False)}" for entry in value]
            new = f"[{end}" + f",{end}".join(entries) + f"{end}{pad}]"
        else:
            new = json.dumps(value, ensure_ascii=False, indent=2).replace("\n", f"{end}{pad}")
        return (Replacement(span, old, new),)

    def _at(self, steps: Steps) -> Any:
        found: Any = self.data
        for step in steps:
            found = found[step]
        return found


def _walk(text: str, at: int, steps: Steps, found: dict[Steps, Span]) -> int:
    """Note where the value that begins here stands, and those in it; where it ends."""
    opening = text[at]
    if opening not in "{[":
        end: int = _READ(text, at)[1]
        found[steps] = Span(at, end)
        return end
    begin, at, index = at, _after_blank(text, at + 1), 0
    while text[at] not in "}]":
        step: str | int = index
        if opening == "{":
            step, at = scanstring(text, at + 1, True)
            at = _after_blank(text, _after_blank(text, at) + 1)
        at = _after_blank(text, _walk(text, at, (*steps, step), found))
        if text[at] == ",":
            at = _after_blank(text, at + 1)
        index += 1
    found[steps] = Span(begin, at + 1)
    return at + 1


def _after_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
