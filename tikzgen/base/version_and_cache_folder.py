"""What ships beside the code, the version and the folder of the templates; and the folders of this user."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

VERSION = "0.2.0"
PACKAGE = Path(__file__).resolve().parents[1]
"""The folder of the package `tikzgen`."""


@cache
def template_folder() -> Path:
    """The built-in templates, inside the package when installed, beside it in a checkout; `icons` holds the icons."""
    inside = PACKAGE / "templates"
    return inside if inside.is_dir() else PACKAGE.parent / "templates"


def cache_folder(platform: str = sys.platform, env: Mapping[str, str] = os.environ) -> Path | None:
    """Where this user's cache lives; nothing where the system tells no such place."""
    if platform == "win32":
        return _user_folder(env, "XDG_CACHE_HOME", "LOCALAPPDATA", "tikzgen/Cache")
    usual = "Library/Caches" if platform == "darwin" else ".cache"
    return _user_folder(env, "XDG_CACHE_HOME", "HOME", f"{usual}/tikzgen")


def config_folder(platform: str = sys.platform, env: Mapping[str, str] = os.environ) -> Path | None:
    """Where this user's configuration lives; nothing where the system tells no such place."""
    if platform == "win32":
        return _user_folder(env, "XDG_CONFIG_HOME", "APPDATA", "tikzgen")
    return _user_folder(env, "XDG_CONFIG_HOME", "HOME", ".config/tikzgen")


def _user_folder(env: Mapping[str, str], own: str, usual: str, below: str) -> Path | None:
    """The folder `tikzgen` in what the variable `own` names; else the one `below` what the variable `usual` names."""
    named = env.get(own, "")
    if named and Path(named).is_absolute():
        return Path(named) / "tikzgen"
    folder = env.get(usual, "")
    return Path(folder) / below if folder else None
