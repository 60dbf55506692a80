"""Outlines of characters from Type 1 fonts of TeX Live: `python tools/outlines.py` writes the files.

They are `tikzgen/compile/draw/output/outlines/*.json`, and are committed. Only writing them needs fontTools (in the
extra `dev`); drawing does not.
"""

from __future__ import annotations

import json
import subprocess
from typing import Any

from font_tables import CODES, fonts
from fontTools.t1Lib import T1Font

from tikzgen.compile.draw.output.font_outlines import PathData
from tikzgen.compile.draw.output.load_outlines import UNDRAWN, place_of

__all__ = ["main"]

_LEAST_ADVANCE = 1.0  # thousandths of an em that an outline's width may differ from that of the metrics


def main() -> None:
    """Rebuild all files and print their sizes."""
    total = 0
    drawn = {name: metrics for name, metrics in fonts().items() if name not in UNDRAWN}
    for name, metrics in drawn.items():
        paths = _outlines(name, metrics.widths)
        place = place_of(name)
        place.write_text(json.dumps(paths, separators=(",", ":")) + "\n", encoding="ascii")
        total += place.stat().st_size
    print(f"{len(drawn)} fonts, {total} bytes")


def _outlines(name: str, widths: dict[int, float]) -> dict[str, str]:
    """Return the outlines of the characters in a font's metrics.

    Raise an error for a missing character or a different width.
    """
    found = subprocess.run(["kpsewhich", f"{name}.pfb"], capture_output=True, text=True, check=True)
    file: Any = T1Font(found.stdout.strip())
    file.parse()
    glyphs = file.getGlyphSet()
    paths: dict[str, str] = {}
    for code, width in widths.items():
        if code not in CODES:
            continue
        glyph, pen = glyphs[file.font["Encoding"][code]], PathData()
        glyph.draw(pen)
        if abs(glyph.width - 1000 * width) > _LEAST_ADVANCE:
            raise ValueError(f"{name}: character {code} is {glyph.width} wide, not {1000 * width}")
        paths[chr(code)] = "".join(pen.parts)
    return paths


if __name__ == "__main__":
    main()
