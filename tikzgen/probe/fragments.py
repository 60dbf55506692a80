r"""Pictures without a document around them, which papers read with `\input`."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["document_of", "is_fragment"]

_PICTURE = re.compile(r"\\begin\s*\{tikzpicture\}|\\tikz\b")
_CJK = re.compile("[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]")


def is_fragment(source: str) -> bool:
    """Whether a .tex file draws something and is no document."""
    return "\\documentclass" not in source and _PICTURE.search(source) is not None


@lru_cache(maxsize=256)
def document_of(source: str) -> str:
    """The document itself, or a fragment as a document that loads what pictures use most; lines keep their numbers."""
    if not is_fragment(source):
        return source
    from tikzgen.tikz.environment import fill

    return fill("fragment.tex.j2", body=source.rstrip(), cjk=_CJK.search(source) is not None)
