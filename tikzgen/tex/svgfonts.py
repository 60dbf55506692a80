"""The fonts inside an SVG whose text is text: nothing but TrueType data, with names and dates of no one machine."""

from __future__ import annotations

import base64
import binascii
import re
import struct

__all__ = ["clean_faces", "families", "renamed_faces"]

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


def renamed_faces(css: str, prefix: str) -> str:
    """The style sheet with `prefix` before the name of each font."""
    return _FACE.sub(lambda face: _face(prefix + face["name"], face["data"]), css)


def _face(name: str, data: str) -> str:
    return f"@font-face{{font-family:{name};src:url(data:application/x-font-ttf;base64,{data}) format('truetype');}}"


def _undated(font: bytes) -> bytes:
    """A TrueType font without the moments at which it was made and changed; its checksums are right."""
    tables = struct.unpack_from(">H", font, 4)[0]
    made = bytearray(font)
    for entry in range(12, 12 + 16 * tables, 16):
        tag, _, at, length = struct.unpack_from(">4sIII", font, entry)
        if tag == b"head" and length >= 36:
            made[at + 8 : at + 12] = bytes(4)
            made[at + 20 : at + 36] = _DATE * 2
            struct.pack_into(">I", made, entry + 4, _sum(made[at : at + length]))
            struct.pack_into(">I", made, at + 8, (_ADJUSTED - _sum(made)) & 0xFFFFFFFF)
    return bytes(made)


def _sum(data: bytes | bytearray) -> int:
    """TrueType's checksum: the sum of the big-endian 32-bit words."""
    padded = bytes(data) + bytes(-len(data) % 4)
    words: tuple[int, ...] = struct.unpack(f">{len(padded) // 4}I", padded)
    return sum(words) & 0xFFFFFFFF
