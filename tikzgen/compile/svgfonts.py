"""The fonts inside an SVG whose text is text: nothing but TrueType data, with names and dates of no one machine."""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Mapping

from tikzgen.base.record import Record

__all__ = ["Widths", "clean_faces", "families", "renamed_faces", "widths"]

_FACE = re.compile(
    r"@font-face\{font-family:(?P<name>[A-Za-z0-9_-]+);"
    r"src:url\(data:application/x-font-ttf;base64,(?P<data>[A-Za-z0-9+/=\s]+)\) format\('truetype'\);\}"
)
_DATE = struct.pack(">Q", 0)
_ADJUSTED = 0xB1B0AFBA  # what the checksum of a whole font is brought to, by TrueType's `head` table


def clean_faces(css: str) -> str:
    """The embedded TrueType fonts of a style sheet, one a line, by name, and none of its other rules.

    dvisvgm writes the time into them, whatever SOURCE_DATE_EPOCH says; it is taken out.
    """
    faces = []
    for face in _FACE.finditer(css):
        try:
            font = base64.b64decode(face["data"], validate=False)
            faces.append(_face(face["name"], base64.b64encode(_undated(font)).decode()))
        except (binascii.Error, struct.error):
            continue
    return "\n".join(sorted(faces))  # dvisvgm has them in no order


def families(css: str) -> list[str]:
    """The names of the fonts in a style sheet that was cleaned."""
    return [face["name"] for face in _FACE.finditer(css)]


class Widths(Record):
    """How wide the characters of a font are, in parts of its size; none where its tables cannot be read."""

    of: Mapping[str, float]

    def width(self, text: str) -> float:
        """How far a text reaches, without kerns; 0 for characters that the font lacks."""
        return sum(self.of.get(char, 0.0) for char in text)


def widths(css: str) -> dict[str, Widths]:
    """The widths in each font of a style sheet that was cleaned, by its name."""
    found = {}
    for face in _FACE.finditer(css):
        try:
            found[face["name"]] = Widths(_widths(base64.b64decode(face["data"])))
        except (struct.error, KeyError, ArithmeticError, ValueError):
            found[face["name"]] = Widths({})
    return found


def _widths(font: bytes) -> dict[str, float]:
    """From TrueType's tables: which glyph a character has (cmap, format 4), and how wide it is (hmtx)."""
    at = {tag: begin for tag, begin, _ in _tables(font)}
    (em,) = struct.unpack_from(">H", font, at[b"head"] + 18)
    (listed,) = struct.unpack_from(">H", font, at[b"hhea"] + 34)
    advances = struct.unpack_from(">" + "Hh" * listed, font, at[b"hmtx"])[::2]
    glyphs = _glyphs(font, at[b"cmap"])
    return {char: advances[min(glyph, listed - 1)] / em for char, glyph in glyphs.items()}


def _glyphs(font: bytes, cmap: int) -> dict[str, int]:
    found: dict[str, int] = {}
    (many,) = struct.unpack_from(">H", font, cmap + 2)
    for entry in range(many):
        (offset,) = struct.unpack_from(">I", font, cmap + 8 + 8 * entry)
        table = cmap + offset
        form, _, _, double = struct.unpack_from(">4H", font, table)
        if form != 4:
            continue
        parts = double // 2
        last = struct.unpack_from(f">{parts}H", font, table + 14)
        first = struct.unpack_from(f">{parts}H", font, table + 16 + double)
        delta = struct.unpack_from(f">{parts}H", font, table + 16 + 2 * double)
        start = table + 16 + 3 * double
        ranges = struct.unpack_from(f">{parts}H", font, start)
        for part in range(parts):
            if part and first[part] <= last[part - 1]:
                break  # no font has them in another order
            for code in range(first[part], min(last[part], 0xFFFE) + 1):
                glyph = code
                if ranges[part]:
                    place = start + 2 * part + ranges[part] + 2 * (code - first[part])
                    (glyph,) = struct.unpack_from(">H", font, place)
                found[chr(code)] = (glyph + delta[part]) & 0xFFFF
    return found


def renamed_faces(css: str, prefix: str) -> str:
    """The style sheet with `prefix` before the name of each font."""
    return _FACE.sub(lambda face: _face(prefix + face["name"], face["data"]), css)


def _face(name: str, data: str) -> str:
    return f"@font-face{{font-family:{name};src:url(data:application/x-font-ttf;base64,{data}) format('truetype');}}"


def _undated(font: bytes) -> bytes:
    """A TrueType font without the moments at which it was made and changed; its checksums are right."""
    made = bytearray(font)
    for place, (tag, at, length) in enumerate(_tables(font)):
        if tag == b"head" and length >= 36:
            made[at + 8 : at + 12] = bytes(4)
            made[at + 20 : at + 36] = _DATE * 2
            struct.pack_into(">I", made, 16 + 16 * place, _sum(made[at : at + length]))
            struct.pack_into(">I", made, at + 8, (_ADJUSTED - _sum(made)) & 0xFFFFFFFF)
    return bytes(made)


def _tables(font: bytes) -> list[tuple[bytes, int, int]]:
    """Name, begin and length of each table of a TrueType font."""
    (many,) = struct.unpack_from(">H", font, 4)
    heads = (struct.unpack_from(">4sIII", font, 12 + 16 * place) for place in range(many))
    return [(tag, at, length) for tag, _, at, length in heads]


def _sum(data: bytes | bytearray) -> int:
    """TrueType's checksum: the sum of the big-endian 32-bit words."""
    padded = bytes(data) + bytes(-len(data) % 4)
    words: tuple[int, ...] = struct.unpack(f">{len(padded) // 4}I", padded)
    return sum(words) & 0xFFFFFFFF
