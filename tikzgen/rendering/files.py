"""A figure's two files, never written over what a person edited."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.errors import FileRefused, refusal
from tikzgen.files import write_if_changed
from tikzgen.rendering.capsule import is_untouched

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure

__all__ = ["meta_path", "save", "spelt_metadata", "write_figure"]


def meta_path(path: Path) -> Path:
    """Where the metadata of a figure stands: `fig.meta.json` beside `fig.tex`."""
    return path.with_name(path.name.removesuffix(".tex") + ".meta.json")


def spelt_metadata(metadata: Mapping[str, Any]) -> str:
    """The metadata as they stand in their file."""
    return json.dumps(metadata, ensure_ascii=False, indent=2) + "\n"


def save(figure: Figure, path: Path, *, force: bool = False) -> Path:
    """Write `path` and its metadata; `FileRefused` if a person edited the file since, unless `force`."""
    from tikzgen.rendering import render

    rendered = render(figure)
    write_figure(path, rendered.tex, rendered.metadata, force=force)
    return path


def write_figure(path: Path, tex: str, metadata: dict[str, Any], *, force: bool = False) -> bool:
    """Write a rendered figure and its metadata; False where both stood there already."""
    if not force:
        _refuse_edited(path)
    meta = spelt_metadata(metadata)
    changed = [write_if_changed(path, tex.encode()), write_if_changed(meta_path(path), meta.encode())]
    return any(changed)


def _refuse_edited(path: Path) -> None:
    if path.exists() and not path.is_file():
        return  # writing refuses it; a pipe would be read without end
    try:
        text = path.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return
    except OSError as error:
        raise FileRefused(f"{path}: {refusal(error)}") from None
    if not is_untouched(text):
        reason = "was edited by hand" if "% tikzgen digest: " in text else "was not written by tikzgen"
        raise FileRefused(f"{path}: {reason}, so it is left alone", hint="--force overwrites it, -o writes elsewhere")
