"""Rules on the metadata file of a .tex: TG210, TG214."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.base.errors import format_path, quote
from tikzgen.base.suggest import suggest_known_names
from tikzgen.lint.registry import Broken, Fix, rule
from tikzgen.lint.written_tex import FigureFile

if TYPE_CHECKING:
    from jsonschema import ValidationError  # type: ignore[import-untyped]


Steps = tuple[str | int, ...]

SCHEMA: dict[str, Any] = json.loads(Path(__file__).with_name("metadata.schema.json").read_bytes())
"""Schema of `fig.meta.json`, which accepts the same files as OpenTikZ's catalog."""

_WORDS = {"object": "a mapping", "array": "a list", "string": "a text", "boolean": "true or false"}


def find_schema_errors(data: Any) -> list[tuple[Steps, str, str]]:
    """Return the errors of metadata: path, message and hint of each; empty if they are valid."""
    from jsonschema import Draft202012Validator

    errors = Draft202012Validator(SCHEMA).iter_errors(data)
    return list(dict.fromkeys(told for error in errors for told in _explain_errors(error)))


def _explain_errors(error: ValidationError) -> Iterator[tuple[Steps, str, str]]:
    steps, asked, data = tuple(error.absolute_path), error.validator_value, error.instance
    where = _spell_steps(steps)
    match error.validator:
        case "type":
            yield steps, f"{where} is not {_WORDS[asked]}", f"make it {_WORDS[asked]}"
        case "enum":
            yield steps, f"{where} is {json.dumps(data)}", f"it may be {', '.join(asked)}"
        case "minLength":
            yield steps, f"{where} is empty", "say something"
        case "pattern" if data:
            yield steps, f"{where} is {json.dumps(data)}", "use small letters, digits and single hyphens"
        case "minItems":
            yield steps, f"{where} is empty", "list at least one"
        case "uniqueItems":
            for index, entry in enumerate(data):
                if entry in data[:index]:
                    yield (*steps, index), f"{json.dumps(entry)} is used twice in {where}", "remove one"
        case "required":
            for name in asked:
                if name not in data:
                    yield steps, f"{_spell_steps((*steps, name))} is missing", "add it"
        case "additionalProperties":
            known = error.schema["properties"]
            for name in data:
                if name not in known:
                    hint = suggest_known_names(name, list(known), "the fields are")
                    yield (*steps, name), f"{_spell_steps((*steps, name))} is not a field that the schema knows", hint


def _spell_steps(steps: Steps) -> str:
    """Spell a field's path: `edit_contract.styles[0]`."""
    return f'the field "{format_path(steps)}"' if steps else "the file"


_WITH_CHINESE = {"iftex", "CJKutf8", "xeCJK", "luatexja-fontspec"}


@rule("TG210", "the metadata list the packages and libraries that the file loads", fixes="corrects this list")
def _requires(subject: FigureFile) -> Iterator[Broken]:
    required = (subject.metadata.data or {}).get("requires")
    if not isinstance(required, list) or not all(isinstance(each, str) for each in required):
        return
    loaded = {each.name: each.span for each in subject.facts.loaded if each.command != "documentclass"}
    stale = [name for name in dict.fromkeys(required) if name not in loaded and name not in _WITH_CHINESE]
    missing = [name for name in loaded if name not in required and name not in _WITH_CHINESE]
    if not stale and not missing:
        return
    right = [*(name for name in dict.fromkeys(required) if name not in stale), *missing]
    fix = Fix(metadata=subject.metadata.replace_value(right, "requires"))
    for name in stale:
        place = subject.metadata.place_of("requires", required.index(name))
        message = f"the metadata require {name}, which the file does not load"
        yield Broken(place, message, "remove it from the list `requires`", fix)
    for name in missing:
        message = f"the file loads {name}, which the metadata do not list"
        yield Broken(subject.place_of(loaded[name].start), message, "add it to the list `requires`", fix)


_UNIT = re.compile(r"\s*\((cm|mm|pt|em|ex)\)$")


@rule(
    "TG214",
    "the metadata are valid and match the file",
    fixes="rewrites the metadata of tikzgen's own figures",
)
def _metadata(subject: FigureFile) -> Iterator[Broken]:
    own, metadata = subject.inventory.own, subject.metadata
    anew = Fix(rewrite=True) if own else None
    if metadata.trouble:
        yield Broken(metadata.where, f"the metadata are {metadata.trouble}", "write them again", anew)
    if metadata.data is None:
        return
    wrong = [] if subject.metadata_written else find_schema_errors(metadata.data)
    for steps, message, hint in wrong:
        yield Broken(metadata.place_of(*steps), message, hint, anew)
    if not wrong:
        yield from _listed_styles(subject, own)
        yield from _listed_parameters(subject, own)


def _listed_styles(subject: FigureFile, own: bool) -> Iterator[Broken]:
    """Yield styles of the contract that the file does not declare, and listed styles that it does not use."""
    known = {style.name: style for style in subject.facts.styles}
    listed = subject.metadata.styles
    left = [each for each in listed if each in known]
    for index, style in enumerate(listed):
        if style not in known:
            steps = ("edit_contract", "styles")
            used = re.search(rf"(?<![\w-]){re.escape(style)}(?![\w-])", subject.facts.code.mask)
            fix = Fix(metadata=subject.metadata.replace_value(left, *steps)) if own and left and not used else None
            message = f"the contract has a style {quote(style)} that the file does not declare"
            yield Broken(subject.metadata.place_of(*steps, index), message, "declare it, or take it off the list", fix)
        elif not re.search(rf"[\[,{{/]\s*{re.escape(style)}\s*[\],}}=]", subject.facts.code.mask):
            message = f"unused style {quote(style)} in the contract"
            hint = "draw with it, or take it off the list"
            yield Broken(subject.place_of(known[style].span.start), message, hint)


def _listed_parameters(subject: FigureFile, own: bool) -> Iterator[Broken]:
    """Yield parameters of the file that the contract does not list."""
    listed = subject.metadata.parameters
    for each in subject.parameters if listed else ():
        if each.name not in listed:
            fix = (
                Fix(metadata=subject.metadata.replace_value(_all_metadata(subject), "edit_contract", "parameters"))
                if own
                else None
            )
            message = f"{each.name} is a parameter that the metadata do not list"
            yield Broken(subject.place_of(each.span.start), message, "list it there", fix)


def _all_metadata(subject: FigureFile) -> list[dict[str, object]]:
    """Return the entries of all parameters in the order of the file; new ones are read from their lines."""
    listed = subject.metadata.parameters
    entries: list[dict[str, object]] = []
    for each in subject.parameters:
        if each.name in listed:
            entries.append(listed[each.name][1])
        else:
            unit = _UNIT.search(each.comment)
            kind = f"length-{unit[1]}" if unit else "text"
            meaning = _UNIT.sub("", each.comment) or each.name.removeprefix("\\")
            entry: dict[str, object] = {"name": each.name, "type": kind, "meaning": meaning}
            entries.append(entry | ({"default": each.value} if each.value else {}))
    gone = [entry for name, (_, entry) in listed.items() if name not in {str(each["name"]) for each in entries}]
    return entries + gone
