"""Parameters that a person changed in a file: said in its description, as if they had been set by an operation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from tikzgen.base.record import replace
from tikzgen.edit.acts.text_acts import set_parameter
from tikzgen.edit.macro_fields import fields
from tikzgen.edit.outcome import EditRefused
from tikzgen.edit.own_figure import Own
from tikzgen.edit.spec_data import drawn_of_data
from tikzgen.tikz.identity import hashes

__all__ = ["defined", "folded", "told"]

_DEF = re.compile(r"\\def\\([A-Za-z]+)(?:#1)?\{(.*)\}%")


def defined(row: str) -> tuple[str, str]:
    """The name and the value of the parameter that a line defines, empty for any other line."""
    found = _DEF.match(row)
    return (found[1], found[2]) if found else ("", "")


def folded(own: Own) -> Own:
    """The file with the parameters that were changed by hand said in its description.

    What no field of a description can say stays a hand edit, and so does what was changed beside a value.
    """
    changed = dict(_changed(own))
    if not changed:
        return own
    before = dict(_before(own, changed))
    data = own.data
    done = {}
    for name, value in changed.items():
        if before.get(name) in (None, value):
            continue
        try:
            data = set_parameter(data, own.name, parameter=name, value=_read(value))
        except EditRefused:
            continue
        done[name] = value
    return replace(own, data=data, folded=done)


def told(data: dict[str, Any], name: str, values: Mapping[str, str]) -> dict[str, Any]:
    """A description with what a person wrote into these parameters, as far as its fields can say it."""
    for parameter, value in values.items():
        with suppress(EditRefused):
            data = set_parameter(data, name, parameter=parameter, value=_read(value))
    return data


def _changed(own: Own) -> Iterator[tuple[str, str]]:
    """The parameters on lines that are not as they were written, with what they say now."""
    known = set(own.written.lines)
    for row, line in zip(own.rows, hashes(own.rows), strict=True):
        name, value = defined(row)
        if name and line not in known:
            yield name, value


def _before(own: Own, changed: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What tikzgen wrote into these parameters: from its lines where they are known, else from its record."""
    if own.written.rows is not None:
        yield from map(defined, own.written.rows)
        return
    yield from own.identity.values.items()
    if set(changed) - set(own.identity.values):
        known = fields(own.data, drawn_of_data(own.data, own.name), own.name)
        yield from ((name, field.source) for name, field in known.items())


def _read(source: str) -> Any:
    """The text that TeX source stands for: plain where it says the same, raw otherwise."""
    from tikzgen.text import TextRefused, typeset

    try:
        if typeset(source).source == source:
            return source
    except TextRefused:
        pass
    return {"tex": source}
