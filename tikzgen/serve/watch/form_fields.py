"""Fields of a form for a figure: parameters of its edit contract, and parameters of its recipe."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from tikzgen.base.errors import EditRefused
from tikzgen.base.record import Record, replace
from tikzgen.edit.lift.lifted_file import lift_file
from tikzgen.edit.own_figure import Said, read_own
from tikzgen.edit.set_spacing_and_texts import macro_fields
from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.lint.inventory import Inventory, ParameterInFile, take
from tikzgen.lint.read_valid import valid_reading
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Options
from tikzgen.model.looks import Spacing
from tikzgen.model.operations import Path as Way
from tikzgen.model.part import shorten_description
from tikzgen.spec.document import Document
from tikzgen.spec.embedded_spec import extract_spec
from tikzgen.spec.errors.field_docs import field_docs
from tikzgen.texfile import decode, read_source
from tikzgen.text import Tex

FACT = "fact"
PARAMETER = "parameter"

# Fields that other parameters set, or that do not affect the appearance.
_OTHER_FIELDS = "recipe id meta labels spacing panels links phases kinds legend operations overrides raw_tex"
_FIRST = ("workers", "palette", "width")  # not collapsed
_RAW = "raw TeX: change it in the file"
_TEXT = re.compile(r"[^\[\]{}\"'!\s]|$")  # start of a string that `--set` reads verbatim


class Field(Record):
    """A field: `key` identifies it, `value` is its contents in the notation for edits.

    A value of `kind` "tex" is TeX source, passed on verbatim; other strings are escaped. `fixed` is the reason why it
    cannot be changed here, or empty. `line` is its line in the file, or 0.
    """

    key: str
    name: str
    group: Literal["facts", "defaults", "distances", "texts"]
    kind: Literal["text", "number", "count", "choice", "tex"]
    value: str
    meaning: str = ""
    unit: str = ""
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    unset: str = ""
    fixed: str = ""
    line: int = 0


def fields_of(path: Path, *, allow_invalid: bool) -> tuple[Field, ...]:
    """Return the fields of a file; empty for a list of operations. Raise the errors of the file."""
    return fields_read(SpecReading(path, drawn=True), allow_invalid=allow_invalid)


def fields_read(reading: SpecReading, *, allow_invalid: bool) -> tuple[Field, ...]:
    """Return the fields of a file whose reading is shared with other checks."""
    path = Path(reading.path)
    if path.suffix.lower() == ".tex":
        return _fields_of_tex(read_source(path), path)
    if path.suffix.lower() == ".csv":
        return ()
    valid = valid_reading(reading, allow_invalid=allow_invalid)
    found, document = valid.facts
    return _fields_of_spec(found, document, valid.figure, valid.render_result.tex)


def _fields_of_spec(facts: Options, document: Document, figure: FigureModel, tex: str) -> tuple[Field, ...]:
    """Return the fields of a spec: `facts` is the model of `document`; `figure` and `tex` are its results."""
    held = take(tex.encode(), "the figure", edits_too=False)
    inside = json.loads(extract_spec(tex) or "{}")
    texts = macro_fields(Said(figure, "the spec", inside["tikzgen"].get("form", {})).drawn_figure)
    shown = {field.fact for field in texts.values()}
    own = [field for field in _list_fact_fields(facts, document.data) if (field.name,) not in shown]
    told = (*own, *_list_parameter_fields(held, {name: field.text for name, field in texts.items()}))
    homes = {name: field.fact or (field.places[0] if field.places else ()) for name, field in texts.items()}
    return tuple(replace(each, line=_find_line(document, each, homes.get(each.name))) for each in told)


def _find_line(document: Document, field: Field, home: Way | None) -> int:
    """Return the line of a spec that sets a field, or 0."""
    path: Way = (
        tuple(field.name.split(".")) if field.group in ("facts", "defaults") else home or ("spacing", field.name)
    )
    value: Any = document.data
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return 0
    return document.places.locate_key(path).line or 0


def _fields_of_tex(data: bytes, path: Path) -> tuple[Field, ...]:
    """Return the fields of a .tex: all parameters of its contract, by tikzgen or not."""
    held = take(data, str(path), path)
    try:
        texts = macro_fields(lift_file(read_own(decode(data), str(path))).said.drawn_figure)
    except EditRefused:
        return tuple(_of_others(held))
    return tuple(_list_parameter_fields(held, {name: field.text for name, field in texts.items()}, _RAW))


def _list_parameter_fields(held: Inventory, texts: Mapping[str, Any], raw: str = "") -> Iterator[Field]:
    for each in held.parameters:
        name = each.name[1:]
        if name in Spacing.model_fields:
            yield _make_parameter_field(each, "distances", "number")
        elif name in texts:
            is_tex = isinstance(texts[name], Tex)
            found = _make_parameter_field(each, "texts", "tex" if is_tex else "text")
            yield replace(found, value=str(texts[name]), fixed=raw if is_tex else "")


def _of_others(held: Inventory) -> Iterator[Field]:
    for each in held.parameters:
        is_text = each.type not in ("length-cm", "number")
        yield (
            _make_parameter_field(each, "texts", "text")
            if is_text
            else _make_parameter_field(each, "distances", "number")
        )


def _make_parameter_field(
    each: ParameterInFile, group: Literal["distances", "texts"], kind: Literal["number", "text", "tex"]
) -> Field:
    name, bounds = each.name[1:], (each.unit, each.least, each.most)
    return Field(f"{PARAMETER}:{name}", name, group, kind, each.value, each.meaning, *bounds, line=each.line)


def _list_fact_fields(facts: Options, data: Mapping[str, Any]) -> Iterator[Field]:
    """Yield the fields of the description, stated ones first; a nested part has a field per entry."""
    schema = _make_schema(type(facts))
    meanings = field_docs(type(facts))
    names = [name for name in type(facts).model_fields if name not in _OTHER_FIELDS.split()]
    for name in dict.fromkeys([*(name for name in data if name in names), *names]):
        rule, value, said = schema["properties"].get(name, {}), getattr(facts, name), data.get(name)
        if "$ref" not in rule:
            yield _make_fact_field(name, value if said is None else said, rule, meanings[name], name in data)
            continue
        inside = schema["$defs"][rule["$ref"].rpartition("/")[2]]["properties"]
        for inner, meaning in field_docs(type(value)).items():
            told = said.get(inner) if isinstance(said, dict) else None
            yield _make_fact_field(
                f"{name}.{inner}",
                getattr(value, inner) if told is None else told,
                inside[inner],
                meaning,
                told is not None,
            )


def _make_fact_field(name: str, value: Any, rule: Mapping[str, Any], meaning: str, stands: bool) -> Field:
    choices = _list_choices(rule)
    kind: Literal["choice", "number", "count", "text"] = "choice" if choices else "text"
    parts = (rule, *rule.get("anyOf", ()))
    count = next((part for part in parts if part.get("type") == "integer"), None)
    if count is not None and isinstance(value, int):
        kind, rule = "count", {**rule, **count}
    least, most = rule.get("minimum"), rule.get("maximum")
    group: Literal["facts", "defaults"] = "facts" if stands or name in _FIRST else "defaults"
    return Field(
        f"{FACT}:{name}",
        name,
        group,
        kind,
        _spell_value(value),
        meaning,
        "",
        least,
        most,
        choices,
        _meaning_of_null(rule),
    )


def _list_choices(rule: Mapping[str, Any]) -> tuple[str, ...]:
    if rule.get("type") == "boolean":
        return ("true", "false")
    return tuple(str(value) for value in rule.get("enum", ()))


def _meaning_of_null(rule: Mapping[str, Any]) -> str:
    """Return the meaning of an empty field, if the description allows null."""
    return "none" if any(part.get("type") == "null" for part in rule.get("anyOf", ())) else ""


def _spell_value(value: Any) -> str:
    """Spell a value as `--set` reads it: JSON for lists and mappings, which is also YAML."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Tex):
        return f"!tex {value}"
    plain = shorten_description(value)
    if isinstance(plain, dict) and plain.keys() == {"count"}:
        plain = plain["count"]  # {count: 3} is the parsed form of 3
    if isinstance(plain, str):
        return plain if _TEXT.match(plain) else json.dumps(plain, ensure_ascii=False)
    return json.dumps(plain, ensure_ascii=False) if isinstance(plain, list | dict) else str(plain)


@cache
def _make_schema(model: type[Options]) -> dict[str, Any]:
    found: dict[str, Any] = model.model_json_schema()
    return found
