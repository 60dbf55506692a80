"""What a .tex file says of itself: title and description of the figure that its spec inside describes."""

from __future__ import annotations

from tikzgen.base.errors import TikzgenError
from tikzgen.describe import About, remembered
from tikzgen.loading import loads
from tikzgen.tikz.embedded_spec import is_untouched, unseal


def words_in(source: str) -> About:
    """Title and description, with the texts that were changed by hand; empty where no spec is inside. Never raises."""
    if found := remembered(source):
        return found
    plain = source.replace("\r\n", "\n")
    inside = unseal(plain)
    if inside is None:
        return About()
    if not is_untouched(plain):
        return _folded(plain) or words_of_spec(inside)
    return words_of_spec(inside)


def words_of_spec(spec: str) -> About:
    """Title and description of the figure that a spec describes; empty where it describes none."""
    from tikzgen.describe.figures import about
    from tikzgen.layout import drawn

    try:
        return about(drawn(loads(spec)))
    except TikzgenError:
        return About()


def _folded(source: str) -> About | None:
    """Of a file that was edited by hand; nothing where another version of tikzgen wrote it."""
    from tikzgen.describe.figures import about
    from tikzgen.edit.hand_parameters import folded
    from tikzgen.edit.own_figure import read_own

    try:
        return about(folded(read_own(source, "figure.tex")).said.drawn)
    except TikzgenError:
        return None
