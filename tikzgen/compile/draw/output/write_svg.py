"""Drawings as SVG: paths, outlines of characters, and invisible text to search and copy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TypedDict, Unpack

from tikzgen.base.plane import IDENTITY, PT_PER_IN, Box, Matrix, compose_matrices, map_point, shift
from tikzgen.compile.draw.canvas import Clipped, DrawnGroup, Item, PaintedPath, Shifted, Stroke, TextOnCanvas
from tikzgen.compile.draw.draw_tex import DrawnPicture, draw
from tikzgen.compile.draw.output.numerals import escape, fill_pattern, format_scale, format_svg_point, number, xml_text
from tikzgen.compile.draw.output.require_glyphs import fonts_used
from tikzgen.compile.draw.output.write_gaps import write_gaps
from tikzgen.compile.draw.state import Rgb
from tikzgen.compile.draw.strokes import PathStep
from tikzgen.compile.draw.unsupported import Unsupported

_PIXELS = 96 / PT_PER_IN  # pixels per pt
_FAMILY = "sans-serif"


class SvgDescription(TypedDict, total=False):
    """Metadata and background of a picture.

    `language` is the language of the figure. `told_in` is the language of the description, if it differs. `background`
    is the color behind the picture, if any.
    """

    title: str
    description: str
    language: str
    told_in: str
    background: str


def to_svg(drawing: DrawnPicture, **told: Unpack[SvgDescription]) -> str:
    """Return the SVG of a drawing, with labels that can be selected, and a box for each gap below it."""
    writer = Writer(fonts_used(drawing.items))
    gaps, box = write_gaps(drawing.gaps, drawing.box)
    return make_svg_document(box, "\n".join([*writer.write_items(drawing.items, IDENTITY), *gaps]), writer, **told)


def make_mimebundle(source: str) -> dict[str, str]:
    """Return a .tex in the forms for notebooks: its drawing and its text.

    If it cannot be drawn, the text begins with the reason. It never raises an error.
    """
    try:
        return {"image/svg+xml": to_svg(draw(source)), "text/plain": source}
    except Unsupported as error:
        return {"text/plain": f"% no picture: {' '.join(str(error).split())}\n{source}"}


def make_svg_document(box: Box, body: str, writer: Writer, **told: Unpack[SvgDescription]) -> str:
    """Return the output of a writer as a complete SVG."""
    title, description, language = told.get("title", ""), told.get("description", ""), told.get("language", "")
    left, bottom, right, top = box
    width, height = right - left, top - bottom
    mark = "t" + sha256(repr((title, body)).encode()).hexdigest()[:8]  # unique ids on a page
    frame = f"{number(left)} {number(-top)} {number(width)} {number(height)}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width * _PIXELS)}" '
    head += f'height="{number(height * _PIXELS)}" viewBox="{frame}" role="img" font-family="{_FAMILY}"'
    about = ""
    if language:
        head += f' xml:lang="{escape(language)}"'
    if title:
        head += f' aria-labelledby="{mark}-title"'
        about += f'<title id="{mark}-title">{xml_text(title)}</title>'
    if description:
        head += f' aria-describedby="{mark}-desc"'
        told_in = told.get("told_in", "")
        spoken = f' xml:lang="{escape(told_in)}"' if told_in else ""
        about += f'<desc id="{mark}-desc"{spoken}>{xml_text(description)}</desc>'
    if writer.fonts:
        about += f"<metadata>Fonts: {xml_text('; '.join(writer.fonts))}</metadata>"
    ground = ""
    if background := told.get("background"):
        ground = f'<rect x="{number(left)}" y="{number(-top)}" width="{number(width)}" height="{number(height)}" '
        ground += f'fill="{background}"/>\n'
    symbols = "".join(data for _, data in sorted(writer.symbols.items()))
    svg = f"{head}>{about}\n<defs>{symbols}</defs>\n{ground}{body}\n</svg>\n"
    return svg.replace("\x01", mark + "-")


class Writer:
    """Writer of items, which collects the outlines that they use; the file records `fonts`."""

    def __init__(self, fonts: Sequence[str] = ()) -> None:
        self.fonts = fonts
        self.symbols: dict[str, str] = {}
        self.clips = 0

    def write_items(self, items: Iterable[Item], matrix: Matrix) -> list[str]:
        return [text for item in items for text in self.write_item(item, matrix)]

    def write_item(self, item: Item, matrix: Matrix) -> list[str]:
        match item:
            case PaintedPath():
                return [self.write_path(item, matrix)]
            case TextOnCanvas():
                return [self.write_typeset_text(item, matrix)]
            case Shifted():
                return self.write_items(item.items, compose_matrices(shift(*item.by), matrix))
            case Clipped():
                self.clips += 1
                name = f"\x01c{self.clips}"
                clip = f'<clipPath id="{name}"><path d="{path_data(item.path, matrix)}"/></clipPath>'
                return [clip, f'<g clip-path="url(#{name})">', *self.write_items(item.items, matrix), "</g>"]
            case DrawnGroup():
                inside = self.write_items(item.items, matrix)
                if item.node is None or not item.node.name or not inside:
                    return inside
                return [f'<g data-node="{escape(item.node.name)}" data-line="{item.line}">', *inside, "</g>"]

    def write_path(self, item: PaintedPath, matrix: Matrix) -> str:
        return f'<path d="{path_data(item.path, matrix)}"{_look(item.fill, item.stroke, item.opacity)}/>'

    def write_typeset_text(self, item: TextOnCanvas, matrix: Matrix) -> str:
        a, b, c, d, x, y = compose_matrices(item.matrix, matrix)
        markup, outlines = item.text.svg
        self.symbols.update(outlines)
        if (a, b, c, d) == IDENTITY[:4]:
            turned = f"translate({format_svg_point((x, y))})"
        else:
            turned = (
                f"matrix({format_scale(a)} {format_scale(-b)} {format_scale(-c)} "
                f"{format_scale(d)} {format_svg_point((x, y))})"
            )
        opacity = f' opacity="{number(item.opacity)}"' if item.opacity < 1 else ""
        return f'<g fill="{_spell_color(item.color)}"{opacity} transform="{turned}">{markup}</g>'


_PATTERNS = {"M": "M%.3f %.3f", "L": "L%.3f %.3f", "C": "C%.3f %.3f %.3f %.3f %.3f %.3f", "Z": "Z"}


def path_data(path: Sequence[PathStep], matrix: Matrix) -> str:
    """Return a path as SVG path data, y down."""
    points = [place for step in path if step.kind != "Z" for place in step.points]
    if matrix != IDENTITY:
        points = [map_point(place, matrix) for place in points]
    return fill_pattern("".join([_PATTERNS[step.kind] for step in path]), points)


@lru_cache(maxsize=1024)
def _look(fill: Rgb | None, stroke: Stroke | None, opacity: float) -> str:
    """Return the SVG attributes of a path."""
    text = f' fill="{"none" if fill is None else _spell_color(fill)}"'
    if stroke is not None:
        text += f' stroke="{_spell_color(stroke.color)}" stroke-width="{number(stroke.width)}"'
        if stroke.dash:
            text += f' stroke-dasharray="{" ".join(map(number, stroke.dash))}"'
        if stroke.cap != "butt":
            text += f' stroke-linecap="{stroke.cap}"'
        text += ' stroke-miterlimit="10"' if stroke.join == "miter" else f' stroke-linejoin="{stroke.join}"'
    if opacity < 1:
        text += f' fill-opacity="{number(opacity)}" stroke-opacity="{number(opacity)}"'
    return text


@lru_cache(maxsize=1024)
def _spell_color(color: Rgb) -> str:
    return "#" + "".join(f"{round(min(max(share, 0.0), 1.0) * 255):02x}" for share in color)
