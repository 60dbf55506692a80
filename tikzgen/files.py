"""Write a file whole or not at all, and only where its content changes."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from tikzgen.errors import FileRefused, refusal

__all__ = ["MAX_BYTES", "read_bounded", "replace_file", "replace_unchanged", "write_if_changed"]

MAX_BYTES = 8_000_000
"""No spec, figure or metadata is larger."""


def read_bounded(path: Path, *, plain: bool = False) -> bytes:
    """What a file holds; `OSError` if it cannot be read, or holds more than `MAX_BYTES` (a link to /dev/zero does).

    With `plain`, what is no file is refused, too: a pipe beside a figure would be waited for without end.
    """
    if plain and path.exists() and not path.is_file():
        raise OSError(f"{path} is no file")
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError(f"larger than {MAX_BYTES // 1_000_000} MB")
    return data


def write_if_changed(path: Path, data: bytes) -> bool:
    """Make `path` hold `data`; whether that took a write. A folder that is missing is made. `FileRefused` if not.

    What is no file is left alone: a pipe would be waited for without end, and a device is not to be replaced. A link to
    a file of another kind is refused: in a stranger's folder, `fig.pdf` may lead to anything of the reader's.
    """
    if path.suffix and path.is_symlink() and (led := Path(os.path.realpath(path))).suffix != path.suffix:
        raise FileRefused(f"{path}: is a link to {led}, so it is left alone", hint="remove the link, or use -o")
    try:
        if path.exists() and not path.is_file():
            raise FileRefused(f"cannot write {path}: it is {'a folder' if path.is_dir() else 'no plain file'}")
        with suppress(FileNotFoundError, NotADirectoryError):
            if path.read_bytes() == data:
                return False
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
    except RuntimeError:  # what Python said of such links before 3.13
        raise FileRefused(f"cannot write {path}: links lead in a circle") from None
    except (FileExistsError, NotADirectoryError):
        raise FileRefused(f"cannot write {path}: a file stands where its folder would be") from None
    except OSError as error:
        raise FileRefused(f"cannot write {path}: {refusal(error)}") from None
    return True


def replace_file(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write `data` beside `path` and move it there: a reader sees the old file or the new one. `OSError` if not.

    A link stays a link, and a file keeps its mode. The data are on the disk before the name is: a crash leaves one
    of the two whole. What is not `durable`, because it can be made again and tells by itself whether it is whole, does
    not wait for the disk.
    """
    place = path.resolve()
    draft = place.with_name(f".{place.name}.{os.urandom(6).hex()}")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            draft.chmod(place.stat().st_mode & 0o777)
        draft.replace(place)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def replace_unchanged(path: Path, data: bytes, read: str) -> bool:
    """Make `path` hold `data` if it still holds what was read; whether that took a write.

    `read` is the SHA-256 of what was read, in hexadecimal. `FileRefused` if the file changed since, is gone, or cannot
    be written; then nothing of it changed.
    """
    try:
        current = path.read_bytes()
        if sha256(current).hexdigest() != read:
            raise FileRefused(f"{path}: changed since it was read, so it is left alone", hint="read it again")
        if current == data:
            return False
        replace_file(path, data)
    except OSError as error:
        raise FileRefused(f"cannot write {path}: {refusal(error)}") from None
    return True
