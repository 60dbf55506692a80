"""The server of `tikzgen watch`, by raw HTTP: who may ask, what there is to get, and what it bears."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import run
from watched_specs import SETTINGS, SPEC, until, view_of

from tikzgen.serve.watch import make_views as making
from tikzgen.serve.watch import server
from tikzgen.serve.watch.guard import BODY_BYTES, HEADERS, Keys
from tikzgen.serve.watch.run_watch import run_watch
from tikzgen.serve.watch.server import PageServer, PortTaken

pytestmark = pytest.mark.tex

HOSTILE = '"><img src=x onerror=alert(1)></script><script>alert(2)</script>'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp(f"served {HOSTILE[:5].replace('/', '')}")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[PageServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.setattr(making, "_draw_page", lambda source, pdf, words, cell: ("svg", b"<svg/>"))
        patch.setattr(making, "drawn_picture", lambda source: None)
        (folder / "fig.yaml").write_text(f"{SPEC}title: {json.dumps(HOSTILE)}\n")
        (folder / "secret.txt").write_text("secret")
        with run_watch(folder / "fig.yaml", settings=SETTINGS) as found:
            until(lambda: view_of(found).status == "ready" and view_of(found).looked)
            yield found


def ask(
    server: PageServer, path: str, method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """One request; header names are written with `_` for `-`, and an empty value leaves a header out."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    path = f"/{server.keys.lasting}{path}"
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in {"Host": f"127.0.0.1:{server.port}", **given}.items():
        if value:
            connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    found = (answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    connection.close()
    return found


def change(server: PageServer, asked: Any = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """A change as the page asks for it, with other headers where they are given."""
    body = json.dumps({"again": True} if asked is None else asked).encode()
    ours = {
        "Origin": f"http://127.0.0.1:{server.port}",
        "Content_Type": "application/json",
        "Content_Length": str(len(body)),
        "X_Tikzgen_Token": server.token,
        "Sec_Fetch_Site": "same-origin",
    }
    return ask(server, f"/figures/{view_of(server).id}", "POST", body, **{**ours, **headers})


def test_the_page_and_its_files(served: PageServer) -> None:
    for path, kind in (
        ("/", "text/html; charset=utf-8"),
        ("/watch.js", "text/javascript; charset=utf-8"),
        ("/watch.css", "text/css; charset=utf-8"),
        ("/watch.svg", "image/svg+xml"),
        ("/figures", "application/json"),
        ("/figures/0", "application/json"),
        ("/figures/0/picture/1", "image/svg+xml"),
        ("/figures/0/pdf/1", "application/pdf"),
        ("/?utm_source=x", "text/html; charset=utf-8"),
    ):
        status, headers, body = ask(served, path)
        assert (status, headers["content-type"], bool(body)) == (200, kind, True), path


def test_every_answer_has_the_headers_that_keep_others_out(served: PageServer) -> None:
    answers = [ask(served, "/"), ask(served, "/none"), ask(served, "/", Host="evil.example"), ask(served, "/", "PUT")]
    answers += [change(served), change(served, Origin="http://evil.example"), ask(served, "/watch.js")]
    for _, headers, _ in answers:
        assert {name: headers.get(name.lower()) for name in HEADERS} == dict(HEADERS)
    policy = HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy and "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert HEADERS["Cache-Control"] == "no-store" and HEADERS["X-Content-Type-Options"] == "nosniff"


def test_the_page_has_nothing_inline_and_nothing_from_elsewhere(served: PageServer) -> None:
    page = ask(served, "/")[2].decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", page)
    files = page + ask(served, "/watch.css")[2].decode() + ask(served, "/watch.js")[2].decode()
    assert not re.search(r"https?:|//\w|@import|url\(", files.replace("// ", ""))
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", files)


def test_what_it_shows_is_escaped(folder: Path) -> None:
    hostile = folder / f"{HOSTILE.replace('/', '')}.yaml"
    hostile.write_text("recipe: data-parallel\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "_draw_page", lambda source, pdf, words, cell: ("svg", b"<svg/>"))
        patch.setattr(making, "drawn_picture", lambda source: None)
        with run_watch(hostile, settings=SETTINGS) as found:
            page = ask(found, "/")[2].decode()
    assert "<img" not in page and "&lt;img" in page
    assert page.count("<script") == 1


@pytest.mark.parametrize(
    "path",
    [
        "/secret.txt",
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/figures/../secret.txt",
        "/figures/..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
        "/watch.js/../../pyproject.toml",
        "/templates/watch/watch.js",
        "/figures/1",
        "/figures/-1",
        "/figures/00000000000000000000",
        "/figures/\u0660",
        "/figures/0/picture",
        "/figures/0/picture/x",
        "/figures/0/log/1",
        "/figures/0/",
        "/watch.css\0",
        "http://evil.example/",
    ],
)
def test_no_part_of_an_address_is_a_path(served: PageServer, path: str) -> None:
    for key in (f"/{served.keys.lasting}", ""):
        raw = f"GET {key}{path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode()
        answer = talk(served, raw)
        known = key and path.startswith("/")
        wanted = (b"HTTP/1.1 404 ", b"HTTP/1.1 400 ") if known else (b"HTTP/1.1 403 ", b"HTTP/1.1 400 ")
        assert answer.startswith(wanted), answer
        assert b"secret" not in answer and b"root:" not in answer


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "localhost:1", "127.0.0.1:{port}.evil.example", ""]
)
def test_another_host_is_refused(served: PageServer, host: str) -> None:
    host = host.format(port=served.port)
    assert ask(served, "/", Host=host)[0] == 421
    assert ask(served, "/figures", Host=host)[0] == 421
    assert change(served, Host=host, Origin=f"http://{host}")[0] == 421


def plainly(server: PageServer, path: str, method: str = "GET") -> tuple[int, str | None, bytes]:
    """Status, where it leads, and the body, for an address as it stands."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request(method, path)
    answer = connection.getresponse()
    found = (answer.status, answer.getheader("Location"), answer.read())
    connection.close()
    return found


def test_who_does_not_know_the_address_gets_nothing(served: PageServer, folder: Path) -> None:
    before = (folder / "fig.yaml").read_text()
    line = b"this address lacks the key: open the address that tikzgen watch printed\n"
    key = served.keys.lasting
    for guess in ("", "/", "/none/", f"/{key[:-1]}/", f"/{key}x/", "/%e9/", "/?" + key):
        for path in ("", "figures", "figures/0", "figures/0/picture/1", "figures/0/pdf/1", "events", "watch.js"):
            assert plainly(served, f"{guess}{path}") == (403, None, line), guess
        assert plainly(served, f"{guess}figures/0", "POST") == (403, None, line)
    assert (folder / "fig.yaml").read_text() == before
    assert plainly(served, f"/{key}")[:2] == (303, served.url), "a slash that got lost"
    assert plainly(served, "/favicon.ico") == (204, None, b""), "what browsers ask for by themselves is no failure"


def test_a_browser_is_opened_with_an_address_that_is_good_once(served: PageServer) -> None:
    """What a program is started with stands in the list of processes, for all users."""
    path = served.visit().removeprefix(f"http://127.0.0.1:{served.port}")
    assert served.keys.lasting not in path
    assert plainly(served, f"{path}figures")[0] == 403
    assert plainly(served, path, "POST")[0] == 403
    assert plainly(served, path)[:2] == (303, served.url)
    assert plainly(served, path)[0] == 403


def test_the_key_is_the_users_own_and_lasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = Keys(8457)
    kept = tmp_path / "tikzgen" / "watch.key"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert Keys(8457).lasting == first.lasting != Keys(8458).lasting
    assert kept.read_bytes().hex()[:32] != first.lasting
    kept.chmod(0o644)
    second = Keys(8457)
    assert second.lasting != first.lasting, "others could have read it"
    assert kept.stat().st_mode & 0o777 == 0o600
    secret = kept.read_bytes()
    kept.unlink()
    (tmp_path / "elsewhere").write_bytes(secret)
    (tmp_path / "elsewhere").chmod(0o600)
    kept.symlink_to(tmp_path / "elsewhere")
    assert Keys(8457).lasting != second.lasting, "a link is no file of ours"
    kept.write_bytes(b"short")
    assert Keys(8457).lasting == Keys(8457).lasting


def test_where_no_key_can_be_kept_each_start_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/cache")
    assert Keys(8457).lasting != Keys(8457).lasting


def test_two_hosts_are_refused(served: PageServer) -> None:
    ours = f"Host: 127.0.0.1:{served.port}\r\n"
    assert talk(served, f"GET / HTTP/1.1\r\n{ours}Host: evil.example\r\n\r\n".encode()).startswith(b"HTTP/1.1 421")
    assert talk(served, f"GET / HTTP/1.1\r\n{ours}{ours}\r\n".encode()).startswith(b"HTTP/1.1 421")


def test_localhost_is_ours(served: PageServer) -> None:
    host = f"localhost:{served.port}"
    assert ask(served, "/", Host=host)[0] == 200
    assert change(served, Host=host, Origin=f"http://{host}")[0] == 200


def test_other_sites_load_nothing(served: PageServer) -> None:
    for site in ("cross-site", "same-site", "nonsense"):
        for path in ("/figures", "/figures/0", "/events", "/figures/0/picture/1", "/watch.js"):
            assert ask(served, path, Sec_Fetch_Site=site)[0] == 403
    assert ask(served, "/", Sec_Fetch_Site="cross-site")[0] == 200, "they may link to the page"
    assert "access-control-allow-origin" not in ask(served, "/figures")[1]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://127.0.0.1:{port}"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "http://localhost:{port}"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"X_Tikzgen_Token": ""}, 403),
        ({"X_Tikzgen_Token": "guessed"}, 403),
        ({"X_Tikzgen_Token": "\u00e9"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content_Length": ""}, 411),
        ({"Content_Length": "-1"}, 411),
        ({"Content_Length": "\u00b2"}, 411),
        ({"Content_Length": str(BODY_BYTES + 1)}, 413),
        ({"Content_Length": "9" * 5000}, 413),
        ({"Transfer_Encoding": "chunked"}, 411),
    ],
)
def test_a_change_from_elsewhere_is_refused(
    served: PageServer, folder: Path, headers: dict[str, str], status: int
) -> None:
    before = (folder / "fig.yaml").read_text()
    given = {name: value.format(port=served.port) for name, value in headers.items()}
    asked = {"field": "fact:workers", "was": "3", "value": "4"}
    assert change(served, asked, **given)[0] == status
    assert (folder / "fig.yaml").read_text() == before


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "CONNECT", "TRACE", "nonsense"])
def test_other_methods_are_refused(served: PageServer, method: str) -> None:
    request = f"{method} / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode()
    assert talk(served, request).startswith(b"HTTP/1.1 501 ")


@pytest.mark.parametrize("asked", [[], "x", 1, None])
def test_a_body_that_is_no_object_is_refused(served: PageServer, asked: object) -> None:
    body = json.dumps(asked).encode()
    headers = {"Content_Type": "application/json", "X_Tikzgen_Token": served.token}
    headers |= {"Origin": f"http://127.0.0.1:{served.port}", "Content_Length": str(len(body))}
    assert ask(served, "/figures/0", "POST", body, **headers)[0] == 400
    deep = b"[" * 60000
    assert ask(served, "/figures/0", "POST", deep, **{**headers, "Content_Length": str(len(deep))})[0] == 400
    assert ask(served, "/figures/9", "POST", b"{}", **{**headers, "Content_Length": "2"})[0] == 404


def told(answer: tuple[int, dict[str, str], bytes]) -> dict[str, Any]:
    assert answer[0] == 200
    found: dict[str, Any] = json.loads(answer[2])
    return found


def test_a_change_by_the_page_is_written(served: PageServer, folder: Path) -> None:
    file = folder / "fig.yaml"
    before = view_of(served).picture_number
    assert told(change(served, {"field": "fact:workers", "was": "3", "value": "4"})) == {"done": True, "written": True}
    assert "workers: 4 # three" in file.read_text()
    until(lambda: view_of(served).picture_number > before)
    text = file.read_text()
    refused = told(change(served, {"field": "fact:workers", "was": "4", "value": "none"}))["refused"]
    assert "should be a whole number" in refused
    for asked in ({"field": "fact:workers", "was": "3", "value": "5"}, {"field": "x", "was": 1, "value": []}, {}):
        assert told(change(served, asked))["refused"]
    assert file.read_text() == text
    assert told(change(served, {"again": True})) == {"done": True}


def test_changes_are_told_as_they_happen(served: PageServer, folder: Path) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    connection.request("GET", f"/{served.keys.lasting}/events")
    stream = connection.getresponse()
    assert stream.getheader("Content-Type") == "text/event-stream"
    first = json.loads(stream.readline().removeprefix(b"data: "))
    assert (first["start"], first["figures"][0]["name"]) == (served.start, "fig.yaml")
    (folder / "fig.yaml").write_text(f"{SPEC}title: told\n")
    numbers, drawn = [first["number"]], []
    while (news := stream.readline()) is not None:
        if news.startswith(b"data: "):
            now = json.loads(news.removeprefix(b"data: "))
            if "svg" in now:
                drawn.append(now)
                continue
            numbers.append(now["number"])
            if now["figures"][0]["status"] == "ready" and len(numbers) > 2:
                break
    assert numbers == sorted(set(numbers))
    assert drawn, "a picture comes with the news"
    assert {(news["id"], news["svg"][:4]) for news in drawn} == {(0, "<svg")}
    connection.close()


def talk(server: PageServer, data: bytes) -> bytes:
    """Raw bytes in, all bytes out."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(data)
        found = b""
        while part := connection.recv(65536):
            found += part
        return found


@pytest.mark.parametrize(
    "data",
    [
        b"\0" * 100 + b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /" + b"x" * 70000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"y" * 70000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n\xff\xfe: x\r\n\r\n",
    ],
)
def test_nonsense_is_refused_and_the_server_goes_on(served: PageServer, data: bytes) -> None:
    with contextlib.suppress(ConnectionError):  # it may hang up before everything is said
        assert b" 200 " not in talk(served, data).partition(b"\r\n")[0]
    assert ask(served, "/")[0] == 200


def test_who_dribbles_is_hung_up_on(served: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_HEAD_SECONDS", 0.5)
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as slow:
        slow.settimeout(0.1)
        hung_up = False
        end = time.monotonic() + 60
        while not hung_up and time.monotonic() < end:
            try:
                slow.sendall(b"G")
                hung_up = slow.recv(1) == b""
            except TimeoutError:
                continue
            except ConnectionError:
                hung_up = True
    assert hung_up
    assert ask(served, "/")[0] == 200


def test_too_many_connections_are_refused_and_the_others_answered(
    served: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_HEAD_SECONDS", 3600)  # or a busy machine hangs up on the others, too
    held = [socket.create_connection(("127.0.0.1", served.port), timeout=60) for _ in range(80)]

    def refused() -> int:
        return sum(map(hung_up, held))

    def hung_up(connection: socket.socket) -> bool:
        connection.setblocking(False)
        try:
            return connection.recv(1) == b""
        except BlockingIOError:
            return False
        except ConnectionError:
            return True

    until(refused)
    assert refused() < 40
    for connection in held:
        connection.close()

    def answers() -> bool:
        try:
            return ask(served, "/")[0] == 200
        except (ConnectionError, http.client.HTTPException):
            return False

    until(answers)


def test_too_many_open_pages_are_refused(served: PageServer) -> None:
    held = []
    statuses = [200]
    try:
        while statuses[-1] == 200:
            connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
            connection.request("GET", f"/{served.keys.lasting}/events")
            held.append(connection)
            statuses.append(connection.getresponse().status)
        assert statuses[-1] == 503 and 20 < len(statuses) <= 26
        assert ask(served, "/figures")[0] == 200
    finally:
        for connection in held:
            connection.close()


def test_it_listens_on_this_machine_only(served: PageServer) -> None:
    assert served.server_address[0] == "127.0.0.1"


# ---- the command


def test_what_cannot_be_watched_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("watch", "none.yaml")
    assert (done.status, done.out) == (2, "")
    assert done.err == "none.yaml: file not found (`tikzgen new RECIPE` writes a spec)\n"
    done = run("watch", "-")
    assert done.status == 2 and "standard input cannot be watched" in done.err


def test_a_port_that_is_taken_is_told_with_a_way_out(served: PageServer, tmp_path: Path) -> None:
    done = run("watch", str(tmp_path), "--port", str(served.port))
    message = (
        f"port {served.port} of 127.0.0.1 is taken, perhaps by another tikzgen watch (--port 0 takes any that is free)"
    )
    assert (done.status, done.err) == (2, f"{message}\n")
    with pytest.raises(PortTaken), run_watch(tmp_path, port=served.port):
        pass


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_it_ends_when_it_is_interrupted(tmp_path: Path, name: str) -> None:
    (tmp_path / "fig.yaml").write_text("recipe: nothing\n")
    # a shell that starts something in the background lets it ignore Ctrl-C
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{heed}; from tikzgen.cli import main; main()"
    command = [sys.executable, "-c", code, "watch", "fig.yaml", "--port", "0"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = process.stderr.readline()
    address = re.fullmatch(
        r"watching fig\.yaml: (http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32})/) \(Ctrl-C ends it\)\n", said
    )
    assert address, said
    connection = http.client.HTTPConnection("127.0.0.1", int(address[2]), timeout=60)
    connection.request("GET", f"{address[3]}/events")
    stream = connection.getresponse()
    while b'"status":"failed"' not in stream.readline():
        pass
    process.send_signal(getattr(signal, name))
    assert process.wait(60) == 130
    (error,) = process.stderr.read().strip().splitlines()
    assert error.startswith('fig.yaml:1:9: recipe: unknown recipe "nothing"'), "no traceback"
