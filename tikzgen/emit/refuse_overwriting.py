"""Protection of manual edits: which files may be overwritten, and hints for those files that may not."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from tikzgen.base.errors import FileRefused, describe_os_error, shorten_for_message
from tikzgen.base.read_files import read_bounded
from tikzgen.base.record import Record
from tikzgen.emit.changed_since_render import find_undone
from tikzgen.spec.embedded_spec import is_manually_edited, is_untouched


class OverwriteHints(Record):
    """Hints for files that are not overwritten.

    `edited` is for a manually edited file, `foreign` for a file of another origin, `unsaid` for a file with operations
    that the new figure lacks.
    """

    edited: str
    foreign: str
    unsaid: str


ON_THE_COMMAND_LINE = OverwriteHints(
    "--merge keeps them, --force discards them, -o writes elsewhere",
    "--force overwrites it, -o writes elsewhere",
    "`tikzgen pull` writes it to the spec, --force discards it",
)
IN_PYTHON = OverwriteHints(
    "save(…, merge=True) keeps them, force=True discards them",
    "save(…, force=True) overwrites it",
    "add it to the figure, or discard it with save(…, force=True)",
)


def refuse_undoing(path: Path, there: str, new: str, way: str) -> None:
    """Raise `FileRefused` if the file `there` has changes by operations that `new` lacks."""
    if lost := find_undone(there, new):
        change = shorten_for_message(lost[0]) + (f" and {len(lost) - 1} more" if lost[1:] else "")
        message = f"{path}: not overwritten: the spec lacks a change of `tikzgen edit`: {change}"
        raise FileRefused(message, hint=way)


def has_manual_edits(path: Path) -> bool:
    """Return whether a file is a figure of tikzgen with manual edits."""
    try:
        return is_manually_edited(read_bounded(path, plain=True).decode("utf-8", errors="replace"))
    except OSError:
        return False


def refuse_overwriting(path: Path, tex: str, ways: OverwriteHints) -> str | None:
    """Return the digest of a file that `tex` may replace, or None if the file does not exist.

    Raise `FileRefused` if the write would undo manual edits or operations.
    """
    try:
        data = read_bounded(path, plain=True)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileRefused(f"cannot write {path}: {describe_os_error(error)}") from None
    if not is_untouched(text := data.decode("utf-8", errors="replace")):
        ours = is_manually_edited(text)
        reason, way = (
            ("it has manual edits", ways.edited) if ours else ("tikzgen did not write this file", ways.foreign)
        )
        raise FileRefused(f"{path}: not overwritten: {reason}", hint=way)
    refuse_undoing(path, text, tex, ways.unsaid)
    return sha256(data).hexdigest()
