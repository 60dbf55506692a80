"""Check that fonts have each character of each label. Main function: `fonts_used`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tikzgen.compile.draw.canvas import Clipped, DrawnGroup, Item, Shifted, TextOnCanvas
from tikzgen.compile.draw.output.cjk_outlines import cjk_outline, how_to_add_fonts
from tikzgen.compile.draw.output.letters import text_of_ink
from tikzgen.compile.draw.unsupported import GlyphsMissing


def fonts_used(items: Iterable[Item]) -> tuple[str, ...]:
    """Return the fonts of this machine whose outlines a drawing shows, by name and digest.

    TeX's fonts, whose outlines tikzgen contains, are not included. Raise `GlyphsMissing` for the first label with
    characters that no font has.
    """
    found: dict[str, None] = {}
    for words, line in _iterate_cjk_labels(items, 0):
        outlines = {sign.char: cjk_outline(sign.font, sign.char) for sign in words.text.ideographs}
        missing = [char for char, outline in outlines.items() if outline is None]
        if missing:
            raise GlyphsMissing(text_of_ink(words.ink), "".join(missing), line, how_to_add_fonts())
        found.update((outline.source, None) for outline in outlines.values() if outline is not None)
    return tuple(sorted(found))


def _iterate_cjk_labels(items: Iterable[Item], line: int) -> Iterator[tuple[TextOnCanvas, int]]:
    """Yield the labels of a drawing that have Chinese characters, each with its line in the file."""
    for item in items:
        match item:
            case TextOnCanvas() if item.text.ideographs:
                yield item, line
            case DrawnGroup():
                yield from _iterate_cjk_labels(item.items, item.line)
            case Clipped() | Shifted():
                yield from _iterate_cjk_labels(item.items, line)
