"""Inheritance between specs: `extends: shared.yaml`, or a list, in which later files override earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tikzgen.base.errors import Problem, SpecError, quote
from tikzgen.base.read_files import NamedFileRefused
from tikzgen.base.record import replace
from tikzgen.spec.document import Branch, Document, Mark, Places, Tree

EXTENDS = "extends"
_EXTENDS_LIMIT = 8  # maximum length of a chain of `extends`
Read = Callable[[str, Path], Document]
"""Reads the file of a name as the file with the path names it."""


def with_shared(document: Document, read: Read) -> Document:
    """Return the description merged over the specs that it extends.

    Mappings are merged by field, other values replaced. Raise `SpecError` if a file is unreadable, missing, outside of
    the project, or extends itself indirectly.
    """
    return _over_shared(document, read, (), {})


def _over_shared(document: Document, read: Read, chain: tuple[Path, ...], known: dict[Path, Document]) -> Document:
    """Merge a file that the files of `chain` extend; `known` caches files that were read."""
    if EXTENDS not in document.data:
        return document
    made = None
    by = Path(document.name)
    chain = (*chain, by.resolve())
    for name, refuse in _names_with_errors(document):
        place = (by.parent / name).resolve()
        if place in chain:
            raise refuse(f"{quote(name)} extends itself in the end", "leave it out in one of them")
        if len(chain) > _EXTENDS_LIMIT:
            raise refuse(f"more than {_EXTENDS_LIMIT} specs extend each other", _HINT)
        if place not in known:
            try:
                found = read(name, by)
            except NamedFileRefused as error:
                raise refuse(error.message, error.hint or _HINT) from None
            known[place] = _over_shared(found, read, chain, known)
        found = known[place]
        below = replace(found, places=Places(document.name, _marks_in_file(found.places.tree, found.name)))
        made = _merge_over(below, made) if made else below
    own = {name: value for name, value in document.data.items() if name != EXTENDS}
    above = replace(document, data=own)
    return _merge_over(above, made) if made else above


_HINT = "a name such as shared.yaml, as seen from this file"


def _names_with_errors(document: Document) -> Iterator[tuple[str, Callable[[str, str], SpecError]]]:
    """Yield the names, each with a function that returns the error at its location."""
    named = document.data[EXTENDS]
    several = isinstance(named, list)
    for index, name in enumerate(named if several else [named]):

        def refuse(message: str, hint: str, index: int = index) -> SpecError:
            where, path = (f"{EXTENDS}[{index}]", (EXTENDS, index)) if several else (EXTENDS, (EXTENDS,))
            return SpecError([Problem(message, where, document.places.locate_value(path), hint)])

        if not isinstance(name, str) or not name:
            raise refuse("should be the name of a spec", _HINT)
        if document.name.startswith("<") or document.name.endswith(".tex"):
            hint = "--stdin-filename sets the file name of stdin"
            raise refuse("needs a spec in a file", hint)
        yield name, refuse


def _marks_in_file(tree: Tree, file: str) -> Tree:
    """Return marks that also name the file."""

    def mark_in_file(mark: Mark) -> Mark:
        return (file, *mark) if isinstance(mark, tuple) and len(mark) == 2 else mark

    if not isinstance(tree, Branch):
        return mark_in_file(tree)
    parts = tree.children
    children: Any = (
        {name: _marks_in_file(part, file) for name, part in parts.items()}
        if isinstance(parts, dict)
        else [_marks_in_file(part, file) for part in parts]
    )
    return Branch(mark_in_file(tree.mark), children, {name: mark_in_file(mark) for name, mark in tree.keys.items()})


def _merge_over(above: Document, below: Document) -> Document:
    data, tree = _merge_documents(above.data, above.places.tree, below.data, below.places.tree)
    return replace(above, data=data, places=Places(above.name, tree))


def _merge_documents(above: Any, over: Tree, below: Any, under: Tree) -> tuple[Any, Tree]:
    if not (
        isinstance(above, dict) and isinstance(below, dict) and isinstance(over, Branch) and isinstance(under, Branch)
    ):
        return above, over
    data, children = dict(below), dict(under.children)
    for name, value in above.items():
        data[name], children[name] = value, over.children[name]
        if name in below:
            data[name], children[name] = _merge_documents(value, over.children[name], below[name], under.children[name])
    return data, Branch(over.mark, children, {**under.keys, **over.keys})
