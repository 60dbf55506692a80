r"""Find out which characters every engine can set, and write `data/characters.json`: `python -m tikzgen.text.survey`.

Candidates come from `_OURS`, from the letters' canonical decompositions and from pylatexenc's tables. One of them is
taken into the table if

- the rest of this room can read it, and so measure it,
- pdfLaTeX, XeLaTeX and LuaLaTeX set it without an error or a missing glyph, in every family,
- pdfLaTeX needs no T1 or TS1 font for it, which a small TeX installation lacks, and
- a letter is as wide in pdfLaTeX as we measure it (an accent that cannot be put on its letter stands beside it).

The table is committed; neither rendering nor measuring runs this.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from tikzgen.text.characters import is_cjk
from tikzgen.text.maths.parser import parse
from tikzgen.text.metrics.boxes import Font
from tikzgen.text.metrics.words import lines_of
from tikzgen.text.refusal import TextRefused

__all__ = ["ENGINES", "document", "faults", "main", "reports", "run"]

ENGINES = ("pdflatex", "xelatex", "lualatex")
_DATA = Path(__file__).parent / "data" / "characters.json"
_FONTS = (r"\sffamily", r"\sffamily\bfseries", r"\rmfamily", r"\rmfamily\itshape", r"\ttfamily")
_CJK = {
    "pdflatex": r"\usepackage{CJKutf8}\AtBeginDocument{\begin{CJK*}{UTF8}{gbsn}}\AtEndDocument{\end{CJK*}}",
    "xelatex": r"\usepackage{xeCJK}\setCJKmainfont{FandolSong-Regular.otf}[BoldFont=FandolSong-Bold.otf]"
    r"\setCJKsansfont{FandolHei-Regular.otf}[BoldFont=FandolHei-Bold.otf]\setCJKmonofont{FandolFang-Regular.otf}",
    "lualatex": r"\usepackage{luatexja-fontspec}\setmainjfont{FandolSong-Regular.otf}[BoldFont=FandolSong-Bold.otf]"
    r"\setsansjfont{FandolHei-Regular.otf}[BoldFont=FandolHei-Bold.otf]\setmonojfont{FandolFang-Regular.otf}",
}
_FAULT = re.compile(r"^! (?!OK\.)|Missing character|^LaTeX Error|mktex", re.MULTILINE)

_CIRCLE = r"\ooalign{\hfil\ensuremath{\scriptstyle\mathsf{?}}\hfil\crcr\ensuremath{\bigcirc}}"
_RAISED, _LOWERED = r"\ensuremath{{}^{?}}", r"\ensuremath{{}_{?}}"
_WRONG = "ĦħŦŧĿŀΆΈΉΊΌΎΏ⁗⎰⎱⩮⩵⫽ℊℯℴ"  # not what pylatexenc makes of them

# What the tables do not have, or have in a form that some font lacks.
_OURS: dict[str, str] = {
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
_ACCENTS_BELOW = {0x323: "d", 0x327: "c", 0x331: "b"}
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
_FIRST_SYMBOL = 0x2000  # from here on pylatexenc's second, unreviewed table is asked too
_ALPHABETS_BEGIN = 0x1D400  # from here on neither


def candidates() -> Iterator[tuple[str, str]]:
    """Every character that we may be able to set, with one possible source; better ones come first."""
    reviewed: Mapping[int, str] = import_module("pylatexenc.latexencode._uni2latexmap").uni2latex
    converted: Mapping[int, str] = import_module("pylatexenc.latexencode._uni2latexmap_xml").uni2latex
    yield from _OURS.items()
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
    """A letter with accents as TeX commands; TeX puts on those below the letter last."""
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
    """`\\mathbf{w}` for a letter of Unicode's mathematical alphabets."""
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


def _readable(source: str) -> str | None:
    """The package that a candidate needs ("" for none), or None if the rest of this room cannot read it."""
    if source.startswith(r"\ensuremath{"):
        try:
            packages = parse(source[len(r"\ensuremath{") : -1]).packages
        except TextRefused:
            return None
        if source[len(r"\ensuremath{")] in "^_'":  # it would join the symbol before it
            return None
        return "".join(packages) if len(packages) < 2 else None
    _, exact = lines_of(source, Font())
    return "" if exact and source.isascii() and source.count("{") == source.count("}") else None


# -- running TeX -----------------------------------------------------------------------------------------------


def document(body: str, engine: str, packages: Iterable[str] = (), *, cjk: bool = False) -> str:
    """A figure's file round `body`, as small as it can be."""
    uses = "".join(f"\\usepackage{{{package}}}\n" for package in packages)
    chinese = _CJK[engine] + "\n" if cjk else ""
    head = f"\\documentclass{{standalone}}\n\\usepackage{{tikz}}\n{uses}{chinese}"
    return f"{head}\\begin{{document}}\n\\tracinglostchars=2\n{body}\n\\end{{document}}\n"


def run(engine: str, source: str) -> str:
    """Compile, without stopping at errors, and return the log."""
    environment = {**os.environ, "max_print_line": "10000", "MKTEXPK": "0", "MKTEXTFM": "0"}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "labels.tex").write_text(source, encoding="utf-8")
        command = [engine, "-no-shell-escape", "-interaction=nonstopmode", "labels.tex"]
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, timeout=600)
        return Path(folder, "labels.log").read_text(encoding="utf-8", errors="replace")


def reports(log: str) -> dict[int, str]:
    """What a log says about each numbered source (`\\typeout{<<7>>}` stands before it)."""
    parts = re.split(r"<<(\d+)>>", log)
    return {int(number): part for number, part in zip(parts[1::2], parts[2::2], strict=True)}


def faults(log: str, count: int) -> dict[int, str]:
    """The sources of a log, numbered from 0 to `count`, that went wrong, with what TeX says about them."""
    found = reports(log)
    if count not in found:
        raise RuntimeError(f"TeX gave up before the last of {count} labels: ...{log[-2000:]}")
    return {number: part for number, part in found.items() if number < count and _FAULT.search(part)}


def _numbered(sources: Sequence[str], *, show: bool) -> str:
    """A body that sets every source in every family; paragraphs between them keep TeX from giving up."""
    shown = r"\showbox0" if show else ""
    lines = [r"\vbox{\showboxbreadth=99 \showboxdepth=9 \hsize=9cm \parindent=0pt"]
    for number, source in enumerate(sources):
        boxes = "".join(f"\\setbox0\\hbox{{{font} {source}}}{shown}" for font in _FONTS)
        lines.append(f"\\typeout{{<<{number}>>}}{boxes}x\\par")
    return "\n".join([*lines, f"\\typeout{{<<{len(sources)}>>}}}}"])


def main() -> None:
    """Survey all candidates and write the table."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    wanted = [(char, source, _readable(source)) for char, source in candidates()]
    usable = [(char, source, package) for char, source, package in wanted if package is not None]
    sources = [source for _, source, _ in usable]
    packages = sorted({package for _, _, package in usable if package})
    bad = _bad(sources, packages)
    for number, (char, source, package) in enumerate(usable):
        if number not in bad and not any(char in chars for chars in found.values()):
            found[package][char] = source
    refused = _bad_cjk()
    table = {
        "characters": {package: dict(sorted(chars.items())) for package, chars in sorted(found.items())},
        "refused_cjk": "".join(refused),
    }
    _DATA.write_text(json.dumps(table, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(f"{sum(map(len, found.values()))} characters, {len(refused)} Chinese ones refused: {''.join(refused)}")


def _bad(sources: Sequence[str], packages: Sequence[str]) -> set[int]:
    bad: set[int] = set()
    for engine in ENGINES:
        show = engine == "pdflatex"
        log = run(engine, document(_numbered(sources, show=show), engine, packages))
        bad |= set(faults(log, len(sources)))
        if show:
            bad |= {number for number, source in enumerate(sources) if not _as_ours(source, reports(log)[number])}
    return bad


def _as_ours(source: str, log: str) -> bool:
    """Whether pdfLaTeX's box has only fonts we count on, and is as wide as ours (maths is only estimated)."""
    if re.search(r"\\TS?1/", log):
        return False
    if source.startswith(r"\ensuremath{"):
        return True
    boxes = re.findall(r"^> \\box0=\s*\\hbox\([0-9.+*-]+\)x([0-9.-]+)", log, re.MULTILINE)
    lines, _ = lines_of(source, Font("sans", size=10))
    return bool(boxes) and abs(float(boxes[0]) - lines[0].width) < 0.01


def _bad_cjk() -> list[str]:
    """The characters of GB 2312 in the blocks that we take which some engine cannot set."""
    chars = [char for char in map(chr, range(0x3000, 0x10000)) if is_cjk(char)]
    bad: set[int] = set()
    for engine in ENGINES:
        log = run(engine, document(_numbered(chars, show=False), engine, cjk=True))
        bad |= set(faults(log, len(chars)))
    return [chars[number] for number in sorted(bad)]


if __name__ == "__main__":
    main()
