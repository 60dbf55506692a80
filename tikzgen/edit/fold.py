"""Parameters that a person changed by hand go into the description, so that what is laid out again follows them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from tikzgen.edit.acts.texts import set_parameter
from tikzgen.edit.outcome import EditRefused
from tikzgen.edit.own import Own
from tikzgen.record import replace

__all__ = ["changed", "folded", "told"]

_BLOCK = re.compile(r"^% ==== parameters.*?$(.*?)^% ====$", re.MULTILINE | re.DOTALL)
_DEF = re.compile(r"^\\def\\([A-Za-z]+)\{(.*)\}%", re.MULTILINE)


def changed(own: Own) -> dict[str, tuple[str, str]]:
    """The parameters whose values differ from what tikzgen wrote: what it wrote, and what stands there."""
    before, after = dict(_values(own.base)), dict(_values(own.text))
    return {name: (value, after[name]) for name, value in before.items() if after.get(name, value) != value}


def folded(own: Own) -> Own:
    """The file with the parameters that were changed by hand said in its description.

    Their lines in `text` are as tikzgen wrote them again, for what is written next has the new values; what no field
    of a description can say stays a hand edit.
    """
    data, text = own.data, own.text
    for name, (before, value) in changed(own).items():
        try:
            data = set_parameter(data, own.name, parameter=name, value=_read(value))
        except EditRefused:
            continue
        text = text.replace(f"\\def\\{name}{{{value}}}%", f"\\def\\{name}{{{before}}}%", 1)
    return replace(own, data=data, text=text)


def told(data: dict[str, Any], name: str, values: Mapping[str, str]) -> dict[str, Any]:
    """A description with what a person wrote into these parameters, as far as its fields can say it."""
    for parameter, value in values.items():
        with suppress(EditRefused):
            data = set_parameter(data, name, parameter=parameter, value=_read(value))
    return data


def _values(text: str) -> Iterator[tuple[str, str]]:
    block = _BLOCK.search(text)
    if block:
        for match in _DEF.finditer(block[1]):
            yield match[1], match[2]


def _read(source: str) -> Any:
    """The text that TeX source stands for: plain where it says the same, raw otherwise."""
    from tikzgen.text import TextRefused, typeset

    try:
        if typeset(source).source == source:
            return source
    except TextRefused:
        pass
    return {"tex": source}
