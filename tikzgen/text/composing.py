"""Texts made of texts, which keep their kind: raw TeX stays raw."""

from __future__ import annotations

from tikzgen.text.characters import table
from tikzgen.text.label_text import Tex
from tikzgen.text.typesetting import typeset

__all__ = ["stacked"]


def stacked(*texts: Tex | str) -> Tex | str:
    r"""The texts that are not empty, one below the other; raw TeX where one of them is, plain text otherwise.

    >>> stacked("push (P)", "", Tex(r"$\nabla$"))
    Tex('push (P)\\\\$\\nabla$')
    """
    found = [text for text in texts if text]
    if len(found) == 1:
        return found[0]
    if not any(isinstance(text, Tex) for text in found):
        return "\n".join(found)
    lines = [text if isinstance(text, Tex) else _as_raw(text) for text in found]
    # TeX would take a bracket or a star for an argument of the line break
    joined = r"\\".join("{}" * (place > 0 and line[:1] in ("[", "*")) + line for place, line in enumerate(lines))
    return Tex(joined, {word for text in found if isinstance(text, Tex) for word in text.allowed})


def _as_raw(text: str) -> str:
    r"""A plain text as an author of raw TeX would write it: in raw TeX our \ooalign would be refused, a © is not."""
    source = typeset(text).source
    for char, entry in table()[0].items():
        if r"\ooalign" in entry.source:
            source = source.replace(entry.source, char)
    return source
