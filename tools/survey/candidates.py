"""Characters that TeX may be able to set, with their sources: candidates for the survey."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from importlib import import_module

from tikzgen.text.escape_characters import is_cjk

__all__ = ["OURS", "candidates"]

_CIRCLE = r"\ooalign{\hfil\ensuremath{\scriptstyle\mathsf{?}}\hfil\crcr\ensuremath{\bigcirc}}"
_RAISED, _LOWERED = r"\ensuremath{{}^{?}}", r"\ensuremath{{}_{?}}"
_WRONG = "ĦħŦŧĿŀΆΈΉΊΌΎΏ⁗⎰⎱⩮⩵⫽ℊℯℴ"  # pylatexenc's sources are wrong

# Characters that the tables lack, or have in a form that is missing in a font.
OURS: dict[str, str] = {
    "\N{NO-BREAK SPACE}": "~",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{THIN SPACE}": r"\,",
    "\N{HAIR SPACE}": r"\,",
    "\N{EN SPACE}": r"\hspace{0.5em}",
    "\N{EM SPACE}": r"\hspace{1em}",
    "\N{IDEOGRAPHIC SPACE}": r"\hspace{1em}",
    "\N{SOFT HYPHEN}": r"\-",
    "\N{HYPHEN}": "-",
    "\N{NON-BREAKING HYPHEN}": r"\mbox{-}",
    "\N{FIGURE DASH}": "--",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{HORIZONTAL BAR}": "---",
    "\N{LEFT SINGLE QUOTATION MARK}": r"\textquoteleft{}",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": "``",
    "\N{RIGHT DOUBLE QUOTATION MARK}": "''",
    "\N{HORIZONTAL ELLIPSIS}": r"\dots{}",
    "\N{MIDDLE DOT}": r"\ensuremath{\cdot}",
    "\N{BULLET}": r"\ensuremath{\bullet}",
    "\N{BLACK CIRCLE}": r"\ensuremath{\bullet}",
    "\N{DEGREE SIGN}": r"\ensuremath{{}^{\circ}}",
    "\N{MICRO SIGN}": r"\ensuremath{\mu}",
    "\N{PRIME}": r"\ensuremath{{}'}",
    "\N{DOUBLE PRIME}": r"\ensuremath{{}''}",
    "\N{TRIPLE PRIME}": r"\ensuremath{{}'''}",
    "\N{DEGREE CELSIUS}": r"\ensuremath{{}^{\circ}\mathrm{C}}",
    "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}": r"\ensuremath{{\scriptscriptstyle\ll}}",
    "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}": r"\ensuremath{{\scriptscriptstyle\gg}}",
    "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}": r"\ensuremath{{\scriptscriptstyle<}}",
    "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}": r"\ensuremath{{\scriptscriptstyle>}}",
    "\N{MULTIPLICATION SIGN}": r"\ensuremath{\times}",
    "\N{DIVISION SIGN}": r"\ensuremath{\div}",
    "\N{NOT SIGN}": r"\ensuremath{\neg}",
    "\N{YEN SIGN}": r"\ensuremath{\yen}",
    "\N{FEMININE ORDINAL INDICATOR}": r"\textsuperscript{a}",
    "\N{MASCULINE ORDINAL INDICATOR}": r"\textsuperscript{o}",
    "\N{PERPENDICULAR}": r"\ensuremath{\perp}",
    "\N{DIAMETER SIGN}": r"\ensuremath{\varnothing}",
    "\N{WHITE RIGHT-POINTING TRIANGLE}": r"\ensuremath{\triangleright}",
    "\N{WHITE LEFT-POINTING TRIANGLE}": r"\ensuremath{\triangleleft}",
    "\N{LEFTWARDS BLACK ARROW}": r"\ensuremath{\leftarrow}",
    "\N{UPWARDS BLACK ARROW}": r"\ensuremath{\uparrow}",
    "\N{DOWNWARDS BLACK ARROW}": r"\ensuremath{\downarrow}",
    "\N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}": r"\ensuremath{\hookleftarrow}",
    "\N{MINUS SIGN}": r"\ensuremath{-}",
    "\N{DIVISION SLASH}": r"\ensuremath{/}",
    "\N{FRACTION SLASH}": "/",
    "\N{TILDE OPERATOR}": r"\ensuremath{\sim}",
    "\N{TRADE MARK SIGN}": r"\textsuperscript{TM}",
    "\N{LATIN SMALL LETTER DOTLESS I}": r"\i{}",
    "\N{LATIN SMALL LETTER SHARP S}": r"\ss{}",
    "\N{SECTION SIGN}": r"\ensuremath{\mathsection}",
    "\N{PILCROW SIGN}": r"\ensuremath{\mathparagraph}",
    "\N{DAGGER}": r"\ensuremath{\dagger}",
    "\N{DOUBLE DAGGER}": r"\ensuremath{\ddagger}",
    "\N{EMPTY SET}": r"\ensuremath{\emptyset}",
    "\N{SET MINUS}": r"\ensuremath{\setminus}",
    "\N{BLACK-LETTER CAPITAL R}": r"\ensuremath{\Re}",
    "\N{BLACK-LETTER CAPITAL I}": r"\ensuremath{\Im}",
    "\N{BLACK STAR}": r"\ensuremath{\bigstar}",
    "\N{WHITE STAR}": r"\ensuremath{\star}",
    "\N{BLACK UP-POINTING TRIANGLE}": r"\ensuremath{\blacktriangle}",
    "\N{BLACK DOWN-POINTING TRIANGLE}": r"\ensuremath{\blacktriangledown}",
    "\N{BLACK RIGHT-POINTING TRIANGLE}": r"\ensuremath{\blacktriangleright}",
    "\N{BLACK LEFT-POINTING TRIANGLE}": r"\ensuremath{\blacktriangleleft}",
    "\N{BLACK DIAMOND}": r"\ensuremath{\blacklozenge}",
    "\N{WHITE DIAMOND}": r"\ensuremath{\diamond}",
    "\N{HEAVY WIDE-HEADED RIGHTWARDS ARROW}": r"\ensuremath{\rightarrow}",
    "\N{HEAVY ROUND-TIPPED RIGHTWARDS ARROW}": r"\ensuremath{\rightarrow}",
    "\N{BLACK RIGHTWARDS ARROW}": r"\ensuremath{\rightarrow}",
    "\N{CLOCKWISE GAPPED CIRCLE ARROW}": r"\ensuremath{\circlearrowright}",
    "\N{ANTICLOCKWISE GAPPED CIRCLE ARROW}": r"\ensuremath{\circlearrowleft}",
    "\N{GREEK CAPITAL LETTER IOTA WITH DIALYTIKA}": r"\"{I}",
    "\N{GREEK CAPITAL LETTER UPSILON WITH DIALYTIKA}": r"\"{Y}",
    "\N{INVERTED EXCLAMATION MARK}": "!`",
    "\N{INVERTED QUESTION MARK}": "?`",
    "\N{LATIN CAPITAL LETTER ETH}": r"\DH{}",
    "\N{LATIN SMALL LETTER ETH}": r"\dh{}",
    "\N{LATIN CAPITAL LETTER THORN}": r"\TH{}",
    "\N{LATIN SMALL LETTER THORN}": r"\th{}",
    "\N{LATIN CAPITAL LETTER D WITH STROKE}": r"\DJ{}",
    "\N{LATIN SMALL LETTER D WITH STROKE}": r"\dj{}",
    "\N{LATIN CAPITAL LETTER ENG}": r"\NG{}",
    "\N{LATIN SMALL LETTER ENG}": r"\ng{}",
    "\N{LATIN CAPITAL LIGATURE IJ}": "IJ",
    "\N{LATIN SMALL LIGATURE IJ}": "ij",
    "\N{LATIN SMALL LETTER N PRECEDED BY APOSTROPHE}": "'n",
    "\N{EURO SIGN}": r"\texteuro{}",
    "\N{POUND SIGN}": r"\textsterling{}",
    "\N{CENT SIGN}": r"\textcent{}",
    "\N{CURRENCY SIGN}": r"\textcurrency{}",
    "\N{BROKEN BAR}": r"\textbrokenbar{}",
    "\N{PER MILLE SIGN}": r"\textperthousand{}",
    "\N{NUMERO SIGN}": r"\textnumero{}",
    "\N{CHECK MARK}": r"\ensuremath{\checkmark}",
    "\N{HEAVY CHECK MARK}": r"\ensuremath{\checkmark}",
    "\N{BALLOT X}": r"\ensuremath{\times}",
    "\N{MULTIPLICATION X}": r"\ensuremath{\times}",
    "\N{VULGAR FRACTION ONE HALF}": r"\ensuremath{\frac{1}{2}}",
    "\N{VULGAR FRACTION ONE QUARTER}": r"\ensuremath{\frac{1}{4}}",
    "\N{VULGAR FRACTION THREE QUARTERS}": r"\ensuremath{\frac{3}{4}}",
    "\N{VULGAR FRACTION ONE THIRD}": r"\ensuremath{\frac{1}{3}}",
    "\N{VULGAR FRACTION TWO THIRDS}": r"\ensuremath{\frac{2}{3}}",
    "\N{SQUARE ROOT}": r"\ensuremath{\surd}",
    "\N{LATIN SMALL LIGATURE FF}": "ff",
    "\N{LATIN SMALL LIGATURE FI}": "fi",
    "\N{LATIN SMALL LIGATURE FL}": "fl",
    **{char: _CIRCLE.replace("?", plain) for char, plain in zip("①②③④⑤⑥⑦⑧⑨©®", "123456789CR", strict=True)},
    **{char: _RAISED.replace("?", plain) for char, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿ", "0123456789+-=()in", strict=True)},
    **{char: _LOWERED.replace("?", plain) for char, plain in zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "0123456789+-=()", strict=True)},
}
_ACCENTS_ABOVE = {0x300: "`", 0x301: "'", 0x302: "^", 0x303: "~", 0x304: "=", 0x306: "u", 0x307: ".", 0x308: '"'}
_ACCENTS_ABOVE |= {0x30A: "r", 0x30B: "H", 0x30C: "v"}
_ACCENTS_BELOW = {0x323: "d", 0x327: "c", 0x331: "b", 0x326: "textcommabelow", 0x328: "k"}
_ALPHABETS = {
    "BOLD": "mathbf",
    "BOLD ITALIC": "boldsymbol",
    "ITALIC": "",
    "SCRIPT": "mathcal",
    "FRAKTUR": "mathfrak",
    "DOUBLE-STRUCK": "mathbb",
    "SANS-SERIF": "mathsf",
    "MONOSPACE": "mathtt",
}
_FIRST_SYMBOL = 0x2000  # from here on, also pylatexenc's second, unreviewed table
_ALPHABETS_BEGIN = 0x1D400  # from here on neither


def candidates() -> Iterator[tuple[str, str]]:
    """Yield every character that tikzgen may be able to set, with one possible source.

    Better sources are first.
    """
    reviewed: Mapping[int, str] = import_module("pylatexenc.latexencode._uni2latexmap").uni2latex
    converted: Mapping[int, str] = import_module("pylatexenc.latexencode._uni2latexmap_xml").uni2latex
    yield from OURS.items()
    for code in sorted({*range(0xA0, 0x2000), *reviewed, *converted}):
        char = chr(code)
        unfit = unicodedata.category(char) in ("Cn", "Mn", "Mc", "Me") or unicodedata.normalize("NFC", char) != char
        if code < 0x80 or unfit or is_cjk(char) or char in _WRONG:
            continue
        if accented := _accented(char):
            yield char, accented
        if letter := _alphabet_letter(char):
            yield char, rf"\ensuremath{{{letter}}}"
        for table in (reviewed, converted) if code >= _FIRST_SYMBOL else (reviewed,):
            if code < _ALPHABETS_BEGIN and (source := table.get(code)):
                yield char, re.sub(r"(\\[A-Za-z]+)$", r"\1{}", source)
                yield char, re.sub(r"^\\ensuremath\{(?=[\^_])", r"\\ensuremath{{}", source)
                yield char, rf"\ensuremath{{{source}}}"


def _accented(char: str) -> str:
    """Return a letter with accents as TeX commands; accents below the letter are applied last."""
    base, *marks = list(unicodedata.normalize("NFD", char))
    if not marks or not (base.isascii() and base.isalpha()):
        return ""
    above = [_ACCENTS_ABOVE[ord(mark)] for mark in marks if ord(mark) in _ACCENTS_ABOVE]
    below = [_ACCENTS_BELOW[ord(mark)] for mark in marks if ord(mark) in _ACCENTS_BELOW]
    if len(above) + len(below) != len(marks):
        return ""
    source = {"i": r"\i", "j": r"\j"}.get(base, base) if above else base
    for mark in above + below:
        source = rf"\{mark}{{{source}}}"
    return source


def _alphabet_letter(char: str) -> str:
    r"""Return the source of a letter of Unicode's mathematical alphabets, such as `\mathbf{w}`."""
    match = re.fullmatch(r"MATHEMATICAL ([A-Z -]+?) (SMALL|CAPITAL|DIGIT) ([A-Z]+)", unicodedata.name(char, ""))
    plain = unicodedata.normalize("NFKC", char)
    if match is None or match[1] not in _ALPHABETS:
        return ""
    alphabet = _ALPHABETS[match[1]]
    if not plain.isascii():
        name = match[3].replace("LAMDA", "LAMBDA")  # Unicode's spelling
        plain = "\\" + (name.lower() if match[2] == "SMALL" else name.capitalize())
        alphabet = "boldsymbol" if alphabet == "mathbf" else alphabet
    return rf"\{alphabet}{{{plain}}}" if alphabet else plain
