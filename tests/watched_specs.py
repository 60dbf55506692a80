"""A spec for tests of `tikzgen watch`, a compiler that runs no TeX, and waiting for views."""

from __future__ import annotations

import time
from collections.abc import Callable

from tikzgen.base.cache import Cache
from tikzgen.base.errors import LatexError
from tikzgen.compile.make_formats import Settings
from tikzgen.compile.tex.compile_tex import Compiled
from tikzgen.edit.find_words import find_words
from tikzgen.serve.watch.server import PageServer
from tikzgen.serve.watch.views import FigureView

__all__ = ["COMPILED", "SETTINGS", "SPEC", "fake", "until", "view_of"]

SPEC = "# mine\nrecipe: data-parallel\nworkers: 3 # three\n"


COMPILED: list[str] = []


def fake(source: str, **options: object) -> Compiled:
    """A PDF of one empty page, without TeX."""
    COMPILED.append(source)
    if "bad TeX" in source:
        raise LatexError("Undefined control sequence \\foo", line=5, excerpt="\\foo")
    return Compiled(b"%PDF-1.4 /MediaBox [0 0 72 36] " + source.encode(), "", 0.0)


SETTINGS = Settings(find_words, compiler=fake, cache=Cache(None))


def until(holds: Callable[[], object], seconds: float = 120) -> None:
    """Wait for something that is to happen."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def view_of(server: PageServer) -> FigureView:
    (view,) = server.board.now.views
    return view
