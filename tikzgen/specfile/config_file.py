"""The configuration of a paper: `tikzgen.toml` or `[tool.tikzgen]` in pyproject.toml, the nearest one upwards, and what
the environment says over it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tikzgen.base.errors import FileRefused, Place, Problem, SpecError, unread
from tikzgen.base.files import read_bounded
from tikzgen.base.record import NOTHING, Record
from tikzgen.specfile.document import Branch, Document, Mark, Places
from tikzgen.specfile.house_style import SHIPPED, STYLE

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


def is_configured(name: str) -> bool:
    """Whether a configuration counts for a description of this name: it does for specs in files."""
    return not name.endswith(".tex") and not name.startswith("<") and Path(name).is_file()


def environment_settings(name: str) -> list[str]:
    """What the environment says for the figure of a spec, as settings."""
    if not is_configured(name):
        return []
    said = from_environment()
    return [f"{STYLE if key == 'style' else f'{key}='}{said[key]}" for key in ENVIRONMENT[:-1] if key in said]


def config_of(name: str) -> Config:
    """The configuration for the spec of this name; an empty one where there is none."""
    return nearest_config(Path(name).resolve().parent) if is_configured(name) else Config()


def nearest_config(folder: Path) -> Config:
    """The nearest configuration, from a folder upwards: up to the folder that a repository begins in."""
    file = config_path(folder)
    return _read(file) if file else Config()


def config_path(folder: Path) -> Path | None:
    """Where that configuration stands."""
    for each in (folder, *folder.parents):
        if (found := each / CONFIG_FILE).is_file():
            return found
        if (found := each / PROJECT_FILE).is_file() and _speaks_of_tikzgen(found):
            return found
        if (each / ".git").exists():
            return None
    return None


def _speaks_of_tikzgen(file: Path) -> bool:
    """Whether a project's file has a configuration; one that may not be read, as above an agent's folder, has none."""
    try:
        return b"tool.tikzgen" in read_bounded(file)
    except (OSError, FileRefused):
        return False


def _read(file: Path) -> Config:
    import tomllib  # few figures have a configuration

    name = os.path.relpath(file)
    try:
        text = read_bounded(file).decode("utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise unread(name, error) from None
    except ValueError as error:  # no UTF-8, no TOML
        at = re.search(r" \(at line (\d+), column (\d+)\)", str(error))
        place = Place(name, int(at[1]), int(at[2])) if at else Place(name)
        message = re.sub(r" \(at .*\)$", "", str(error))
        raise SpecError([Problem(f"is no TOML: {message}", place=place, hint='width = "ieee-column"')]) from None
    prefix = "" if file.name == CONFIG_FILE else "tool.tikzgen"
    if prefix:
        data = data.get("tool", {}).get("tikzgen", {})
    tree = _tree(data, dict(_marks(text)), prefix)
    document = Document(name, data, Places(name, tree))
    return Config(file, document, data)


def _marks(text: str) -> Iterator[tuple[str, Mark]]:
    """Where each key of a TOML file stands, by its whole name."""
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if head := re.match(r"\s*\[+\s*([\w.\" -]+?)\s*\]+", line):
            table = head[1].replace('"', "").replace(" ", "") + "."
            yield table[:-1], (number, line.index("[") + 1)
        elif key := re.match(r"\s*([\w.-]+)\s*=", line):
            yield table + key[1], (number, key.start(1) + 1)


def _tree(data: Mapping[str, Any], marks: Mapping[str, Mark], name: str) -> Branch:
    here = marks.get(name, (1, 1))
    names = {key: f"{name}.{key}" if name else key for key in data}
    children = {
        key: _tree(value, marks, names[key]) if isinstance(value, dict) else marks.get(names[key], here)
        for key, value in data.items()
    }
    return Branch(here, children, {key: marks.get(names[key], here) for key in data})


def configured(data: Mapping[str, Any], values: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """A description with what the configuration says where it says nothing itself."""
    made = dict(data)
    for name in FIGURE_KEYS:
        if name in values and name in fields:
            own, value = made.get(name, {}), values[name]
            both = isinstance(own, dict) and isinstance(value, dict)
            made[name] = {**value, **own} if both else made.get(name, value)
    return made
