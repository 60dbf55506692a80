"""Helpers for the edit contracts of several kinds of content: lists of names, and items of one type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tikzgen.layout.scene.items import Item, with_nested
from tikzgen.layout.scene.scene import Scene

_I = TypeVar("_I", bound=Item)


def drawn_as(scene: Scene, kind: type[_I]) -> list[_I]:
    """Return all items of one type, including items in scopes."""
    return [item for item in with_nested(scene.items) if isinstance(item, kind)]


def list_first_names(names: Sequence[str]) -> str:
    """Join names with commas; if there are more than twelve, only the first twelve and an ellipsis."""
    return ", ".join(names) if len(names) <= 12 else ", ".join(names[:12]) + ", …"
