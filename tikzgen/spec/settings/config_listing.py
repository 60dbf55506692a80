"""Effective value of each configuration key for a spec or folder, and its source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tikzgen.base.errors import Place
from tikzgen.base.record import Record
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import PaperConfig
from tikzgen.model.part import shorten_description
from tikzgen.spec.document import Document, Places
from tikzgen.spec.errors.error_places import explain
from tikzgen.spec.settings.config_file import from_environment, nearest_config, spell_variable_name
from tikzgen.spec.settings.house_style import house_above
from tikzgen.spec.source import no_such_file

_USUAL = {"engine": "pdflatex", "style": "default"}


class Setting(Record):
    """Key with its value; `source` is a location in a file, an environment variable, or `default`."""

    key: str
    value: Any
    source: str


def list_settings(path: Path) -> list[Setting]:
    """List all keys. Raise `SpecError` for an invalid value in the configuration or the environment."""
    if not path.exists():
        raise no_such_file(path)
    folder = path.resolve() if path.is_dir() else path.resolve().parent
    config, around = nearest_config(folder), from_environment()
    if config.document:
        _check_document(config.document)
    for key, value in around.items():
        _check_document(
            Document(spell_variable_name(key), {key: value}, Places("", Place(spell_variable_name(key), field=key)))
        )
    house = house_above(folder)
    found = []
    for key in PaperConfig.model_fields:
        if key in around:
            found.append(Setting(key, around[key], spell_variable_name(key)))
        elif config.document and key in config.values:
            found.append(Setting(key, config.values[key], str(config.document.places.locate_key((key,)))))
        elif key == "style" and house:
            found.append(Setting(key, str(house), "the nearest style upwards"))
        else:
            usual = FigureModel.model_fields[key].get_default(call_default_factory=True) if key not in _USUAL else None
            found.append(Setting(key, _USUAL.get(key, shorten_description(usual)), "default"))
    return found


def _check_document(document: Document) -> None:
    try:
        PaperConfig.model_validate(document.data)
    except ValidationError as error:
        raise explain(error, document, PaperConfig) from None
