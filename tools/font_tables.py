"""Write the fonts, symbols and ideographs of `data/` from the TeX installation: `python tools/font_tables.py`.

All files are committed, so that measured sizes never depend on an installation of TeX.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tfm import Tfm, parse

from tikzgen import text

__all__ = ["CODES", "fonts", "main", "packed_fonts"]

DATA = Path(text.__file__).parent / "data"
CODES = range(128)
_FONTS = """
cmss8 cmss9 cmss10 cmss12 cmss17 cmssi8 cmssi9 cmssi10 cmssi12 cmssi17 cmssbx10 cmr5 cmr6 cmr7 cmr8 cmr9 cmr10
cmr12 cmr17 cmbx5 cmbx6 cmbx7 cmbx8 cmbx9 cmbx10 cmbx12 cmti7 cmti8 cmti9 cmti10 cmti12 cmbxti10 cmtt8 cmtt9
cmtt10 cmtt12 cmitt10 cmmi5 cmmi6 cmmi7 cmmi8 cmmi9 cmmi10 cmmi12 cmmib5 cmmib6 cmmib7 cmmib8 cmmib9 cmmib10
cmbsy5 cmbsy6 cmbsy7 cmbsy8 cmbsy9 cmbsy10 cmsy5 cmsy6 cmsy7 cmsy8 cmsy9 cmsy10 cmex7 cmex8 cmex9 cmex10 msam5
msam7 msam10 msbm5 msbm7 msbm10 eufm5 eufm7 eufm10
"""
_SYMBOL = re.compile(
    r"\\(?:ams@)?DeclareMath(?:Symbol|Delimiter)\s*(?:\{\\(\w+|\|)\}|\\(\w+))\s*(?:%.*)?\s*"
    r"\{\\math(\w+)\}\s*\{(\w+)\}\s*\{\"(\w\w)\}"
)


def main() -> None:
    """Rebuild both tables and print their sizes."""
    packed = packed_fonts()
    symbols = {
        "": _symbols(["fontmath.ltx"]),
        "amssymb": _symbols(["amsfonts.sty", "amssymb.sty"]),
    }
    tables = (("fonts.json", packed), ("symbols.json", symbols), ("ideographs.json", _ideographs()))
    for name, table in tables:
        path = DATA / name
        lines = [f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in table.items()]
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="ascii")
        print(f"{path.name}: {len(table)} entries, {path.stat().st_size} bytes")


def packed_fonts() -> dict[str, dict[str, object]]:
    """Return the metrics of all required fonts, from the TeX installation."""
    return {name: _pack(font) for name, font in fonts().items()}


@cache
def fonts() -> dict[str, Tfm]:
    """Return all required fonts, from the TeX installation."""
    return {name: parse(_find(f"{name}.tfm").read_bytes()) for name in _FONTS.split()}


def _ideographs() -> dict[str, object]:
    """Return the boxes of the characters of CJKutf8's gbsn, which has one font per 256 characters.

    All characters are 1 em wide.
    """
    pages: dict[str, object] = {}
    for place in sorted(_find("gbsnu4e.tfm").parent.glob("gbsnu*.tfm")):
        font = parse(place.read_bytes())
        heights, depths = sorted({*font.heights.values()}), sorted({*font.depths.values()})
        codes = [
            f"{heights.index(font.heights[code]):x}{depths.index(font.depths[code]):x}" if code in font.widths else ".."
            for code in range(256)
        ]
        pages[place.stem[-2:]] = {
            "heights": [_fix(height) for height in heights],
            "depths": [_fix(depth) for depth in depths],
            "chars": "".join(codes),
        }
    return pages


def _find(name: str) -> Path:
    found = subprocess.run(["kpsewhich", name], capture_output=True, text=True, check=True)
    return Path(found.stdout.strip())


def _pack(font: Tfm) -> dict[str, object]:
    """Return the metrics of a font in units of 2^-20 of the font size.

    Characters with the same value of a metric share one `[length, characters]` entry.
    """
    packed: dict[str, object] = {
        "parameters": [_fix(value) for value in font.parameters],
        "widths": _shared((_fix(width), chr(code)) for code, width in font.widths.items() if code in CODES),
        "heights": _shared((_fix(height), chr(code)) for code, height in font.heights.items() if code in CODES),
        "depths": _shared((_fix(depth), chr(code)) for code, depth in font.depths.items() if code in CODES),
        "italics": _shared((_fix(italic), chr(code)) for code, italic in font.italics.items() if code in CODES),
        "kerns": _shared((_fix(kern), chr(a) + chr(b)) for (a, b), kern in font.kerns.items() if max(a, b) in CODES),
        "ligatures": {chr(a) + chr(b): code for (a, b), code in font.ligatures.items() if max(a, b) in CODES},
    }
    if font.extensible:
        packed["larger"] = {chr(code): larger for code, larger in font.larger.items()}
        packed["extensible"] = {chr(code): "".join(map(chr, pieces)) for code, pieces in font.extensible.items()}
    return packed


def _fix(length: float) -> int:
    return round(length * (1 << 20))


def _shared(pairs: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    grouped: dict[int, str] = defaultdict(str)
    for length, chars in pairs:
        if length:
            grouped[length] += chars
    return sorted(grouped.items())


def _symbols(files: list[str]) -> dict[str, tuple[str, str, int]]:
    """Return the math symbols that LaTeX files declare: name to (class, symbol font, character code)."""
    text = "\n".join(_find(file).read_text(encoding="latin-1") for file in files)
    return {braced or bare: (kind, font, int(code, 16)) for braced, bare, kind, font, code in _SYMBOL.findall(text)}


if __name__ == "__main__":
    main()
