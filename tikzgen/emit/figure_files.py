"""A figure's two files, never written over what a person edited; and the options that they were rendered with."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path
from typing import Any

from tikzgen.base.errors import TikzgenError, read_error
from tikzgen.base.folders import lock_folder
from tikzgen.base.read_files import read_bounded
from tikzgen.base.record import NOTHING, Record
from tikzgen.base.write_files import write_files
from tikzgen.emit.changed_since_render import says_the_same
from tikzgen.emit.refuse_overwriting import ON_THE_COMMAND_LINE, OverwriteHints, refuse_overwriting
from tikzgen.spec.embedded_spec import entry_a_line, identity_of, unseal
from tikzgen.spec.settings.house_style import STYLE, is_named_style


class Rendered(Record):
    """A finished figure: the text of `fig.tex` and the contents of `fig.meta.json`.

    `notes` say what was merged or left out, so that the figure could be drawn at all. `form` is what its width chose,
    `distances` are those that it has, each with the shortest in cm at which nothing overlaps, 0 where none is known.
    """

    tex: str
    metadata: dict[str, Any]
    notes: tuple[str, ...] = ()
    form: Mapping[str, Any] = NOTHING
    distances: Mapping[str, float] = NOTHING


def meta_path(path: Path) -> Path:
    """Where the metadata of a figure stands: `fig.meta.json` beside `fig.tex`."""
    return path.with_name(path.name.removesuffix(".tex") + ".meta.json")


def spelt_metadata(metadata: Mapping[str, Any]) -> str:
    """The metadata as they stand in their file."""
    return entry_a_line(metadata) + "\n"


def write_figure(
    path: Path, tex: str, metadata: dict[str, Any], *, force: bool = False, ways: OverwriteHints = ON_THE_COMMAND_LINE
) -> bool:
    """Write a rendered figure and its metadata, both or none; False where both stood there already."""
    contents = {path: tex.encode(), meta_path(path): spelt_metadata(metadata).encode()}
    with lock_folder(path):
        return write_files(contents, expect={} if force else {path: refuse_overwriting(path, tex, ways)})


def changes(path: Path, rendered: Rendered) -> list[str]:
    """What `write_figure` would change in a .tex and its metadata, as lines of a unified diff.

    Who said it is none: the spec, options over that, or operations.
    """
    wanted = {path: rendered.tex, meta_path(path): spelt_metadata(rendered.metadata)}
    found: list[str] = []
    for file, text in wanted.items():
        try:
            held = read_bounded(file, plain=True).decode("utf-8", "replace")
        except FileNotFoundError:
            held = ""
        except OSError as error:
            raise read_error(file, error) from None
        if not says_the_same(held, text):
            found += unified_diff(held.splitlines(True), text.splitlines(True), str(file), str(file))
    return found


def given_before(tex: Path) -> list[str]:
    """The options that a figure was rendered with, as it records them; none where there is no such figure.

    A house style counts where it ships, or is a file below the folder that this runs in.
    """
    from tikzgen.spec.parse_text import parse

    def is_near(style: str) -> bool:
        return style == "none" or is_named_style(style) or Path(style).resolve().is_relative_to(Path.cwd())

    try:
        found = unseal(read_bounded(tex, plain=True).decode("utf-8", "replace"))
        identity = identity_of(parse(found, str(tex)).data) if found else None
    except (OSError, TikzgenError):
        return []
    given = identity.given if identity else ()
    return [each for each in given if not each.startswith(STYLE) or is_near(each.removeprefix(STYLE))]
