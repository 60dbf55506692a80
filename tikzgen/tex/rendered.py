"""Specs that were rendered before: what did not change is not read as a model again, let alone laid out."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.cache import cache_key, program_key
from tikzgen.files import read_bounded
from tikzgen.tex.cache import Cache

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure

__all__ = ["rendered"]


def rendered(file: Path, figure: Callable[[], Figure], cache: Cache, *facts: object) -> str:
    """The TeX of the figure that `file` describes: from the cache, or of what `figure` reads from it.

    What was rendered depends on the file's bytes, on this program, and on the `facts` that `figure` goes by. Figures
    with icons of other packages are rendered each time.
    """
    if cache.folder is None:
        return figure().tex()
    key = _key(file, facts)
    held = cache.get(key) if key else None
    if held is not None:
        return held.decode("utf-8", "surrogatepass")
    made = figure()
    tex = made.tex()
    if key and _has_own_icons(made) and _key(file, facts) == key:  # else it was written while it was read
        cache.put(key, tex.encode("utf-8", "surrogatepass"))
    return tex


def _key(file: Path, facts: tuple[object, ...]) -> str:
    """Empty where the file cannot be read, as reading it as a spec says; and for a pipe, which is read but once."""
    if not file.is_file():
        return ""
    try:
        digest = sha256(read_bounded(file)).hexdigest()
    except OSError:
        return ""
    return cache_key("rendered", program_key(), file.name, digest, *map(str, facts))


def _has_own_icons(figure: Figure) -> bool:
    from tikzgen.icons.catalogue import with_plugins

    return not with_plugins(figure, ())
