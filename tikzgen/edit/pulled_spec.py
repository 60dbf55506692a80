"""Embedded spec of a figure, written back to a separate file: only lines with changes are replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from tikzgen.base.errors import EditRefused, SpecError, TikzgenError
from tikzgen.base.folders import lock_folder
from tikzgen.base.write_files import write_files
from tikzgen.edit.lift.lifted_file import lift_file
from tikzgen.edit.merge import merge
from tikzgen.edit.own_figure import read_own
from tikzgen.emit.render_figure import make_description, render
from tikzgen.model.figure import FigureModel
from tikzgen.model.part import shorten_description
from tikzgen.spec.load_figure import figure_of, load_from_text
from tikzgen.spec.parse_text import parse
from tikzgen.spec.source import decode as decode_spec
from tikzgen.spec.spec_text import MODELINE, to_json, to_yaml
from tikzgen.texfile import as_in, compute_digest, decode, read_source

_TOKEN = re.compile(r"[^\s,:\[\]{}]*$")  # rest of a token, to which a change inside a line is extended

_MODELINE = MODELINE.partition("=")[0]  # applies to the whole file

Data = dict[str, Any]


def rewritten(text: str, name: str, before: Data, after: Data, meant: Data) -> str:
    """Return `text` with the changes from `before` to `after`; `meant` is its expected shortest form.

    A YAML writer also changes the spelling of unchanged parts. So it writes both states, and their difference is
    applied to `text`. If the result is not equivalent to `meant`, the spelling of the writer is used. Raise
    `TikzgenError` if no result is equivalent.
    """
    _refuse_toml(name)
    spell = _json if _is_json(text, name) else _yaml
    base, ours, theirs = (
        spelt.splitlines(keepends=True) for spelt in (spell(text, before, before), spell(text, before, after), text)
    )
    for candidate in _candidates(base, ours, theirs):
        if _says(candidate, name) == meant:
            return candidate
    raise TikzgenError("cannot change the spec and keep its notation", hint="edit the file")


def without_fields(text: str, name: str, fields: Sequence[str]) -> str:
    """Return a spec without some fields: remove their lines, and the comment right above each."""
    _refuse_toml(name)
    if _is_json(text, name):
        return _json(text, dict.fromkeys(fields), {})
    tree = _read_yaml(text)
    if tree.fa.flow_style():
        return _yaml(text, dict.fromkeys(fields), {})
    lines = text.splitlines(keepends=True)
    starts = {field: tree.lc.key(field)[0] for field in tree}
    ends = [*sorted(starts.values()), len(lines)]
    for field in sorted(fields, key=starts.__getitem__, reverse=True):
        start = starts[field]
        end = ends[ends.index(start) + 1]
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
            end -= 1  # lines below belong to the next field
        while start and lines[start - 1].startswith("#") and not lines[start - 1].startswith(_MODELINE):
            start -= 1
        while start and end < len(lines) and not lines[start - 1].strip() and not lines[end].strip():
            end += 1  # one blank line is left of two
        del lines[start:end]
    return "".join(lines)


def _refuse_toml(name: str) -> None:
    if name.lower().endswith(".toml"):
        raise TikzgenError(f"{name}: cannot write TOML", hint="write to a .yaml file, or edit the file")


def _is_json(text: str, name: str) -> bool:
    return name.lower().endswith(".json") or text.lstrip()[:1] == "{"


def _candidates(base: list[str], ours: list[str], theirs: list[str]) -> Iterator[str]:
    """Yield possible results; the first one keeps most of the file."""
    if len(base) == len(theirs):
        yield "".join(_line_by_line(base, ours, theirs))
    yield "".join(merge(base, ours, theirs, "ours").lines)
    yield "".join(ours)


def _line_by_line(base: list[str], ours: list[str], theirs: list[str]) -> Iterator[str]:
    """Apply the difference between `base` and `ours` to `theirs`, which spells `base` differently by line."""
    for kind, start, stop, first, last in SequenceMatcher(None, base, ours, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from theirs[start:stop]
        elif stop - start == last - first:
            for old, new, line in zip(base[start:stop], ours[first:last], theirs[start:stop], strict=True):
                yield _in_line(old, new, line)
        else:
            yield from ours[first:last]


def _in_line(old: str, new: str, line: str) -> str:
    """Apply the change from `old` to `new` to a line equivalent to `old`; return `new` if it is ambiguous."""
    head = _TOKEN.sub("", _common(old, new))
    tail = _TOKEN.sub("", _common(old[len(head) :][::-1], new[len(head) :][::-1]))
    gone, come = (text[len(head) : len(text) - len(tail)] for text in (old, new))
    return line.replace(gone, come) if gone and line.count(gone) == 1 else new


def _common(one: str, other: str) -> str:
    """Return the common start of two strings."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(char for char, _ in same)


def _read_yaml(text: str) -> Any:
    """Parse YAML with ruamel: a mapping that knows the lines of its fields."""
    try:
        return YAML().load(text)
    except YAMLError as error:
        raise TikzgenError(f"the file cannot be rewritten: {str(error).splitlines()[0]}") from None


def _yaml(text: str, before: Data, after: Data) -> str:
    try:
        return to_yaml(after, text, before)
    except YAMLError as error:
        raise TikzgenError(f"the file cannot be rewritten: {str(error).splitlines()[0]}") from None


def _json(text: str, before: Data, after: Data) -> str:
    try:
        return to_json(after, text, before)
    except ValueError:
        raise TikzgenError("the file is not valid JSON", hint="edit the file") from None


def _says(text: str, name: str) -> Any:
    """Return the data of a spec in its shortest form; None for an invalid spec."""
    try:
        return make_description(load_from_text(text, name=name))
    except TikzgenError:
        return None


def pull_spec_text(text: str, name: str, existing: str = "", existing_name: str = "") -> str:
    """Return the spec of a figure with manual edits as operations; keep the comments of `existing`.

    Check the result: raise `EditRefused` if it would not draw the same figure, or if this version of tikzgen did not
    write `text`. Raise `SpecError` if `existing` is not a valid spec.
    """
    _refuse_toml(existing_name)
    try:
        figure = lift_file(read_own(text, name)).said.figure
    except EditRefused as error:
        raise EditRefused(error.code, f"{name}: {error.message}", nearest="a .tex that tikzgen wrote") from None
    result = (
        _onto(existing, existing_name, figure) if existing.strip() else _fresh(make_description(figure), existing_name)
    )
    if _picture(_parse_figure(result, existing_name).keep_layout(figure.layout_record)) != _picture(figure):
        raise EditRefused("pull", f"{existing_name}: what was pulled would be another picture, so it is not written")
    return result


def pull_into(path: Path, source: bytes, name: str, called: str) -> tuple[bool, str]:
    """Write the spec embedded in the bytes `source` to a file; return whether it changed, and its text.

    An existing file keeps its comments and its order. Messages name it `called`.
    """
    with lock_folder(path):
        existing = read_source(path) if path.exists() else None
        text = pull_spec_text(decode(source), name, decode_spec(existing or b"", called), called)
        expect = {path: None if existing is None else compute_digest(existing)}
        return write_files({path: as_in(existing or b"", text)}, expect=expect), text


def _fresh(data: Data, name: str) -> str:
    return to_json(data, "{\n  }") if name.lower().endswith(".json") else to_yaml(data)


def _onto(existing: str, name: str, figure: FigureModel) -> str:
    """Return the existing spec with only the differences changed."""
    data = make_description(figure)
    document = parse(existing, name)
    said = make_description(figure_of(document))
    if said.get("recipe") != data.get("recipe"):
        # specs with a recipe and specs with parts have different fields
        existing = without_fields(existing, name, [field for field in document.data if field not in data])
        said, stated = {field: value for field, value in said.items() if field in data}, data
    else:
        stated = data | _keep_stated(said, data, figure)
    try:
        return rewritten(existing, name, said, stated, data)
    except TikzgenError as error:
        raise EditRefused("pull", f"{name}: {error.message}", nearest="-o with the name of a new file") from None


def _keep_stated(said: Data, data: Data, figure: FigureModel) -> Data:
    """Return the fields that the existing spec states with values that are the default now.

    Empty values are omitted.
    """
    described = figure.origin or figure
    fields = {facts.alias or name: name for name, facts in type(described).model_fields.items()}
    gone = [field for field in said if field in fields and field not in data]
    now = {field: shorten_description(getattr(described, fields[field])) for field in gone}
    return {field: value for field, value in now.items() if value not in (None, "", [], {})}


def _parse_figure(text: str, name: str) -> FigureModel:
    try:
        return load_from_text(text, name=name)
    except SpecError as error:
        raise EditRefused("pull", f"the pulled spec is invalid: {error.problems[0]}") from None


def _picture(figure: FigureModel) -> str:
    return render(figure).tex.partition("\\end{document}")[0]
