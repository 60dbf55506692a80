"""Entries of contents by their names: spans, moments, arrows, messages, lifelines, workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator

from tikzgen.base.errors import EditRefused, quoted
from tikzgen.base.record import Record
from tikzgen.base.suggest import suggestion
from tikzgen.model.base import Id, Part
from tikzgen.model.content import Content
from tikzgen.model.figure import Figure
from tikzgen.model.operations.parts_of_figures import Renames, changed_parts, copied, parts

Pairs: TypeAlias = Sequence[tuple[Any, Any]]
"""Entries, each as it was and as it is: None where it was or is not."""
_MANY = 12  # names that a message lists


Ids = Annotated[
    list[Id],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value, json_schema_input_type=Id | list[Id]),
]
"""The id of one entry, or of several."""


def ids(entries: Sequence[Any]) -> list[str]:
    """The ids of entries that all have one."""
    return [one.id for one in entries]


class Named(Record):
    """The entries that a `field` of a kind of content holds, and their names, one each.

    `remade` makes the content with other entries, and says what is called otherwise in it; the entries are exchanged
    where it is left out. `otherwise` is the way out where there are none.
    """

    content: type[Content]
    field: str
    what: str
    names: Callable[[Any], list[str]]
    remade: Callable[[Any, Pairs], tuple[Any, Renames]] | None = None
    otherwise: str = ""

    def known(self, figure: Figure) -> list[str]:
        """The names that a figure has, each once."""
        return list(dict.fromkeys(name for _, part in parts(figure, self.content) for name in self.names(part)))

    def listed(self, figure: Figure) -> str:
        """The same in a message."""
        known = self.known(figure)
        return f"the {self.what}s are {', '.join(known)}" if known else self.otherwise

    def near(self, figure: Figure, name: str) -> str:
        """The name that was meant, or those that there are."""
        known = self.known(figure)
        return suggestion(name, known, f"the {self.what}s are", most=_MANY) if known else self.otherwise

    def changed(self, figure: Figure, name: str, change: Callable[[Any], Part | None], called: str = "") -> Figure:
        """The figure with the entry changed wherever there is one of this name, or without it where that gives None."""

        def other(part: Content) -> tuple[Content, Renames] | None:
            names = self.names(part)
            if name not in names:
                return None
            held = zip(getattr(part, self.field), names, strict=True)
            pairs = [(one, change(one) if own == name else one) for one, own in held]
            if self.remade:
                return self.remade(part, pairs)
            return copied(part, **{self.field: [new for _, new in pairs if new is not None]}), {}

        made = changed_parts(figure, self.content, other)
        if made is None:
            message = f"there is no {self.what} {called or quoted(name)}"
            raise EditRefused(f"no-{self.what}", message, nearest=self.near(figure, name))
        return made
