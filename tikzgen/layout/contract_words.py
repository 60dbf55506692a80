"""What the edit contracts of several kinds of content need: lists of names, and items of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tikzgen.layout.scene.items import Item, with_nested
from tikzgen.layout.scene.scene import Scene

_I = TypeVar("_I", bound=Item)


def drawn_as(scene: Scene, kind: type[_I]) -> list[_I]:
    """Return all items of a kind, in scopes too."""
    return [item for item in with_nested(scene.items) if isinstance(item, kind)]


def list_first_names(names: Sequence[str]) -> str:
    """Join names, the first dozen."""
    return ", ".join(names) if len(names) <= 12 else ", ".join(names[:12]) + ", …"
