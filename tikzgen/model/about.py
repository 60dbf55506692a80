"""Accessible text of a figure: a title and a description, computed from the model.

Screen readers read it in an SVG, PDF and PNG contain it as metadata, and a paper may use it as `alt`.
"""

from __future__ import annotations

from tikzgen.base.record import Record

__all__ = ["WORDLESS", "About"]


class About(Record):
    """A title of a few words and a description of a few sentences, each one line of plain text.

    `language` is the figure's language as a BCP 47 tag, or empty if it is not set. `told_in` is the language of the
    description, if tikzgen writes it and the figure has another language.
    """

    title: str = ""
    description: str = ""
    language: str = ""
    told_in: str = ""
    fonts: str = ""
    """Names and digests of the fonts in the picture that tikzgen does not include."""

    @property
    def alt(self) -> str:
        """Title and description as alternative text; the title is left out if the description begins with it."""
        if not self.title or not self.description or self.description.startswith(self.title):
            return self.description or self.title
        end = "" if self.title.endswith((".", "!", "?", "。")) else "."
        return f"{self.title}{end} {self.description}"


WORDLESS = About()
"""Value for a figure without a title, description or language."""
