"""Description as plain data, with the location of every field and value in its file.

Parsers create it with a `DocumentBuilder` in one pass. An alias counts as many values as it represents, so that a few
lines cannot expand to millions of values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from tikzgen.base.errors import Place, Problem, SpecError, format_path, quote
from tikzgen.base.record import Record

Path = tuple[str | int, ...]
"""Path of a value: `("workers", 1, "label")`."""

Mark = tuple[int, int] | tuple[str, int, int] | Place
"""Location of a value: line and column, both from 1, preceded by the file if it is another one. For a value outside of
files, a `Place`, such as `--set workers`."""


class Branch(Record):
    """Locations of a mapping (`keys` has one for each field) or of a list (no keys).

    `children` is a dict or a list of `Tree`, like the value.
    """

    mark: Mark
    children: Any
    keys: dict[str, Mark]


Tree = Mark | Branch


class Places(Record):
    """Lookup of locations by path; a missing value has the location of its nearest existing parent."""

    name: str
    tree: Tree

    def locate_value(self, path: Sequence[str | int]) -> Place:
        """Return the location of the value at `path`."""
        return place_of(self.name, self._find_nearest_tree(path))

    def locate_key(self, path: Sequence[str | int]) -> Place:
        """Return the location of the field name at `path`, or of the entry of a list."""
        above = self._find_nearest_tree(path[:-1])
        if path and isinstance(above, Branch) and path[-1] in above.keys:
            return place_of(self.name, above.keys[str(path[-1])])
        return self.locate_value(path)

    def _find_nearest_tree(self, path: Sequence[str | int]) -> Tree:
        tree = self.tree
        for step in path:
            if not isinstance(tree, Branch):
                break
            if isinstance(step, int) and isinstance(tree.children, dict):
                continue  # a mapping in place of a list with one entry
            try:
                tree = tree.children[step]
            except (KeyError, IndexError, TypeError):
                break
        return tree


def place_of(name: str, tree: Tree) -> Place:
    """Return the location of the value of `tree` in the file called `name`."""
    mark = tree.mark if isinstance(tree, Branch) else tree
    if isinstance(mark, Place):
        return mark
    return Place(*mark) if len(mark) == 3 else Place(name, *mark)


class Document(Record):
    """Parsed description; `data` is plain: dict, list, str, int, float, bool, None, and `Tex` for `!tex`."""

    name: str
    data: dict[str, Any]
    places: Places
    given: tuple[str, ...] = ()
    """Settings that override the description: `width=8.4`, `style@plain`."""

    @property
    def origin(self) -> Place:
        """Location of the recipe's name, or else of the beginning."""
        return self.places.locate_value(("recipe",))


MAX_NODES = 1_000_000  # values per description
"""Maximum number of values in a description after the expansion of aliases."""
MAX_DEPTH_LEVELS = 64
"""Maximum depth of nested mappings and lists."""
MAX_ANCHOR_COUNT = 2_000
"""Maximum number of anchors, and of aliases, in a description; manual specs have a few."""

_MERGE = "<<"


@dataclass
class _Open:
    """Mapping or list that has begun and not ended."""

    branch: Branch
    data: Any
    anchor: str | None
    before: int
    height: int = 0
    key: str | None = None
    is_merge: bool = False
    merges: list[tuple[dict[str, Any], Branch]] = field(default_factory=list)


class _Anchored(Record):
    value: Any
    tree: Tree
    nodes: int
    height: int


class DocumentBuilder:
    """Builder of a document from keys, scalars, begins, ends and aliases; errors are `SpecError`s with location."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stack: list[_Open] = []
        self._anchors: dict[str, _Anchored | None] = {}
        self._anchored = self._aliased = self._nodes = 0
        self._root: tuple[Any, Tree] | None = None

    @property
    def wants_key(self) -> bool:
        """Whether the next scalar is the name of a field."""
        if not self._stack:
            return False
        top = self._stack[-1]
        return top.key is None and isinstance(top.data, dict)

    @property
    def is_complete(self) -> bool:
        """Whether the outermost value has ended."""
        return self._root is not None

    @property
    def path(self) -> Path:
        """Path of the next value."""
        path = (open_.key if isinstance(open_.data, dict) else len(open_.data) for open_ in self._stack)
        return tuple(step for step in path if step is not None)

    def refuse(self, message: str, mark: Mark, *, hint: str = "") -> NoReturn:
        """Raise a `SpecError` with a problem at `mark`."""
        path = self.path if len(self._stack) < 10 else ()  # a deeper path does not help readers
        raise SpecError([Problem(message, format_path(path), place_of(self._name, mark), hint)])

    def add_key(self, name: str, mark: Mark, *, anchor: str | None = None, is_merge: bool = False) -> None:
        """Add the name of a field; `is_merge` marks the `<<` that merges the fields of other mappings."""
        top = self._stack[-1]
        top.key, top.is_merge = name, is_merge
        first = top.branch.keys.get(name)
        if first is not None:
            self.refuse("duplicate field", mark, hint=f"first used at {place_of(self._name, first)}")
        top.branch.keys[name] = mark
        self._anchor(anchor, _Anchored(name, mark, 1, 0), mark)

    def add_scalar(self, value: Any, mark: Mark, *, anchor: str | None = None) -> None:
        """Add a value that is neither a mapping nor a list."""
        self._count(1, mark)
        self._anchor(anchor, _Anchored(value, mark, 1, 0), mark)
        self._add(value, mark, 0)

    def begin(self, data: dict[str, Any] | list[Any], mark: Mark, *, anchor: str | None = None) -> None:
        """Begin a mapping (`data` is `{}`) or a list (`[]`)."""
        if self.wants_key:
            self.refuse("the name of a field must be a string", mark, hint="a mapping or a list cannot name a field")
        if len(self._stack) >= MAX_DEPTH_LEVELS:
            self.refuse(f"nested more than {MAX_DEPTH_LEVELS} levels deep", mark)
        self._anchor(anchor, None, mark)
        before = self._nodes
        self._count(1, mark)
        self._stack.append(_Open(Branch(mark, {} if isinstance(data, dict) else [], {}), data, anchor, before))

    def end(self) -> None:
        """End the innermost mapping or list."""
        done = self._stack.pop()
        for data, branch in done.merges:
            for name, value in data.items():
                if name not in done.data:
                    done.data[name] = value
                    done.branch.children[name] = branch.children[name]
                    done.branch.keys[name] = branch.keys[name]
        height = done.height + 1
        if done.anchor is not None:
            self._anchors[done.anchor] = _Anchored(done.data, done.branch, self._nodes - done.before, height)
        self._add(done.data, done.branch, height)

    def add_alias(self, name: str, mark: Mark) -> None:
        """Add the value of the anchor `name` again."""
        if self.wants_key:
            self.refuse("an alias cannot name a field", mark, hint="write the name out")
        if name not in self._anchors:
            hint = 'quote a string that begins with "*"'
            self.refuse(f"unknown anchor {quote('&' + name)} before this alias", mark, hint=hint)
        self._aliased += 1
        if self._aliased > MAX_ANCHOR_COUNT:
            self.refuse(f"more than {MAX_ANCHOR_COUNT} aliases", mark, hint="write out their values")
        found = self._anchors[name]
        if found is None:
            self.refuse(f"the alias {quote('*' + name)} contains itself", mark)
        if len(self._stack) + found.height > MAX_DEPTH_LEVELS:
            self.refuse(f"nested more than {MAX_DEPTH_LEVELS} levels deep", mark)
        self._count(found.nodes, mark)
        tree = Branch(mark, found.tree.children, found.tree.keys) if isinstance(found.tree, Branch) else mark
        self._add(found.value, tree, found.height)

    def find_root(self) -> tuple[Any, Tree]:
        """Return the outermost value; null for an empty text."""
        return self._root if self._root is not None else (None, (1, 1))

    def make_document(self) -> Document:
        """Return the finished document: a mapping, without its `$schema`, which is for editors."""
        data, tree = self.find_root()
        mark = tree.mark if isinstance(tree, Branch) else tree
        if data is None:
            self.refuse("the spec is empty", mark, hint="`tikzgen new RECIPE` writes one")
        if not isinstance(data, dict) or not isinstance(tree, Branch):
            self.refuse(
                "a spec is a mapping, such as `recipe: data-parallel`", mark, hint="`tikzgen new RECIPE` writes one"
            )
        for part in (data, tree.children, tree.keys):
            part.pop("$schema", None)
        return Document(self._name, data, Places(self._name, tree))

    def _anchor(self, name: str | None, anchored: _Anchored | None, mark: Mark) -> None:
        """Store a value under the name of its anchor; a mapping or list is available only after its end."""
        if name is None:
            return
        self._anchored += 1
        if self._anchored > MAX_ANCHOR_COUNT:
            self.refuse(f"more than {MAX_ANCHOR_COUNT} anchors", mark, hint='leave out each "&" that no alias names')
        self._anchors[name] = anchored

    def _count(self, nodes: int, mark: Mark) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            self.refuse(f"more than {MAX_NODES} values, including the values of aliases", mark)

    def _add(self, value: Any, tree: Tree, height: int) -> None:
        if not self._stack:
            self._root = value, tree
            return
        top = self._stack[-1]
        if height > top.height:
            top.height = height
        if top.key is None:
            top.data.append(value)
            top.branch.children.append(tree)
            return
        if top.is_merge:
            self._merge(top, value, tree)
        else:
            top.data[top.key] = value
            top.branch.children[top.key] = tree
        top.key = None

    def _merge(self, top: _Open, value: Any, tree: Tree) -> None:
        listed = isinstance(value, list) and isinstance(tree, Branch)
        parts = zip(value, tree.children, strict=True) if listed else [(value, tree)]  # type: ignore[union-attr]
        for part, branch in parts:
            if not isinstance(part, dict) or not isinstance(branch, Branch):
                self.refuse("only mappings can be merged", top.branch.keys[_MERGE])
            top.merges.append((part, branch))
