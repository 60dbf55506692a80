"""Which field of a description each parameter of its figure comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tikzgen.base.record import Record, replace
from tikzgen.edit.outcome import EditRefused
from tikzgen.edit.spec_data import Data, figure_of_data, is_recipe, recipe_of

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure

__all__ = ["Field", "fields", "put"]

Path = tuple[str | int, ...]
_SIGN = "tikzgenfield"


class Field(Record):
    """A macro's field: `short` in the recipe (None where it has none of its own), `long` in the figure.

    `source` is what the file says of it.
    """

    macro: str
    text: str
    source: str
    long: tuple[Path, ...]
    short: Path | None


def fields(data: Data, figure: Figure, name: str, only: str = "") -> dict[str, Field]:
    """The text macros of a figure by name, with the fields that hold their texts.

    Where `only` one of them is asked for, the others may lack their fields in the recipe.
    """
    from tikzgen.layout.cell_texts import definition
    from tikzgen.layout.chart import charts
    from tikzgen.layout.macros import collect
    from tikzgen.text import typeset

    labels = collect(figure, charts(figure))
    paths = [path for found in labels.homes.values() for path in found if path]
    asked = [labels.slots[key].text for key, macro in labels.macros.items() if only in ("", macro)]
    homes = _recipe_homes(data, figure, paths, asked, name) if is_recipe(data) else {}
    found: dict[str, Field] = {}
    for key, macro in labels.macros.items():
        slot = labels.slots[key]
        before = found[macro].long if macro in found else ()
        long = (*before, *(path for path in labels.homes[key] if path))
        shorts = {homes.get(path) for path in long}
        short = shorts.pop() if len(shorts) == 1 else None
        source = definition(slot.text) if slot.numbered else typeset(slot.text).source
        found[macro] = Field(macro, slot.text, source, long, short if homes else None)
    # what several macros are made of is no one's own: to change one of them is to change it alone
    shared = Counter(field.short for field in found.values() if field.short is not None)
    alone = {macro for macro, each in found.items() if each.short is None or shared[each.short] == 1}
    return {macro: each if macro in alone else replace(each, short=None) for macro, each in found.items()}


def _recipe_homes(
    data: Data, drawn: Figure, paths: Sequence[Path], asked: Sequence[str], name: str
) -> dict[Path, Path]:
    """For each of these texts of a recipe's figure, the recipe's field that it was taken from.

    Every text of the recipe is replaced by a sign of its own; where the figure then shows that sign, and nothing
    else, is where the text went. That takes no looking where none of the texts `asked` for stands in the recipe.
    """
    from tikzgen.layout.page.variants import recipe_in_form

    signs: dict[str, Path] = {}
    texts: set[str] = set()

    def signed(value: Any, path: Path) -> Any:
        if (isinstance(value, str) and path[0] in ("labels", "title")) or (path[:1] == ("shards",) and path[1:]):
            sign = f"{_SIGN}{len(signs)}x"
            signs[sign] = path
            texts.add(_in_one_line(value if isinstance(value, str) else str(value["tex"])))
            return sign + (" {n}" if isinstance(value, str) and "{n}" in value else "")
        if isinstance(value, list):
            return [signed(one, (*path, index)) for index, one in enumerate(value)]
        if isinstance(value, dict) and set(value) != {"tex"}:
            return {key: signed(one, (*path, key)) for key, one in value.items()}
        return value

    full = _all(recipe_in_form(recipe_of(data), drawn.form))
    changed = signed(full, ()) if full else data
    if texts.isdisjoint(map(_in_one_line, asked)):
        return {}
    try:
        figure = figure_of_data(changed, name)
    except EditRefused:
        return {}
    found = {path: _at(figure, path) for path in paths}
    return {path: signs[text] for path, text in found.items() if text in signs}


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _at(value: Any, path: Path) -> str:
    """The text at a path in a figure, empty where there is none."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else ""
        else:
            value = value.get(step, "") if isinstance(value, dict) else getattr(value, step, "")
    return value if isinstance(value, str) else ""


def _all(facts: Any) -> Data:
    """A recipe with the texts that it has by default, too."""
    from tikzgen.model.base import Part, shortest

    data: Data = shortest(facts)
    for field in ("labels", "title", "shards"):
        value = getattr(facts, field, None)
        if value is not None:
            data[field] = (
                {key: shortest(getattr(value, key)) for key in type(value).model_fields}
                if isinstance(value, Part)
                else shortest(value)
            )
    return data


def put(data: Data, path: Path, value: Any) -> Data:
    """A copy of `data` with `value` at `path`; mappings on the way are made."""
    found: Data = _put(data, path, value)
    return found


def _put(data: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        items = list(data or [])
        items[step] = _put(items[step], rest, value)
        return items
    found = dict(data or {})
    found[step] = _put(found.get(step), rest, value)
    return found
