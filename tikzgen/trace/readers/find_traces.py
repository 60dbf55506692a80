"""Trace files of a run: files, folders of them, and URLs with wildcards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from tikzgen.base.read_files import COMPANION_SUFFIXES
from tikzgen.trace.readers.trace_formats import EXPORTS, trace_suffixes
from tikzgen.trace.readers.trace_places import Place, is_url, open_fsspec, report_errors

_JAX = "plugins/profile/*/*"
_File = TypeVar("_File", str, Path)


def places_in(names: Iterable[Place]) -> list[Place]:
    """Return the named files, and the traces in named folders, sorted by name. A URL may hold `*`.

    A folder without traces gives its reports that must be exported first.
    """
    found: list[Place] = []
    for name in names:
        found += _at_url(str(name)) if is_url(name) else _in_folder(Path(name))
    return found


def _in_folder(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(each for each in path.iterdir() if each.is_file())
    traces = _select_traces(files) or _select_traces(sorted(path.glob(_JAX)))
    return traces or [each for each in files if each.name.lower().endswith(tuple(EXPORTS))]


def _select_traces(files: Sequence[_File]) -> list[_File]:
    """Select the files with suffixes of built-in formats, else the files with suffixes of packages.

    Omit the files that tikzgen writes with figures.
    """
    others = _without_companions(files)
    selected = ([each for each in others if str(each).lower().endswith(suffixes)] for suffixes in trace_suffixes())
    return next(filter(None, selected), [])


def _without_companions(files: Sequence[_File]) -> list[_File]:
    return [each for each in files if not str(each).lower().endswith(COMPANION_SUFFIXES)]


def _at_url(url: str) -> list[str]:
    with report_errors(url):
        if "*" in url:
            system, path = open_fsspec().core.url_to_fs(url)
            return [system.unstrip_protocol(each) for each in _without_companions(sorted(system.glob(path)))]
        if url.endswith("/"):
            system, path = open_fsspec().core.url_to_fs(url)
            listed = _select_traces(sorted(system.ls(path, detail=False)))
            return [system.unstrip_protocol(each) for each in listed]
    return [url]
