"""The house style of a figure: a file for a paper, found upwards from the spec, or one that ships, by its name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tikzgen.base.errors import Place, Problem, SpecError, quote
from tikzgen.base.extensions import Table
from tikzgen.base.read_files import NamedFileRefused, is_there, upwards
from tikzgen.base.suggest import suggestion
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
"""Styles by name: the files that have them."""
SHIPPED_STYLES = tuple(STYLES.built_in)
STYLE = "style@"
"""What the setting begins with that `--style` is among the settings of a figure."""
OPTIONS = ("first", "font", "language", "palette", "spacing", "width", "height")
"""What a style says for a figure that does not say it itself; the rest of it is the figure's `style`."""


def house_file(spec: str) -> Path | None:
    """The style file of a spec: in its folder or above, up to the folder that a repository begins in."""
    if not stands_in_a_folder(spec):
        return None  # a rendered figure holds its style; what comes through a pipe stands nowhere
    return house_above(Path(spec).resolve().parent)


def house_above(folder: Path) -> Path | None:
    """The nearest style file from a folder upwards."""
    return next((found for each in upwards(folder) if is_there(found := each / HOUSE_FILE)), None)


def read_house(document: Document, chosen: str | None, by: Place | None) -> Document | None:
    """The style that a description is drawn in: the `chosen` one, the one it names, or the one of its folder.

    A person chooses any file. `by` is the place in a configuration that chooses it; that chooses files of its project.
    """
    named = document.data.get("style")
    if chosen is None and isinstance(named, str):
        if named not in STYLES:
            hint = suggestion(named, STYLES, "there are") + "; a file is given as --style FILE"
            place = document.places.value(("style",))
            raise SpecError([Problem(f"there is no style {quote(named)}", "style", place, hint)])
        chosen = named
    if chosen == "none":
        return None
    house = _read_style(chosen, by) if chosen else _nearest(document.name)
    if house is not None and not isinstance(house.data, dict):
        raise SpecError([Problem("a style is a mapping, such as `corners: 2`", place=Place(house.name, 1, 1))])
    return house


def is_named_style(chosen: str) -> bool:
    """Return whether a style is chosen by its name; what has a suffix, or is there, is a file."""
    if chosen in STYLES.built_in:
        return True
    return not Path(chosen).suffix and not Path(chosen).exists() and chosen in STYLES


def _read_style(chosen: str, by: Place | None) -> Document:
    from tikzgen.spec.parse_text import parse  # a .tex that is built needs no reader of specs

    if is_named_style(chosen):
        return parse(*read_text(STYLES[chosen]))
    if by is None:
        return parse(*read_text(chosen))
    try:
        return parse(*read_named_text(chosen, Path(by.file)))
    except NamedFileRefused as error:
        raise SpecError([Problem(error.message, "style", by, error.hint)]) from None


def _nearest(spec: str) -> Document | None:
    file = house_file(spec)
    if file is None:
        return None
    from tikzgen.spec.parse_text import parse  # a .tex that is built needs no reader of specs

    try:
        return parse(*read_named_text(file.name, file))
    except NamedFileRefused as error:
        raise SpecError([Problem(error.message, place=Place(str(file)), hint=error.hint)]) from None


def with_house_style(data: dict[str, Any], house: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a description with the style's values for fields that it does not set; `fields` are the allowed ones."""
    made = dict(data)
    own = made.get("style")
    looks = {name: value for name, value in house.items() if name not in (*OPTIONS, "labels")}
    made["style"] = {**looks, **(own if isinstance(own, dict) else {})}
    for name in (*OPTIONS, "labels"):
        if name in house and name in fields:
            made[name] = below(made, name, _keep_known_labels(house[name], fields[name]))
    return made


def below(data: Mapping[str, Any], name: str, value: Any) -> Any:
    """What a description says of a field, else `value`; of two mappings, each field counts."""
    own = data.get(name, {})
    return {**value, **own} if isinstance(own, dict) and isinstance(value, dict) else data.get(name, value)


def _keep_known_labels(value: Any, field: Any) -> Any:
    """Keep the labels that the recipe has: not every recipe has all."""
    known = getattr(field.annotation, "model_fields", None)
    if not isinstance(value, dict) or known is None:
        return value
    return {name: each for name, each in value.items() if name in known}
