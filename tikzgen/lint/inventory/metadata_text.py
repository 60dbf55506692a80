"""Metadata file of a figure as text: values, their locations, and promises of the edit contract.

`metadata_of` reads the file of a figure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from json.decoder import scanstring  # type: ignore[attr-defined]  # the scanner that json itself uses
from pathlib import Path
from typing import Any

from tikzgen.base.errors import Place, describe_os_error
from tikzgen.base.read_files import read_bounded
from tikzgen.base.record import Record, WithCache
from tikzgen.texfile import Lines, Replacement, TextSpan

Steps = tuple[str | int, ...]

_BLANK = re.compile(r"[ \t\r\n\ufeff]*")
_READ = json.JSONDecoder().raw_decode


class Metadata(WithCache, Record):
    """Contents of `fig.meta.json`, with None as `data` of a missing or unreadable file, and the reason."""

    name: str
    text: str = ""
    data: dict[str, Any] | None = None
    trouble: str = ""
    where: Place = Place("")

    @classmethod
    def parse_file(cls, name: str, found: bytes | None) -> Metadata:
        """Parse the contents of the file; None represents a missing file."""
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
    def spans(self) -> dict[Steps, TextSpan]:
        """Span of each value in the text."""
        found: dict[Steps, TextSpan] = {}
        if self.data is not None:
            _walk(self.text, _after_blank(self.text, 0), (), found)
        return found

    @cached_property
    def contract(self) -> dict[str, Any]:
        """Edit contract; empty without one."""
        found = (self.data or {}).get("edit_contract")
        return found if isinstance(found, dict) else {}

    @cached_property
    def parameters(self) -> dict[str, tuple[int, dict[str, Any]]]:
        """Parameters of the contract by macro, each with its index in the list."""
        listed = self.contract.get("parameters")
        entries = enumerate(listed) if isinstance(listed, list) else ()
        return {str(each.get("name")): (index, each) for index, each in entries if isinstance(each, dict)}

    @cached_property
    def styles(self) -> tuple[str, ...]:
        """Styles of the contract."""
        listed = self.contract.get("styles")
        return tuple(str(each) for each in listed) if isinstance(listed, list) else ()

    def place_of(self, *steps: str | int) -> Place:
        """Return the location of a value, or of the nearest enclosing value if it is missing."""
        while steps and steps not in self.spans:
            steps = steps[:-1]
        if steps not in self.spans:
            return self.where
        return Lines(self.text).place_of(self.spans[steps].start, self.name)

    def replace_value(self, value: Any, *steps: str | int) -> tuple[Replacement, ...]:
        """Return the edits that replace a value in the file's style; entries of lists stay as written."""
        span = self.spans[steps]
        old = span.extract_from(self.text)
        had = self._find_value(steps)
        is_list = isinstance(value, list) and isinstance(had, list) and value and had
        new = self._with_entries(value, had, steps) if is_list else _spelt_like(value, old)
        return (Replacement(span, old, new),)

    def _with_entries(self, value: list[Any], had: list[Any], steps: Steps) -> str:
        """Return a list with other entries; new entries have the format of the first one."""
        whole, spans = self.spans[steps], [self.spans[(*steps, index)] for index in range(len(had))]
        head, tail = self.text[whole.start : spans[0].start], self.text[spans[-1].end : whole.end]
        between = self.text[spans[0].end : spans[1].start] if len(had) > 1 else f",{head[1:] or ' '}"
        texts = [span.extract_from(self.text) for span in spans]
        entries = [texts[had.index(each)] if each in had else _spelt_like(each, texts[0]) for each in value]
        return head + between.join(entries) + tail

    def _find_value(self, steps: Steps) -> Any:
        found: Any = self.data
        for step in steps:
            found = found[step]
        return found


def _spelt_like(value: Any, text: str) -> str:
    """Return a value as JSON with the indentation or spacing of another value."""
    lines = text.splitlines()
    if len(lines) < 3:
        spaces = [mark + " " * (not text or f"{mark} " in text or mark not in text) for mark in (",", ":")]
        return json.dumps(value, ensure_ascii=False, separators=(spaces[0], spaces[1]))
    pad, inner = (line[: len(line) - len(line.lstrip())] for line in (lines[-1], lines[1]))
    end = "\r\n" if "\r\n" in text else "\n"
    return json.dumps(value, ensure_ascii=False, indent=inner.removeprefix(pad)).replace("\n", end + pad)


def metadata_of(path: Path) -> Metadata:
    """Return the metadata of a figure; the file may be missing or unreadable."""
    beside = path.with_name(path.name.removesuffix(".tex") + ".meta.json")
    try:
        found = read_bounded(beside, plain=True)
    except FileNotFoundError:
        found = None
    except OSError as error:
        return Metadata(str(beside), trouble=describe_os_error(error), where=Place(str(beside)))
    return Metadata.parse_file(str(beside), found)


def _walk(text: str, at: int, steps: Steps, found: dict[Steps, TextSpan]) -> int:
    """Record the spans of the value that begins at `at` and of nested values; return its end."""
    opening = text[at]
    if opening not in "{[":
        end: int = _READ(text, at)[1]
        found[steps] = TextSpan(at, end)
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
    found[steps] = TextSpan(begin, at + 1)
    return at + 1


def _after_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


_FIXED_WORD = re.compile(r"\bfixed\b")
_KEPT_NAMES = re.compile(r"\b(?:preserve|keep) the (?:semantic )?node names?\b")
_STABLE = re.compile(r"[Nn]ode names? ((?:[A-Za-z][\w-]*(?:\.\.[A-Za-z][\w-]*)?/?)+) (?:is|are) stable")
_NAME = re.compile(r"(?<![\w>])\(([A-Za-z][A-Za-z0-9-]*)\)")
_SERIES = re.compile(r"([A-Za-z-]+)(\d+)\.\.\1(\d+)$")
_EQUAL_LENGTH = re.compile(r"\b(?:equal|same) (?:in )?length\b|\bas long as\b")
_MACRO = re.compile(r"\\[A-Za-z@]+")
_SERIES_LIMIT = 200  # names of a series


def fixed_names(contract: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the nodes whose names must not change; numbered nodes only if no new ones are allowed."""
    naming = str(contract.get("node_naming", ""))
    told = [naming.partition("New ")[0]] if _FIXED_WORD.search(naming) else []
    told += [sentence for sentence in _list_invariants(contract) if _KEPT_NAMES.search(sentence)]
    found = [name for text in told for name in _NAME.findall(text.partition("e.g.")[0])]
    for sentence in (naming, *_list_invariants(contract)):
        for stable in _STABLE.finditer(sentence):
            found += [name for each in stable[1].split("/") for name in _expand_series(each)]
    growing = "<n>" in naming
    return tuple(dict.fromkeys(name for name in found if not (growing and name[-1].isdigit())))


def equal_lists(contract: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the macros whose lists have equal lengths according to the contract."""
    for sentence in _list_invariants(contract):
        macros = tuple(dict.fromkeys(_MACRO.findall(sentence)))
        if _EQUAL_LENGTH.search(sentence) and len(macros) > 1:
            yield macros


def _list_invariants(contract: Mapping[str, Any]) -> list[str]:
    listed = contract.get("invariants")
    return [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []


def _expand_series(name: str) -> list[str]:
    """Expand `t1..t3` to t1, t2, t3."""
    series = _SERIES.match(name)
    if series is None:
        return [name] if name else []
    return [f"{series[1]}{number}" for number in range(int(series[2]), min(int(series[3]), _SERIES_LIMIT) + 1)]
