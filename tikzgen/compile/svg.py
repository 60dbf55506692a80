"""SVG made safe to show in a page with others: known elements only, ids of its own, words for who does not see it."""

from __future__ import annotations

import re
from hashlib import sha256
from itertools import pairwise
from xml.etree import ElementTree

from tikzgen.compile.svgfonts import clean_faces, families, renamed_faces, widths
from tikzgen.describe import About

__all__ = ["clean_svg", "finished_svg", "unique_ids"]

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_HREFS = ("href", f"{{{_XLINK}}}href")

# What drawings are made of. No script, foreign object, animation or link stays; of style sheets only embedded fonts.
# fmt: off
_ELEMENTS = frozenset((
    "svg", "g", "defs", "symbol", "use", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text",
    "tspan", "image", "clipPath", "mask", "pattern", "linearGradient", "radialGradient", "stop", "filter",
    "feColorMatrix", "feBlend", "feComposite", "feFlood", "feGaussianBlur", "feImage", "feMerge", "feMergeNode",
    "feOffset", "title", "desc",
))
# fmt: on
_STYLE = f"{{{_SVG}}}style"
_LABELS = ("aria-labelledby", "aria-describedby")
_URL = re.compile(r"url\(\s*(['\"]?)(?P<target>[^'\")]*)\1\s*\)")
_DATA = re.compile(r"data:image/(?:png|jpeg);base64,", re.IGNORECASE)


def clean_svg(svg: str) -> str:
    """The drawing without comments, unknown elements, event handlers and anything that is fetched from elsewhere.

    `ValueError` where the text is no SVG.
    """
    root = _parsed(svg)
    _clean(root)
    return _written(root)


def unique_ids(svg: str, prefix: str) -> str:
    """The drawing with `prefix` before every id, every embedded font's name, and every reference to one of them.

    So two of them share a page.
    """
    root = _parsed(svg)
    _rename(root, prefix)
    return _written(root)


def finished_svg(svg: str, words: About, *, paper: bool = True, prefix: str = "") -> str:
    """The drawing, cleaned, with its title and description for screen readers; on white paper, or on nothing.

    Ids and the names of embedded fonts begin with `prefix`, which the drawing's own digest makes where none is given.
    """
    root = _parsed(svg)
    _clean(root)
    _part_words(root)
    prefix = prefix or f"t{sha256(_written(root).encode()).hexdigest()[:8]}-"
    _rename(root, prefix)
    ahead = [*_words(root, words, prefix), *([_paper(root)] if paper else [])]
    for place, element in enumerate(ahead):
        root.insert(place, element)
    return _written(root)


_NUMBER = re.compile(r"-?\d*\.?\d+")
_GAP = 0.15  # of the font's size: kerns are smaller, spaces larger


def _part_words(root: ElementTree.Element) -> None:
    """Write the blanks between words, where dvisvgm only moves on: who searches or copies the text needs them."""
    fonts = {name: found for style in root.iter(_STYLE) for name, found in widths(style.text or "").items()}
    for line in root.iter(f"{{{_SVG}}}text") if fonts else ():
        font, size = fonts.get(line.get("font-family", "")), _number(line.get("font-size"))
        if font is None or size is None:
            continue
        end = _number(line.get("x")) or 0.0
        for piece, following in pairwise([*line, None]):
            assert piece is not None
            begin = _number(piece.get("x"))
            end = (end if begin is None else begin) + font.width(piece.text or "") * size
            ahead = _number(following.get("x")) if following is not None else None
            if ahead is not None and ahead - end > _GAP * size:
                piece.text = f"{piece.text or ''} "


def _number(text: str | None) -> float | None:
    return float(text) if text is not None and _NUMBER.fullmatch(text) else None


def _words(root: ElementTree.Element, words: About, prefix: str) -> list[ElementTree.Element]:
    """`title` and `desc`, and the root's attributes that name them and their language."""
    said = [(name, text) for name, text in (("title", words.title), ("desc", words.description)) if text]
    found = []
    for name, text in said:
        element = ElementTree.Element(f"{{{_SVG}}}{name}", {"id": prefix + name})
        element.text = "".join(char if char.isprintable() else " " for char in text)
        if name == "desc" and words.told_in:
            element.set(_LANGUAGE, words.told_in)
        found.append(element)
    if found:
        root.set("role", "img")
        root.set("aria-labelledby", " ".join(prefix + name for name, _ in said))
    if words.language:
        root.set(_LANGUAGE, words.language)
    return found


def _paper(root: ElementTree.Element) -> ElementTree.Element:
    """A white rectangle under all of the drawing."""
    box = root.get("viewBox", "").replace(",", " ").split()
    names = ("x", "y", "width", "height")
    place = dict(zip(names, box, strict=True)) if len(box) == 4 else {"width": "100%", "height": "100%"}
    return ElementTree.Element(f"{{{_SVG}}}rect", {**place, "fill": "#ffffff"})


def _rename(root: ElementTree.Element, prefix: str) -> None:
    fonts = {name for element in root.iter(_STYLE) for name in families(element.text or "")}
    for element in root.iter():
        if element.tag == _STYLE:
            element.text = renamed_faces(element.text or "", prefix)
        for name, value in element.items():
            own = name == "font-family" and value in fonts
            element.set(name, prefix + value if own else _prefixed(name, value, prefix))


def _prefixed(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return prefix + value
    if name in _HREFS:
        return f"#{prefix}{value[1:]}" if value.startswith("#") else value
    if name in _LABELS:
        return " ".join(prefix + word for word in value.split())
    return _URL.sub(lambda url: f"url(#{prefix}{url['target'][1:]})" if url["target"][:1] == "#" else url[0], value)


def _clean(element: ElementTree.Element) -> None:
    for name, value in list(element.items()):
        if not _harmless(name, value):
            del element.attrib[name]
    for child in list(element):
        tag = child.tag if isinstance(child.tag, str) else ""
        if tag == f"{{{_SVG}}}a":
            # a link's content is part of the drawing
            child.tag = tag = f"{{{_SVG}}}g"
            child.attrib = {name: value for name, value in child.items() if name not in _HREFS}
        space, _, local = tag.removeprefix("{").partition("}")
        faces = clean_faces(child.text or "") if tag == _STYLE else ""
        if faces:
            child.text, child.attrib = faces, {}
            child[:] = []
        elif space == _SVG and local in _ELEMENTS:
            _clean(child)
        else:
            element.remove(child)


def _harmless(name: str, value: str) -> bool:
    if name.lower().startswith("on"):
        return False
    if name in _HREFS:
        return value.startswith("#") or _DATA.match(value) is not None
    return all(url["target"].startswith("#") for url in _URL.finditer(value))


def _parsed(svg: str) -> ElementTree.Element:
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise ValueError(f"this is no SVG: {error}") from None
    if root.tag != f"{{{_SVG}}}svg":
        raise ValueError(f"this is no SVG: it begins with {root.tag}")
    return root


def _written(root: ElementTree.Element) -> str:
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return ElementTree.tostring(root, encoding="unicode") + "\n"
