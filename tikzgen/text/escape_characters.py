r"""What each character of a text is in TeX; `data/characters.json` holds those that three TeX engines set alike.

That table is written by `tools/survey`. A character that is not in it is refused, with the reason.

Latin Modern has them, drawn as Computer Modern is, and is on every machine with XeLaTeX or LuaLaTeX. A figure that
shows one says inside its own group where pdfLaTeX finds it, by way of LaTeX's default for the command (`?\k`): an
encoding that has the letter, such as a paper's T1, is never asked to borrow.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tikzgen.base.errors import TikzgenError, shorten
from tikzgen.base.record import Record


class TextRefused(TikzgenError, ValueError):
    """A text that would break the .tex; `position` counts characters of the text from 0.

    The message reads "<what> at character <position + 1> <why>".
    """

    def __init__(self, what: str, why: str = "", *, position: int | None = None, hint: str = "") -> None:
        where = "" if position is None else f" at character {position + 1}"
        super().__init__(shorten(what) + where + (why if why[:1] in ("", ":") else f" {why}"), hint=hint)
        self.position = position


def describe(char: str) -> str:
    """`"é" (U+00E9 LATIN SMALL LETTER E WITH ACUTE)`; what a terminal could choke on is named but not shown."""
    name = unicodedata.name(char, "")
    code = f"U+{ord(char):04X}"
    if not char.isprintable() or unicodedata.bidirectional(char) in {"R", "AL", "AN"} or unicodedata.combining(char):
        return f"{code} {name}".rstrip()
    return f'"{char}" ({code} {name})' if name else f'"{char}" ({code})'


# Only forms that OT1, T1 and TU fonts set alike, whatever the family, and without the TS1 fonts of Computer Modern,
# which a small TeX installation lacks: \textquotedblleft is a backslash in cmtt, \$ comes from TS1, and an italic OT1 $
# is a pound.
ASCII: Mapping[str, str] = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"{\upshape\char36}",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\ensuremath{\sim}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedblright{}",
    "`": r"\textquoteleft{}",
}
_CJK_BLOCKS = ((0x3001, 0x303F), (0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xFF00, 0xFFEF))
ENSURE = r"\ensuremath{"
_MATHS_SPACES = {"~", r"\,"}


class CharacterTex(Record):
    """The TeX source of one character, in text and (None if it has no place there) in maths."""

    source: str
    maths: str | None = None
    packages: tuple[str, ...] = ()


@cache
def table() -> tuple[Mapping[str, CharacterTex], frozenset[str]]:
    """The surveyed characters, and the Chinese ones of GB 2312 that some engine cannot set."""
    data = json.loads((Path(__file__).parent / "data" / "characters.json").read_text("utf-8"))
    entries = {
        char: _entry(source, (package,) if package else ())
        for package, chars in data["characters"].items()
        for char, source in chars.items()
    }
    return entries, frozenset(data["refused_cjk"])


def _entry(source: str, packages: tuple[str, ...]) -> CharacterTex:
    if source.startswith(ENSURE):
        return CharacterTex(source, source[len(ENSURE) : -1].removeprefix("{}"), packages)
    return CharacterTex(source, source if source in _MATHS_SPACES else None, packages)


def find(char: str, position: int) -> CharacterTex:
    """The entry of one character; raises `TextRefused`, which says where it stands in its text."""
    if char in ASCII:
        return _entry(ASCII[char], ())
    if " " <= char <= "~":
        return CharacterTex(char)
    entries, refused = table()
    if char in entries:
        return entries[char]
    if is_cjk(char) and char not in refused:
        return CharacterTex(char)
    reason, hint = _reason(char)
    raise TextRefused(describe(char), f"cannot be set: {reason}", position=position, hint=hint)


def cluster(text: str, at: int, start: int = 0) -> tuple[list[CharacterTex], int]:
    """The entries of the character at `at`, composed with the combining marks after it, and where they end.

    `start` is where `text` begins in the text that refusals speak of.
    """
    end = at + 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    composed = unicodedata.normalize("NFC", text[at:end])
    return [find(char, start + min(at + offset, end - 1)) for offset, char in enumerate(composed)], end


def is_cjk(char: str) -> bool:
    """Whether a character is Chinese or Japanese writing that GB 2312 has."""
    if not any(first <= ord(char) <= last for first, last in _CJK_BLOCKS):
        return False
    try:
        char.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True


def _reason(char: str) -> tuple[str, str]:
    category = unicodedata.category(char)
    name = unicodedata.name(char, "")
    if category == "Cs":
        return "it is half of a surrogate pair", "remove it"
    if category in ("Cc", "Cf", "Zl", "Zp"):
        return "it is an invisible control character", "remove it"
    if category in ("Cn", "Co"):
        return "Unicode gives it no meaning", "remove it"
    if category.startswith("M"):
        return "it is a combining mark that the character before it does not take", "remove it"
    if unicodedata.bidirectional(char) in ("R", "AL", "AN"):
        return "right-to-left scripts are not supported", "write it in Latin letters"
    if "CJK" in name or name.startswith(("HANGUL", "HIRAGANA", "KATAKANA", "BOPOMOFO")):
        return "of East Asian writing only GB 2312 (simplified Chinese, kana) is supported", "use a character of it"
    if ord(char) >= 0x1F000 and category == "So":
        return "TeX's fonts have no emoji", "remove it, or use an icon"
    if name.startswith("CYRILLIC"):
        hint = "write it in Latin letters, or use a command of your paper in !tex"
        return "TeX's default fonts have no Cyrillic", hint
    if category.startswith("L"):
        return "TeX's default fonts do not all have this letter", "use a command of your paper in !tex"
    return "TeX's default fonts do not all have it", "remove it, or use a command of your paper in !tex"


class Loan(Record):
    """A command that is set in `encoding`; `home` is the encoding whose own form is no good, `?` for none at all.

    An accent takes the letter that it is put on (`takes`).
    """

    name: str
    encoding: str
    home: str = "?"
    takes: bool = False


_LETTERS = "dj DJ dh DH th TH ng NG"
_SIGNS = "texteuro textcent textcurrency textbrokenbar textperthousand textnumero"

LOANS: Mapping[str, Loan] = {
    "k": Loan("k", "T1", takes=True),
    **{name: Loan(name, "T1") for name in _LETTERS.split()},
    **{name: Loan(name, "TS1") for name in _SIGNS.split()},
    "textsterling": Loan("textsterling", "TS1", home="OT1"),  # OT1 makes it of an italic dollar, which sans has not
}
"""What may be borrowed, by its command."""

_COMMANDS = re.compile(rf"\\({'|'.join(LOANS)})(?![A-Za-z])")


def find_borrowed(source: str) -> tuple[str, ...]:
    r"""Find the commands in some TeX that may come from another font.

    >>> find_borrowed(r"\k{a}b\dj{}"), find_borrowed(r"\kern1pt \'{e}")
    (('k', 'dj'), ())
    """
    return tuple(dict.fromkeys(_COMMANDS.findall(source))) if "\\" in source else ()
