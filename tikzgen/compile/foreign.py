"""Whose figure is it: one that tikzgen wrote, as it stands, or one that a stranger may have written."""

from __future__ import annotations

from tikzgen.base.cache import Cache, cache_key, program_key
from tikzgen.base.errors import TikzgenError
from tikzgen.base.trust import is_trusted

__all__ = ["is_foreign"]

_OWN = b"own"


def is_foreign(source: str, cache: Cache | None = None) -> bool:
    """Whether `source` is anything but what tikzgen renders from the description inside it.

    The digest alone proves nothing, for anybody can write one that fits. So the description is rendered again: what
    comes out is escaped and checked as every spec is, and must be the file, byte by byte. What was found to be ours
    is kept in `cache`.
    """
    if cache is None or cache.folder is None:
        return _is_foreign(source)
    key = cache_key("foreign", program_key(), str(is_trusted()), source)
    if cache.get(key) == _OWN:
        return False
    foreign = _is_foreign(source)
    if not foreign:
        cache.put(key, _OWN)
    return foreign


def _is_foreign(source: str) -> bool:
    from tikzgen.tikz.embedded_spec import is_untouched, unseal

    plain = source.replace("\r\n", "\n")
    inside = unseal(plain)
    if inside is None or not is_untouched(plain):
        return True
    from tikzgen.loading import loads
    from tikzgen.tikz import render

    try:
        return render(loads(inside)).tex != plain
    except TikzgenError:
        return True
