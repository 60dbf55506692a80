"""One request: who asks is looked at first, then what for. No part of an address ever becomes a path."""

from __future__ import annotations

import json
import re
from functools import cache
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tikzgen.base.version_and_cache_folder import template_folder
from tikzgen.watch.guard import HEADERS, Refusal, refused_body, refused_change, refused_request
from tikzgen.watch.server import Server
from tikzgen.watch.views import View

_BEAT = 5.0  # seconds between two signs of life
_FIGURE = re.compile(r"/figures/([0-9]{1,6})")
_MADE = re.compile(r"/figures/([0-9]{1,6})/(picture|pdf|other)/[0-9]{1,9}")
_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
_FILES = {
    "/watch.js": "text/javascript; charset=utf-8",
    "/watch.css": "text/css; charset=utf-8",
    "/watch.svg": "image/svg+xml",
}
"""The files of the page by their route: no other file is ever served."""
_JSON = "application/json"
_TEXT = "text/plain; charset=utf-8"


class Handler(BaseHTTPRequestHandler):
    """Answers one request, and closes the connection."""

    server: Server
    server_version = "tikzgen"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 10.0  # seconds without a byte, either way
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """The page, its files, what there is, pictures."""
        path = self._welcome()
        if path is None:
            return
        if path == "/":
            self._send(_page(self.server), "text/html; charset=utf-8")
        elif path in _FILES:
            self._send(_file(path), _FILES[path])
        elif path == "/figures":
            self._send_json(self.server.board.now.overview(self.server.start))
        elif path == "/events":
            self._stream()
        elif view := self._view(_FIGURE, path):
            self._send_json(view.details())
        elif (view := self._view(_MADE, path)) and view.picture is not None:
            wanted = path.split("/")[3]
            shown = view.other or view.picture if wanted == "other" else view.picture
            data, kind = (shown.pdf, "pdf") if wanted == "pdf" else (shown.data, shown.kind)
            self._send(data, _TYPES[kind])
        else:
            self._refuse(Refusal(404, "there is nothing here"))

    def do_POST(self) -> None:
        """A change of a figure, asked for by the page's form."""
        path = self._welcome()
        if path is None:
            return
        headers = self._given()
        refused = refused_change(headers, self.server.port, self.server.token) or refused_body(headers)
        if refused:
            self._refuse(refused)
            return
        asked = self._body()
        view = self._view(_FIGURE, path)
        if asked is None:
            self._refuse(Refusal(400, "the body is no JSON object"))
        elif view is None:
            self._refuse(Refusal(404, "there is no such figure any more"))
        else:
            self._send_json(self.server.change(view.id, asked))

    def _welcome(self) -> str | None:
        """What is asked for, behind the key of the address; None where the answer is given already."""
        keys = self.server.keys
        key, slash, rest = self.path.partition("?")[0].removeprefix("/").partition("/")
        refused = refused_request(self._given(), self.server.port, f"/{rest}")
        if (
            refused is None
            and not rest
            and self.command == "GET"
            and (keys.spent(key) or (keys.fits(key) and not slash))
        ):
            self._head(303, _TEXT, 0, Location=self.server.url)
            return None
        if refused is None and self.command == "GET" and self.path == "/favicon.ico":
            self._head(204, _TEXT, None)  # browsers ask by themselves, without the key: it is no failure of the page
            return None
        if refused is None and not keys.fits(key):
            refused = Refusal(403, "this address lacks the key: open the one that tikzgen watch printed")
        if refused:
            self._refuse(refused)
            return None
        if self.command == "GET":
            self.server.arrived(self.connection)
        return f"/{rest}"

    def _given(self) -> dict[str, str]:
        """The headers by their names in small letters; one that is given twice has both values, and fits nothing."""
        return {name.lower(): ", ".join(self.headers.get_all(name, ())) for name in self.headers}

    def _body(self) -> dict[str, Any] | None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.arrived(self.connection)
        try:
            asked = json.loads(data)
        except (ValueError, RecursionError):
            return None
        return asked if isinstance(asked, dict) else None

    def _view(self, route: re.Pattern[str], path: str) -> View | None:
        found = route.fullmatch(path)
        return self.server.board.now.view(int(found[1])) if found else None

    def _stream(self) -> None:
        """Tell of every change as it happens (server-sent events), and now and then that we are still there."""
        if not self.server.streams.acquire(blocking=False):
            self._refuse(Refusal(503, "too many pages are open"))
            return
        try:
            self._head(200, "text/event-stream", None)
            told = -1
            while not self.server.board.closed:
                snapshot = self.server.board.wait(told, _BEAT)
                if snapshot is None:
                    self.wfile.write(b"event: beat\ndata:\n\n")
                    continue
                for event in snapshot.pictures(told):
                    self.wfile.write(b"event: picture\ndata: " + _encoded(event) + b"\n\n")
                told = snapshot.number
                self.wfile.write(b"data: " + _encoded(snapshot.overview(self.server.start)) + b"\n\n")
        finally:
            self.server.streams.release()

    def _send(self, data: bytes, kind: str, status: int = 200) -> None:
        self._head(status, kind, len(data))
        self.wfile.write(data)

    def _send_json(self, facts: dict[str, Any]) -> None:
        self._send(_encoded(facts), _JSON)

    def _refuse(self, refusal: Refusal) -> None:
        self._send(f"{refusal.reason}\n".encode(), _TEXT, refusal.status)

    def _head(self, status: int, kind: str, length: int | None, **more: str) -> None:
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.send_header("Connection", "close")
        for name, value in {**HEADERS, **more}.items():
            self.send_header(name, value)
        self.end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the standard library refuses by itself, with our headers and nothing of the request in it."""
        self._refuse(Refusal(int(code), "this is no request for this server"))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name of the parent
        """Nothing: the terminal is for what happens to figures."""

    def finish(self) -> None:
        """Close without a word to a browser that went away."""
        try:
            super().finish()
        except (OSError, ValueError):
            return


def _encoded(facts: dict[str, Any]) -> bytes:
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


@cache
def _file(route: str) -> bytes:
    return (_folder() / route.removeprefix("/")).read_bytes()


def _page(server: Server) -> bytes:
    """The page itself; everything on it that changes comes later."""
    made = Environment(loader=FileSystemLoader(_folder()), autoescape=True, undefined=StrictUndefined)
    filled = made.get_template("page.html.j2").render(title=server.title, token=server.token, start=server.start)
    return filled.encode()


def _folder() -> Path:
    return template_folder() / "watch"
