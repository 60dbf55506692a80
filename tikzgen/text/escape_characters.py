r"""TeX source of each Unicode character; `data/characters.json` lists the supported characters.

Three TeX engines set them identically. `tools/survey` writes that table. Other characters raise `TextRefused` with the
reason.

Some characters come from Latin Modern, which resembles Computer Modern and is on every machine with XeLaTeX or
LuaLaTeX. A figure with such a character declares in its group the encoding from which pdfLaTeX borrows it. It uses
LaTeX's default for the command (`?\k`). An encoding that has the letter, such as a paper's T1, does not borrow it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tikzgen.base.errors import TikzgenError, shorten_for_message
from tikzgen.base.record import Record


class TextRefused(TikzgenError, ValueError):
    """Label that would break the .tex; `position` counts its characters from 0.

    The message has the form `<what> at character <position + 1> <why>`.
    """

    def __init__(self, what: str, why: str = "", *, position: int | None = None, hint: str = "") -> None:
        where = "" if position is None else f" at character {position + 1}"
        super().__init__(shorten_for_message(what) + where + (why if why[:1] in ("", ":") else f" {why}"), hint=hint)
        self.position = position


def describe(char: str) -> str:
    """Return `"é" (U+00E9 LATIN SMALL LETTER E WITH ACUTE)`; omit characters unsafe for a terminal."""
    name = unicodedata.name(char, "")
    code = f"U+{ord(char):04X}"
    if not char.isprintable() or unicodedata.bidirectional(char) in {"R", "AL", "AN"} or unicodedata.combining(char):
        return f"{code} {name}".rstrip()
    return f'"{char}" ({code} {name})' if name else f'"{char}" ({code})'


# Only forms that are identical in OT1, T1 and TU fonts of all families, without the TS1 fonts of Computer Modern,
# which a small TeX installation lacks. Traps: \textquotedblleft is a backslash in cmtt, \$ uses TS1, and an italic OT1
# $ is a pound.
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
    """TeX source of one character in text, and in math (None if it is invalid there)."""

    source: str
    maths: str | None = None
    packages: tuple[str, ...] = ()


@cache
def load_character_table() -> tuple[Mapping[str, CharacterTex], frozenset[str]]:
    """Return the surveyed characters, and the Chinese ones of GB 2312 that some engine cannot set."""
    data = json.loads((Path(__file__).parent / "data" / "characters.json").read_text("utf-8"))
    entries = {
        char: _make_entry(source, (package,) if package else ())
        for package, chars in data["characters"].items()
        for char, source in chars.items()
    }
    return entries, frozenset(data["refused_cjk"])


def _make_entry(source: str, packages: tuple[str, ...]) -> CharacterTex:
    if source.startswith(ENSURE):
        return CharacterTex(source, source[len(ENSURE) : -1].removeprefix("{}"), packages)
    return CharacterTex(source, source if source in _MATHS_SPACES else None, packages)


def find(char: str, position: int) -> CharacterTex:
    """Return the entry of one character. Raise `TextRefused` with its position for an unsupported one."""
    if char in ASCII:
        return _make_entry(ASCII[char], ())
    if " " <= char <= "~":
        return CharacterTex(char)
    entries, refused = load_character_table()
    if char in entries:
        return entries[char]
    if is_cjk(char) and char not in refused:
        return CharacterTex(char)
    reason, hint = _find_refusal_reason(char)
    raise TextRefused(describe(char), f"cannot be set: {reason}", position=position, hint=hint)


def read_cluster(text: str, at: int, start: int = 0) -> tuple[list[CharacterTex], int]:
    """Return the entries of the character at `at` with its combining marks, and their end.

    `start` is the position of `text` in the whole label, for errors.
    """
    end = at + 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    composed = unicodedata.normalize("NFC", text[at:end])
    return [find(char, start + min(at + offset, end - 1)) for offset, char in enumerate(composed)], end


def is_cjk(char: str) -> bool:
    """Return whether a character is Chinese or Japanese and in GB 2312."""
    if not any(first <= ord(char) <= last for first, last in _CJK_BLOCKS):
        return False
    try:
        char.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True


def _find_refusal_reason(char: str) -> tuple[str, str]:
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
    """Command that borrows its form from `encoding`; `home` is the encoding whose own form is replaced.

    `home` is `?` for LaTeX's default, which applies to encodings without a form. An accent (`takes`) has the letter
    under it as an argument.
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
    "textsterling": Loan("textsterling", "TS1", home="OT1"),  # OT1 builds it from an italic dollar, which sans lacks
}
"""Commands that another font encoding can provide, by name."""

_COMMANDS = re.compile(rf"\\({'|'.join(LOANS)})(?![A-Za-z])")


def find_borrowed(source: str) -> tuple[str, ...]:
    r"""Return the commands in TeX source that may be borrowed from another font.

    >>> find_borrowed(r"\k{a}b\dj{}"), find_borrowed(r"\kern1pt \'{e}")
    (('k', 'dj'), ())
    """
    return tuple(dict.fromkeys(_COMMANDS.findall(source))) if "\\" in source else ()
