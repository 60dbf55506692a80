"""Read TeX text piece by piece: tokens, the arguments of commands, lengths."""

from __future__ import annotations

import re

from tikzgen.text.metrics.boxes import Font
from tikzgen.text.metrics.text_commands import DIMENSION

TOKEN = re.compile(
    r"\\\\\*?(?:\[[^\]]*\])?(?:\{\})?"  # a line break
    r"|\\(?P<word>[A-Za-z]+)\s*|\\(?P<sign>.)|(?P<blank>\s+)|(?P<run>[!-#'-[\]^_`a-z@|]+)|(?P<other>.)",
    re.DOTALL,
)
_OPTION = re.compile(r"\s*\[([^\]]*)\]")
_LENGTH = re.compile(r"\s*(-?(?:\d+\.?\d*|\.\d+))\s*(em|ex|pt|bp|mm|cm|in)\s*")


class Cursor:
    """A place in TeX text, which moves over what is read."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    @property
    def remainder(self) -> str:
        """What was not read yet."""
        return self.source[self.at :]

    def argument(self) -> str:
        """The next argument: a group without its braces, a command, or a character."""
        while self.source.startswith(" ", self.at):
            self.at += 1
        match = TOKEN.match(self.source, self.at)
        if match is None:
            return ""
        begin = self.at
        if match["other"] != "{":
            self.at = begin + 1 if match["run"] else match.end()
            return self.source[begin : self.at]
        depth = 0
        while match is not None:
            depth += {"{": 1, "}": -1}.get(match["other"] or "", 0)
            self.at = match.end()
            if depth == 0:
                break
            match = TOKEN.match(self.source, self.at)
        return self.source[begin + 1 : self.at - 1]

    def option(self) -> str | None:
        """The next argument in brackets, None where there is none."""
        match = _OPTION.match(self.source, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match[1]

    def options(self) -> None:
        """Pass over all arguments in brackets."""
        while self.option() is not None:
            pass

    def bare_length(self) -> str:
        """A length that stands without braces; empty where there is none."""
        match = _LENGTH.match(self.source, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match[0]


def points(length: str, font: Font) -> float | None:
    """A length in pt, in a font; None for one that only TeX knows."""
    found = _LENGTH.fullmatch(length)
    if found is None:
        return None
    unit = {"em": font.face.parameter(6), "ex": font.face.parameter(5)}
    return float(found[1]) * (unit.get(found[2]) or DIMENSION[found[2]])
