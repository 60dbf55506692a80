"""What ships beside the code, the version and the folder of the templates; and the folders of this user."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

VERSION = "0.2.0"


@cache
def template_folder() -> Path:
    """The built-in templates, inside the package when installed, beside it in a checkout; `icons` holds the icons."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"


def cache_folder(platform: str = sys.platform, env: Mapping[str, str] = os.environ) -> Path | None:
    """Where this user's cache lives; nothing where the system tells no such place."""
    named = env.get("XDG_CACHE_HOME", "")
    if named and Path(named).is_absolute():
        return Path(named) / "tikzgen"
    if platform == "win32":
        local = env.get("LOCALAPPDATA", "")
        return Path(local) / "tikzgen" / "Cache" if local else None
    home = env.get("HOME", "")
    if not home:
        return None
    return Path(home) / ("Library/Caches" if platform == "darwin" else ".cache") / "tikzgen"


def config_folder(platform: str = sys.platform, env: Mapping[str, str] = os.environ) -> Path | None:
    """Where this user's configuration lives; nothing where the system tells no such place."""
    named = env.get("XDG_CONFIG_HOME", "")
    if named and Path(named).is_absolute():
        return Path(named) / "tikzgen"
    if platform == "win32":
        roaming = env.get("APPDATA", "")
        return Path(roaming) / "tikzgen" if roaming else None
    home = env.get("HOME", "")
    return Path(home) / ".config" / "tikzgen" if home else None
