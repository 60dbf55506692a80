"""The configuration of a paper: `tikzgen.toml` or `[tool.tikzgen]` in pyproject.toml, the nearest one upwards, and what
the environment says over it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tikzgen.base.errors import FileRefused, unread
from tikzgen.base.files import is_there, read_bounded
from tikzgen.base.record import NOTHING, Record
from tikzgen.specfile.document import Document
from tikzgen.specfile.house_style import SHIPPED, STYLE, below
from tikzgen.specfile.source import decode, stands_in_a_folder, upwards

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

    @property
    def style(self) -> str | None:
        """The house style, with its file as seen from here."""
        named = self.values.get("style")
        if named is None or named in (*SHIPPED, "none") or self.file is None:
            return named
        return str(self.file.parent / named)


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
    return _read(file) if file else Config()


def config_path(folder: Path) -> Path | None:
    """Where that configuration stands."""
    for each in upwards(folder):
        if is_there(found := each / CONFIG_FILE):
            return found
        if is_there(found := each / PROJECT_FILE) and _speaks_of_tikzgen(found):
            return found
    return None


def _speaks_of_tikzgen(file: Path) -> bool:
    """Whether a project's file has a configuration; one that may not be read, as above an agent's folder, has none."""
    try:
        return b"tool.tikzgen" in read_bounded(file)
    except (OSError, FileRefused):
        return False


def _read(file: Path) -> Config:
    from tikzgen.specfile.toml_text import build_toml  # few folders have a configuration

    name = os.path.relpath(file)
    try:
        text = decode(read_bounded(file), name)
    except OSError as error:
        raise unread(name, error) from None
    document = build_toml(text, name, () if file.name == CONFIG_FILE else ("tool", "tikzgen")).document()
    return Config(file, document, document.data)


def configured(data: Mapping[str, Any], values: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """A description with what the configuration says where it says nothing itself."""
    made = dict(data)
    for name in FIGURE_KEYS:
        if name in values and name in fields:
            made[name] = below(made, name, values[name])
    return made
