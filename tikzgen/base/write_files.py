"""Atomic writes of the user's files: all of them or none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from errno import ELOOP
from pathlib import Path

from tikzgen.base.atomic_writes import (
    UNKNOWN_DIGEST,
    FileChange,
    draft_name,
    make_changes,
    remove_old_drafts,
    report_os_errors,
)
from tikzgen.base.errors import FileRefused
from tikzgen.base.folders import Folder, lock_resolved_folder
from tikzgen.base.read_files import folder_to_stay_in


def write_file(path: Path, data: bytes) -> bool:
    """Write `data` to one file, as `write_files` does."""
    return write_files({path: data})


def write_files(contents: Mapping[Path, bytes], *, expect: Mapping[Path, str | None] | None = None) -> bool:
    """Write all files or none, and return whether any file changed.

    `expect` maps a file to the SHA-256 digest that it had when it was read, in hexadecimal, or to None if it did not
    exist. Raise `FileRefused` if a file changed since, or cannot be written.

    Readers see the old file or the new one, even after a crash: all drafts are on the disk before the first rename. A
    file keeps its mode. A file that has the data already is not written, nor is anything except a regular file. A link
    is followed only to a file with the same suffix in its own folder, because `fig.pdf` in an untrusted folder may
    lead to any file of the user. Missing folders are created.
    """
    with ExitStack() as stack:
        places = {path: _resolve_target(path) for path in contents}
        folders: dict[Path, Folder] = {}
        for path, place in sorted(places.items(), key=lambda pair: pair[1].parent):  # one order: no deadlocks
            with report_os_errors(path):
                folders[place.parent] = stack.enter_context(lock_resolved_folder(place.parent))
        for folder in folders.values():
            remove_old_drafts(folder)
        found = [FileChange(path, places[path].name, folders[places[path].parent], contents[path]) for path in contents]
        changes = [each for each in found if each.is_needed((expect or {}).get(each.path, UNKNOWN_DIGEST))]
        make_changes(changes)
        return bool(changes)


def _resolve_target(path: Path) -> Path:
    """Resolve the path of a file to write and make its folder; raise `FileRefused` outside the allowed folder."""
    with report_os_errors(path):
        place, root = Path(os.path.realpath(path)), folder_to_stay_in()
        if path.is_symlink():
            if place.is_symlink():
                raise OSError(ELOOP, "links lead in a circle")
            away = "" if place.is_relative_to(os.path.realpath(path.parent)) else "outside its folder"
            away = away or ("a file of another kind" if place.suffix != path.suffix else "")
            if away:
                message = f"{path}: not overwritten: it is a link to {place}, {away}"
                raise FileRefused(message, hint="remove the link, or use -o")
        if root is not None and not place.is_relative_to(root):
            raise FileRefused(f"{path}: is outside {root}")
        place.parent.mkdir(parents=True, exist_ok=True)
        return place


def write_cached(path: Path, data: bytes) -> None:
    """Write reproducible data atomically, without waiting for the disk. Raise `OSError` on failure.

    After a crash the file may be damaged; readers must check it.
    """
    draft = path.with_name(draft_name())
    try:
        with draft.open("xb") as file:
            file.write(data)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
