"""Hints for errors of TeX; `remedies.toml` has the hints, and the packages of missing files."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from tikzgen.base.patterns import pattern_of
from tikzgen.compile.tex.install import System, package_line

_MISSING_FILE = pattern_of(r"File [`'](?P<name>[^']+\.(?:sty|cls|fd|def|lua))' not found")
_LOST_FONT = pattern_of(r'[Ff]ont ["\\]?(?:\S+=)?(?P<name>[^"]+?)"? (?:at \S+ )?(?:cannot be found|not loadable)')


@cache
def _read_table(table: str) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))[table]
    return found


def find_remedy(message: str, *, engine: str, system: System) -> str:
    """Return the hint for an error, or an empty string if it is unknown."""
    if missing := _MISSING_FILE.search(message):
        return remedy_for(missing["name"], system)
    if font := _LOST_FONT.search(message):
        return remedy_for(font["name"], system, font=True)
    hint = next((hint for pattern, hint in _read_table("messages").items() if re.search(pattern, message)), "")
    return hint.replace("{engines}", _suggest_engines(message, engine))


def _suggest_engines(message: str, engine: str) -> str:
    wanted = [name for name, word in (("xelatex", "XeTeX"), ("lualatex", "LuaTeX")) if word in message]
    return "use " + " or ".join(f"--engine {name}" for name in wanted if name != engine)


def remedy_for(name: str, system: System, *, font: bool = False) -> str:
    """Return how to install the file or font `name`, or how to find its package."""
    if font:
        # fontspec requests "[FandolHei-Regular.otf]:mode=node"
        plain = name.strip("[]").lower()
        packages = next((found for start, found in _read_table("fonts").items() if plain.startswith(start)), None)
    else:
        packages = _read_table("files").get(name)
    if packages:
        debian, texlive = packages
        line = package_line(debian, texlive, system)
        others = f"TeX Live, MiKTeX: {texlive}" if line.endswith(debian) else f"Debian: {debian}"
        return f"install it: {line}; {others}"
    if font:
        return "install that font, or name another one"
    return f"misspelt, or not installed: `tlmgr search --global --file /{name}` names its package"
