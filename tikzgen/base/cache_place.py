"""Where this user's cache lies."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["cache_folder"]


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
