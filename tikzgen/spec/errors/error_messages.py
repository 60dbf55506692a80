"""Messages and hints for validation errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_origin

from tikzgen.base.errors import TikzgenError, quote, shorten_for_message
from tikzgen.base.patterns import pattern_of
from tikzgen.base.suggest import MOST_LISTED, did_you_mean, list_first, suggest_known_names
from tikzgen.model.content import KINDS, Content
from tikzgen.model.looks import discover_icons
from tikzgen.spec.errors.field_docs import field_docs
from tikzgen.spec.errors.locate_error import ErrorLocation, kinds_of, list_models, list_tags

_KINDS = {
    "bool": "true or false",
    "dict": "a mapping of fields",
    "float": "a number",
    "fraction": "a number or a fraction such as 1/3",
    "int": "a whole number",
    "list": "a list",
    "mapping": "a mapping of fields",
    "model": "a mapping of fields",
    "none": "empty",
    "set": "a list",
    "string": "a text",
    "tuple": "a list",
}
_TYPES = {bool: _KINDS["bool"], float: _KINDS["float"], int: _KINDS["int"], list: _KINDS["list"], str: _KINDS["string"]}
_FOREIGN_NAMES = {
    "from": ("source",),
    "to": ("target", "targets"),
    "src": ("source",),
    "dst": ("target", "targets"),
    "entities": ("nodes",),
    "boxes": ("nodes",),
    "workers": ("nodes", "devices", "ranks"),
    **dict.fromkeys(("gpus", "ranks", "devices", "machines", "processes"), ("workers", "devices", "ranks", "nodes")),
    "stages": ("devices",),
    **dict.fromkeys(("peers", "replicas", "followers"), ("servers", "acceptors", "workers")),
    **dict.fromkeys(("edges", "links", "arrows", "connections"), ("flows", "dependencies", "messages")),
    "rows": ("lanes",),
    "tracks": ("lanes",),
    "tasks": ("spans",),
    "bars": ("spans",),
    "participants": ("lifelines", "workers", "acceptors"),
    "actors": ("lifelines",),
    "children": ("members", "nodes"),
    "nodes": ("members",),
    "text": ("label",),
    "name": ("label", "caption", "id"),
    "title": ("caption", "label"),
    "length": ("duration",),
    "begin": ("start",),
    "at": ("time", "sent", "start", "about"),
    "time": ("at", "sent", "start"),
    "targets": ("target",),
    "theme": ("palette", "style"),
    "colour": ("color", "phase", "kind"),
    "color": ("phase", "kind"),
}
"""Fields by their names in other tools."""
_NO_FIELDS = {
    "end": ("duration", "write duration, which is end - start"),
    "bundle": ("route", "flows share a trunk with route: bus"),
    "label": ("plural", "write legend: {of: [kinds], texts: {…: …}}"),
    "joined": ("cells", "write cells: joined"),
    "targets": ("route", "write a flow for each; with route: bus they share a trunk"),
}
"""Equivalents of fields that do not exist: the field that exists instead, and the hint."""
_AT_A_TIME = pattern_of(r"([A-Za-z][A-Za-z0-9-]*)@([0-9./]+)")
_KINDS_ELSEWHERE = {
    **dict.fromkeys(("circle", "circular", "cycle"), "ring"),
    **dict.fromkeys(("hierarchy", "hierarchical"), "tree"),
    **dict.fromkeys(("layers", "layered", "tiers", "ranks"), "levels"),
    **dict.fromkeys(("horizontal", "line"), "row"),
    **dict.fromkeys(("vertical", "stack"), "column"),
    **dict.fromkeys(("mesh", "matrix", "table"), "grid"),
}
"""Layouts by their names in other tools."""
_COMMA = "a comma ends a text within {…}: put the text in quotes"
_BOUNDS = {
    "greater_than": ("greater than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
    "multiple_of": ("a multiple of", "multiple_of"),
}
_TEXT_BOUNDS = {"string_too_short": ("at least", "min_length"), "string_too_long": ("at most", "max_length")}


def message_and_hint(error: Mapping[str, Any], spot: ErrorLocation) -> tuple[str, str]:
    """Return the message and the hint for one of `ValidationError.errors()`."""
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    if kind == "extra_forbidden":
        hint = _hint_for_unknown(error["loc"][-1], spot)
        return "unknown field", _COMMA if value is None and not hint.startswith("did you mean") else hint
    if kind == "missing":
        return f"missing field {quote(str(error['loc'][-1]))}", _describe_field(error["loc"][-1], spot)
    if kind == "union_tag_invalid":
        options = _split_choices(context["expected_tags"])
        tag = str(context["tag"])
        called = _KINDS_ELSEWHERE.get(tag, "") or _kind_called(tag)
        hint = did_you_mean(called if called in options else tag, options) or _icon_meant(tag, options)
        return f"unknown {tag_field(error)} {quote(tag)}", hint or _list_choices(options, spot)
    if kind == "union_tag_not_found":
        field = tag_field(error)
        bare = isinstance(value, dict) and any(one is None for one in value.values())
        return (
            f"missing field {quote(field)}",
            _COMMA if bare else f"it may be {join_quoted_with_or(list_tags(spot.kind, field))}",
        )
    if kind in ("literal_error", "enum") and isinstance(value, str):
        options = _split_choices(context["expected"])
        field = _last_field(error["loc"], spot)
        near = did_you_mean(value, options)
        more = f" {pointer}" if len(options) > MOST_LISTED and (pointer := _pointer(spot)) else ""
        return f"unknown {field} {quote(value)}", f"{near}{more}" if near else _list_choices(options, spot)
    if (wanted := expected_kind(error)) is not None:
        if wanted == _KINDS["model"]:
            wanted = _list_accepted(spot) or wanted
        if kind == "string_type" and isinstance(value, (bool, int, float)):
            return f"should be {wanted}{describe_actual_value(value)}", "put it in quotes"
        if kind == "string_type" and isinstance(value, list) and isinstance(error["loc"][-2:][0], int):
            return f"should be {wanted}{describe_actual_value(value)}", "write an entry for each"
        hint = did_you_mean(value, _split_choices(context.get("expected", ""))) or _with_fields(value, spot)
        return f"should be {wanted}{describe_actual_value(value)}", hint or (
            "" if kind == "tuple_type" else as_list(value, wanted)
        )
    if kind == "int_parsing_size":
        return f"is too large{describe_actual_value(value)}", "write a smaller number"
    if kind in _BOUNDS:
        word, bound = _BOUNDS[kind]
        limit = float(context[bound])
        return f"must be {word} {int(limit) if limit.is_integer() else limit}{describe_actual_value(value)}", ""
    if kind in ("too_short", "too_long"):
        return _describe_length(kind, context), ""
    if kind in _TEXT_BOUNDS:
        word, bound = _TEXT_BOUNDS[kind]
        return f"must have {word} {context[bound]} characters, not {len(value)}", ""
    if kind == "string_pattern_mismatch":
        if (timed := _AT_A_TIME.fullmatch(str(value))) and spot.model and "sent" in spot.model.model_fields:
            end = next(step for step in reversed(spot.path) if isinstance(step, str))
            when = "sent" if end == "source" else "received"
            return f"cannot be {quote(str(value))}", f"write {end}: {timed[1]}, {when}: {timed[2]}"
        hint = _as_hint(spot.description) or f"it must match {context['pattern']}"
        usable = _make_usable_id(str(value))
        hint += f", such as {usable}" if re.fullmatch(context["pattern"], usable) else ""
        return f"cannot be {quote(str(value))}", hint
    cause = context.get("error")
    if isinstance(cause, TikzgenError):
        return cause.message, cause.hint
    message = str(cause or context.get("message") or error["msg"])
    if message[1:2].islower():
        message = message[:1].lower() + message[1:]
    return message, str(context.get("hint", ""))


def _kind_called(tag: str) -> str:
    """Return the kind of content for a name that other tools use."""
    return next((name for name in KINDS if tag in KINDS[name].other_names), "")


def _describe_field(name: Any, spot: ErrorLocation) -> str:
    """Return the documentation of a field, as a hint."""
    docs = field_docs(spot.model) if spot.model else {}
    return _as_hint(docs.get(name, "").partition(". ")[0])


def _as_hint(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def as_list(value: Any, wanted: str) -> str:
    """Return the hint for a single value in place of a list."""
    if not wanted.startswith(_KINDS["list"]):
        return ""
    if isinstance(value, dict):
        return 'begin each entry with "- "'
    plain = isinstance(value, int | float) or (isinstance(value, str) and _make_usable_id(value) == value)
    return f"write [{value}]" if plain and not isinstance(value, bool) else ""


def _with_fields(value: Any, spot: ErrorLocation) -> str:
    """Return the hint for a string in place of a part: a part of that type, or one with an id and a label."""
    typed = [
        one.model_fields for one in list_models(spot.kind) if "type" in one.model_fields and value in kinds_of(one)
    ]
    if typed:
        others = (f", {name}: …" for name, field in typed[0].items() if field.is_required())
        return f"write {{type: {value}{''.join(others)}}}"
    if any({"source", "target"} <= model.model_fields.keys() for model in list_models(spot.kind)):
        ends = re.split(r"\s*(?:-+>|→|=+>)\s*", str(value))
        source, target = ends if len(ends) == 2 else ("…", "…")
        return f"write {{source: {source}, target: {target}}}"
    named = any({"id", "label"} <= model.model_fields.keys() for model in list_models(spot.kind))
    usable = _make_usable_id(value) if isinstance(value, str) and named else ""
    if usable:
        return f"write {{id: {usable}, label: {value}}}"
    if len(list_models(spot.kind)) != 1:
        return ""
    return list_first(list(list_models(spot.kind)[0].model_fields), "its fields are")


def _make_usable_id(text: str) -> str:
    """Return an id made from a string; empty if it would begin with a digit or be empty."""
    words = "-".join(re.findall("[a-z0-9]+", text.lower()))
    return words if words[:1].isalpha() else ""


def _icon_meant(tag: str, options: Sequence[str]) -> str:
    return f"kind: node, icon: {tag} draws that icon" if "node" in options and tag in discover_icons() else ""


def expected_kind(error: Mapping[str, Any]) -> str | None:
    """Return the expected kind of value, if the error states one."""
    kind = error["type"]
    if kind in ("literal_error", "enum"):
        return str(error["ctx"]["expected"]).replace("'", '"')
    if kind == "int_from_float" or kind.endswith(("_type", "_parsing")):
        return _KINDS.get(kind.split("_")[0])
    if kind == "none_required":
        return _KINDS["none"]
    return None


def _list_accepted(spot: ErrorLocation) -> str:
    words = [_TYPES.get(get_origin(kind) or kind, _KINDS["model"]) for kind in spot.accepts]
    return join_with_or(dict.fromkeys(words))


def describe_actual_value(value: Any) -> str:
    """Return the phrase for the actual value: `, not the text "three"`."""
    if value is None:
        return ", but nothing is given"
    if isinstance(value, str):
        return f", not the text {quote(value)}"
    if isinstance(value, bool):
        return f", not {str(value).lower()}"
    if isinstance(value, Mapping):
        return ", not a mapping"
    if isinstance(value, Sequence):
        return ", not a list"
    return f", not {shorten_for_message(value)}"


def join_quoted_with_or(options: Iterable[str]) -> str:
    """Return `"a", "b" or "c"`."""
    return join_with_or(map(quote, options))


def join_with_or(phrases: Iterable[str]) -> str:
    """Return `a, b or c`."""
    *others, last = list(phrases) or [""]
    return f"{', '.join(others)} or {last}" if others else last


def _split_choices(spelled: str) -> list[str]:
    """Split the choices of Pydantic's `'a', 'b' or 'c'`."""
    return re.findall(r"'([^']*)'", spelled)


def _hint_for_unknown(name: Any, spot: ErrorLocation) -> str:
    if spot.model is None:
        return ""
    shared = getattr(spot.model.__mro__[1], "model_fields", {})
    fields = sorted(spot.model.model_fields.items(), key=lambda one: one[0] in shared)  # its own ones first
    names = [field.alias or name for name, field in fields]
    near, otherwise = _NO_FIELDS.get(name, ("", "")) if isinstance(name, str) else ("", "")
    if near in names:
        return otherwise
    meant = next((one for one in _FOREIGN_NAMES.get(name, ()) if one in names), name) if isinstance(name, str) else name
    if not names:
        return "it takes no fields"
    if issubclass(spot.model, Content) and (others := [kind for kind in KINDS if _has_field(kind, name)]):
        return f"type: {others[0]} has it"
    recipe = spot.model.model_fields.get("recipe")
    if recipe is None and spot.model is spot.root and not did_you_mean(meant, names):
        kind = next((kind for kind in KINDS if _has_field(kind, name)), "")
        if kind:
            return f"{kind} has it: panels: [{{content: {{type: {kind}, {name}: …}}}}]"
    if recipe is None or did_you_mean(meant, names):
        return suggest_known_names(meant, names)
    return f"{list_first(names, 'its own are')}; {_pointer(spot)}"


def _last_field(loc: Sequence[Any], spot: ErrorLocation) -> str:
    """Return the last field in a `loc`; "value" if that is a key of a mapping."""
    step = next((step for step in reversed(loc) if isinstance(step, str)), "")
    fields = spot.owner.model_fields if spot.owner else {}
    return step if any(step in (name, field.alias) for name, field in fields.items()) else "value"


def _pointer(spot: ErrorLocation) -> str:
    """Return the command that lists the fields of a recipe and their names; empty for other models."""
    recipe = spot.root.model_fields.get("recipe") if spot.root else None
    return f"`tikzgen recipes {recipe.default}` lists all" if recipe else ""


def _list_choices(options: Sequence[str], spot: ErrorLocation) -> str:
    """Return the hint with the choices, or with the first ones and the command that lists all."""
    pointer = _pointer(spot) if len(options) > MOST_LISTED else ""
    return "; ".join(filter(None, (list_first(options, "choose"), pointer)))


def _has_field(kind: str, name: Any) -> bool:
    """Return whether a kind of panel content has such a field."""
    return name in KINDS[kind].model_fields


def _describe_length(kind: str, context: Mapping[str, Any]) -> str:
    if kind == "too_long":
        return f"may have at most {context['max_length']} entries, not {context['actual_length']}"
    if context["min_length"] == 1:
        return "needs at least one entry"
    return f"needs at least {context['min_length']} entries, not {context['actual_length']}"


def tag_field(error: Mapping[str, Any]) -> str:
    """Return the field that distinguishes the branches of a tagged union."""
    return str(error["ctx"]["discriminator"]).strip("'")
