"""One step back: what a file held before the last edit, kept in the user's cache folder."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from tikzgen.cache import cache_folder
from tikzgen.errors import FileRefused
from tikzgen.files import write_if_changed

__all__ = ["forget", "remember", "restore"]

_KEPT = 20  # steps for each file


def _folder(path: Path) -> Path | None:
    base = cache_folder()
    return base / "undo" / sha256(str(path.resolve()).encode()).hexdigest()[:32] if base else None


def remember(path: Path, before: bytes, after: bytes) -> None:
    """Keep what `path` held before it is made to hold `after`; a user without a cache folder goes without."""
    folder = _folder(path)
    if folder is None or before == after:
        return
    steps = _steps(folder)
    number = int(steps[-1].name.partition("-")[0]) + 1 if steps else 1
    # the name tells what the file must hold for the step to fit
    write_if_changed(folder / f"{number:08d}-{sha256(after).hexdigest()[:32]}", before)
    for old in steps[: max(0, len(steps) + 1 - _KEPT)]:
        old.unlink(missing_ok=True)


def restore(path: Path) -> bytes:
    """What `path` held before its last edit; `FileRefused` where nothing is kept or the file was changed since."""
    folder = _folder(path)
    steps = _steps(folder) if folder else []
    if not steps:
        raise FileRefused(f"{path}: there is no edit to undo")
    now = sha256(path.read_bytes()).hexdigest()[:32]
    if steps[-1].name.partition("-")[2] != now:
        raise FileRefused(f"{path}: was changed since its last edit, so that is not undone")
    return steps[-1].read_bytes()


def forget(path: Path) -> None:
    """Drop the last step, once it is undone."""
    folder = _folder(path)
    if folder and (steps := _steps(folder)):
        steps[-1].unlink(missing_ok=True)


def _steps(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []
