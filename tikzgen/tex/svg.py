"""SVG made safe to show in a page with others: known elements only, ids of its own."""

from __future__ import annotations

import re
from xml.etree import ElementTree

__all__ = ["clean_svg", "unique_ids"]

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_HREFS = ("href", f"{{{_XLINK}}}href")

# What drawings are made of. No script, style sheet, foreign object, animation or link stays.
# fmt: off
_ELEMENTS = frozenset((
    "svg", "g", "defs", "symbol", "use", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text",
    "tspan", "image", "clipPath", "mask", "pattern", "linearGradient", "radialGradient", "stop", "filter",
    "feColorMatrix", "feBlend", "feComposite", "feFlood", "feGaussianBlur", "feImage", "feMerge", "feMergeNode",
    "feOffset", "title", "desc",
))
# fmt: on
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
    """The drawing with `prefix` before every id and every reference to one, so that two of them share a page."""
    root = _parsed(svg)
    for element in root.iter():
        for name, value in element.items():
            element.set(name, _prefixed(name, value, prefix))
    return _written(root)


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
        if space == _SVG and local in _ELEMENTS:
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
