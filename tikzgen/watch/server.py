"""The server of the page: fixed routes, figures by number, nothing else. It listens on 127.0.0.1 only."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from errno import EADDRINUSE
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from socketserver import TCPServer
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import Any

from tikzgen.base.errors import TikzgenError
from tikzgen.watch.guard import Keys
from tikzgen.watch.views import Board

ADDRESS = "127.0.0.1"
_CONNECTIONS = 64
_STREAMS = 24
_HEAD_SECONDS = 10.0  # for a whole request to arrive

Change = Callable[[int, dict[str, Any]], dict[str, Any]]
"""What the form asks of a figure, by its number; gives what the page is told. `KeyError` where there is none."""


class PortTaken(TikzgenError):
    """The port cannot be had."""


class Server(ThreadingHTTPServer):
    """Serves a board to those who know a key; `token` is what a change must carry, `start` tells this run from the
    next."""

    allow_reuse_address = os.name == "posix"  # elsewhere it would let two servers share a port
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, port: int, board: Board, title: str, handler: type[BaseHTTPRequestHandler]) -> None:
        self.board = board
        self.title = title
        self.change: Change = _nothing
        self.token = token_urlsafe(24)
        self.start = token_urlsafe(6)
        self.streams = BoundedSemaphore(_STREAMS)
        self._free = BoundedSemaphore(_CONNECTIONS)
        self._arriving: dict[socket.socket, float] = {}
        self._lock = Lock()
        super().__init__((ADDRESS, port), handler)
        self.keys = Keys(self.port)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """Where the page is, for who may see it: the address has the key."""
        return f"http://{ADDRESS}:{self.port}/{self.keys.lasting}/"

    def visit(self) -> str:
        """An address that leads there once."""
        return f"http://{ADDRESS}:{self.port}/{self.keys.once()}/"

    def server_bind(self) -> None:
        """Bind, without asking a name server what this machine is called."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = ADDRESS, self.port

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, as long as there are not too many."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        with self._lock:
            self._arriving[request] = monotonic() + _HEAD_SECONDS
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._forget(request)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """In the thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._forget(request)

    def arrived(self, request: socket.socket) -> None:
        """The request is read: from now on only the answer takes time."""
        with self._lock:
            self._arriving.pop(request, None)

    def service_actions(self) -> None:
        """Now and then: hang up on those whose requests dribble in."""
        now = monotonic()
        with self._lock:
            late = [request for request, until in self._arriving.items() if until < now]
        for request in late:
            try:
                request.shutdown(socket.SHUT_RDWR)
            except OSError:
                self.arrived(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is no error of ours."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handle_error(request, client_address)

    def _forget(self, request: Any) -> None:
        self.arrived(request)
        self._free.release()


def _nothing(number: int, asked: dict[str, Any]) -> dict[str, Any]:
    """Changes nothing: nobody has said yet what a change is."""
    raise KeyError(number)


def open_server(port: int, board: Board, title: str, handler: type[BaseHTTPRequestHandler]) -> Server:
    """A server on that port, or on any free one for 0; `PortTaken` where another program has it."""
    try:
        return Server(port, board, title, handler)
    except OSError as error:
        taken = error.errno == EADDRINUSE
        why = "is taken, perhaps by another tikzgen watch" if taken else f"is refused: {str(error.strerror).lower()}"
        message = f"port {port} of {ADDRESS} {why}"
        raise PortTaken(message, hint="--port 0 takes any that is free") from None
