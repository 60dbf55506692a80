"""A drawing as SVG: paths, outlines of characters, and the texts themselves, unseen, to be found and copied."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from typing import TypedDict, Unpack

from tikzgen.drawing.canvas import Clipped, Item, Painted, Part, Shifted, Words
from tikzgen.drawing.draw_tex import Drawing
from tikzgen.drawing.letters import plain
from tikzgen.drawing.outlines import STEMS, outlines
from tikzgen.drawing.state import Rgb
from tikzgen.drawing.strokes import Step
from tikzgen.plane.affine import HERE, Matrix, moved, shift, times
from tikzgen.plane.rectangles import Box, Point
from tikzgen.plane.units import PT_PER_IN
from tikzgen.text.metrics.boxes import Bar, Sign

_PIXELS = 96 / PT_PER_IN  # in a pt
_FAMILY = "sans-serif"


class Told(TypedDict, total=False):
    """What a picture says of itself.

    `language` is the figure's, `told_in` that of the description where it has another. `background` is the ground that
    it stands on, if any.
    """

    title: str
    description: str
    language: str
    told_in: str
    background: str


def to_svg(drawing: Drawing, **told: Unpack[Told]) -> str:
    """The SVG of a drawing. Its texts can be selected."""
    writer = Writer()
    return document(drawing.box, "\n".join(writer.items(drawing.items, HERE)), writer, **told)


def document(box: Box, body: str, writer: Writer, **told: Unpack[Told]) -> str:
    """What a writer has made, as a picture of its own."""
    title, description, language = told.get("title", ""), told.get("description", ""), told.get("language", "")
    left, bottom, right, top = box
    width, height = right - left, top - bottom
    mark = "t" + sha256(repr((title, body)).encode()).hexdigest()[:8]  # two pictures on a page have ids of their own
    frame = f"{_number(left)} {_number(-top)} {_number(width)} {_number(height)}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_number(width * _PIXELS)}" '
    head += f'height="{_number(height * _PIXELS)}" viewBox="{frame}" role="img"'
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
    ground = ""
    if background := told.get("background"):
        ground = f'<rect x="{_number(left)}" y="{_number(-top)}" width="{_number(width)}" height="{_number(height)}" '
        ground += f'fill="{background}"/>\n'
    symbols = "".join(f'<path id="{name}" d="{data}"/>' for name, data in sorted(writer.symbols.items()))
    svg = f"{head}>{about}\n<defs>{symbols}</defs>\n{ground}{body}\n</svg>\n"
    return svg.replace("\x01", mark + "-")


class Writer:
    """Writes items, and collects the outlines that they use."""

    def __init__(self) -> None:
        self.symbols: dict[str, str] = {}
        self.clips = 0

    def items(self, items: Iterable[Item], matrix: Matrix) -> list[str]:
        return [text for item in items for text in self.item(item, matrix)]

    def item(self, item: Item, matrix: Matrix) -> list[str]:
        match item:
            case Painted():
                return [self.painted(item, matrix)]
            case Words():
                return [self.text(item, matrix)]
            case Shifted():
                return self.items(item.items, times(shift(*item.by), matrix))
            case Clipped():
                self.clips += 1
                name = f"\x01c{self.clips}"
                clip = f'<clipPath id="{name}"><path d="{path_data(item.path, matrix)}"/></clipPath>'
                return [clip, f'<g clip-path="url(#{name})">', *self.items(item.items, matrix), "</g>"]
            case Part():
                inside = self.items(item.items, matrix)
                if item.node is None or not item.node.name or not inside:
                    return inside
                return [f'<g data-node="{escape(item.node.name)}" data-line="{item.line}">', *inside, "</g>"]

    def painted(self, item: Painted, matrix: Matrix) -> str:
        kind = "none" if item.fill is None else _hex(item.fill)
        text = f'<path d="{path_data(item.path, matrix)}" fill="{kind}"'
        stroke = item.stroke
        if stroke is not None:
            text += f' stroke="{_hex(stroke.color)}" stroke-width="{_number(stroke.width)}"'
            if stroke.dash:
                text += f' stroke-dasharray="{" ".join(map(_number, stroke.dash))}"'
            if stroke.cap != "butt":
                text += f' stroke-linecap="{stroke.cap}"'
            text += ' stroke-miterlimit="10"' if stroke.join == "miter" else f' stroke-linejoin="{stroke.join}"'
        if item.opacity < 1:
            share = _number(item.opacity)
            text += f' fill-opacity="{share}" stroke-opacity="{share}"'
        return text + "/>"

    def text(self, item: Words, matrix: Matrix) -> str:
        whole = times(item.matrix, matrix)
        a, b, c, d, _, _ = whole
        seen: list[str] = []
        for x, y, part in item.ink:
            place = moved((x, y), whole)
            if isinstance(part, Bar):
                corners = [(x, y), (x + part.width, y), (x + part.width, y + part.height), (x, y + part.height)]
                points = [moved(corner, whole) for corner in corners]
                seen.append(f'<path d="M{"L".join(map(_point, points))}Z"/>')
            elif part.font:
                seen.append(self.glyph(part, place, (a, b, c, d)))
            else:
                turned = f"matrix({_fine(a)} {_fine(-b)} {_fine(-c)} {_fine(d)} {_point(place)})"
                size = _number(part.size)
                seen.append(
                    f'<text transform="{turned}" font-size="{size}" font-family="{_FAMILY}">{escape(part.char)}</text>'
                )
        opacity = f' opacity="{_number(item.opacity)}"' if item.opacity < 1 else ""
        return f'<g fill="{_hex(item.color)}"{opacity}>{"".join(seen)}{self.hidden(item, whole)}</g>'

    def glyph(self, sign: Sign, place: Point, turned: tuple[float, float, float, float]) -> str:
        stem = sign.font.rstrip("0123456789")
        name = f"\x01{STEMS[stem]}{sign.font[len(stem) :]}-{ord(sign.char):x}"
        if name not in self.symbols:
            self.symbols[name] = outlines(sign.font).get(sign.char, "")
        if not self.symbols[name]:
            return ""
        a, b, c, d = (value * sign.size / 1000 for value in turned)
        return (
            f'<use href="#{name}" transform="matrix({_fine(a)} {_fine(-b)} {_fine(c)} {_fine(-d)} {_point(place)})"/>'
        )

    def hidden(self, item: Words, whole: Matrix) -> str:
        """The lines of a text, as wide as they are seen, for selecting and searching."""
        lines: dict[float, list[tuple[float, float, Sign | Bar]]] = {}
        for x, y, part in item.ink:
            if isinstance(part, Sign) and part.font:
                near = next((line for line in lines if abs(line - y) < 0.6 * part.size), y)
                lines.setdefault(near, []).append((x, y, part))
        found = []
        a, b, c, d, _, _ = whole
        for y, ink in lines.items():
            text = escape(plain(ink))
            if text.strip():
                left, size = min(x for x, _, _ in ink), max(part.size for _, _, part in ink if isinstance(part, Sign))
                wide = max(x for x, _, _ in ink) - left + 0.5 * size
                place = _point(moved((left, y), whole))
                turned = f"matrix({_fine(a)} {_fine(-b)} {_fine(-c)} {_fine(d)} {place})"
                found.append(
                    f'<text transform="{turned}" font-size="{_number(size)}" font-family="{_FAMILY}" fill-opacity="0" '
                    f'textLength="{_number(wide)}" lengthAdjust="spacingAndGlyphs">{text}</text>'
                )
        return "".join(found)


def xml_text(text: str) -> str:
    """A text of somebody's, without the signs that no XML may hold."""
    return escape("".join(char if char.isprintable() else " " for char in text))


def path_data(path: Sequence[Step], matrix: Matrix) -> str:
    """A path as SVG has it, y down."""
    if matrix == HERE:
        return "".join(
            step.kind if step.kind == "Z" else step.kind + " ".join(map(_point, step.points)) for step in path
        )
    return "".join(
        "Z" if step.kind == "Z" else step.kind + " ".join(_point(moved(point, matrix)) for point in step.points)
        for step in path
    )


def _point(point: Point) -> str:
    return f"{_number(point[0])} {_number(-point[1])}"


def _number(value: float) -> str:
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _fine(value: float) -> str:
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _hex(color: Rgb) -> str:
    return "#" + "".join(f"{round(min(max(share, 0.0), 1.0) * 255):02x}" for share in color)
