"""HTTP server of the page: fixed routes, and figures by number. It listens on 127.0.0.1 only."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
from collections.abc import Callable
from errno import EADDRINUSE
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from secrets import token_urlsafe
from socketserver import TCPServer
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tikzgen.base.errors import TikzgenError
from tikzgen.base.version_and_cache_folder import template_folder
from tikzgen.compile.formats.format_table import FORMATS
from tikzgen.serve.watch.guard import HEADERS, Keys, Refusal, refused_body, refused_change, refused_request
from tikzgen.serve.watch.views import Board, FigureView

ADDRESS = "127.0.0.1"
_CONNECTION_LIMIT = 64
_STREAM_LIMIT = 24
_HEAD_SECONDS = 10.0  # until an entire request has arrived

Change = Callable[[int, dict[str, Any]], dict[str, Any]]
"""Function that applies a form's change to the figure with a number, and returns the response to the page.

It raises `KeyError` if the figure does not exist."""


class PortTaken(TikzgenError):
    """Error: the port is not available."""


class PageServer(ThreadingHTTPServer):
    """Server of a board for clients with a key.

    A change must contain `token`. `start` identifies this run of the server.
    """

    allow_reuse_address = os.name == "posix"  # on other systems, it would let two servers share a port
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, port: int, board: Board, title: str, handler: type[BaseHTTPRequestHandler]) -> None:
        self.board = board
        self.title = title
        self.change: Change = _ignore_change
        self.token = token_urlsafe(24)
        self.start = token_urlsafe(6)
        self.streams = BoundedSemaphore(_STREAM_LIMIT)
        self._free = BoundedSemaphore(_CONNECTION_LIMIT)
        self._arriving: dict[socket.socket, float] = {}
        self._lock = Lock()
        super().__init__((ADDRESS, port), handler)
        self.keys = Keys(self.port)

    @property
    def port(self) -> int:
        """Port on which it listens."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """Address of the page; it contains the key."""
        return f"http://{ADDRESS}:{self.port}/{self.keys.lasting}/"

    def visit(self) -> str:
        """Return an address of the page that is valid once."""
        return f"http://{ADDRESS}:{self.port}/{self.keys.make_once_key()}/"

    def server_bind(self) -> None:
        """Bind without a DNS lookup of the host name."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = ADDRESS, self.port

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a request in a thread, or close the connection if there are too many."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        with self._lock:
            self._arriving[request] = monotonic() + _HEAD_SECONDS
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._release_request(request)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a request in its thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._release_request(request)

    def stop_read_timeout(self, request: socket.socket) -> None:
        """Record that the request has been read, which ends its timeout."""
        with self._lock:
            self._arriving.pop(request, None)

    def service_actions(self) -> None:
        """Close connections whose requests take too long; the server calls this periodically."""
        now = monotonic()
        with self._lock:
            late = [request for request, until in self._arriving.items() if until < now]
        for request in late:
            try:
                request.shutdown(socket.SHUT_RDWR)
            except OSError:
                self.stop_read_timeout(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors of closed connections."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handle_error(request, client_address)

    def _release_request(self, request: Any) -> None:
        self.stop_read_timeout(request)
        self._free.release()


def _ignore_change(number: int, asked: dict[str, Any]) -> dict[str, Any]:
    """Raise `KeyError`, as long as no handler is set."""
    raise KeyError(number)


def open_server(port: int, board: Board, title: str, handler: type[BaseHTTPRequestHandler]) -> PageServer:
    """Return a server on that port, or on any free one for 0; raise `PortTaken` if it is not available."""
    try:
        return PageServer(port, board, title, handler)
    except OSError as error:
        taken = error.errno == EADDRINUSE
        why = "is taken, perhaps by another tikzgen watch" if taken else f"is refused: {str(error.strerror).lower()}"
        message = f"port {port} of {ADDRESS} {why}"
        raise PortTaken(message, hint="--port 0 takes any that is free") from None


# A request: access is checked before the route. No part of an address ever becomes a path of a file.

_BEAT_SECONDS = 5.0  # seconds between two heartbeats
_FIGURE = re.compile(r"/figures/([0-9]{1,6})")
_PICTURE_PATH = re.compile(r"/figures/([0-9]{1,6})/(picture|pdf|other)/[0-9]{1,9}")
_FILES = {
    "/watch.js": "text/javascript; charset=utf-8",
    "/watch.css": "text/css; charset=utf-8",
    "/watch.svg": "image/svg+xml",
}
"""Files of the page by route; the server sends no other file."""
_JSON = "application/json"
_TEXT = "text/plain; charset=utf-8"


class Handler(BaseHTTPRequestHandler):
    """Handler of one request, which then closes the connection."""

    server: PageServer
    server_version = "tikzgen"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 10.0  # seconds without a byte, either way
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer with the page, its files, the list of figures, or a picture."""
        path = self._find_route()
        if path is None:
            return
        if path == "/":
            self._send(_fill_page(self.server), "text/html; charset=utf-8")
        elif path in _FILES:
            self._send(_read_page_file(path), _FILES[path])
        elif path == "/figures":
            self._send_json(self.server.board.now.make_overview(self.server.start))
        elif path == "/events":
            self._stream_changes()
        elif view := self._find_view(_FIGURE, path):
            self._send_json(view.describe_details())
        elif (view := self._find_view(_PICTURE_PATH, path)) and view.picture is not None:
            wanted = path.split("/")[3]
            shown = view.other or view.picture if wanted == "other" else view.picture
            data, kind = (shown.pdf, "pdf") if wanted == "pdf" else (shown.data, shown.kind)
            self._send(data, FORMATS[kind].media_type)
        else:
            self._refuse(Refusal(404, "page not found"))

    def do_POST(self) -> None:
        """Answer a change of a figure by the page's form."""
        path = self._find_route()
        if path is None:
            return
        headers = self._headers_by_name()
        refused = refused_change(headers, self.server.port, self.server.token) or refused_body(headers)
        if refused:
            self._refuse(refused)
            return
        asked = self._read_body()
        view = self._find_view(_FIGURE, path)
        if asked is None:
            self._refuse(Refusal(400, "the body is not a JSON object"))
        elif view is None:
            self._refuse(Refusal(404, "the figure no longer exists"))
        else:
            self._send_json(self.server.change(view.id, asked))

    def _find_route(self) -> str | None:
        """Return the route after the key of the address; None if the request is already answered."""
        keys = self.server.keys
        key, slash, rest = self.path.partition("?")[0].removeprefix("/").partition("/")
        refused = refused_request(self._headers_by_name(), self.server.port, f"/{rest}")
        if (
            refused is None
            and not rest
            and self.command == "GET"
            and (keys.use_once(key) or (keys.is_lasting_key(key) and not slash))
        ):
            self._send_head(303, _TEXT, 0, Location=self.server.url)
            return None
        if refused is None and self.command == "GET" and self.path == "/favicon.ico":
            self._send_head(204, _TEXT, None)  # browsers request it without the key, which is not an error
            return None
        if refused is None and not keys.is_lasting_key(key):
            refused = Refusal(403, "this address lacks the key: open the address that tikzgen watch printed")
        if refused:
            self._refuse(refused)
            return None
        if self.command == "GET":
            self.server.stop_read_timeout(self.connection)
        return f"/{rest}"

    def _headers_by_name(self) -> dict[str, str]:
        """Return the headers by lowercase names; a repeated one has both values, and matches nothing."""
        return {name.lower(): ", ".join(self.headers.get_all(name, ())) for name in self.headers}

    def _read_body(self) -> dict[str, Any] | None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.stop_read_timeout(self.connection)
        try:
            asked = json.loads(data)
        except (ValueError, RecursionError):
            return None
        return asked if isinstance(asked, dict) else None

    def _find_view(self, route: re.Pattern[str], path: str) -> FigureView | None:
        found = route.fullmatch(path)
        return self.server.board.now.find_view(int(found[1])) if found else None

    def _stream_changes(self) -> None:
        """Send every change as a server-sent event, and heartbeats in between."""
        if not self.server.streams.acquire(blocking=False):
            self._refuse(Refusal(503, "too many pages are open"))
            return
        try:
            self._send_head(200, "text/event-stream", None)
            told = -1
            while not self.server.board.closed:
                snapshot = self.server.board.wait(told, _BEAT_SECONDS)
                if snapshot is None:
                    self.wfile.write(b"event: beat\ndata:\n\n")
                    continue
                for event in snapshot.list_new_pictures(told):
                    self.wfile.write(b"event: picture\ndata: " + _encode_json(event) + b"\n\n")
                told = snapshot.number
                self.wfile.write(b"data: " + _encode_json(snapshot.make_overview(self.server.start)) + b"\n\n")
        finally:
            self.server.streams.release()

    def _send(self, data: bytes, kind: str, status: int = 200) -> None:
        self._send_head(status, kind, len(data))
        self.wfile.write(data)

    def _send_json(self, facts: dict[str, Any]) -> None:
        self._send(_encode_json(facts), _JSON)

    def _refuse(self, refusal: Refusal) -> None:
        self._send(f"{refusal.reason}\n".encode(), _TEXT, refusal.status)

    def _send_head(self, status: int, kind: str, length: int | None, **more: str) -> None:
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
        """Answer errors of the standard library with the server's headers and no part of the request."""
        self._refuse(Refusal(int(code), "this server does not support the request"))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name of the parent
        """Print nothing: the terminal is for messages about figures."""

    def finish(self) -> None:
        """Close the connection, without an error for a browser that disconnected."""
        try:
            super().finish()
        except (OSError, ValueError):
            return


def _encode_json(facts: dict[str, Any]) -> bytes:
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


@cache
def _read_page_file(route: str) -> bytes:
    return (_find_page_folder() / route.removeprefix("/")).read_bytes()


def _fill_page(server: PageServer) -> bytes:
    """Return the page; its scripts request all variable contents later."""
    made = Environment(loader=FileSystemLoader(_find_page_folder()), autoescape=True, undefined=StrictUndefined)
    filled = made.get_template("page.html.j2").render(title=server.title, token=server.token, start=server.start)
    return filled.encode()


def _find_page_folder() -> Path:
    return template_folder() / "watch"
