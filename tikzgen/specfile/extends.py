"""What a spec takes over from others: `extends: shared.yaml`, or several, of which a later one goes over an earlier."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tikzgen.base.errors import Problem, SpecError, quoted
from tikzgen.base.files import is_there
from tikzgen.base.record import replace
from tikzgen.specfile.document import Branch, Document, Mark, Places, Tree

EXTENDS = "extends"
_DEEPEST = 8
Read = Callable[[Path], Document]
"""Reads a file as it stands."""


def with_shared(document: Document, read: Read, chain: tuple[Path, ...] = ()) -> Document:
    """The description with what it extends below it: of mappings each field counts, anything else counts as a whole.

    `FileRefused` where a file cannot be read. `SpecError` where there is no such file where the paper stands, or it
    extends itself in the end.
    """
    if EXTENDS not in document.data:
        return document
    made = None
    for path in _files(document, chain):
        found = with_shared(read(path), read, (*chain, path.resolve()))
        below = replace(found, places=Places(document.name, _away(found.places.tree, found.name)))
        made = _over(below, made) if made else below
    own = {name: value for name, value in document.data.items() if name != EXTENDS}
    above = replace(document, data=own)
    return _over(above, made) if made else above


def files_of(document: Document) -> tuple[Path, ...]:
    """The files that a description names there, whether or not they are there."""
    named = document.data.get(EXTENDS, ())
    named = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    return tuple(Path(document.name).parent / each for each in named if isinstance(each, str))


def _files(document: Document, chain: tuple[Path, ...]) -> Iterator[Path]:
    named, folder = document.data[EXTENDS], Path(document.name).parent
    several = isinstance(named, list)
    for index, name in enumerate(named if several else [named]):
        path = (EXTENDS, index) if several else (EXTENDS,)
        message, hint = "", "a name such as shared.yaml, as seen from this file"
        if not isinstance(name, str) or not name:
            message = "should be the name of a spec"
        elif document.name.startswith("<") or document.name.endswith(".tex"):
            message, hint = "only a spec in a file extends others", "--stdin-filename says where standard input stands"
        elif (folder / name).resolve() in (*chain, Path(document.name).resolve()):
            message, hint = f"{quoted(name)} extends itself in the end", "leave it out in one of them"
        elif len(chain) >= _DEEPEST:
            message = f"more than {_DEEPEST} specs extend each other"
        elif not (folder / name).resolve().is_relative_to(_paper(folder)) or not is_there(folder / name):
            message = f"{quoted(name)} is no file of this paper"
        if message:
            where = f"{EXTENDS}[{index}]" if several else EXTENDS
            raise SpecError([Problem(message, where, document.places.value(path), hint)])
        yield folder / name


def _paper(folder: Path) -> Path:
    """The folder in which the repository begins, or the one given, where there is none."""
    here = folder.resolve()
    return next((each for each in (here, *here.parents) if os.path.lexists(each / ".git")), here)


def _away(tree: Tree, file: str) -> Tree:
    """Marks that tell the file, too."""

    def moved(mark: Mark) -> Mark:
        return (file, *mark) if isinstance(mark, tuple) and len(mark) == 2 else mark

    if not isinstance(tree, Branch):
        return moved(tree)
    parts = tree.children
    children: Any = (
        {name: _away(part, file) for name, part in parts.items()}
        if isinstance(parts, dict)
        else [_away(part, file) for part in parts]
    )
    return Branch(moved(tree.mark), children, {name: moved(mark) for name, mark in tree.keys.items()})


def _over(above: Document, below: Document) -> Document:
    data, tree = _merged(above.data, above.places.tree, below.data, below.places.tree)
    return replace(above, data=data, places=Places(above.name, tree))


def _merged(above: Any, over: Tree, below: Any, under: Tree) -> tuple[Any, Tree]:
    if not (
        isinstance(above, dict) and isinstance(below, dict) and isinstance(over, Branch) and isinstance(under, Branch)
    ):
        return above, over
    data, children = dict(below), dict(under.children)
    for name, value in above.items():
        data[name], children[name] = value, over.children[name]
        if name in below:
            data[name], children[name] = _merged(value, over.children[name], below[name], under.children[name])
    return data, Branch(over.mark, children, {**under.keys, **over.keys})
