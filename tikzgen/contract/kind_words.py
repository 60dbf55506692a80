"""What the contract says of each kind of what a panel may hold: one instance a kind, found by the kind's name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Protocol, TypeVar, cast

from tikzgen.layout.items import Item, Scope
from tikzgen.layout.scene import Scene
from tikzgen.model.content import Content
from tikzgen.model.figure import Figure
from tikzgen.model.kinds import KINDS

_C = TypeVar("_C", bound=Content, contravariant=True)
_I = TypeVar("_I", bound=Item)


class KindWords(Protocol[_C]):
    """The words of one kind, asked for of figures that have parts of it."""

    def naming(self, figure: Figure, scene: Scene, parts: Sequence[_C]) -> Iterator[str]:
        """How its nodes are named, in sentences without a full stop."""

    def by_hand(self, figure: Figure, scene: Scene, parts: Sequence[_C]) -> dict[str, str]:
        """What stands for words in braces in the table of operations, as far as it is this kind's affair."""

    def invariants(self, figure: Figure, scene: Scene, parts: Sequence[_C]) -> Iterator[str]:
        """What every edit must keep."""


def words_of_kinds(figure: Figure) -> Iterator[tuple[KindWords[Any], list[Any]]]:
    """The words of the kinds that a figure has, with its parts of each."""
    for name in KINDS:
        if parts := [part for _, _, part in figure.parts(Content) if part.type == name]:
            yield _words(name), parts


@cache
def _words(name: str) -> KindWords[Any]:
    # a figure loads what it needs for its own parts only
    return cast(KindWords[Any], import_module(f"tikzgen.contract.{name}_words").WORDS)


def drawn_as(scene: Scene, kind: type[_I]) -> list[_I]:
    """All items of a kind, in scopes too."""
    return [item for item in _all(scene.items) if isinstance(item, kind)]


def _all(items: Sequence[Item]) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Scope):
            yield from _all(item.items)
        else:
            yield item


def listing(names: Sequence[str]) -> str:
    """Names one by one, the first dozen."""
    return ", ".join(names) if len(names) <= 12 else ", ".join(names[:12]) + ", …"
