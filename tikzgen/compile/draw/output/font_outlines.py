"""Outlines of the characters of a TrueType or OpenType font, read by fontTools. Main class: `OpenFont`."""

from __future__ import annotations

import logging
import re
import struct
from hashlib import sha256
from pathlib import Path
from typing import Any

from fontTools.pens.basePen import BasePen  # type: ignore[import-untyped]
from fontTools.ttLib import TTCollection, TTFont, TTLibError  # type: ignore[import-untyped]

UNREADABLE = (OSError, TTLibError, struct.error, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""Errors that fontTools raises for a damaged font."""

logging.getLogger("fontTools").addHandler(logging.NullHandler())  # hides its warnings in tikzgen's output

_FULL_NAME_INDEX = 4  # of the table `name`
_VERSION_INDEX = 5  # of the table `name`
_SIMPLIFIED_CHINESE = re.compile(r"\b(?:SC|GB)\b")
_REGULAR_WEIGHT = 400
_FULL_WIDTH = 0.02  # em that a full-width character may be narrower or wider


class PathData(BasePen):  # type: ignore[misc]
    """Pen that collects an outline as relative path data, the shortest form; `scale` multiplies lengths."""

    def __init__(self, glyphs: Any = None, scale: float = 1.0) -> None:
        super().__init__(glyphs or {})
        self.scale = scale
        self.parts: list[str] = []
        self.at = self.start = (0.0, 0.0)

    def _spell_relative(self, *points: tuple[float, float]) -> str:
        numbers = [self.scale * value for x, y in points for value in (x - self.at[0], y - self.at[1])]
        self.at = points[-1]
        return " ".join(f"{round(number, 1):g}" for number in numbers).replace(" -", "-")

    def _moveTo(self, point: tuple[float, float]) -> None:  # noqa: N802
        self.parts.append("m" + self._spell_relative(point))
        self.start = point

    def _lineTo(self, point: tuple[float, float]) -> None:  # noqa: N802
        if point != self.at:
            self.parts.append("l" + self._spell_relative(point))

    def _curveToOne(self, *points: tuple[float, float]) -> None:  # noqa: N802
        self.parts.append("c" + self._spell_relative(*points))

    def _closePath(self) -> None:  # noqa: N802
        self.parts.append("z")
        self.at = self.start


class OpenFont:
    """A font file that is open for reading; its constructor raises the errors in `UNREADABLE`."""

    def __init__(self, path: Path) -> None:
        font = self._open_face(path)
        axes = {axis.axisTag for axis in font["fvar"].axes} if "fvar" in font else set()
        self._glyphs = font.getGlyphSet(location={"wght": _REGULAR_WEIGHT} if "wght" in axes else None)
        self._names: dict[int, str] = font.getBestCmap() or {}
        self._em: int = font["head"].unitsPerEm
        version = re.search(r"\d+\.\d+", font["name"].getDebugName(_VERSION_INDEX) or "")
        name = font["name"].getDebugName(_FULL_NAME_INDEX) or path.stem
        self.name = f"{name} {version[0]}" if version else name
        self.digest = sha256(path.read_bytes()).hexdigest()

    @staticmethod
    def _open_face(path: Path) -> Any:
        """Return the font of a file; of a collection, prefer the regular one for simplified Chinese."""
        if path.suffix.lower() != ".ttc":
            return TTFont(path, lazy=True)
        names = [
            (each["name"].getDebugName(_FULL_NAME_INDEX) or "", each) for each in TTCollection(path, lazy=True).fonts
        ]
        return min(names, key=lambda pair: (not _SIMPLIFIED_CHINESE.search(pair[0]), "Regular" not in pair[0]))[1]

    def find_outline(self, char: str) -> str | None:
        """Return the path of a character in thousandths of the size, y up, or None.

        None means that the font lacks the character, or has it narrower or wider than 1 em, the width in the layout.
        """
        glyph = self._glyphs[self._names[ord(char)]] if ord(char) in self._names else None
        if glyph is None or abs(glyph.width / self._em - 1) > _FULL_WIDTH:
            return None
        pen = PathData(self._glyphs, 1000 / self._em)
        glyph.draw(pen)
        return "".join(pen.parts) or None
