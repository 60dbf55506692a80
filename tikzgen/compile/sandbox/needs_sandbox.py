"""Decision about the sandbox: figures with TeX from a user are compiled in a sandbox only.

The origin of the file does not matter. This is the only module that decides. Code that runs TeX on a figure gets the
sandbox here and passes it on.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.base.cache import Cache, cache_key, program_key
from tikzgen.base.errors import FileRefused, Place, TikzgenError, format_path
from tikzgen.base.trust import is_trusted
from tikzgen.compile.sandbox.sandbox import ProcessSandbox, find_cell, why_no_cell
from tikzgen.compile.tex.install import InstallNeed, install_line, this_system
from tikzgen.spec.document import Document
from tikzgen.spec.embedded_spec import extract_spec, is_untouched
from tikzgen.spec.read_document import read_document

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel


_OWN_MARK = b"own"

_Path = tuple[str | int, ...]


def cell_for(
    source: str,
    name: str,
    *,
    file: Path | None = None,
    found: bool = True,
    trust: bool = False,
    cache: Cache | None = None,
) -> ProcessSandbox | None:
    """Return the sandbox for the TeX of a figure, or None if it needs none or has `trust`.

    It needs one if it was `found` and differs from tikzgen's output, or if its description has raw TeX. Messages use
    `name`, and the location in `file`, its source. `cache` keeps results for tikzgen's own figures.

    If there is no sandbox for it, raise `FileRefused` with the location, the package to install, and `--trust`.
    """
    if trust:
        return None
    if found and is_foreign(source, cache):
        return find_cell() or _refuse(f"{file or name}: is not as tikzgen wrote it")
    path = _raw_tex_inside(source)
    if path is None:
        return None
    return find_cell() or _refuse(*_describe_raw_tex(path, _document_of(file), str(file or name)))


def cell_for_figure(figure: FigureModel, *, trust: bool) -> ProcessSandbox | None:
    """Return the sandbox for measuring the labels of a figure, by the same rule as `cell_for`."""
    from tikzgen.emit.render_figure import make_description
    from tikzgen.model.part import raw_tex_in

    path = None if trust else next(raw_tex_in(make_description(figure)), None)
    if path is None:
        return None
    return find_cell() or _refuse(*_describe_raw_tex(path, figure._document, "the figure"))


def _raw_tex_inside(source: str) -> _Path | None:
    """Return the path of the first raw TeX in the embedded description, or None."""
    inside = extract_spec(source)
    if inside is None:
        return ()  # without a description, assume raw TeX
    if '"tex"' not in inside:
        return None
    from tikzgen.model.part import raw_tex_in  # late: most figures have no raw TeX, and need no model

    return next(raw_tex_in(json.loads(inside)), None)


def _describe_raw_tex(path: _Path, document: Document | None, name: str) -> tuple[str, str, Place | None]:
    """Describe raw TeX at a path of a description."""
    field = format_path(path)
    if document is None:
        return f"{name}: holds raw TeX{f' ({field})' if field else ''}", "", None
    return "is raw TeX", field, document.places.locate_value(path)


def _document_of(file: Path | None) -> Document | None:
    try:
        return read_document(file) if file else None
    except TikzgenError:
        return None  # the spec changed after the render


def _refuse(reason: str, path: str = "", place: Place | None = None) -> ProcessSandbox:
    way = why_no_cell() or f"install a sandbox: {install_line([InstallNeed.SANDBOX], this_system())}"
    hint = f"{way}; `--trust` compiles it without, if you know what it does"
    raise FileRefused(f"{reason}, and no sandbox is available", hint=hint, path=path, place=place)


def is_foreign(source: str, cache: Cache | None = None) -> bool:
    """Return whether `source` differs from tikzgen's render of the description inside it.

    The digest alone proves nothing, because any program can write a valid one. So the description is rendered again,
    with the usual escaping and checks, and the result must be identical to the file. `cache` keeps results for
    tikzgen's own figures.
    """
    if cache is None or cache.folder is None:
        return _is_foreign(source)
    key = cache_key("foreign", program_key(), str(is_trusted()), source)
    if cache.get(key) == _OWN_MARK:
        return False
    foreign = _is_foreign(source)
    if not foreign:
        cache.store(key, _OWN_MARK)
    return foreign


def _is_foreign(source: str) -> bool:
    plain = source.replace("\r\n", "\n")
    inside = extract_spec(plain)
    if inside is None or not is_untouched(plain):
        return True
    from tikzgen.emit.render_figure import render
    from tikzgen.spec.load_figure import load_from_text

    try:
        return render(load_from_text(inside)).tex != plain
    except TikzgenError:
        return True
