"""Configuration of a paper: the nearest `tikzgen.toml` or `[tool.tikzgen]`, and environment variables.

It is searched in the folder of the spec and its parents. `[tool.tikzgen]` is a table of pyproject.toml. Environment
variables override it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tikzgen.base.errors import FileRefused
from tikzgen.base.read_files import NamedFileRefused, folder_to_stay_in, is_there, list_folders_upwards, read_named
from tikzgen.base.record import NOTHING, Record
from tikzgen.spec.document import Document
from tikzgen.spec.settings.house_style import STYLE, merge_default
from tikzgen.spec.source import decode, stands_in_a_folder

CONFIG_FILE = "tikzgen.toml"
PROJECT_FILE = "pyproject.toml"
FIGURE_KEYS = ("width", "height", "palette", "language", "font", "spacing")
"""Settings of a configuration that figures can override."""
ENVIRONMENT = ("width", "height", "palette", "style", "language", "engine")
"""Settings that environment variables can give: TIKZGEN_WIDTH and so on."""


class Config(Record):
    """Contents of the nearest configuration with locations; `file` is unset (None) without one."""

    file: Path | None = None
    document: Document | None = None
    values: Mapping[str, Any] = NOTHING


def spell_variable_name(key: str) -> str:
    """Return the environment variable of a key."""
    return f"TIKZGEN_{key.upper()}"


def from_environment() -> dict[str, str]:
    """Return the values of environment variables, by key."""
    return {key: value for key in ENVIRONMENT if (value := os.environ.get(spell_variable_name(key), "").strip())}


def environment_settings(name: str) -> list[str]:
    """Return the environment variables for the figure of a spec, as settings."""
    if not stands_in_a_folder(name):
        return []
    said = from_environment()
    return [f"{STYLE if key == 'style' else f'{key}='}{said[key]}" for key in ENVIRONMENT[:-1] if key in said]


def config_of(name: str) -> Config:
    """Return the configuration for the spec of this name; empty without one."""
    return nearest_config(Path(name).resolve().parent) if stands_in_a_folder(name) else Config()


def nearest_config(folder: Path) -> Config:
    """Return the nearest configuration in a folder or its parents, up to the root of the repository."""
    file = config_path(folder)
    return _read_config(file) if file else Config()


def config_path(folder: Path) -> Path | None:
    """Return the path of that configuration; None without one."""
    for each in list_folders_upwards(folder):
        if is_there(found := each / CONFIG_FILE):
            return found
        if is_there(found := each / PROJECT_FILE) and _speaks_of_tikzgen(found):
            return found
    return None


def _speaks_of_tikzgen(file: Path) -> bool:
    """Return whether a pyproject.toml has a configuration; ignore files outside of the folder of an agent."""
    root = folder_to_stay_in()
    if root is not None and not file.is_relative_to(root):
        return False
    return b"tool.tikzgen" in _read_content(file)


def _read_config(file: Path) -> Config:
    from tikzgen.spec.toml_text import build_toml  # few folders have a configuration

    name = os.path.relpath(file)
    text = decode(_read_content(file), name)
    document = build_toml(text, name, () if file.name == CONFIG_FILE else ("tool", "tikzgen")).make_document()
    return Config(file, document, document.data)


def _read_content(file: Path) -> bytes:
    try:
        return read_named(file.name, file)
    except NamedFileRefused as error:
        raise FileRefused(f"{os.path.relpath(file.parent)}/{error.message}", hint=error.hint) from None


def with_config(data: Mapping[str, Any], values: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a description with the configuration's values for fields that it does not set."""
    made = dict(data)
    for name in FIGURE_KEYS:
        if name in values and name in fields:
            made[name] = merge_default(made, name, values[name])
    return made
