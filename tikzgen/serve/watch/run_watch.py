"""`tikzgen watch` as a context: it connects files, builder and server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from tikzgen.base.errors import FileRefused, TikzgenError, describe_os_error
from tikzgen.base.record import Record
from tikzgen.base.write_files import write_files
from tikzgen.compile.build_figures import count_processors
from tikzgen.compile.make_formats import Settings
from tikzgen.edit.find_words import find_words
from tikzgen.lint.probe.pdf.pdf_pages import find_pdfium
from tikzgen.serve.watch.editing import FieldChange
from tikzgen.serve.watch.make_views import Studio, report
from tikzgen.serve.watch.server import Handler, PageServer, open_server
from tikzgen.serve.watch.sources import Sources
from tikzgen.serve.watch.views import Board
from tikzgen.serve.watch.watcher import Tell, Watcher
from tikzgen.texfile import compute_digest, read_source


def _discard_line(line: str) -> None:
    """Discard the line."""


@contextmanager
def run_watch(
    target: Path,
    *,
    port: int = 0,
    settings: Settings | None = None,
    allow_invalid: bool = False,
    trust: bool = False,
    geometry: bool = False,
    measure: bool = False,
    tell: Tell = _discard_line,
    apart: bool = False,
) -> Iterator[PageServer]:
    """Watch a file or a folder, and serve its page inside of the context.

    `tell` receives a line for each picture and each error. With `apart`, workers make the views. Each has the time
    limit, and stops when a file changes before it is done.

    Raise `FileRefused` if the target cannot be watched, `PortTaken` if the port is not available, and `TikzgenError`
    if no installed package can read PDFs for `geometry`.
    """
    if not target.is_dir() and not target.is_file():
        raise FileRefused(f"{target}: is neither a file nor a folder")
    if geometry:
        find_pdfium()
    studio = Studio(settings or Settings(find_words), allow_invalid, trust, measure, geometry)
    board = Board()
    server = open_server(port, board, str(target) if target.name else target.resolve().name, Handler)
    sources = Sources(target)
    watcher = Watcher(
        sources, studio, board, tell, workers=min(4, count_processors()) if sources.is_folder else 1, apart=apart
    )
    server.change = _change_handler(watcher)
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


def _change_handler(watcher: Watcher) -> Callable[[int, dict[str, Any]], dict[str, Any]]:
    """Return the handler of changes: set a field, build a figure again, or draw it in the other colors."""
    one_at_a_time = Lock()
    last: dict[Path, _Change] = {}

    def change(number: int, asked: dict[str, Any]) -> dict[str, Any]:
        if asked.get("again") is True:
            watcher.build_again(number)
            return {"done": True}
        path = watcher.find_path(number)
        if asked.get("other") is True and path is not None:
            return _make_answer(path, lambda: watcher.show_other(number, path))
        given = [asked.get(name) for name in ("field", "was", "value")]
        if path is None or not all(isinstance(each, str) for each in given):
            return {"refused": "the figure no longer exists" if path is None else "a field is missing"}
        request = FieldChange(*map(str, given))
        with one_at_a_time:
            return _make_answer(path, lambda: _write_field(watcher, path, request, last))

    return change


class _Change(Record):
    """The last change of a file: its request, the text before, and the digest of the text after it."""

    request: FieldChange
    before: bytes
    after: str


def _write_field(watcher: Watcher, path: Path, request: FieldChange, last: dict[Path, _Change]) -> dict[str, Any]:
    """Set a field; a change that reverts the last one restores the text."""
    before, change = path.read_bytes() if path.is_file() else b"", last.pop(path, None)
    back = change and FieldChange(change.request.key, change.request.value, change.request.was)
    if change and request == back and compute_digest(before) == change.after:
        return {"written": write_files({path: change.before}, expect={path: change.after})}
    (written,) = watcher.run_studio(path, "edit", request, hint="change it in the file")
    if written:
        last[path] = _Change(request, before, compute_digest(read_source(path)))
    return {"written": written}


def _make_answer(path: Path, act: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the answer for the page: the result, or the reason of failure."""
    try:
        return {"done": True, **act()}
    except TikzgenError as error:
        return {"refused": str(error)}
    except OSError as error:
        return {"refused": f"{path}: {describe_os_error(error)}"}
    except Exception as error:
        report(error)
        return {"refused": f"tikzgen failed: {type(error).__name__}: {error}"}
