"""What a figure says to somebody who does not see it: a title and a description, made from the model.

It is what screen readers read of an SVG, what PDF and PNG carry as metadata, and what a paper may give as `alt`.
"""

from __future__ import annotations

from tikzgen.base.record import Record

__all__ = ["WORDLESS", "About"]


class About(Record):
    """A title of a few words and a description of a few sentences, both in one line of plain text.

    `language` is the figure's, as BCP 47 spells it; empty where nobody said. `told_in` is the description's own, where
    tikzgen tells it and the figure has another.
    """

    title: str = ""
    description: str = ""
    language: str = ""
    told_in: str = ""
    fonts: str = ""
    """The fonts of the picture that tikzgen does not bring, by name and digest."""

    @property
    def alt(self) -> str:
        """Both together, as the text that stands for the picture; the title once where both say it."""
        if not self.title or not self.description or self.description.startswith(self.title):
            return self.description or self.title
        end = "" if self.title.endswith((".", "!", "?", "。")) else "."
        return f"{self.title}{end} {self.description}"


WORDLESS = About()
"""Where nothing is known of the figure."""
