"""Outlines of Chinese and Japanese characters, from installed fonts. Main function: `cjk_outline`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.base.extras import how_to_install
from tikzgen.base.record import Record
from tikzgen.compile.draw.output.find_cjk_fonts import EXTRA, font_files

if TYPE_CHECKING:
    from tikzgen.compile.draw.output.font_outlines import OpenFont

KINDS = {"cjk-sans": "sans", "cjk-serif": "serif"}
"""Type of the font file with the outlines, for each font of the layout."""


PACKED_OUTLINES = Path(__file__).parent / "outlines" / "cjk.json"
"""Outlines for environments that cannot read fonts, such as the playground of the site.

Keys of the file: `font` and `digest` as in `Outline`, and `paths` with the path of each character."""


class Outline(Record):
    """The path of a character in thousandths of its size, y up, and the font that it comes from."""

    path: str
    font: str
    digest: str

    @property
    def source(self) -> str:
        """Font by name and digest, as pictures record it."""
        return f"{self.font} (sha256 {self.digest})"


def cjk_outline(font: str, char: str) -> Outline | None:
    """Return the outline of a character for a font of the layout; None if no font has the character."""
    for opened in _iterate_fonts(KINDS[font]):
        path = _read_outline(opened, char)
        if path is not None:
            return Outline(path, opened.name, opened.digest)
    packed = _read_packed()
    path = packed["paths"].get(char) if packed else None
    return Outline(path, packed["font"], packed["digest"]) if path is not None else None


def can_read_fonts() -> bool:
    """Return whether the package that reads fonts is installed."""
    return find_spec("fontTools") is not None


def first_font(kind: str) -> str:
    """Return the name of the first font for labels of this kind, or an empty string."""
    return next((font.name for font in _iterate_fonts(kind)), "")


def how_to_add_fonts() -> str:
    """Return the command that installs a font, for a hint."""
    command = how_to_install(EXTRA)
    return f"{command}; on Debian also: apt-get install fonts-noto-cjk" if can_read_fonts() else command


def fonts_state() -> str:
    """Return the paths, sizes and times of the fonts, as part of the cache key of a picture."""
    if not can_read_fonts():
        return ""
    paths = dict.fromkeys(path for kind in KINDS.values() for path in font_files(kind))
    facts = ((path, path.stat()) for path in paths)
    return " ".join(f"{path} {found.st_size} {found.st_mtime_ns}" for path, found in facts)


@cache
def _read_packed() -> dict[str, Any]:
    """Read `PACKED_OUTLINES`; return an empty mapping if the file is missing."""
    return json.loads(PACKED_OUTLINES.read_text("utf-8")) if PACKED_OUTLINES.exists() else {}


def _iterate_fonts(kind: str) -> Iterator[OpenFont]:
    """Yield the fonts for labels of this kind; each is opened on demand."""
    if can_read_fonts():
        yield from (font for path in font_files(kind) if (font := _open_font(path)) is not None)


@cache
def _open_font(path: Path) -> OpenFont | None:
    """Open a font; return None if the file is damaged."""
    from tikzgen.compile.draw.output.font_outlines import UNREADABLE, OpenFont

    try:
        return OpenFont(path)
    except UNREADABLE:
        return None


@cache
def _read_outline(font: OpenFont, char: str) -> str | None:
    from tikzgen.compile.draw.output.font_outlines import UNREADABLE

    try:
        return font.find_outline(char)
    except UNREADABLE:
        return None
