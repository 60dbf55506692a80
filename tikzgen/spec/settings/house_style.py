"""House style of a figure: a style file in its folder or a parent, or a built-in style by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tikzgen.base.errors import Place, Problem, SpecError, quote
from tikzgen.base.extensions import Table
from tikzgen.base.read_files import NamedFileRefused, is_there, list_folders_upwards
from tikzgen.base.suggest import suggest_known_names
from tikzgen.base.version_and_cache_folder import template_folder
from tikzgen.spec.document import Document
from tikzgen.spec.source import read_named_text, read_text, stands_in_a_folder

HOUSE_FILE = "tikzgen-style.yaml"
DEFAULT, PLAIN, VIVID = (template_folder() / "styles" / f"{name}.yaml" for name in ("default", "plain", "vivid"))
STYLES: Table[Path] = Table(
    "styles",
    {
        "default": "tikzgen.spec.settings.house_style:DEFAULT",
        "plain": "tikzgen.spec.settings.house_style:PLAIN",
        "vivid": "tikzgen.spec.settings.house_style:VIVID",
    },
    needed=("read_text",),
)
"""Files of styles, by name."""
SHIPPED_STYLES = tuple(STYLES.built_in)
STYLE = "style@"
"""Prefix of the setting that represents `--style` among the settings of a figure."""
OPTIONS = ("first", "font", "language", "palette", "spacing", "width", "height")
"""Options of a house style that figures can override; its other fields are the figure's `style`."""


def house_file(spec: str) -> Path | None:
    """Return the style file of a spec: in its folder or a parent, up to the root of the repository."""
    if not stands_in_a_folder(spec):
        return None  # a rendered figure contains its style; a pipe has no folder
    return house_above(Path(spec).resolve().parent)


def house_above(folder: Path) -> Path | None:
    """Return the nearest style file in a folder or its parents."""
    return next((found for each in list_folders_upwards(folder) if is_there(found := each / HOUSE_FILE)), None)


def read_house(document: Document, chosen: str | None, by: Place | None) -> Document | None:
    """Return the style of a description: the `chosen` one, the named one, or the style of its folder.

    A user may choose any file. `by` is the location in a configuration that chooses it, which may choose only files of
    its project.
    """
    named = document.data.get("style")
    if chosen is None and isinstance(named, str):
        if named not in STYLES:
            hint = suggest_known_names(named, STYLES, "there are") + "; a file is given as --style FILE"
            place = document.places.locate_value(("style",))
            raise SpecError([Problem(f"unknown style {quote(named)}", "style", place, hint)])
        chosen = named
    if chosen == "none":
        return None
    house = _read_style(chosen, by) if chosen else _read_nearest_style(document.name)
    if house is not None and not isinstance(house.data, dict):
        raise SpecError([Problem("a style is a mapping, such as `corners: 2`", place=Place(house.name, 1, 1))])
    return house


def is_named_style(chosen: str) -> bool:
    """Return whether a style is chosen by its name.

    A name with a suffix, or of an existing file, is a file.
    """
    if chosen in STYLES.built_in:
        return True
    return not Path(chosen).suffix and not Path(chosen).exists() and chosen in STYLES


def _read_style(chosen: str, by: Place | None) -> Document:
    from tikzgen.spec.parse_text import parse  # building an existing .tex needs no parser of specs

    if is_named_style(chosen):
        return parse(*read_text(STYLES[chosen]))
    if by is None:
        return parse(*read_text(chosen))
    try:
        return parse(*read_named_text(chosen, Path(by.file)))
    except NamedFileRefused as error:
        raise SpecError([Problem(error.message, "style", by, error.hint)]) from None


def _read_nearest_style(spec: str) -> Document | None:
    file = house_file(spec)
    if file is None:
        return None
    from tikzgen.spec.parse_text import parse  # building an existing .tex needs no parser of specs

    try:
        return parse(*read_named_text(file.name, file))
    except NamedFileRefused as error:
        raise SpecError([Problem(error.message, place=Place(str(file)), hint=error.hint)]) from None


def with_house_style(data: dict[str, Any], house: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Add the style's values for fields that a description does not set; `fields` are the allowed ones."""
    made = dict(data)
    own = made.get("style")
    looks = {name: value for name, value in house.items() if name not in (*OPTIONS, "labels")}
    made["style"] = {**looks, **(own if isinstance(own, dict) else {})}
    for name in (*OPTIONS, "labels"):
        if name in house and name in fields:
            made[name] = merge_default(made, name, _keep_known_labels(house[name], fields[name]))
    return made


def merge_default(data: Mapping[str, Any], name: str, value: Any) -> Any:
    """Return the value of a field in a description, else `value`; mappings are merged by field."""
    own = data.get(name, {})
    return {**value, **own} if isinstance(own, dict) and isinstance(value, dict) else data.get(name, value)


def _keep_known_labels(value: Any, field: Any) -> Any:
    """Keep the labels that the recipe has: not every recipe has all."""
    known = getattr(field.annotation, "model_fields", None)
    if not isinstance(value, dict) or known is None:
        return value
    return {name: each for name, each in value.items() if name in known}
