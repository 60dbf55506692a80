"""A file that tikzgen wrote: the description inside it, what tikzgen had written, and what a person changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tikzgen.edit.outcome import EditRefused
from tikzgen.record import Record

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure

__all__ = ["Own", "read_own"]


class Own(Record):
    """A file's text with plain line ends, what tikzgen wrote there (`base`), and the description inside (`data`).

    `metadata` is what tikzgen wrote beside it.
    """

    name: str
    text: str
    base: str
    data: dict[str, Any]
    figure: Figure
    metadata: dict[str, Any]

    @property
    def edited(self) -> bool:
        """Whether a person changed the file since."""
        return self.text != self.base


def read_own(text: str, name: str) -> Own:
    """Read a file that tikzgen wrote; `EditRefused` says why it is to be treated as somebody else's."""
    from tikzgen.errors import SpecError
    from tikzgen.loading import figure_of
    from tikzgen.rendering import render
    from tikzgen.rendering.capsule import FORMAT, digest_of, unseal
    from tikzgen.spec import parse

    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    inside = unseal(plain)
    if inside is None:
        raise EditRefused("no-spec", "carries no spec of tikzgen's")
    try:
        document = parse(inside, name)
        if document.data.get("tikzgen") != FORMAT:
            raise EditRefused("other-version", "carries a spec of another version of tikzgen")
        figure = figure_of(document)
        rendered = render(figure)
    except SpecError as error:
        raise EditRefused("spec-unreadable", f"carries a spec that cannot be read: {error.problems[0]}") from None
    if digest_of(rendered.tex) != digest_of(plain):
        raise EditRefused("other-version", "was written by another version of tikzgen, or with templates of one's own")
    return Own(name, plain, rendered.tex, dict(document.data), figure, rendered.metadata)
