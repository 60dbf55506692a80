"""The user's cache folder, and the names of what lies in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

__all__ = ["cache_folder", "cache_key", "program_key"]


def cache_key(*parts: str) -> str:
    """A name for `parts`, in this order: each is hashed with its length, so that none runs into the next."""
    digest = sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


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


@cache
def program_key() -> str:
    """A name for this very program: what another version made may differ, and so may what an edited template makes."""
    from tikzgen.icons.folders import template_folder

    places = (Path(__file__).parent, template_folder())
    facts = (fact for place in places for fact in _facts(str(place)))
    return cache_key(sys.implementation.cache_tag or "", *sorted(facts))


def _facts(folder: str) -> Iterator[str]:
    """Path, size and time of each file that the program consists of."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _facts(entry.path) if entry.name != "__pycache__" else ()
            else:
                facts = entry.stat()
                yield f"{entry.path} {facts.st_size} {facts.st_mtime_ns}"
