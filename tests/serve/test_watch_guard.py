"""Refusals of the watch server: bodies that it does not read, guessed keys, and a port that is taken."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from socket import create_server

import pytest
from conftest import at_once

from tikzgen.serve.watch.guard import BODY_BYTES, Keys, refused_body
from tikzgen.serve.watch.server import ADDRESS, PortTaken, open_server
from tikzgen.serve.watch.views import Board

JSON = {"content-type": "application/json"}
BODIES = [
    ({**JSON, "content-length": "2"}, None),
    ({"content-type": "Application/JSON; charset=utf-8", "content-length": str(BODY_BYTES)}, None),
    ({"content-length": "2"}, 415),
    ({"content-type": "text/plain", "content-length": "2"}, 415),
    (JSON, 411),
    ({**JSON, "content-length": "-2"}, 411),
    ({**JSON, "content-length": "٢"}, 411),
    ({**JSON, "content-length": "2", "transfer-encoding": "chunked"}, 411),
    ({**JSON, "content-length": str(BODY_BYTES + 1)}, 413),
    ({**JSON, "content-length": "1" * 10}, 413),
]


@at_once
@pytest.mark.parametrize(("headers", "status"), BODIES)
def test_a_body_is_refused_by_its_headers(headers: dict[str, str], status: int | None) -> None:
    refused = refused_body(headers)
    assert (refused and refused.status) == status


def test_a_key_of_one_visit_cannot_be_guessed() -> None:
    keys = Keys(8000)
    first, second = keys.make_once_key(), keys.make_once_key()
    assert first != second
    assert len(first) == len(second) == 32  # 24 bytes in base64


def test_a_port_that_is_taken_is_refused() -> None:
    with create_server((ADDRESS, 0)) as taken, pytest.raises(PortTaken, match="is taken, perhaps by another"):
        open_server(taken.getsockname()[1], Board(), "", BaseHTTPRequestHandler)
