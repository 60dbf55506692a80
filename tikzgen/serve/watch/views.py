"""Views of figures for the page, frozen: the builder makes new views, the server only reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import Condition
from typing import Any, Literal

from tikzgen.base.plane import CM_PER_PT
from tikzgen.base.record import Record, as_dict, replace
from tikzgen.compile.build_figures import notes_of
from tikzgen.compile.draw import Unsupported, draw
from tikzgen.compile.formats_without_tex import draw_partly, drawn_svg
from tikzgen.edit.find_words import find_words
from tikzgen.lint.registry import Finding
from tikzgen.model.about import About
from tikzgen.serve.watch.click_and_drag import ElementBox
from tikzgen.serve.watch.form_fields import Field
from tikzgen.serve.watch.troubles import Trouble

_PAPER = re.compile(r"^\\definecolor\{paper\}\{HTML\}\{([0-9A-Fa-f]{6})\}", re.MULTILINE)


class WatchedPicture(Record):
    """A figure for the page: `width` and `height` are its true size in cm, `paper` its background color.

    `alt` describes it, in its `language` if that is known. `notes` list the parts that the layout merged or left out.
    `pdf` is empty until TeX has set it. A partial picture, of a file with code that needs TeX, `is_partial`.
    """

    data: bytes
    kind: str
    width: float
    height: float
    pdf: bytes
    paper: str = ""
    alt: str = ""
    language: str = ""
    notes: tuple[str, ...] = ()
    is_partial: bool = False

    def describe_for_page(self) -> dict[str, Any]:
        """Return its properties for the page, without its data."""
        size = {"width": round(self.width, 4), "height": round(self.height, 4)}
        words = {"paper": self.paper, "alt": self.alt, "language": self.language, "notes": list(self.notes)}
        return {**size, **words, "pdf": bool(self.pdf)}


def drawn_picture(source: str) -> WatchedPicture | None:
    """Return the picture drawn without TeX, in about 0.05 s, or None if it needs TeX."""
    try:
        data = drawn_svg(source, find_words(source), transparent=True)
    except Unsupported:
        return None
    left, bottom, right, top = draw(source).box
    return picture_of(source, "svg", data, (right - left, top - bottom), find_words(source))


def draw_partial_picture(source: str) -> WatchedPicture | None:
    """Return the partial picture without TeX, with boxes and notes for its gaps; None without a picture."""
    try:
        found = draw_partly(source, find_words(source), transparent=True)
    except Unsupported:
        return None
    made = picture_of(source, "svg", found.data, found.size, find_words(source), notes=found.notes)
    return replace(made, is_partial=True)


def picture_of(
    source: str,
    kind: str,
    data: bytes,
    size: tuple[float, float],
    words: About,
    *,
    pdf: bytes = b"",
    notes: Sequence[str] = (),
) -> WatchedPicture:
    """Return a picture of a figure's TeX, with its `size` in pt; `notes` follow the notes in the file."""
    width, height = (length * CM_PER_PT for length in size)
    told = (paper_of(source), words.alt, words.told_in or words.language, (*notes_of(source), *notes))
    return WatchedPicture(data, kind, width, height, pdf, *told)


def paper_of(source: str) -> str:
    """Return the background color of a figure, or an empty string."""
    found = _PAPER.search(source)
    return f"#{found[1]}" if found else ""


Status = Literal["waiting", "building", "ready", "failed"]


class FigureView(Record):
    """A figure: its picture or its errors, its findings, the fields of its form, its elements.

    `other` is the picture in the other palette, once it was requested. `number` grows with every change,
    `picture_number` with every picture. `pictured` is the first snapshot with the picture. `looked` states that
    findings and fields belong to the current file.
    """

    id: int
    name: str
    file: str
    status: Status = "waiting"
    number: int = 0
    picture: WatchedPicture | None = None
    picture_number: int = 0
    pictured: int = 0
    troubles: tuple[Trouble, ...] = ()
    findings: tuple[Finding, ...] = ()
    fields: tuple[Field, ...] = ()
    spots: tuple[ElementBox, ...] = ()
    other: WatchedPicture | None = None
    looked: bool = False

    def make_list_entry(self) -> dict[str, Any]:
        """Return its entry in the list of all figures."""
        facts = {name: getattr(self, name) for name in ("id", "name", "status", "number")}
        picture = self.picture_number if self.picture and not self.troubles else 0
        return {**facts, "findings": len(self.findings), "picture": picture}

    def describe_details(self) -> dict[str, Any]:
        """Return everything that the page shows of it."""
        picture = None if self.troubles else self.picture  # errors replace the picture
        return {
            **{name: getattr(self, name) for name in ("id", "name", "file", "status", "number", "looked")},
            "picture": picture and {"number": self.picture_number, **picture.describe_for_page()},
            "other": self.other and {"number": self.picture_number, **self.other.describe_for_page()},
            "troubles": [trouble.as_json() for trouble in self.troubles],
            "findings": [{**finding.as_json(), "text": str(finding)} for finding in self.findings],
            "fields": [as_dict(field) for field in self.fields],
            "spots": [spot.as_json() for spot in self.spots],
        }


class Snapshot(Record):
    """All views at one time, in the order of the list; `number` grows with every change of a view."""

    number: int = 0
    views: tuple[FigureView, ...] = ()
    notice: str = ""

    def find_view(self, id_: int) -> FigureView | None:
        """Return the view with that id, or None."""
        return next((view for view in self.views if view.id == id_), None)

    def list_new_pictures(self, told: int) -> Iterator[dict[str, Any]]:
        """Yield the drawings newer than a page's snapshot, so that the page need not request them."""
        for view in self.views:
            if view.picture and not view.troubles and view.pictured > told >= 0 and view.picture.kind == "svg":
                picture = {"number": view.picture_number, **view.picture.describe_for_page()}
                yield {"id": view.id, "picture": picture, "svg": view.picture.data.decode()}

    def make_overview(self, start: str) -> dict[str, Any]:
        """Return all figures with their status; `start` identifies this run of the server."""
        figures = [view.make_list_entry() for view in self.views]
        return {"start": start, "number": self.number, "notice": self.notice, "figures": figures}


class Board:
    """Holder of the newest snapshot, which wakes waiting threads."""

    def __init__(self) -> None:
        self._changed = Condition()
        self.now = Snapshot()
        self.closed = False

    def arrange(self, views: Iterable[FigureView], notice: str = "") -> None:
        """Set the figures and their order; known views stay unchanged."""
        with self._changed:
            known: Mapping[int, FigureView] = {view.id: view for view in self.now.views}
            listed = tuple(known.get(view.id, view) for view in views)
            if listed != self.now.views or notice != self.now.notice:
                self._publish(listed, notice)

    def change(self, id_: int, *, finished: bool = False, **facts: Any) -> None:
        """Replace the view of a figure; ignore a figure that is not listed any more.

        `finished` states that the picture is already shown, and now has its PDF.
        """
        with self._changed:
            old = self.now.find_view(id_)
            if old is None:
                return
            new = facts.get("picture") is not None and not finished
            picture = old.picture_number + new
            if new:
                facts |= {"other": None, "pictured": self.now.number + 1}
            changed = replace(old, **facts, number=old.number + 1, picture_number=picture)
            self._publish(tuple(changed if view.id == id_ else view for view in self.now.views), self.now.notice)

    def wait(self, after: int, seconds: float) -> Snapshot | None:
        """Return the newest snapshot once it is newer than `after`; None after a timeout or the end."""
        with self._changed:
            newer = self._changed.wait_for(lambda: self.closed or self.now.number > after, seconds)
            return self.now if newer and not self.closed else None

    def close(self) -> None:
        """Wake all waiting threads and end their waits."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def _publish(self, views: tuple[FigureView, ...], notice: str) -> None:
        self.now = Snapshot(self.now.number + 1, views, notice)
        self._changed.notify_all()
