"""What tikzgen wrote in a file that a person edited since: rendered once, and kept in the user's cache folder."""

from __future__ import annotations

from tikzgen import __version__
from tikzgen.cache import cache_folder, cache_key
from tikzgen.rendering.capsule import digest_of, is_untouched

__all__ = ["written_base"]

_LIMIT_MIB = 16


def written_base(inside: str, digest: str, name: str) -> str | None:
    """The figure that the description `inside` makes, if that is what the file's digest says; None if it is not.

    What the cache holds tells by its own digest whether it is whole. Raises `TikzgenError` where the description
    cannot be rendered.
    """
    from tikzgen.tex.cache import Cache

    folder = cache_folder()
    cache = Cache(folder / "written" if folder else None)
    key = cache_key("written", __version__, digest, inside)
    kept = cache.get(key)
    if kept is not None:
        text = kept.decode("utf-8", "replace")
        if is_untouched(text) and digest_of(text) == digest:
            return text
    made = _rendered(inside, name)
    if digest_of(made) != digest:
        return None
    cache.put(key, made.encode())
    cache.prune(_LIMIT_MIB)
    return made


def _rendered(inside: str, name: str) -> str:
    from tikzgen.loading import loads
    from tikzgen.rendering import render

    return render(loads(inside, name=name)).tex
