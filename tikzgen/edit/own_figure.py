"""A file that tikzgen wrote: the description inside it, what tikzgen had written, and what a person changed since."""

from __future__ import annotations

from collections.abc import Mapping

from tikzgen.base.errors import SpecError
from tikzgen.base.record import NOTHING, Record
from tikzgen.edit.outcome import EditRefused
from tikzgen.edit.said import Said, figure_of_data
from tikzgen.inventory.hand_edits import Written, edited_by_hand, written
from tikzgen.loading import figure_of
from tikzgen.model.figure import Figure
from tikzgen.specfile import Document, parse
from tikzgen.tikz import render
from tikzgen.tikz.embedded_spec import split, unseal
from tikzgen.tikz.identity import FORMAT, Identity, hashes, identity_of, rows_of

__all__ = ["Own", "read_own"]


class Own(Record):
    """A file's text with plain line ends, and the description inside (`first`) with the figure that it made.

    `identity` is what the file records of itself, `written` what tikzgen wrote there. `folded` are the parameters that
    a person changed and that `said` says now.
    """

    name: str
    text: str
    first: Said
    said: Said
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
        rows = tuple(rows_of(split(render(self.first.figure).tex)[0]))
        return rows if hashes(rows) == self.written.lines else None


def _figure(document: Document, name: str) -> Figure:
    """What a description makes; read with its places where it makes nothing."""
    try:
        return figure_of_data(document.data, name)
    except EditRefused:
        return figure_of(document)


def read_own(text: str, name: str) -> Own:
    """Read a file that tikzgen wrote, any version of it; `EditRefused` says why it is to be treated as another's."""
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
    said = Said(figure, name, identity.form if identity.version else None)
    return Own(name, plain, said, said, identity, found)
