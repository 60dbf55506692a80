"""One step back: what files held before the last edit, kept in the user's cache folder."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from tikzgen.cache import cache_folder
from tikzgen.errors import FileRefused
from tikzgen.files import write_if_changed

__all__ = ["remember", "undo"]

_KEPT = 20  # steps for each figure


def remember(figure: Path, changes: Mapping[Path, tuple[bytes, bytes]]) -> None:
    """Keep what the files of a figure held, before they are made to hold something else.

    `changes` gives, for each file, what it holds and what it will hold. A user without a cache folder goes without.
    """
    folder = _folder(figure)
    if folder is None:
        return
    steps = _steps(folder)
    number = int(steps[-1].stem) + 1 if steps else 1
    step = [
        {"file": path.name, "before": b64encode(old).decode(), "after": sha256(new).hexdigest()}
        for path, (old, new) in changes.items()
    ]
    write_if_changed(folder / f"{number:08d}.json", json.dumps(step).encode())
    for old_step in steps[: max(0, len(steps) + 1 - _KEPT)]:
        old_step.unlink(missing_ok=True)


def undo(figure: Path) -> None:
    """Give the files of a figure back what they held; `FileRefused` where none is kept or one was changed since."""
    folder = _folder(figure)
    steps = _steps(folder) if folder else []
    if not steps:
        raise FileRefused(f"{figure}: there is no edit to undo")
    step = json.loads(steps[-1].read_bytes())
    for entry in step:
        path = figure.with_name(entry["file"])
        if not path.exists() or sha256(path.read_bytes()).hexdigest() != entry["after"]:
            raise FileRefused(f"{path}: was changed since its last edit, so that is not undone")
    for entry in step:
        write_if_changed(figure.with_name(entry["file"]), b64decode(entry["before"]))
    steps[-1].unlink(missing_ok=True)


def _folder(figure: Path) -> Path | None:
    base = cache_folder()
    return base / "edits" / sha256(str(figure.resolve()).encode()).hexdigest()[:32] if base else None


def _steps(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json")) if folder.is_dir() else []
