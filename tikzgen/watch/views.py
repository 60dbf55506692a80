"""What the page shows of each figure, frozen: who builds makes new views, who serves only reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from threading import Condition
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from tikzgen.lint import Finding
    from tikzgen.watch.form_fields import Field
    from tikzgen.watch.making import Picture
    from tikzgen.watch.troubles import Trouble

__all__ = ["Board", "Snapshot", "Status", "View"]

Status = Literal["waiting", "building", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class View:
    """One figure: its picture, or the troubles in place of it; its findings and the fields of its form.

    `number` grows with every change, `picture_number` with every picture. `looked` once findings and fields belong to
    the file as it stands.
    """

    id: int
    name: str
    file: str
    status: Status = "waiting"
    number: int = 0
    picture: Picture | None = None
    picture_number: int = 0
    troubles: tuple[Trouble, ...] = ()
    findings: tuple[Finding, ...] = ()
    fields: tuple[Field, ...] = ()
    looked: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All views at one moment, in the order of the list; `number` grows with every change of any."""

    number: int = 0
    views: tuple[View, ...] = ()
    notice: str = ""

    def view(self, id_: int) -> View | None:
        """The view of that id."""
        return next((view for view in self.views if view.id == id_), None)


class Board:
    """Holds the newest snapshot, and wakes those who wait for one."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._snapshot = Snapshot()
        self._closed = False

    @property
    def now(self) -> Snapshot:
        """The newest snapshot."""
        return self._snapshot

    @property
    def closed(self) -> bool:
        """Whether nothing will change any more."""
        return self._closed

    def arrange(self, views: Iterable[View], notice: str = "") -> None:
        """Say which figures there are, in which order; views that are known stay as they are."""
        with self._changed:
            known: Mapping[int, View] = {view.id: view for view in self._snapshot.views}
            listed = tuple(known.get(view.id, view) for view in views)
            if listed != self._snapshot.views or notice != self._snapshot.notice:
                self._publish(listed, notice)

    def change(self, id_: int, **facts: Any) -> None:
        """Make a new view of one figure; one that is not listed any more stays out."""
        with self._changed:
            old = self._snapshot.view(id_)
            if old is None:
                return
            picture = old.picture_number + ("picture" in facts and facts["picture"] is not None)
            new = replace(old, **facts, number=old.number + 1, picture_number=picture)
            listed = tuple(new if view.id == id_ else view for view in self._snapshot.views)
            self._publish(listed, self._snapshot.notice)

    def wait(self, after: int, seconds: float) -> Snapshot | None:
        """The newest snapshot as soon as it is newer than `after`; None when the time is up, or all is over."""
        until = monotonic() + seconds
        with self._changed:
            while self._snapshot.number <= after and not self._closed:
                left = until - monotonic()
                if left <= 0 or not self._changed.wait(left):
                    return None
            return None if self._closed else self._snapshot

    def close(self) -> None:
        """Let all who wait go."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _publish(self, views: tuple[View, ...], notice: str) -> None:
        self._snapshot = Snapshot(self._snapshot.number + 1, views, notice)
        self._changed.notify_all()
