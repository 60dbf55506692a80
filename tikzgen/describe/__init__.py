"""What a figure says to somebody who does not see it: a title and a description, made from the model.

It is what screen readers read of an SVG, what PDF and PNG carry as metadata, and what a paper may give as `alt`.
"""

from __future__ import annotations

from hashlib import sha256
from threading import Lock

from tikzgen.base.record import Record

__all__ = ["About", "remember", "remembered"]

_MOST = 256
_lock = Lock()
_recent: dict[bytes, About] = {}


class About(Record):
    """A title of a few words and a description of a few sentences, both in one line of plain text.

    `language` is the figure's, as BCP 47 spells it; empty where nobody said. `told_in` is the description's own, where
    tikzgen tells it and the figure has another.
    """

    title: str = ""
    description: str = ""
    language: str = ""
    told_in: str = ""

    @property
    def alt(self) -> str:
        """Both together, as the text that stands for the picture; the title once where both say it."""
        if not self.title or not self.description or self.description.startswith(self.title):
            return self.description or self.title
        end = "" if self.title.endswith((".", "!", "?", "。")) else "."
        return f"{self.title}{end} {self.description}"


def remember(tex: str, words: About) -> None:
    """Keep what the figure of a rendered file says, so that who builds it at once need not read its spec again."""
    with _lock:
        _recent[_digest(tex)] = words
        while len(_recent) > _MOST:
            del _recent[next(iter(_recent))]


def remembered(tex: str) -> About | None:
    """What this process rendered into that very text said; nothing where it did not, or long ago."""
    return _recent.get(_digest(tex))


def _digest(tex: str) -> bytes:
    return sha256(tex.encode("utf-8", "surrogatepass")).digest()
