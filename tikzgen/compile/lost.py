"""Characters that no font had: what a log tells of them, and the error that a hole in a picture is.

TeX only mentions them in its log. A figure with a hole in it is wrong all the same, so it is not built; a lost
character that nobody would see (a joiner, a variation selector) is worth a note.
"""

from __future__ import annotations

import re
import unicodedata

from tikzgen.base.errors import LatexError
from tikzgen.base.record import Record
from tikzgen.compile.install import this_system
from tikzgen.compile.remedies import remedy

# `There is no 卐 (U+5350) in font [FandolHei-Regular.otf]/OT:script=hani!`, and in fonts of 256 slots, in the words of
# XeTeX, LuaTeX and pdfTeX: `þ ("FE) in font cmr10!`, `þ (U+00FE) in font cmr10!`, `\xfe in font cmr10!`.
_SAID = re.compile(
    r"^Missing character: There is no (?P<shown>.{1,20}?)(?: \((?:U\+|\")(?P<code>[0-9A-F]+)\))?"
    r" in font (?P<font>.{1,300})!$"
)
_BYTE = re.compile(r"\\x(?P<code>[0-9a-f]{2})")  # how we read what is no UTF-8 in a log
_PLANE = re.compile(r"(?P<family>[a-z]+)u(?P<high>[0-9a-f]{2})")  # CJK cuts a font into pieces of 256: gbsnu53
_FILE = re.compile(r"^\"?\[?(?:[^\]:]*/)?(?P<name>[^\]:/;\"]+?)(?:\.[a-z]{3})?[\]:/;\"!].*$")
_UNSEEN = ("Cc", "Cf", "Mn", "Zs", "Zl", "Zp")


class Lost(Record):
    """A character that `font` lacks; `code` is its place in Unicode, or in a font of 256 slots where `slot`."""

    code: int
    font: str
    slot: bool = False

    @property
    def seen(self) -> bool:
        """Whether its lack leaves a hole."""
        return self.slot or unicodedata.category(chr(self.code)) not in _UNSEEN

    def __str__(self) -> str:
        if self.slot:
            return f'number {self.code} ("{self.code:02X})'
        char = chr(self.code)
        return f'"{char}" (U+{self.code:04X})' if char.isprintable() and self.seen else f"U+{self.code:04X}"


def lost_characters(log: str) -> tuple[Lost, ...]:
    """What the fonts lacked, each once, in the order of the log."""
    found = (_SAID.match(line) for line in log.split("\n") if line.startswith("Missing character"))
    # pgf sets stray characters in \nullfont on purpose
    lost = (_lost(said) for said in found if said and said["font"] != "nullfont")
    return tuple(dict.fromkeys(each for each in lost if each is not None))


def hole(log: str, *, engine: str) -> LatexError | None:
    """The first hole that a picture has, as the error to raise; nothing where it has none."""
    found = next((lost for lost in lost_characters(log) if lost.seen), None)
    if found is None:
        return None
    message = f"the font {found.font} has no character {found}"
    return LatexError(message, hint=remedy(message, engine=engine, system=this_system()), log=log)


def _lost(said: re.Match[str]) -> Lost | None:
    shown, font = said["shown"], said["font"]
    byte = _BYTE.fullmatch(shown)
    if said["code"] or byte:
        code = int(said["code"] or (byte and byte["code"]) or "0", 16)
    elif len(shown) == 1:
        code = ord(shown)
    elif shown.startswith("^^") and len(shown) == 3:
        code = ord(shown[2]) ^ 64
    else:
        return None
    if code > 0x10FFFF:
        return None
    if (plane := _PLANE.fullmatch(font)) and code < 256:
        return Lost(int(plane["high"], 16) * 256 + code, plane["family"])
    if file := _FILE.match(font):
        return Lost(code, file["name"])
    return Lost(code, font, slot=code < 256)
