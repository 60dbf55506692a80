"""A file that tikzgen wrote: the description inside it, what tikzgen had written, and what a person changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tikzgen.base.record import NOTHING, Record
from tikzgen.edit.outcome import EditRefused
from tikzgen.edit.spec_data import figure_of_data
from tikzgen.inventory.hand_edits import Written, edited_by_hand, written
from tikzgen.tikz.embedded_spec import split, unseal
from tikzgen.tikz.identity import FORMAT, Identity, hashes, identity_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tikzgen.model.figure import Figure
    from tikzgen.specfile import Document

__all__ = ["Own", "read_own"]


class Own(Record):
    """A file's text with plain line ends, the description inside (`data`) and what it made (`figure`).

    `identity` is what the file records of itself, `written` what tikzgen wrote there. `folded` are the parameters that
    a person changed and that `data` says now.
    """

    name: str
    text: str
    data: dict[str, Any]
    figure: Figure
    identity: Identity
    written: Written
    folded: Mapping[str, str] = NOTHING

    @property
    def edited(self) -> bool:
        """Whether a person changed the file since."""
        return edited_by_hand(self.text, self.written)

    @property
    def rows(self) -> list[str]:
        """The lines of the figure, as they stand."""
        return rows_of(split(self.text)[0])

    def first_rows(self) -> tuple[str, ...] | None:
        """The lines as tikzgen wrote them; rendered, where a person changed them; None where that gives others now."""
        if self.written.rows is not None:
            return self.written.rows
        from tikzgen.tikz import render

        rows = tuple(rows_of(split(render(self.figure).tex)[0]))
        return rows if hashes(rows) == self.written.lines else None


def _figure(document: Document, name: str) -> Figure:
    """What a description makes; read with its places where it makes nothing."""
    from tikzgen.loading import figure_of

    try:
        return figure_of_data(document.data, name)
    except EditRefused:
        return figure_of(document)


def read_own(text: str, name: str) -> Own:
    """Read a file that tikzgen wrote, any version of it; `EditRefused` says why it is to be treated as another's."""
    from tikzgen.base.errors import SpecError
    from tikzgen.specfile import parse
    from tikzgen.tikz import render

    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    inside = unseal(plain)
    if inside is None:
        raise EditRefused("no-spec", "carries no spec of tikzgen's")
    try:
        document = parse(inside, name)
        identity = identity_of(document.data)
        if identity is None:
            raise EditRefused("other-version", f"carries no spec of format {FORMAT} or an earlier one")
        if identity.templates:
            raise EditRefused("own-templates", "was rendered with templates of one's own")
        figure = _figure(document, name)
        found = written(plain, identity, lambda: render(figure).tex)
    except SpecError as error:
        raise EditRefused("spec-unreadable", f"carries a spec that cannot be read: {error.problems[0]}") from None
    return Own(name, plain, dict(document.data), figure, identity, found)
