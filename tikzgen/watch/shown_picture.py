"""A figure as the page shows it, and how it is drawn at once, before TeX has set it."""

from __future__ import annotations

import re
from typing import Any

from tikzgen.base.record import Record
from tikzgen.compile.build_figures import notes_of
from tikzgen.compile.without_tex import drawn_svg, words_in
from tikzgen.drawing.draw_tex import draw
from tikzgen.drawing.refused import Unsupported
from tikzgen.plane.units import CM_PER_PT

_PAPER = re.compile(r"^\\definecolor\{paper\}\{HTML\}\{([0-9A-Fa-f]{6})\}", re.MULTILINE)


class Picture(Record):
    """A figure as the page shows it; `width` and `height` are true, in cm, `paper` is the colour below it.

    `alt` says what it shows, in its `language` where that is known, and `notes` what was merged or left out. `pdf` is
    empty as long as TeX sets it.
    """

    data: bytes
    kind: str
    width: float
    height: float
    pdf: bytes
    paper: str = ""
    alt: str = ""
    language: str = ""
    notes: tuple[str, ...] = ()

    def facts(self) -> dict[str, Any]:
        """What the page is told of it, beside its bytes."""
        size = {"width": round(self.width, 4), "height": round(self.height, 4)}
        words = {"paper": self.paper, "alt": self.alt, "language": self.language, "notes": list(self.notes)}
        return {**size, **words, "pdf": bool(self.pdf)}


def drawn_picture(source: str) -> Picture | None:
    """The picture as it is drawn without TeX, in some hundredths of a second; None where that takes TeX."""
    try:
        data = drawn_svg(source, transparent=True)
    except Unsupported:
        return None
    left, bottom, right, top = draw(source).box
    words = words_in(source)
    width, height = (right - left) * CM_PER_PT, (top - bottom) * CM_PER_PT
    language, notes = words.told_in or words.language, tuple(notes_of(source))
    return Picture(data, "svg", width, height, b"", paper_of(source), words.alt, language, notes)


def paper_of(source: str) -> str:
    """The colour of the paper below a figure; empty where it names none."""
    found = _PAPER.search(source)
    return f"#{found[1]}" if found else ""
