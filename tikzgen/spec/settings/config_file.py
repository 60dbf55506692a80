"""The configuration of a paper: `tikzgen.toml` or `[tool.tikzgen]` in pyproject.toml, the nearest one upwards, and what
the environment says over it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tikzgen.base.errors import FileRefused
from tikzgen.base.read_files import NamedFileRefused, folder_to_stay_in, is_there, read_named, upwards
from tikzgen.base.record import NOTHING, Record
from tikzgen.spec.document import Document
from tikzgen.spec.settings.house_style import STYLE, below
from tikzgen.spec.source import decode, stands_in_a_folder

CONFIG_FILE = "tikzgen.toml"
PROJECT_FILE = "pyproject.toml"
FIGURE_KEYS = ("width", "height", "palette", "language", "font", "spacing")
"""What a configuration says for figures that do not say it themselves."""
ENVIRONMENT = ("width", "height", "palette", "style", "language", "engine")
"""What the environment may say: TIKZGEN_WIDTH and so on."""


class Config(Record):
    """What stands in the nearest file, with the places in it; `file` is None where there is none."""

    file: Path | None = None
    document: Document | None = None
    values: Mapping[str, Any] = NOTHING


def variable(key: str) -> str:
    """The variable of the environment that says a key."""
    return f"TIKZGEN_{key.upper()}"


def from_environment() -> dict[str, str]:
    """What the environment says, by key."""
    return {key: value for key in ENVIRONMENT if (value := os.environ.get(variable(key), "").strip())}


def environment_settings(name: str) -> list[str]:
    """What the environment says for the figure of a spec, as settings."""
    if not stands_in_a_folder(name):
        return []
    said = from_environment()
    return [f"{STYLE if key == 'style' else f'{key}='}{said[key]}" for key in ENVIRONMENT[:-1] if key in said]


def config_of(name: str) -> Config:
    """The configuration for the spec of this name; an empty one where there is none."""
    return nearest_config(Path(name).resolve().parent) if stands_in_a_folder(name) else Config()


def nearest_config(folder: Path) -> Config:
    """The nearest configuration, from a folder upwards: up to the folder that a repository begins in."""
    file = config_path(folder)
    return _read_config(file) if file else Config()


def config_path(folder: Path) -> Path | None:
    """Where that configuration stands."""
    for each in upwards(folder):
        if is_there(found := each / CONFIG_FILE):
            return found
        if is_there(found := each / PROJECT_FILE) and _speaks_of_tikzgen(found):
            return found
    return None


def _speaks_of_tikzgen(file: Path) -> bool:
    """Whether a project's file has a configuration; one above the folder that an agent must stay in has none."""
    root = folder_to_stay_in()
    if root is not None and not file.is_relative_to(root):
        return False
    return b"tool.tikzgen" in _content(file)


def _read_config(file: Path) -> Config:
    from tikzgen.spec.toml_text import build_toml  # few folders have a configuration

    name = os.path.relpath(file)
    text = decode(_content(file), name)
    document = build_toml(text, name, () if file.name == CONFIG_FILE else ("tool", "tikzgen")).document()
    return Config(file, document, document.data)


def _content(file: Path) -> bytes:
    try:
        return read_named(file.name, file)
    except NamedFileRefused as error:
        raise FileRefused(f"{os.path.relpath(file.parent)}/{error.message}", hint=error.hint) from None


def with_config(data: Mapping[str, Any], values: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a description with the configuration's values for fields that it does not set."""
    made = dict(data)
    for name in FIGURE_KEYS:
        if name in values and name in fields:
            made[name] = below(made, name, values[name])
    return made
