"""The page of `tikzgen upgrade`: old and new pictures of figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tikzgen.base.errors import FileRefused, read_error
from tikzgen.base.plain_words import count_of
from tikzgen.base.write_files import write_file
from tikzgen.compile.draw import Unsupported
from tikzgen.compile.formats_without_tex import draw_partly
from tikzgen.edit.find_words import find_words
from tikzgen.edit.upgrade import Upgrade, has_spec
from tikzgen.emit.figure_files import meta_path
from tikzgen.model.looks import PALETTES
from tikzgen.serve.pictures.compare import Change, DrawnSide, compare_all, count_lines
from tikzgen.serve.pictures.page import PageContents, fill_page
from tikzgen.serve.watch.views import paper_of
from tikzgen.texfile import decode, read_source

_GENERATOR = "tikzgen upgrade"
_TITLE = "Figures of earlier versions"
_LABELS = {"broken": "not upgraded", "changed": "outdated"}
_HEAD_BYTES = 400  # bytes with the name of the generator
_LEAD = (
    "Before: the file as it is. After: the file as this version of tikzgen draws it, with its manual edits. "
    "Both are drawn without TeX."
)


class UpgradePage:
    """The page of old and new pictures; it is mutable, because figures are added one at a time.

    `upgrades` are the upgrades by the names of their figures.
    """

    def __init__(self) -> None:
        self.upgrades: dict[str, Upgrade] = {}
        self._changes: list[Change] = []

    def add(self, upgrade: Upgrade) -> str:
        """Add a figure with its upgrade; return the changes in one line."""
        name = str(upgrade.path)
        before, after = (_draw_side(files, upgrade.path) for files in (upgrade.before, upgrade.after))
        change = compare_all({name: before}, {name: after})[0]
        self.upgrades[name] = upgrade
        self._changes.append(change)
        return _summarize_upgrade(upgrade, change)

    def add_refused(self, path: Path, reason: str) -> None:
        """Add a figure that is not upgraded for a reason, if tikzgen wrote it."""
        if path.is_file() and has_spec(path):
            before = _draw_side({path: read_source(path)}, path)
            self._changes.append(Change(str(path), "broken", before, DrawnSide(error=reason)))

    def write(self, path: Path) -> int:
        """Write the page and return the number of its figures; raise `FileRefused` for another file at the path."""
        refuse_other_page(path)
        notes = {name: tuple(_list_notes(upgrade)) for name, upgrade in self.upgrades.items()}
        page = PageContents(_GENERATOR, _TITLE, _TITLE, _LEAD, _LABELS, notes)
        write_file(path, fill_page(self._changes, page).encode())
        return len(self._changes)


def refuse_other_page(path: Path) -> None:
    """Raise `FileRefused` for a file that is not such a page, and would be lost."""
    try:
        with path.open("rb") as file:
            begins = file.read(_HEAD_BYTES)
    except FileNotFoundError:
        return
    except OSError as error:
        raise read_error(path, error) from None
    if f'content="{_GENERATOR}"'.encode() not in begins:
        raise FileRefused(f"{path}: not overwritten: tikzgen did not write this page", hint="-o writes elsewhere")


def _draw_side(files: Mapping[Path, bytes], path: Path) -> DrawnSide:
    """Return a file with its picture; `error` is the reason why it cannot be drawn."""
    tex = decode(files[path])
    metadata = decode(files.get(meta_path(path), b""))
    palette = "dark" if paper_of(tex).upper() == f"#{PALETTES['dark']['paper']}" else "light"
    try:
        picture = draw_partly(tex, find_words(tex))
    except Unsupported as error:
        return DrawnSide(tex, metadata, error=str(error))
    return DrawnSide(tex, metadata, {palette: picture.data.decode()})


def _summarize_upgrade(upgrade: Upgrade, change: Change) -> str:
    """Return the changes of an upgrade in one line."""
    lines = sum(sum(count_lines(text)) for text in change.differences.values())
    size = f" ({' → '.join(change.sizes)})" if len(change.sizes) > 1 else ""
    picture = f"the picture differs in {count_of(change.amount, 'element')}{size}" if change.amount else "same picture"
    parts = [
        "no picture" if change.errors else picture,
        f"{count_of(lines, 'line')} added or removed" if lines else "only records change",
    ]
    if upgrade.edited_lines:
        parts.append(f"keeps {count_of(upgrade.edited_lines, 'manually edited line')}")
    return "; ".join([*parts, *upgrade.deprecations])


def _list_notes(upgrade: Upgrade) -> list[str]:
    edits = [f"manual edit, now in the spec: {each}" for each in upgrade.operations]
    edits += [f"manual edit, kept in the .tex: {each}" for each in upgrade.kept]
    return [*edits, *upgrade.deprecations]
