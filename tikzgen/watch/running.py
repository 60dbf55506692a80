"""`tikzgen watch` put together: files, builder, server; until somebody ends it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from tikzgen.base.errors import FileRefused, TikzgenError, refusal
from tikzgen.compile.produce import Settings
from tikzgen.probe.pdf.sheets import find_pdfium
from tikzgen.watch.editing import Request
from tikzgen.watch.handler import Handler
from tikzgen.watch.making import Studio, report
from tikzgen.watch.server import Server, open_server
from tikzgen.watch.sources import Sources
from tikzgen.watch.views import Board
from tikzgen.watch.watcher import Tell, Watcher


def _silent(line: str) -> None:
    """Say nothing."""


@contextmanager
def watching(
    target: Path,
    *,
    port: int = 0,
    settings: Settings | None = None,
    allow_invalid: bool = False,
    trust: bool = False,
    geometry: bool = False,
    measure: bool = False,
    tell: Tell = _silent,
    apart: bool = False,
) -> Iterator[Server]:
    """Watch a file or a folder and serve its page, for as long as the context lasts.

    `tell` is given a line about each picture and each error. With `apart`, workers make what the page shows: each has
    the time limit, and is ended when a file changes before it is done.

    Raises `FileRefused` where the target cannot be watched, `PortTaken` where the port cannot be had, `TikzgenError`
    where nothing here reads `geometry`.
    """
    if not target.is_dir() and not target.is_file():
        raise FileRefused(f"{target}: is neither a file nor a folder")
    if geometry:
        find_pdfium()
    studio = Studio(settings or Settings(), allow_invalid, trust, measure, geometry)
    board = Board()
    server = open_server(port, board, str(target) if target.name else target.resolve().name, Handler)
    sources = Sources(target)
    watcher = Watcher(sources, studio, board, tell, workers=_workers() if sources.is_folder else 1, apart=apart)
    server.change = _changing(watcher)
    serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.25}, name="serving", daemon=True)
    try:
        watcher.start()
        serving.start()
        yield server
    finally:
        watcher.stop()
        if serving.is_alive():
            server.shutdown()
        server.server_close()


def _changing(watcher: Watcher) -> Callable[[int, dict[str, Any]], dict[str, Any]]:
    """What a change does: a field of the form is set, or a figure is built again."""
    one_at_a_time = Lock()

    def change(number: int, asked: dict[str, Any]) -> dict[str, Any]:
        if asked.get("again") is True:
            watcher.again(number)
            return {"done": True}
        path = watcher.path(number)
        given = [asked.get(name) for name in ("field", "was", "value")]
        if path is None or not all(isinstance(each, str) for each in given):
            return {"refused": "there is no such figure any more" if path is None else "a field is missing"}
        try:
            with one_at_a_time:
                (written,) = watcher.made(path, "edit", Request(*map(str, given)), hint="change it in the file")
        except TikzgenError as error:
            return {"refused": str(error)}
        except OSError as error:
            return {"refused": f"{path}: {refusal(error)}"}
        except Exception as error:
            report(error)
            return {"refused": f"tikzgen failed: {type(error).__name__}: {error}"}
        return {"done": True, "written": written}

    return change


def _workers() -> int:
    return max(1, min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1))
