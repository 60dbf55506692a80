"""What the page shows of each figure, frozen: who builds makes new views, who serves only reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import Condition
from typing import Any, Literal

from tikzgen.base.plane import CM_PER_PT
from tikzgen.base.record import Record, as_dict, replace
from tikzgen.compile.build_figures import notes_of
from tikzgen.compile.draw import Unsupported, draw
from tikzgen.compile.formats_without_tex import drawn_svg
from tikzgen.edit.find_words import find_words
from tikzgen.lint.registry import Finding
from tikzgen.model.about import About
from tikzgen.serve.watch.click_and_drag import ElementBox
from tikzgen.serve.watch.form_fields import Field
from tikzgen.serve.watch.troubles import Trouble

_PAPER = re.compile(r"^\\definecolor\{paper\}\{HTML\}\{([0-9A-Fa-f]{6})\}", re.MULTILINE)


class WatchedPicture(Record):
    """A figure as the page shows it; `width` and `height` are true, in cm, `paper` is the colour below it.

    `alt` says what it shows, in its `language` where that is known, and `notes` what was merged or left out. `pdf` is
    empty as long as TeX sets it.
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

    def facts(self) -> dict[str, Any]:
        """What the page is told of it, beside its bytes."""
        size = {"width": round(self.width, 4), "height": round(self.height, 4)}
        words = {"paper": self.paper, "alt": self.alt, "language": self.language, "notes": list(self.notes)}
        return {**size, **words, "pdf": bool(self.pdf)}


def drawn_picture(source: str) -> WatchedPicture | None:
    """The picture as it is drawn without TeX, in some hundredths of a second; None where that takes TeX."""
    try:
        data = drawn_svg(source, find_words(source), transparent=True)
    except Unsupported:
        return None
    left, bottom, right, top = draw(source).box
    return picture_of(source, "svg", data, (right - left, top - bottom), find_words(source))


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
    """A picture of a figure's TeX, its `size` in pt; `notes` are told behind those in the file."""
    width, height = (length * CM_PER_PT for length in size)
    told = (paper_of(source), words.alt, words.told_in or words.language, (*notes_of(source), *notes))
    return WatchedPicture(data, kind, width, height, pdf, *told)


def paper_of(source: str) -> str:
    """The colour of the paper below a figure; empty where it names none."""
    found = _PAPER.search(source)
    return f"#{found[1]}" if found else ""


Status = Literal["waiting", "building", "ready", "failed"]


class FigureView(Record):
    """One figure: its picture, or the troubles in place of it; its findings, the fields of its form, its elements.

    `other` is the picture in the colours for the other paper, once somebody asked for it. `number` grows with every
    change, `picture_number` with every picture, which is there since the snapshot `pictured`. `looked` once what stands
    beside it belongs to the file as it stands.
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

    def overview(self) -> dict[str, Any]:
        """What the list of all figures tells of it."""
        facts = {name: getattr(self, name) for name in ("id", "name", "status", "number")}
        picture = self.picture_number if self.picture and not self.troubles else 0
        return {**facts, "findings": len(self.findings), "picture": picture}

    def details(self) -> dict[str, Any]:
        """Everything that the page shows of it."""
        picture = None if self.troubles else self.picture  # one stands in place of the other
        return {
            **{name: getattr(self, name) for name in ("id", "name", "file", "status", "number", "looked")},
            "picture": picture and {"number": self.picture_number, **picture.facts()},
            "other": self.other and {"number": self.picture_number, **self.other.facts()},
            "troubles": [trouble.as_json() for trouble in self.troubles],
            "findings": [{**finding.as_json(), "text": str(finding)} for finding in self.findings],
            "fields": [as_dict(field) for field in self.fields],
            "spots": [spot.as_json() for spot in self.spots],
        }


class Snapshot(Record):
    """All views at one moment, in the order of the list; `number` grows with every change of any."""

    number: int = 0
    views: tuple[FigureView, ...] = ()
    notice: str = ""

    def view(self, id_: int) -> FigureView | None:
        """The view of that id."""
        return next((view for view in self.views if view.id == id_), None)

    def pictures(self, told: int) -> Iterator[dict[str, Any]]:
        """The drawings that are newer than the snapshot that a page was told of, so that it need not ask for them."""
        for view in self.views:
            if view.picture and not view.troubles and view.pictured > told >= 0 and view.picture.kind == "svg":
                picture = {"number": view.picture_number, **view.picture.facts()}
                yield {"id": view.id, "picture": picture, "svg": view.picture.data.decode()}

    def overview(self, start: str) -> dict[str, Any]:
        """All figures with their status; `start` tells one run of the server from the next."""
        figures = [view.overview() for view in self.views]
        return {"start": start, "number": self.number, "notice": self.notice, "figures": figures}


class Board:
    """Holds the newest snapshot, and wakes those who wait for one."""

    def __init__(self) -> None:
        self._changed = Condition()
        self.now = Snapshot()
        self.closed = False

    def arrange(self, views: Iterable[FigureView], notice: str = "") -> None:
        """Say which figures there are, in which order; views that are known stay as they are."""
        with self._changed:
            known: Mapping[int, FigureView] = {view.id: view for view in self.now.views}
            listed = tuple(known.get(view.id, view) for view in views)
            if listed != self.now.views or notice != self.now.notice:
                self._publish(listed, notice)

    def change(self, id_: int, *, finished: bool = False, **facts: Any) -> None:
        """Make a new view of one figure; one that is not listed any more stays out.

        `finished`: its picture is the one that is shown already, with its PDF.
        """
        with self._changed:
            old = self.now.view(id_)
            if old is None:
                return
            new = facts.get("picture") is not None and not finished
            picture = old.picture_number + new
            if new:
                facts |= {"other": None, "pictured": self.now.number + 1}
            changed = replace(old, **facts, number=old.number + 1, picture_number=picture)
            self._publish(tuple(changed if view.id == id_ else view for view in self.now.views), self.now.notice)

    def wait(self, after: int, seconds: float) -> Snapshot | None:
        """The newest snapshot as soon as it is newer than `after`; None when the time is up, or all is over."""
        with self._changed:
            newer = self._changed.wait_for(lambda: self.closed or self.now.number > after, seconds)
            return self.now if newer and not self.closed else None

    def close(self) -> None:
        """Let all who wait go."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def _publish(self, views: tuple[FigureView, ...], notice: str) -> None:
        self.now = Snapshot(self.now.number + 1, views, notice)
        self._changed.notify_all()
