"""Write the user's files: all of them or none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from errno import ELOOP
from pathlib import Path

from tikzgen.base.atomic_writes import UNKNOWN_DIGEST, FileChange, draft_name, make_changes, report_os_errors, sweep
from tikzgen.base.errors import FileRefused
from tikzgen.base.folders import Folder, hold
from tikzgen.base.read_files import folder_to_stay_in


def write_file(path: Path, data: bytes) -> bool:
    """Make one file hold `data`, as `write_files` does."""
    return write_files({path: data})


def write_files(contents: Mapping[Path, bytes], *, expect: Mapping[Path, str | None] | None = None) -> bool:
    """Make files hold what `contents` says, all of them or none; whether that took a write. `FileRefused` if not.

    `expect` gives the SHA-256 of what a file held when it was read, in hexadecimal, or nothing where there was no file:
    one that changed since is not replaced. A reader sees the old file or the new one, and so does who looks after a
    crash: the drafts are on the disk before the first of them is moved. A file keeps its mode, one that holds its data
    already is left alone, and so is what is no plain file. A link stays a link, and is followed to a file of the
    same kind in its own folder only: in a stranger's folder, `fig.pdf` may lead to anything of the reader's.
    Folders that are missing are made.
    """
    with ExitStack() as stack:
        places = {path: _resolve_target(path) for path in contents}
        folders: dict[Path, Folder] = {}
        for path, place in sorted(places.items(), key=lambda pair: pair[1].parent):  # outer ones first, as everybody
            with report_os_errors(path):
                folders[place.parent] = stack.enter_context(hold(place.parent))
        for folder in folders.values():
            sweep(folder)
        found = [FileChange(path, places[path].name, folders[places[path].parent], contents[path]) for path in contents]
        changes = [each for each in found if each.differs((expect or {}).get(each.path, UNKNOWN_DIGEST))]
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
                message = f"{path}: is a link to {place}, {away}, so it is left alone"
                raise FileRefused(message, hint="remove the link, or use -o")
        if root is not None and not place.is_relative_to(root):
            raise FileRefused(f"{path}: lies outside {root}")
        place.parent.mkdir(parents=True, exist_ok=True)
        return place


def write_cached(path: Path, data: bytes) -> None:
    """Write what can be made again: whole or not at all, and nothing more. `OSError` if not.

    The disk is not waited for: after a crash such a file may be damaged, and who reads it has to tell.
    """
    draft = path.with_name(draft_name())
    try:
        with draft.open("xb") as file:
            file.write(data)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
