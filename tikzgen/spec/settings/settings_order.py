"""Order of settings: options, environment, spec, configuration, house style, defaults.

An earlier source wins. Options and environment are applied to the spec; configuration and house style fill its gaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from tikzgen.base.errors import Place
from tikzgen.base.record import Record, replace
from tikzgen.model.figure_options import HouseFile, Options, PaperConfig
from tikzgen.spec.document import Document
from tikzgen.spec.settings.config_file import config_of, environment_settings, spell_variable_name, with_config
from tikzgen.spec.settings.house_style import STYLE, read_house, with_house_style
from tikzgen.spec.settings.set_values import apply

ALLOW_INVALID = "allow_invalid=true"
"""Setting of `--allow-invalid`, which a figure does not record."""


class ChosenStyle(Record):
    """A house style that a setting or a configuration names; `place` is its location in the configuration."""

    name: str
    place: Place | None = None


def apply_overrides(document: Document, settings: Sequence[str]) -> tuple[Document, ChosenStyle | None]:
    """Return the spec with the values of the environment, then of `settings`, and the chosen house style."""
    around = environment_settings(document.name)
    given = (*document.given, *around, *settings)
    styles = [setting.removeprefix(STYLE) for setting in (*around, *settings) if setting.startswith(STYLE)]
    for setting in around:
        if not setting.startswith(STYLE):
            document = apply(document, [setting], spell_variable_name(setting.partition("=")[0]))
    if values := [setting for setting in settings if not setting.startswith(STYLE)]:
        document = apply(document, values)
    document = replace(document, given=tuple(each for each in given if each != ALLOW_INVALID))
    return document, ChosenStyle(styles[-1]) if styles else None


def add_defaults(
    data: dict[str, Any], document: Document, model: type[Options], style: ChosenStyle | None
) -> dict[str, Any]:
    """Return the spec `data` with values of the configuration, then of the house style, for missing fields."""
    config = config_of(document.name)
    if config.document:
        values = _validate(config.document, PaperConfig)
        data = with_config(data, values, model.model_fields)
        if style is None and "style" in values and "style" not in data:
            style = ChosenStyle(values["style"], config.document.places.locate_value(("style",)))
    return with_chosen_style(data, document, model, style)


def with_chosen_style(
    data: dict[str, Any], document: Document, model: type[Options], style: ChosenStyle | None = None
) -> dict[str, Any]:
    """Return `data` over a house style: `style`, else the style that it names, else the folder's style."""
    house = read_house(document, style.name if style else None, style.place if style else None)
    return with_house_style(data, _validate(house, HouseFile), model.model_fields) if house else data


def _validate(file: Document, model: type[BaseModel]) -> dict[str, Any]:
    """Return the data of a style file or configuration. Raise `SpecError` with locations in it."""
    try:
        model.model_validate(file.data)
    except ValidationError as error:
        from tikzgen.spec.errors.error_places import explain  # imported late: needed for errors only

        raise explain(error, file, model) from None
    return file.data
