"""SVG and PDF of a .tex, drawn without TeX, with its title and description as `words`."""

from __future__ import annotations

from tikzgen.base.record import Record
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.compile.draw.output.cjk_outlines import fonts_state
from tikzgen.compile.draw.output.require_glyphs import fonts_used
from tikzgen.compile.draw.output.write_gaps import write_gaps
from tikzgen.compile.draw.output.write_pdf import to_pdf
from tikzgen.compile.draw.output.write_svg import SvgDescription, to_svg
from tikzgen.compile.draw.output.write_svg_of_steps import animated_svg
from tikzgen.model.about import About
from tikzgen.text import is_cjk

_PAPER = "#ffffff"


def drawn_fonts(source: str) -> str:
    """Return the fonts of this machine whose outlines the picture shows, by name and digest.

    The result is usually empty. Raise `GlyphsMissing` for a label with characters that no font has.
    """
    return "; ".join(fonts_used(draw(source).items))


def fonts_key(source: str) -> str:
    """Return the part of a cache key that depends on fonts; empty for a figure that needs no such font."""
    return "" if source.isascii() or not any(map(is_cjk, set(source))) else fonts_state()


def drawn_svg(source: str, words: About, *, transparent: bool = False, slide: int = 0) -> bytes:
    """Return the picture, or one slide of it, as SVG; raise `Unsupported` if it needs TeX."""
    return to_svg(draw(source, slide), **_describe_svg(words, transparent)).encode()


class PartialPicture(Record):
    """A picture that may lack elements: its data, its width and height in pt, and a note on each gap."""

    data: bytes
    size: tuple[float, float]
    notes: tuple[str, ...]


def draw_partly(source: str, words: About, *, transparent: bool = False) -> PartialPicture:
    """Return the partial picture as SVG; raise `Unsupported` for a file without a picture.

    A box below the picture has the source text of each gap with the reason.
    """
    drawing = draw(source, partial=True)
    left, bottom, right, top = write_gaps(drawing.gaps, drawing.box)[1]
    data = to_svg(drawing, **_describe_svg(words, transparent)).encode()
    return PartialPicture(data, (right - left, top - bottom), tuple(dict.fromkeys(map(str, drawing.gaps))))


def drawn_slides(source: str, words: About, *, transparent: bool) -> dict[str, bytes]:
    """Return each slide as SVG by its number, all of one size, and `steps` with all slides in one SVG.

    In `steps`, keys and clicks select a slide.
    """
    told = _describe_svg(words, transparent)
    steps = [draw(source, step) for step in range(1, draw(source).steps + 1)]
    numbered = {str(number): to_svg(step, **told).encode() for number, step in enumerate(steps, 1)}
    return {**numbered, "steps": animated_svg(steps, **told).encode()}


def _describe_svg(words: About, transparent: bool) -> SvgDescription:
    return SvgDescription(
        title=words.title,
        description=words.description,
        language=words.language,
        told_in=words.told_in,
        background="" if transparent else _PAPER,
    )


def drawn_pdf(source: str, words: About, only: int | None = None) -> bytes:
    """Return the picture as PDF with a page per slide; `only` selects one slide, or 0 for all in one.

    Raise `Unsupported` if it needs TeX.
    """
    count = draw(source).steps
    steps = [only] if only is not None else range(1, count + 1) if count > 1 else [0]
    told = {"title": words.title, "description": words.description, "language": words.language}
    return to_pdf(*(draw(source, step) for step in steps), **told)
