"""The spec that travels inside a figure, written back to a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.edit.fold import folded
from tikzgen.edit.own import read_own

if TYPE_CHECKING:
    from tikzgen.edit.describe import Data

__all__ = ["pulled"]


def pulled(text: str, name: str, existing: str = "", existing_name: str = "") -> str:
    """The YAML text of a figure's spec, with parameters that were changed by hand; comments of `existing` stay.

    `EditRefused` where `text` was not written by this version of tikzgen.
    """
    from tikzgen.spec.writing import to_yaml

    data = folded(read_own(text, name)).data
    return to_yaml(_plain(data), existing, _said(existing, existing_name) if existing else None)


def _said(existing: str, name: str) -> Data | None:
    """What an existing spec says, in its shortest form; None where it cannot be read as one."""
    from tikzgen.errors import TikzgenError
    from tikzgen.loading import loads
    from tikzgen.rendering.capsule import description

    try:
        return description(loads(existing, name=name))
    except TikzgenError:
        return None


def _plain(data: Data) -> Data:
    return {key: value for key, value in data.items() if key != "tikzgen"}
