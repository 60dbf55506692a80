"""The one error of this room: a text that cannot become TeX, with the place in it and a way out."""

from __future__ import annotations

import unicodedata

from tikzgen.base.errors import TikzgenError, shortened


class TextRefused(TikzgenError, ValueError):
    """A text that would break the .tex; `position` counts characters of the text from 0.

    The message reads "<what> at character <position + 1> <why>".
    """

    def __init__(self, what: str, why: str = "", *, position: int | None = None, hint: str = "") -> None:
        where = "" if position is None else f" at character {position + 1}"
        super().__init__(shortened(what) + where + (why if why[:1] in ("", ":") else f" {why}"), hint=hint)
        self.position = position


def describe(char: str) -> str:
    """`"é" (U+00E9 LATIN SMALL LETTER E WITH ACUTE)`; what a terminal could choke on is named but not shown."""
    name = unicodedata.name(char, "")
    code = f"U+{ord(char):04X}"
    if not char.isprintable() or unicodedata.bidirectional(char) in {"R", "AL", "AN"} or unicodedata.combining(char):
        return f"{code} {name}".rstrip()
    return f'"{char}" ({code} {name})' if name else f'"{char}" ({code})'
