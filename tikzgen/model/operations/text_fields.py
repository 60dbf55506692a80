"""Labels of a figure by their addresses, such as `panels.main.caption`; a step is a field, an id or a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tikzgen.base.errors import EditRefused, quote
from tikzgen.base.suggest import suggest_known_names
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks.phase_and_flow_looks import BUILT_IN_PHASES, Phase
from tikzgen.model.part import Part
from tikzgen.model.timeline.timeline_parts import Span, span_names
from tikzgen.text import holds_text

Path = tuple[str | int, ...]


def path_of_text(figure: FigureModel, place: str) -> Path:
    """Return the path of a label from its address; raise `EditRefused` if there is no such label."""
    path: list[str | int] = []
    there: Any = figure
    words, is_label = place.split("."), False
    for depth, word in enumerate(words):
        step = _step(there, word)
        found = None if step is None else _find_child(there, step)
        if step is None or (found is None and depth < len(words) - 1):
            way_out = _suggest_field(there, word, words[depth - 1] if depth else "")
            raise EditRefused("no-text", f"unknown name {quote(place)}", nearest=way_out)
        if isinstance(there, Part):
            is_label = holds_text(type(there).model_fields[word])
        there = found
        path.append(step)
    if not (is_label and isinstance(there, str)):
        texts = ", ".join(_list_label_fields(there)) or "a label, a caption, a title"
        raise EditRefused(
            "no-text", f"{quote(place)} is not a label of the picture", nearest=f"name the field of a label: {texts}"
        )
    return tuple(path)


def _list_label_fields(there: Any) -> list[str]:
    return (
        [name for name, field in type(there).model_fields.items() if holds_text(field)]
        if isinstance(there, Part)
        else []
    )


def _suggest_field(there: Any, word: str, field: str) -> str:
    """Return the hint for an unknown step: the nearest name, or the existing entries or fields."""
    if isinstance(there, list):
        names = [name or str(place) for place, name in enumerate(_names_of_entries(there))]
        return suggest_known_names(word, names, f"of {field} there are")
    fields = list(type(there).model_fields) if isinstance(there, Part) else []
    return (
        suggest_known_names(word, fields, f"the fields of {field or 'a figure'} are")
        if fields
        else f"{field} has no fields"
    )


def place_of_text(figure: FigureModel, path: Path) -> str:
    """Return the address of a field of a figure, as `path_of_text` reads it."""
    there: Any = figure
    words: list[str] = []
    for step in path:
        words.append((_names_of_entries(there)[step] or str(step)) if isinstance(step, int) else step)
        there = _find_child(there, step)
    return ".".join(words)


def at_path(value: Any, path: Path) -> Any:
    """Return the value at a path, or None if there is no value."""
    for step in path:
        value = _find_child(value, step)
    return value


def with_value_at(value: Any, path: Path, new: Any) -> Any:
    """Return a copy of a part with `new` at the path; a built-in phase keeps the rest of its style."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    held = value.get(step, Phase()) if isinstance(value, dict) and rest else _find_child(value, step)
    made = with_value_at(held, rest, new)
    if isinstance(value, list) and isinstance(step, int):
        return [*value[:step], made, *value[step + 1 :]]
    if isinstance(value, dict):
        return {**value, step: made}
    return value.model_copy(update={str(step): made})


def _find_child(value: Any, step: str | int) -> Any:
    if isinstance(step, int):
        return value[step] if isinstance(value, list) and step < len(value) else None
    if isinstance(value, dict):
        return value.get(step, BUILT_IN_PHASES.get(step, Phase()))
    return getattr(value, step, None)


def _step(value: Any, word: str) -> str | int | None:
    """Return the field, key or index that a word of an address means in a value, or None."""
    if isinstance(value, list):
        names = _names_of_entries(value)
        if word in names:
            return names.index(word)
        return int(word) if word.isdigit() and int(word) < len(value) and not names[int(word)] else None
    if isinstance(value, dict) or (isinstance(value, Part) and word in type(value).model_fields):
        return word
    return None


def _names_of_entries(entries: Sequence[Any]) -> list[str]:
    """Return the names of a list's entries, empty if they have none."""
    if entries and isinstance(entries[0], Span):
        return span_names((span.lanes, span.phase, span.id) for span in entries)
    return [getattr(entry, "id", None) or "" for entry in entries]
