"""A description as plain data, with the place in its file of every field and every value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tikzgen.base.errors import Place, quoted, shortened
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record

Path = tuple[str | int, ...]
"""The way to a value: `("workers", 1, "label")`."""

Mark = tuple[int, int] | tuple[str, int, int] | str
"""Line and column, both from 1, after the file where that is another one; or, for what stands in no file, a label such
as `--set workers`."""

_NAME = pattern_of(r"[\w$-]+")


class Branch(Record):
    """The marks of a mapping (`keys` has one for each field) or of a list (no keys).

    `children` is a dict or a list of `Tree`, as the value itself is a dict or a list.
    """

    mark: Mark
    children: Any
    keys: dict[str, Mark]


Tree = Mark | Branch


class Places(Record):
    """Answers where things stand; for what is absent, where the nearest thing around it stands."""

    name: str
    tree: Tree

    def value(self, path: Sequence[str | int]) -> Place:
        """Where the value at `path` begins."""
        return place_of(self.name, self._nearest(path))

    def key(self, path: Sequence[str | int]) -> Place:
        """Where the name of the field at `path` stands; for an entry of a list, where the entry begins."""
        above = self._nearest(path[:-1])
        if path and isinstance(above, Branch) and path[-1] in above.keys:
            return place_of(self.name, above.keys[str(path[-1])])
        return self.value(path)

    def _nearest(self, path: Sequence[str | int]) -> Tree:
        tree = self.tree
        for step in path:
            if not isinstance(tree, Branch):
                break
            if isinstance(step, int) and isinstance(tree.children, dict):
                continue  # a mapping that stands for a list of one
            try:
                tree = tree.children[step]
            except (KeyError, IndexError, TypeError):
                break
        return tree


def place_of(name: str, tree: Tree) -> Place:
    """Where the value of `tree` begins in the file called `name`."""
    mark = tree.mark if isinstance(tree, Branch) else tree
    if isinstance(mark, str):
        return Place(mark)
    return Place(*mark) if len(mark) == 3 else Place(name, *mark)


class Document(Record):
    """A description that was read: `data` is plain (dict, list, str, int, float, bool, None, and `Tex` for `!tex`)."""

    name: str
    data: dict[str, Any]
    places: Places
    given: tuple[str, ...] = ()
    """What was said over it: `width=8.4`, `style@plain`."""

    @property
    def origin(self) -> Place:
        """Where the figure as a whole comes from: the recipe's name, or the beginning."""
        return self.places.value(("recipe",))


def format_path(path: Sequence[str | int]) -> str:
    """Spell a path as people do: `workers[1].label`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _NAME.fullmatch(step):
            text += f".{shortened(step)}" if text else shortened(step)
        else:
            text += f"[{quoted(step)}]"
    return text
