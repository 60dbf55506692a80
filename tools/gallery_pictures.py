"""Write the pictures of docs/gallery from the specs above them in docs, drawn without TeX.

`python tools/gallery_pictures.py NAME...` writes the pictures with these names only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tikzgen import loads
from tikzgen.compile.convert import to_png
from tikzgen.compile.formats_without_tex import drawn_pdf
from tikzgen.model.about import WORDLESS

ROOT = Path(__file__).parent.parent
DPI = 160
_SHOWN = re.compile(r"```yaml\n([^`]*)```\n\n!\[[^]]*\]\((gallery/[\w-]+\.png)\)")


def gallery() -> Iterator[tuple[str, Path]]:
    """Yield each spec of a page with its picture; traces are read from the folder of the examples."""
    for page in sorted((ROOT / "docs").glob("*.md")):
        for spec, picture in _SHOWN.findall(page.read_text(encoding="utf-8")):
            yield spec.replace("source: traces/", f"source: {ROOT}/examples/traces/"), ROOT / "docs" / picture


def drawn_picture(spec: str, dpi: int = DPI) -> bytes:
    """Return the PNG of a spec of a page."""
    return to_png(drawn_pdf(loads(spec).tex(), WORDLESS), dpi=dpi)


if __name__ == "__main__":
    for spec, picture in gallery():
        if not sys.argv[1:] or picture.stem in sys.argv[1:]:
            picture.write_bytes(drawn_picture(spec))
