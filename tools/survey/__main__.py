r"""Find the characters that every engine can set, and write `data/characters.json`: `python tools/survey`.

One of the candidates for a character is in the table if it satisfies these conditions:

- `tikzgen.text` can read and measure it.
- pdfLaTeX, XeLaTeX and LuaLaTeX set it without an error or a missing glyph, in every family.
- pdfLaTeX needs no T1 or TS1 font for it except Latin Modern: a small TeX installation lacks the T1 fonts of
  Computer Modern.
- A letter has the measured width in pdfLaTeX, or at most that width if the measure allows for other fonts. An
  accent next to its letter, instead of on it, is wider.

The table is committed; neither rendering nor measuring runs this.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from survey.candidates import candidates
from survey.engines import ENGINES, document, faults, reports, run
from tikzgen.text import escape_characters
from tikzgen.text.escape_characters import TextRefused, is_cjk
from tikzgen.text.maths.parser import parse
from tikzgen.text.measure_text import estimated_lines
from tikzgen.text.metrics.boxes import TextBox
from tikzgen.text.metrics.fonts import LabelFont
from tikzgen.text.metrics.text_commands import GROWN_ACCENTS
from tikzgen.text.set_like_tex import TextUnset, set_lines

__all__ = ["main"]

_DATA = Path(escape_characters.__file__).parent / "data" / "characters.json"
_ROOM = 5.0  # pt of a letter of 10 pt
_FONTS = (r"\sffamily", r"\sffamily\bfseries", r"\rmfamily", r"\rmfamily\itshape", r"\ttfamily")


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


def _readable(source: str) -> str | None:
    """Return the package that a candidate needs ("" for none), or None if `tikzgen.text` cannot read it."""
    if source.startswith(r"\ensuremath{"):
        try:
            packages = parse(source[len(r"\ensuremath{") : -1]).packages
        except TextRefused:
            return None
        if source[len(r"\ensuremath{")] in "^_'":  # it would join the symbol before it
            return None
        return "".join(packages) if len(packages) < 2 else None
    try:
        _lines(source, LabelFont())
    except TextUnset:
        return None
    return "" if source.isascii() and source.count("{") == source.count("}") else None


def _numbered(sources: Sequence[str], *, show: bool) -> str:
    """Return a body that sets every source in every family.

    Paragraphs between the sources keep TeX from stopping.
    """
    shown = r"\showbox0" if show else ""
    lines = [r"\vbox{\showboxbreadth=99 \showboxdepth=9 \hsize=9cm \parindent=0pt"]
    for number, source in enumerate(sources):
        boxes = "".join(f"\\setbox0\\hbox{{{font} {source}}}{shown}" for font in _FONTS)
        lines.append(f"\\typeout{{<<{number}>>}}{boxes}x\\par")
    return "\n".join([*lines, f"\\typeout{{<<{len(sources)}>>}}}}"])


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
    """Return whether pdfLaTeX's box has only expected fonts and the measured width (not checked for math)."""
    if re.search(r"\\TS?1/(?!lm)", log):
        return False
    if source.startswith(r"\ensuremath{"):
        return True
    boxes = re.findall(r"^> \\box0=\s*\\hbox\([0-9.+*-]+\)x([0-9.-]+)", log, re.MULTILINE)
    lines = _lines(source, LabelFont("sans", size=10))
    return bool(boxes) and -0.01 < lines[0].width - float(boxes[0]) < (_ROOM if _grown(source) else 0.01)


def _lines(source: str, font: LabelFont) -> tuple[TextBox, ...]:
    """Return the expected boxes."""
    return estimated_lines(source, font, True) if _grown(source) else set_lines(source, font, trim=False, scaled=False)


def _grown(source: str) -> bool:
    """Return whether the measure of a source has an allowance for larger characters in other fonts."""
    return any(name in GROWN_ACCENTS for name in re.findall(r"\\([A-Za-z]+|.)", source))


def _bad_cjk() -> list[str]:
    """Return the characters of GB 2312 in the supported blocks that an engine cannot set."""
    chars = [char for char in map(chr, range(0x3000, 0x10000)) if is_cjk(char)]
    bad: set[int] = set()
    for engine in ENGINES:
        log = run(engine, document(_numbered(chars, show=False), engine, cjk=True))
        bad |= set(faults(log, len(chars)))
    return [chars[number] for number in sorted(bad)]


if __name__ == "__main__":
    main()
