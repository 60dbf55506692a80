"""Parameters that a person changed in a file: said in its description, as if they had been set by an operation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from tikzgen.base.errors import EditRefused
from tikzgen.base.record import replace
from tikzgen.edit.acts import done
from tikzgen.edit.own_figure import Own, Said
from tikzgen.edit.set_and_rename import macro_fields
from tikzgen.model.operations.operations_table import read_operation
from tikzgen.text import TextRefused, typeset
from tikzgen.tikz.embedded_spec import hashes

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
    said = own.said
    told = {}
    for name, value in changed.items():
        if before.get(name) in (None, value):
            continue
        try:
            said = _with_parameter(said, name, value)
        except EditRefused:
            continue
        told[name] = value
    return replace(own, said=said, folded=told)


def with_parameters(said: Said, values: Mapping[str, str]) -> Said:
    """A description with what a person wrote into these parameters, as far as its fields can say it."""
    for parameter, value in values.items():
        with suppress(EditRefused):
            said = _with_parameter(said, parameter, value)
    return said


def _with_parameter(said: Said, parameter: str, source: str) -> Said:
    try:
        return done(said, read_operation("set", {"parameter": parameter, "value": _read(source)}))
    except ValidationError:
        raise EditRefused("raw-tex", "it is no TeX that a description may hold") from None


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
        known = macro_fields(own.first.drawn)
        yield from ((name, field.source) for name, field in known.items())


def _read(source: str) -> Any:
    """The text that TeX source stands for: plain where it says the same, raw otherwise."""
    try:
        if typeset(source).source == source:
            return source
    except TextRefused:
        pass
    return {"tex": source}
