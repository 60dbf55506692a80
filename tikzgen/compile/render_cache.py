"""Cache of rendered specs: an unchanged spec needs neither validation nor layout."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.base.cache import Cache, cache_key, program_key
from tikzgen.base.read_files import allowed_folders, is_in_state, record_files
from tikzgen.base.trust import is_trusted
from tikzgen.emit.figure_files import Rendered
from tikzgen.spec.settings.config_file import environment_settings

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel


_STATE_LIMIT = 8
"""Number of file states kept per spec, so that undoing a change needs no new render."""


def render_or_reuse(file: Path, figure: Callable[[], FigureModel], cache: Cache, *facts: object) -> Rendered:
    """Return the rendered figure of `file`, from the cache or from the result of `figure`.

    It depends on this program, on the `facts` that determine `figure`, and on every file that was read or looked for.
    The states of these files are recorded, and compared the next time. Figures with entries of other packages and specs
    from a pipe are rendered each time.

    Source: the verifying traces of Mokhov, Mitchell and Peyton Jones, "Build Systems à la Carte", 2018.
    """
    if cache.folder is None or not _is_plain(file):
        return _render_figure(figure())
    place = str(file.resolve())
    around = (*environment_settings(str(file)), *map(str, allowed_folders()))
    asked = cache_key("asked", program_key(), str(is_trusted()), str(file), place, *around, *map(str, facts))
    known: list[list[tuple[str, str]]] = json.loads(cache.get(asked) or b"[]")
    for states in known:
        if all(is_in_state(path, state) for path, state in states) and (
            held := cache.get(_make_render_key(asked, states))
        ):
            tex, metadata, notes, form, distances = json.loads(held)
            return Rendered(tex, metadata, tuple(notes), form, distances)
    with record_files() as read:
        made = figure()
    result = _render_figure(made)
    if _is_reusable(made) and not read.depends_on_packages:
        key = _make_render_key(asked, read.list_file_states())
        kept = [result.tex, result.metadata, result.notes, dict(result.form), dict(result.distances)]
        cache.store(key, json.dumps(kept).encode())
        cache.store(asked, json.dumps([read.list_file_states(), *known][:_STATE_LIMIT]).encode())
        if key.startswith("0"):  # for one key in 16, because pruning takes longer than storing
            cache.prune()
    return result


def _is_plain(file: Path) -> bool:
    try:
        return file.is_file()
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return False


def _render_figure(figure: FigureModel) -> Rendered:
    from tikzgen.emit.render_figure import render  # late: an earlier render needs neither model nor templates

    return render(figure)


def _make_render_key(asked: str, states: list[tuple[str, str]]) -> str:
    return cache_key("rendered", asked, *(part for pair in states for part in pair))


def _is_reusable(figure: FigureModel) -> bool:
    """Return whether the figure depends on no other package, whose changes would not be noticed."""
    from tikzgen.emit.render_figure import packages_needed
    from tikzgen.model.looks import with_plugins

    return not with_plugins(figure, ()) and not packages_needed(figure)
