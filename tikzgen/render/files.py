"""Writing files: whole or not at all, and never over what a person edited."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.errors import FileRefused
from tikzgen.render.capsule import is_untouched

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure

__all__ = ["meta_path", "save", "write_atomically", "write_figure"]


def meta_path(path: Path) -> Path:
    """Where the metadata of a figure stands: `fig.meta.json` beside `fig.tex`."""
    return path.with_name(path.name.removesuffix(".tex") + ".meta.json")


def save(figure: Figure, path: Path, *, force: bool = False) -> Path:
    """Write `path` and its metadata; `FileRefused` if a person edited the file since, unless `force`."""
    from tikzgen.render import render

    rendered = render(figure)
    write_figure(path, rendered.tex, rendered.metadata, force=force)
    return path


def write_figure(path: Path, tex: str, metadata: dict[str, Any], *, force: bool = False) -> bool:
    """Write a rendered figure and its metadata; False where both stood there already."""
    if not force:
        _refuse_edited(path)
    meta = json.dumps(metadata, ensure_ascii=False, indent=2) + "\n"
    changed = [write_atomically(path, tex), write_atomically(meta_path(path), meta)]
    return any(changed)


def _refuse_edited(path: Path) -> None:
    try:
        text = path.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return
    except OSError as error:
        raise FileRefused(f"{path}: {error.strerror}") from None
    if not is_untouched(text):
        reason = "was edited by hand" if "% tikzgen digest: " in text else "was not written by tikzgen"
        raise FileRefused(f"{path}: {reason}, so it is left alone", hint="--force overwrites it, -o writes elsewhere")


def write_atomically(path: Path, text: str) -> bool:
    """Replace a file in one step, keeping its mode and following links; False where it says this already."""
    target = Path(os.path.realpath(path))
    data = text.encode()
    try:
        if target.read_bytes() == data:
            return False
    except FileNotFoundError:
        pass
    except OSError as error:
        raise FileRefused(f"{path}: {error.strerror}") from None
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).chmod(mode)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileRefused(f"{path}: cannot be written: {error.strerror}", hint="does the folder exist?") from None
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
