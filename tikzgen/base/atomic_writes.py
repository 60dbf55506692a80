"""Atomic replacement of several files: drafts in the same folder, then renames; rollback on failure.

The main function is `make_changes`.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, NoReturn

from tikzgen.base.errors import FileRefused, describe_os_error
from tikzgen.base.folders import Folder
from tikzgen.base.patterns import pattern_of

UNKNOWN_DIGEST = ""
"""Digest for any contents of a file."""

_DRAFT = pattern_of(r"\.tikzgen-[0-9a-f]{12}")
_DRAFT_AGE_SECONDS = 3600.0  # seconds
_AS_IT_IS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class FileChange:
    """Replacement of the contents of one file, with its draft and a backup for the rollback."""

    def __init__(self, path: Path, name: str, folder: Folder, data: bytes) -> None:
        self.path = path
        self._folder = folder
        self._name = name
        self._data = data
        self._draft, self._kept = draft_name(), draft_name()
        self._mode: int | None = None  # None if the file does not exist yet
        self._expected = False
        self._seen: tuple[int, ...] = ()
        self._moved = False

    def is_needed(self, expected: str | None) -> bool:
        """Return whether the file differs from the new data.

        `expected` is the SHA-256 digest of the file, None for a missing file, or `UNKNOWN_DIGEST` for any contents.
        Raise `FileRefused` if the file is not as expected, or not a regular file.
        """
        with report_os_errors(self.path):
            try:
                with open_plain(self._folder, self._name) as file:
                    facts = os.fstat(file.fileno())
                    self._mode, self._seen = stat.S_IMODE(facts.st_mode) & 0o777, _make_file_version(facts)
                    if expected == UNKNOWN_DIGEST and facts.st_size != len(self._data):
                        return True
                    held: str | None = file_digest(file, "sha256").hexdigest()
            except FileNotFoundError:
                held = None
        if expected not in (UNKNOWN_DIGEST, held):
            self._refuse_changed()
        self._expected = expected != UNKNOWN_DIGEST
        return held != sha256(self._data).hexdigest()

    def write_draft(self) -> None:
        """Write the data to a draft in the folder of the file and flush it to the disk."""
        with _create(self._folder, self._draft, 0o666 if self._mode is None else self._mode) as file:
            file.write(self._data)
            file.flush()
            if self._mode not in (None, stat.S_IMODE(os.fstat(file.fileno()).st_mode)):
                os.chmod(self._folder.spell_entry_path(self._draft), self._mode or 0, dir_fd=self._folder.fd)
            os.fsync(file.fileno())

    def keep(self) -> None:
        """Back up the file under a second name: a hard link, or a copy if links are not supported."""
        if self._mode is None:
            return
        at, fd = self._folder.spell_entry_path, self._folder.fd
        try:
            os.link(
                at(self._name),
                at(self._kept),
                src_dir_fd=fd,
                dst_dir_fd=fd,
                follow_symlinks=os.link not in os.supports_follow_symlinks,
            )
        except OSError:
            with open_plain(self._folder, self._name) as file, _create(self._folder, self._kept, self._mode) as copy:
                while part := file.read(1 << 20):
                    copy.write(part)

    def move(self) -> None:
        """Rename the draft to the file.

        Raise `FileRefused` if a process that does not use the lock changed the file since `is_needed`.
        """
        if self._expected and self._seen != self._version_now():
            self._refuse_changed()
        self._moved = True  # set before the rename, because an interrupt may happen in between
        try:
            self._rename(self._draft)
        except OSError:
            self._moved = False
            raise

    def sync(self) -> None:
        """Flush the folder, and with it the new name, to the disk."""
        self._folder.sync()

    def put_back(self) -> bool:
        """Undo `move` and return whether the old contents are restored."""
        try:
            if self._moved and self._mode is not None:
                self._rename(self._kept)
            elif self._moved:
                os.unlink(self._folder.spell_entry_path(self._name), dir_fd=self._folder.fd)
        except FileNotFoundError:
            return True  # the file was not renamed
        except OSError:
            return False
        return True

    def clear(self) -> None:
        """Remove the draft and the backup."""
        for name in (self._draft, self._kept):
            _remove(self._folder, name)

    def _refuse_changed(self) -> NoReturn:
        raise FileRefused(f"{self.path}: not overwritten: it changed after it was read", hint="read it again")

    def _version_now(self) -> tuple[int, ...]:
        try:
            return _make_file_version(
                os.stat(self._folder.spell_entry_path(self._name), dir_fd=self._folder.fd, follow_symlinks=False)
            )
        except FileNotFoundError:
            return ()

    def _rename(self, draft: str) -> None:
        fd = self._folder.fd
        os.replace(
            self._folder.spell_entry_path(draft),
            self._folder.spell_entry_path(self._name),
            src_dir_fd=fd,
            dst_dir_fd=fd,
        )


def make_changes(changes: list[FileChange]) -> None:
    """Write all drafts, then rename all of them. If one step fails, restore all files."""
    try:
        for step in (FileChange.write_draft, FileChange.keep, FileChange.move, FileChange.sync):
            for change in changes:
                with report_os_errors(change.path):
                    step(change)
    except BaseException as error:
        stuck = [str(change.path) for change in changes if not change.put_back()]
        if stuck and isinstance(error, FileRefused):
            raise FileRefused(f"{error.message}; what was written already stays: {', '.join(stuck)}") from None
        raise
    finally:
        for change in changes:
            change.clear()


@contextmanager
def report_os_errors(path: Path) -> Iterator[None]:
    """Raise `FileRefused` with the path for an error of the system inside."""
    try:
        yield
    except (FileExistsError, NotADirectoryError):
        raise FileRefused(f"cannot write {path}: its folder is a file") from None
    except OSError as error:
        raise FileRefused(f"cannot write {path}: {describe_os_error(error)}") from None
    except ValueError:
        raise FileRefused(f"cannot write {str(path)!r}: no file has a NUL in its name") from None


def open_plain(folder: Folder, name: str) -> BufferedReader:
    """Open a regular file of a folder for reading, without following links or blocking.

    Raise `OSError` if it is not a regular file.
    """
    facts = os.stat(folder.spell_entry_path(name), dir_fd=folder.fd, follow_symlinks=False)
    if not stat.S_ISREG(facts.st_mode):
        raise OSError(f"it is {'a folder' if stat.S_ISDIR(facts.st_mode) else 'no plain file'}")
    handle = os.open(
        folder.spell_entry_path(name), os.O_RDONLY | _AS_IT_IS | getattr(os, "O_NONBLOCK", 0), dir_fd=folder.fd
    )
    return os.fdopen(handle, "rb")


def _create(folder: Folder, name: str, mode: int) -> BinaryIO:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _AS_IT_IS
    return os.fdopen(os.open(folder.spell_entry_path(name), flags, mode, dir_fd=folder.fd), "wb")


def _make_file_version(facts: os.stat_result) -> tuple[int, ...]:
    """Return inode, size and modification time, which change with each write of the file."""
    return facts.st_ino, facts.st_size, facts.st_mtime_ns


def draft_name() -> str:
    """Return a random name for a draft.

    Its length does not depend on the name of the file, which may have the maximum length.
    """
    return f".tikzgen-{os.urandom(6).hex()}"


def remove_old_drafts(folder: Folder) -> None:
    """Remove drafts of killed runs.

    A process locks the folder in which it drafts, so drafts of other processes are leftovers. If the lock does not
    reach other machines, remove drafts that are older than one hour only.
    """
    with suppress(OSError):
        for name in folder.list_entries():
            if _DRAFT.fullmatch(name) and (folder.alone or _is_forgotten(folder, name)):
                _remove(folder, name)


def _is_forgotten(folder: Folder, name: str) -> bool:
    facts = os.stat(folder.spell_entry_path(name), dir_fd=folder.fd, follow_symlinks=False)
    return facts.st_mtime < time.time() - _DRAFT_AGE_SECONDS


def _remove(folder: Folder, name: str) -> None:
    with suppress(OSError):
        os.unlink(folder.spell_entry_path(name), dir_fd=folder.fd)
