"""Version, package folder, template folder, and the cache and configuration folders of the user."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

VERSION = "0.3.0"
PACKAGE = Path(__file__).resolve().parents[1]
"""The folder of the package `tikzgen`."""


@cache
def template_folder() -> Path:
    """Return the folder of the built-in templates; its subfolder `icons` contains the icons.

    It is in the package if installed, and next to the package in a checkout.
    """
    inside = PACKAGE / "templates"
    return inside if inside.is_dir() else PACKAGE.parent / "templates"


def cache_folder(platform: str = sys.platform, env: Mapping[str, str] = os.environ) -> Path | None:
    """Return the cache folder of the user; None if the system defines none."""
    if platform == "win32":
        return _user_folder(env, "XDG_CACHE_HOME", "LOCALAPPDATA", "tikzgen/Cache")
    usual = "Library/Caches" if platform == "darwin" else ".cache"
    return _user_folder(env, "XDG_CACHE_HOME", "HOME", f"{usual}/tikzgen")


def config_folder(platform: str = sys.platform, env: Mapping[str, str] = os.environ) -> Path | None:
    """Return the configuration folder of the user; None if the system defines none."""
    if platform == "win32":
        return _user_folder(env, "XDG_CONFIG_HOME", "APPDATA", "tikzgen")
    return _user_folder(env, "XDG_CONFIG_HOME", "HOME", ".config/tikzgen")


def _user_folder(env: Mapping[str, str], own: str, usual: str, below: str) -> Path | None:
    """Return `tikzgen` in the folder of variable `own`, else `below` in the folder of variable `usual`.

    Return None if neither variable is set. Ignore a relative path in `own`.
    """
    named = env.get(own, "")
    if named and Path(named).is_absolute():
        return Path(named) / "tikzgen"
    folder = env.get(usual, "")
    return Path(folder) / below if folder else None
