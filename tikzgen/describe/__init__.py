"""What a figure says to somebody who does not see it: a title and a description, made from the model.

It is what screen readers read of an SVG, what PDF and PNG carry as metadata, and what a paper may give as `alt`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure

__all__ = ["About", "about"]


@dataclass(frozen=True, slots=True)
class About:
    """A title of a few words and a description of a few sentences, both in one line of plain text."""

    title: str = ""
    description: str = ""

    @property
    def alt(self) -> str:
        """Both together, as the text that stands for the picture; the title once where both say it."""
        if not self.title or self.description.startswith(self.title):
            return self.description or self.title
        end = "" if self.title.endswith((".", "!", "?", "。")) else "."
        return f"{self.title}{end} {self.description}".rstrip()


def about(figure: Figure) -> About:
    """Title and description of a figure: what its author wrote (`meta`), else what its parts tell. The same each time.

    >>> from tikzgen import recipes
    >>> about(recipes.data_parallel(workers=2)).description.partition(". ")[0]
    'Data-parallel training: 2 workers and a parameter server'
    """
    from tikzgen.describe.figures import described, titled

    return About(titled(figure), described(figure))
