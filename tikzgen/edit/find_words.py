"""Title and description of a .tex that tikzgen wrote, with manually changed labels."""

from __future__ import annotations

from functools import lru_cache

from tikzgen.base.errors import TikzgenError
from tikzgen.edit.lift.lifted_file import lift_file
from tikzgen.edit.own_figure import read_own
from tikzgen.emit.describe_figure import make_about
from tikzgen.model.about import About
from tikzgen.spec.embedded_spec import recorded_words


@lru_cache(maxsize=8)
def find_words(source: str) -> About:
    """Return title and description; empty if the .tex has no embedded spec. Never raises."""
    if found := recorded_words(source):
        return found
    try:
        return make_about(lift_file(read_own(source, "figure.tex", by_any_template=True)).said.drawn_figure)
    except TikzgenError:
        return About()
