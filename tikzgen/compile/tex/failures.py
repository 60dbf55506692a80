"""Reasons why an engine made no PDF or an incomplete one, from its log or its exit.

TeX mentions a missing character only in its log. A figure with a visible gap is wrong, so its build fails. An
invisible missing character (a joiner, a variation selector) is only a note.
"""

from __future__ import annotations

import re
import unicodedata

from tikzgen.base.errors import LatexError
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.compile.tex.argv import Limits
from tikzgen.compile.tex.engines import Engine
from tikzgen.compile.tex.errors_in_log import latex_error
from tikzgen.compile.tex.install import this_system
from tikzgen.compile.tex.process import Ended
from tikzgen.compile.tex.remedies import find_remedy

# `There is no 卐 (U+5350) in font [FandolHei-Regular.otf]/OT:script=hani!`. For fonts of 256 slots, XeTeX, LuaTeX and
# pdfTeX write `þ ("FE) in font cmr10!`, `þ (U+00FE) in font cmr10!` and `\xfe in font cmr10!`.
_MISSING_CHARACTER = pattern_of(
    r"^Missing character: There is no (?P<shown>.{1,20}?)(?: \((?:U\+|\")(?P<code>[0-9A-F]+)\))?"
    r" in font (?P<font>.{1,300})!$"
)
_BYTE = pattern_of(r"\\x(?P<code>[0-9a-f]{2})")  # a byte of a log that is not UTF-8
_PLANE = pattern_of(r"(?P<family>[a-z]+)u(?P<high>[0-9a-f]{2})")  # CJK splits a font into parts of 256: gbsnu53
_FILE = pattern_of(r"^\"?\[?(?:[^\]:]*/)?(?P<name>[^\]:/;\"]+?)(?:\.[a-z]{3})?[\]:/;\"!].*$")
_INVISIBLE_CATEGORIES = ("Cc", "Cf", "Mn", "Zs", "Zl", "Zp")


class Lost(Record):
    """A character that `font` lacks; `code` is its Unicode, or its slot in a font of 256 if `slot`."""

    code: int
    font: str
    slot: bool = False

    @property
    def leaves_hole(self) -> bool:
        """Whether its absence leaves a visible gap."""
        return self.slot or unicodedata.category(chr(self.code)) not in _INVISIBLE_CATEGORIES

    def __str__(self) -> str:
        if self.slot:
            return f'number {self.code} ("{self.code:02X})'
        char = chr(self.code)
        return f'"{char}" (U+{self.code:04X})' if char.isprintable() and self.leaves_hole else f"U+{self.code:04X}"


def lost_characters(log: str) -> tuple[Lost, ...]:
    """Return the characters that fonts lacked, each once, in the order of the log."""
    found = (_MISSING_CHARACTER.match(line) for line in log.split("\n") if line.startswith("Missing character"))
    # pgf deliberately sets stray characters in \nullfont
    lost = (_parse_lost(said) for said in found if said and said["font"] != "nullfont")
    return tuple(dict.fromkeys(each for each in lost if each is not None))


def find_hole(log: str, *, engine: str) -> LatexError | None:
    """Return the first visible gap in a picture as the error to raise, or None."""
    found = next((lost for lost in lost_characters(log) if lost.leaves_hole), None)
    if found is None:
        return None
    message = f"the font {found.font} has no character {found}"
    return LatexError(message, hint=find_remedy(message, engine=engine, system=this_system()), log=log)


def _parse_lost(said: re.Match[str]) -> Lost | None:
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


_WORD = pattern_of(r"[^\s\\{}%]+")
_LONG_WORD_CHARS = 900
_MOST_LINES = 80  # xdvipdfmx nests 256 boxes, and each line takes three
_DEFINITION = pattern_of(r"^\\def(\\[A-Za-z]+)\{")


def why_it_stopped(ended: Ended, log: str, source: str, engine: Engine, limits: Limits) -> LatexError:
    """Return the error to raise; `limits` has the limits of the user."""
    if ended.timed_out or ended.was_killed_by("SIGXCPU"):
        hint = "an endless loop, or raise --time-limit"
        return LatexError(f"{engine} was stopped after {limits.seconds:g} s", hint=hint, log=log)
    if ended.was_killed_by("SIGXFSZ"):
        message = f"{engine} was stopped: it wrote more than {limits.file_mib} MiB"
        return LatexError(message, hint="an endless loop, or too large a figure", log=log)
    if ended.overfull:
        message = f"{engine} was stopped: it filled its folder with more than {limits.folder_mib} MiB"
        return LatexError(message, hint="an endless loop, or too large a figure", log=log)
    if ended.status == 0:
        hint = r"nothing is drawn between \begin{document} and \end{document}"
        return LatexError("the figure is empty", hint=hint, log=log)
    if error := latex_error(log, source, engine=engine, system=this_system()):
        return error
    if "buf_size" in ended.last_words:
        return _too_long(source, log)
    longest = max(_number_lines(source), key=lambda each: _count_breaks(each[1]))
    if "No output PDF file written" in ended.last_words and _count_breaks(longest[1]) >= _MOST_LINES:
        return _too_many_lines(longest, engine, log)
    if ended.was_killed_by("SIGKILL"):
        return LatexError(f"{engine} was killed", hint="the machine may be short of memory", log=log)
    if ended.status < 0:
        return _explain_crash(source, engine, -ended.status, log)
    return LatexError(f"{engine} ended with {ended.last_words}", log=log)


def _too_many_lines(text: tuple[int, str], engine: Engine, log: str) -> LatexError:
    """Return the error for a label with too many lines, for which xdvipdfmx makes no PDF.

    TikZ puts each line of a label into a box with the lines before it, and XeTeX's xdvipdfmx limits the nesting.
    """
    number, source = text
    message = f"{engine} cannot set a text of {_count_breaks(source) + 1} lines: its boxes are nested too deep"
    hint = f"write {_MOST_LINES} lines at most, or use pdflatex or lualatex"
    return LatexError(message, hint=hint, line=number, excerpt=source[:80], log=log, trail=_DEFINITION.findall(source))


def _explain_crash(source: str, engine: Engine, signal: int, log: str) -> LatexError:
    """Return the error for a crash of an engine; XeTeX crashes on words of about a thousand characters."""
    number, text = max(_number_lines(source), key=lambda each: len(_longest_word(each[1])))
    if (length := len(_longest_word(text))) < _LONG_WORD_CHARS:
        return LatexError(f"{engine} crashed (signal {signal})", hint="another --engine may set it", log=log)
    message = f"{engine} crashed (signal {signal}), as it may at a word of {length} characters"
    hint = "break it, or use pdflatex or lualatex"
    return LatexError(message, hint=hint, line=number, excerpt=text[:80], log=log, trail=_DEFINITION.findall(text))


def _number_lines(source: str) -> list[tuple[int, str]]:
    """Return the lines that TeX reads, with their numbers."""
    return list(enumerate(source.partition("\\end{document}")[0].split("\n"), 1))


def _count_breaks(text: str) -> int:
    return text.count("\\\\")


def _longest_word(text: str) -> str:
    return max(_WORD.findall(text), key=len, default="")


def _too_long(source: str, log: str) -> LatexError:
    """Return the error for a line that exceeds TeX's buffer, which TeX reports on the terminal only."""
    number, text = max(enumerate(source.split("\n"), 1), key=lambda each: len(each[1].encode("utf-8", "replace")))
    message = f"Unable to read an entire line: it has {len(text)} characters"
    hint = "one line of the figure is too long: break it"
    return LatexError(message, hint=hint, line=number, excerpt=f"{text[:80]}…", log=log)
