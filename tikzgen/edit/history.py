"""Undo of the last edit: former contents of files in the cache folder of the user."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from tikzgen.base.errors import FileRefused
from tikzgen.base.folders import lock_folder
from tikzgen.base.read_files import read_bounded
from tikzgen.base.version_and_cache_folder import cache_folder
from tikzgen.base.write_files import write_cached, write_files

_STEP_LIMIT = 20  # steps that are kept for each figure


def remember(figure: Path, changes: Mapping[Path, tuple[bytes, bytes]]) -> None:
    """Record the contents of a figure's files before an edit.

    `changes` maps each file to its old and new contents. Without a cache folder, do not record them.
    """
    folder = _folder(figure)
    if folder is None:
        return
    step = [
        {"file": path.name, "before": b64encode(old).decode(), "after": sha256(new).hexdigest()}
        for path, (old, new) in changes.items()
    ]
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        steps = _steps(folder)
        number = int(steps[-1].stem) + 1 if steps else 1
        write_cached(folder / f"{number:08d}.json", json.dumps(step).encode())
        for old_step in steps[: max(0, len(steps) + 1 - _STEP_LIMIT)]:
            old_step.unlink(missing_ok=True)


def undo(figure: Path) -> None:
    """Restore the files of a figure; raise `FileRefused` without a step, or if a file changed since."""
    with lock_folder(figure):
        folder = _folder(figure)
        steps = _steps(folder) if folder else []
        if not steps:
            raise FileRefused(f"{figure}: no edit to undo")
        before, after = _read_step(steps[-1], figure)
        for path, digest in after.items():
            if _digest(path) != digest:
                raise FileRefused(f"{path}: not undone: it changed after its last edit")
        write_files(before, expect=after)
        steps[-1].unlink(missing_ok=True)


def _read_step(step: Path, figure: Path) -> tuple[dict[Path, bytes], dict[Path, str]]:
    """Read the former contents of a figure's files, and the digests of the contents written then."""
    try:
        entries = json.loads(step.read_bytes())
    except (OSError, ValueError):
        step.unlink(missing_ok=True)  # a crash left it damaged
        raise FileRefused(f"{figure}: what it held before its last edit is lost") from None
    paths = [figure.with_name(entry["file"]) for entry in entries]
    return (
        {path: b64decode(entry["before"]) for path, entry in zip(paths, entries, strict=True)},
        {path: entry["after"] for path, entry in zip(paths, entries, strict=True)},
    )


def _digest(path: Path) -> str:
    try:
        return sha256(read_bounded(path, plain=True)).hexdigest()
    except OSError:
        return ""


def _folder(figure: Path) -> Path | None:
    base = cache_folder()
    return base / "edits" / sha256(str(figure.resolve()).encode()).hexdigest()[:32] if base else None


def _steps(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json")) if folder.is_dir() else []
