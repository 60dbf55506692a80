r"""What a file records of itself beside its description, so that nobody has to render it again to know it.

The `tikzgen` field of the description inside holds the number of the format, the version that wrote the file, the form
in which the figure was drawn, its distances, a digest of the metadata beside it, and a short hash of every line before
`\end{document}`: a line that a person changes, adds or takes away is told by it. None of this is proof of who wrote a
file, for anybody can write it. Format 1 said its number alone.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any
from zlib import crc32

from tikzgen.base.record import NOTHING, Record

FORMAT = 2
_WIDTH = 5  # characters a line: 30 bits
_ROW = 100  # characters


class Identity(Record):
    """What a file says of itself; of format 1 the number alone.

    `form` are the facts that the figure's width chose, `values` the distances, `lines` a hash a line, `metadata` the
    digest of the file beside it. `templates` is `own` where they were not tikzgen's.
    """

    format: int
    version: str = ""
    form: Mapping[str, Any] = NOTHING
    values: Mapping[str, str] = NOTHING
    lines: tuple[str, ...] = ()
    metadata: str = ""
    templates: str = ""

    def as_data(self) -> dict[str, Any]:
        """The same as the description inside holds it."""
        packed = "".join(self.lines)
        rows = [packed[at : at + _ROW] for at in range(0, len(packed), _ROW)]
        found = {
            "format": self.format,
            "version": self.version,
            "form": dict(self.form),
            "values": dict(self.values),
            "metadata": self.metadata,
            "templates": self.templates,
            "lines": rows,
        }
        return {name: value for name, value in found.items() if value}


def identity_of(data: Mapping[str, Any]) -> Identity | None:
    """What a description's file records; None where it is of a format that this version does not know."""
    told = data.get("tikzgen")
    if told == 1:
        return Identity(1)
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        return None
    version, metadata, templates = (told.get(name, "") for name in ("version", "metadata", "templates"))
    form, values, rows = told.get("form", {}), told.get("values", {}), told.get("lines", [])
    texts = (version, metadata, templates, *(rows if isinstance(rows, list) else [None]))
    if not all(isinstance(text, str) for text in texts) or not isinstance(form, dict) or not isinstance(values, dict):
        return None
    packed = "".join(rows)
    lines = tuple(packed[at : at + _WIDTH] for at in range(0, len(packed), _WIDTH))
    return Identity(FORMAT, version, form, values, lines, metadata, templates)


def rows_of(text: str) -> list[str]:
    """The lines of a text with their ends: only a line feed ends one."""
    found = [line + "\n" for line in text.split("\n")]
    last = found.pop()[:-1]
    return [*found, last] if last else found


def hashes(lines: Sequence[str]) -> tuple[str, ...]:
    """A short hash of each line: equal lines have equal ones, and two others the same once in a billion."""
    return tuple(
        urlsafe_b64encode(crc32(line.encode("utf-8", "surrogateescape")).to_bytes(4, "big"))[:_WIDTH].decode()
        for line in lines
    )


def digest_of_metadata(text: str) -> str:
    """What tells whether the metadata beside a figure are as they were written."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
