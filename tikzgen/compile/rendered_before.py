"""Specs that were rendered before: what did not change is not read as a model again, let alone laid out."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.base.cache import Cache, cache_key, program_key
from tikzgen.base.files import read_bounded
from tikzgen.base.trust import is_trusted
from tikzgen.specfile.config_file import config_of, config_path, environment_settings
from tikzgen.specfile.house_style import STYLE, house_file
from tikzgen.specfile.source import stands_in_a_folder
from tikzgen.tikz.figure_files import Rendered

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure


def rendered(file: Path, figure: Callable[[], Figure], cache: Cache, *facts: object) -> Rendered:
    """The rendered figure that `file` describes: from the cache, or of what `figure` reads from it.

    What was rendered depends on the file's bytes, on this program, and on the `facts` that `figure` goes by. Figures
    with icons of other packages are rendered each time, and so is what comes through a pipe.
    """
    if cache.folder is None:
        return _drawn(figure())
    key = _key(file, facts)
    held = cache.get(key) if key else None
    if held is not None:
        tex, metadata, notes, form, distances = json.loads(held)
        return Rendered(tex, metadata, tuple(notes), form, distances)
    made = figure()
    result = _drawn(made)
    if key and _has_own_icons(made) and _key(file, facts) == key:  # else it was written while it was read
        kept = [result.tex, result.metadata, result.notes, dict(result.form), dict(result.distances)]
        cache.put(key, json.dumps(kept).encode())
        if key.startswith("0"):  # now and then: to look at all that is kept takes longer than to keep one
            cache.prune()
    return result


def _drawn(figure: Figure) -> Rendered:
    from tikzgen.tikz.render_figure import render  # what was rendered before takes no model and no template

    return render(figure)


def _key(file: Path, facts: tuple[object, ...]) -> str:
    """Empty where the file cannot be read, as reading it as a spec says; for a pipe, which is read but once; and where
    other files count."""
    try:
        if not file.is_file():
            return ""
        content = read_bounded(file)
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return ""
    lower = content.lower()
    if b".csv" in lower or b"trace" in lower or b"extends" in lower:
        return ""  # durations, traces and shared parts stand in other files
    digest = sha256(content).hexdigest()
    around = environment_settings(str(file))
    config = config_path(file.resolve().parent) if stands_in_a_folder(str(file)) else None
    facts = (*around, *facts, read_bounded(config) if config else b"")
    chosen = [str(fact).removeprefix(STYLE) for fact in facts if str(fact).startswith(STYLE)]
    style_here = config_of(str(file)).style if config and not chosen else None
    house = Path(chosen[-1]) if chosen else Path(style_here) if style_here else house_file(str(file))
    style = sha256(read_bounded(house)).hexdigest() if house and house.is_file() else ""
    return cache_key("rendered", program_key(), str(is_trusted()), file.name, digest, style, *map(str, facts))


def _has_own_icons(figure: Figure) -> bool:
    from tikzgen.icons import with_plugins

    return not with_plugins(figure, ())
