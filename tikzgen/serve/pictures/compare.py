"""The comparison of two sides: changes of each figure, their size, and text differences."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from tikzgen.base.plane import CM_PER_PT
from tikzgen.base.record import NOTHING, Record

__all__ = ["STATUSES", "Change", "DrawnSide", "compare_all", "count_lines", "text_diff", "without_records"]

STATUSES = ("broken", "changed", "added", "removed", "unchanged")
_RECORD = '%   "tikzgen": {\n'
_RECORDS = re.compile(
    r'^%     "(?:version|metadata)": ".*\n'  # the metadata's text is compared itself
    r'|^%     "lines": \[\n(?:%       ".*\n)*%     \],?\n'
    r"|^% tikzgen digest: .*\n",
    re.MULTILINE,
)
_MARK = re.compile(r"\bt[0-9a-f]{8}-")
_BOX = re.compile(r'<svg [^>]*?viewBox="([^"]+)"')
_MOST = 400  # lines of a difference on the page


class DrawnSide(Record):
    """A figure on one side: its file, its metadata, pictures by palette; `error` is the reason for gaps."""

    tex: str = ""
    metadata: str = ""
    pictures: Mapping[str, str] = NOTHING
    error: str = ""


class Change(Record):
    """Changes of a figure.

    `moved` is the number of elements of the picture that are new, removed or different, by palette. `differences` are
    the text differences of the file and of its metadata, by their titles.
    """

    name: str
    status: str
    before: DrawnSide | None
    after: DrawnSide | None
    moved: Mapping[str, int] = NOTHING
    differences: Mapping[str, str] = NOTHING

    @property
    def kind(self) -> str:
        return self.name.rpartition("/")[0]

    @property
    def amount(self) -> int:
        """Number of changed elements, in the palette where most changed."""
        return max(self.moved.values(), default=0)

    @property
    def is_text_only(self) -> bool:
        return self.status == "changed" and not self.amount and not self.errors

    @property
    def errors(self) -> list[str]:
        return [side.error for side in (self.before, self.after) if side is not None and side.error]

    @property
    def palettes(self) -> list[str]:
        """Names of the palettes in which the figure changed, if not in every drawn palette."""
        found = [palette for palette, count in self.moved.items() if count]
        return found if len(found) < len(self.moved) else []

    @property
    def sizes(self) -> list[str]:
        """Width and height of the page in cm, before and after; one if they are equal."""
        pages = [_page_size(side) for side in (self.before, self.after) if side is not None]
        return list(dict.fromkeys(size for size in pages if size))


def without_records(tex: str) -> str:
    """Return a file without hashes of its contents: its digest, a hash per line, the metadata's digest."""
    head, mark, record = tex.rpartition(_RECORD)
    return head + mark + _RECORDS.sub("", record)


def compare_all(before: Mapping[str, DrawnSide], after: Mapping[str, DrawnSide]) -> list[Change]:
    """Return the changes of all figures: new errors first, then by the size of the change."""
    names = dict.fromkeys([*after, *before])
    changes = [_compare(name, before.get(name), after.get(name)) for name in names]
    return sorted(changes, key=lambda change: (STATUSES.index(change.status), -change.amount))


def _compare(name: str, before: DrawnSide | None, after: DrawnSide | None) -> Change:
    one, two = before or DrawnSide(), after or DrawnSide()
    palettes = dict.fromkeys([*one.pictures, *two.pictures])
    moved = {each: _count_changed_elements(one.pictures.get(each, ""), two.pictures.get(each, "")) for each in palettes}
    pairs = {"file": (without_records(one.tex), without_records(two.tex)), "metadata": (one.metadata, two.metadata)}
    texts = {title: text_diff(*pair) for title, pair in pairs.items() if pair[0] != pair[1]}
    if before is None or after is None:
        return Change(name, "added" if before is None else "removed", before, after, moved, {})
    if two.error and not one.error:
        return Change(name, "broken", before, after, {}, {})
    same = not texts and not any(moved.values()) and one.error == two.error
    return Change(name, "unchanged" if same else "changed", before, after, moved, texts)


def text_diff(before: str, after: str) -> str:
    """Return a unified difference, cut where it is long."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2))[2:]
    return "\n".join([*(line[:300] for line in lines[:_MOST]), *_note_rest(lines)])


def count_lines(difference: str) -> tuple[int, int]:
    """Return the numbers of added and removed lines of a difference."""
    lines = difference.splitlines()
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def _note_rest(lines: list[str]) -> Iterator[str]:
    if len(lines) > _MOST:
        yield f"@@ {len(lines) - _MOST} more lines @@"


def _count_changed_elements(before: str, after: str) -> int:
    """Return the number of different elements: removed or new ones, the larger number of both."""
    one, two = (Counter(_iterate_elements(svg)) for svg in (before, after))
    changed = max((one - two).total(), (two - one).total())
    return changed or int(_find_box(before) != _find_box(after))


def _iterate_elements(svg: str) -> Iterable[str]:
    """Yield the lines of a picture without its head and its title; ids without the mark of the picture."""
    return _MARK.sub("", svg.partition("<defs>")[2]).splitlines()


def _find_box(svg: str) -> str:
    found = _BOX.match(svg)
    return found[1] if found else ""


def _page_size(side: DrawnSide) -> str:
    for svg in side.pictures.values():
        _, _, width, height = (float(value) * CM_PER_PT for value in _find_box(svg).split())
        return f"{width:.2f} × {height:.2f} cm"
    return ""
