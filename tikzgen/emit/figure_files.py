"""The two files of a figure, which protect manual edits, and the options of their render."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.base.errors import TikzgenError, read_error
from tikzgen.base.folders import lock_folder
from tikzgen.base.read_files import read_bounded
from tikzgen.base.record import NOTHING, Record
from tikzgen.base.write_files import write_files
from tikzgen.emit.changed_since_render import says_the_same
from tikzgen.emit.refuse_overwriting import ON_THE_COMMAND_LINE, OverwriteHints, refuse_overwriting
from tikzgen.spec.embedded_spec import entry_a_line, extract_spec, identity_of, layout_of
from tikzgen.spec.settings.house_style import STYLE, is_named_style

if TYPE_CHECKING:
    from tikzgen.emit.contract_for_programs import Contract
    from tikzgen.layout.scene import Scene
    from tikzgen.model.figure import FigureModel


_LAYOUT = '"layout": {'
"""Text in each file with a record of its layout."""


class Rendered(Record):
    """A finished figure: the text of `fig.tex` and the contents of `fig.meta.json`.

    `notes` list the parts that the layout merged or left out. `form` has the choices that the width made. `distances`
    are the distances of the figure, each with its lower bound in cm, or 0 if it has none. `scene` is missing in a
    figure that was read from its file.
    """

    tex: str
    metadata: dict[str, Any]
    notes: tuple[str, ...] = ()
    form: Mapping[str, Any] = NOTHING
    distances: Mapping[str, float] = NOTHING
    scene: Scene | None = None

    @property
    def contract(self) -> Contract | None:
        """The contract for programs."""
        from tikzgen.emit.own_contract import make_contract  # few commands need its models, which are slow to load

        return make_contract(self.scene.figure, self.scene) if self.scene is not None else None


def meta_path(path: Path) -> Path:
    """Return the path of a figure's metadata: `fig.meta.json` next to `fig.tex`."""
    return path.with_name(path.name.removesuffix(".tex") + ".meta.json")


def spelt_metadata(metadata: Mapping[str, Any]) -> str:
    """Return the metadata as the text of their file."""
    return entry_a_line(metadata) + "\n"


def write_figure(
    path: Path, tex: str, metadata: dict[str, Any], *, force: bool = False, ways: OverwriteHints = ON_THE_COMMAND_LINE
) -> bool:
    """Write a rendered figure and its metadata, both or neither; return False if both were up to date."""
    contents = {path: tex.encode(), meta_path(path): spelt_metadata(metadata).encode()}
    with lock_folder(path):
        return write_files(contents, expect={} if force else {path: refuse_overwriting(path, tex, ways)})


def list_changes(path: Path, rendered: Rendered) -> list[str]:
    """Return the changes that `write_figure` would make to both files, as lines of a unified diff.

    A different source of the same description (spec, options, operations) is not a change.
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


def keep_layout_of(tex: Path, figure: FigureModel) -> FigureModel:
    """Make a figure keep the layers of nodes in its existing file, unless it has a record of its own. Return it."""
    if figure.layout_record is not None:
        return figure
    from tikzgen.model.layout_record import read_layout_record  # loads Pydantic, which a cached render does not need

    return figure.keep_layout(read_layout_record(find_layout(tex)))


def find_layout(tex: Path) -> Mapping[str, Any]:
    """Return the data of the layout that a figure records; empty if there is no such figure."""
    try:
        text = read_bounded(tex, plain=True).decode("utf-8", "replace")
        data = json.loads(extract_spec(text) or "{}") if _LAYOUT in text else {}
    except (OSError, ValueError, RecursionError):
        return NOTHING
    return layout_of(data) if isinstance(data, dict) else NOTHING


def given_before(tex: Path) -> list[str]:
    """Return the options that a figure records from its render; empty if there is no such figure.

    A house style is included only for a built-in name, or for a file below the current folder.
    """
    from tikzgen.spec.parse_text import parse

    def is_near(style: str) -> bool:
        return style == "none" or is_named_style(style) or Path(style).resolve().is_relative_to(Path.cwd())

    try:
        found = extract_spec(read_bounded(tex, plain=True).decode("utf-8", "replace"))
        identity = identity_of(parse(found, str(tex)).data) if found else None
    except (OSError, TikzgenError):
        return []
    given = identity.given if identity else ()
    return [each for each in given if not each.startswith(STYLE) or is_near(each.removeprefix(STYLE))]
