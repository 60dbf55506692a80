"""Where in a description a text of the figure comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tikzgen.errors import Place
from tikzgen.spec.document import Document, Path, format_path
from tikzgen.text import Tex

__all__ = ["origin_of"]


def origin_of(document: Document, text: str) -> tuple[Place, str]:
    """The place of a text and the path of its field; the file and no path where no field says it.

    A text that the layout took apart, or put together of several, is found by what it shares with a field.
    """
    said = [(path, value) for path, value in _texts(document.data, ()) if path[:1] != ("measured",)]
    same = [path for path, value in said if value == text and isinstance(value, Tex) is isinstance(text, Tex)]
    parts = [path for path, value in said if value and value in text and isinstance(value, Tex)]
    wholes = [path for path, value in said if text in value]
    for path in (*same, *parts, *wholes):
        return document.places.value(path), format_path(path)
    return Place(document.name), ""


def _texts(data: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Every text of some plain data with the path to it; `{tex: …}` is raw TeX, too."""
    if isinstance(data, str):
        yield path, data
    elif isinstance(data, dict):
        if data.keys() == {"tex"} and isinstance(data["tex"], str):
            yield path, Tex(data["tex"])
            return
        for key, value in data.items():
            yield from _texts(value, (*path, str(key)))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _texts(value, (*path, index))
