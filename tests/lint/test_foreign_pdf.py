"""A stranger's PDF is drawn and read by a program of its own: within limits, in the sandbox, one line at the end."""

from __future__ import annotations

import json
import sys
import zlib
from base64 import b64encode
from pathlib import Path

import pytest
from conftest import ROOT

from tikzgen.base.cache import Cache
from tikzgen.base.errors import LatexError, TikzgenError
from tikzgen.compile import convert
from tikzgen.compile.pdf import page_size
from tikzgen.compile.sandbox.reader_process import ReaderProcess, made_of
from tikzgen.compile.sandbox.sandbox import ProcessSandbox, try_sandboxes
from tikzgen.compile.tex.argv import Limits
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.lint.probe.marked_page import MarkedPage
from tikzgen.lint.probe.page_data import Raster
from tikzgen.lint.probe.pdf.pdf_pages import read_pdf
from tikzgen.lint.probe.pdf.read_apart import read_json, read_pdf_apart, written_as_json
from tikzgen.lint.probe.probing import probe

pytestmark = pytest.mark.tex

HATCHED = (ROOT / "tests/cases/tex/figures/hatched.tex").read_text("utf-8")
SECRET = "TOPSECRET"


def cells() -> list[ProcessSandbox]:
    """Every sandbox that works here."""
    return [tried.cell for tried in try_sandboxes() if tried.cell and tried.works]


@pytest.fixture(scope="module")
def pdf() -> bytes:
    return compile_tex(HATCHED).pdf


def test_it_is_drawn_and_read_as_our_own(pdf: bytes) -> None:
    for cell in cells():
        assert convert.to_png(pdf, dpi=50, cell=cell) == convert.to_png(pdf, dpi=50)
        assert convert.to_svg(pdf, cell=cell) == convert.to_svg(pdf)
        assert read_pdf_apart(pdf, cell) == read_pdf(pdf)


READER = """
import os, sys, time
from pathlib import Path
what = sys.argv[1]
if what == "loop":
    while True: pass
if what == "memory":
    held = [bytes(1024 * 1024) for _ in range(10**6)]
if what == "crash":
    os.abort()
if what == "flood":
    for name in range(10**6): Path(f"x{name}").write_bytes(bytes(1024 * 1024))
if what == "look":
    seen = []
    for place in sys.argv[2:]:
        try: seen.append(Path(place).read_text())
        except OSError: seen.append("nothing")
    try: Path(sys.argv[2]).with_name("written").write_text("x")
    except OSError: seen.append("unwritten")
    Path("made").write_text(" ".join([*seen, os.environ.get("TIKZGEN_SECRET", "no secret"), *os.listdir(".")]))
if what == "link":
    os.symlink(sys.argv[2], "made")
"""


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReaderProcess:
    """A reader that a PDF has taken over: it does what its argument says."""
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "__init__.py").write_text("")
    (tmp_path / "evil" / "reader.py").write_text(READER)
    monkeypatch.syspath_prepend(str(tmp_path))
    return ReaderProcess("evil.reader", ("evil",), "the reader")


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("loop", "the reader was stopped after 0.5 s"),
        ("memory", "the reader needs more than 256 MiB of memory"),
        ("crash", "the reader failed with status "),
        ("nothing", "the reader failed with status 0"),
    ],
)
def test_what_goes_wrong_there_is_one_line(reader: ReaderProcess, what: str, message: str) -> None:
    limits = Limits(seconds=0.5 if what == "loop" else 60, memory_mib=256, file_mib=8, folder_mib=8)
    for cell in [None, *cells()]:
        with pytest.raises(LatexError) as raised:
            made_of(reader, b"", what, cell=cell, limits=limits)
        assert raised.value.message.startswith(message)
        assert "\n" not in str(raised.value)


def test_a_sandbox_that_does_not_see_python_says_so(pdf: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/tmp/nowhere/python3")
    for cell in cells():
        (probed,) = probe([HATCHED], cells=[cell], cache=Cache(None))
        told = str(probed.error)
        assert f"it cannot be measured: PDFium cannot be run in the sandbox ({cell.name}): status " in told
        assert "(Python, tikzgen and its packages must stand where a sandbox may read, not below /tmp" in told


def test_packages_that_are_not_installed_are_told_before(pdf: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2.raw", None)
    with pytest.raises(TikzgenError, match="pip install 'pypdfium2"):
        read_pdf_apart(pdf, None)


def test_its_folder_is_limited(reader: ReaderProcess) -> None:
    for cell in [None, *cells()]:
        with pytest.raises(LatexError, match="the reader failed"):
            made_of(reader, b"", "flood", cell=cell, limits=Limits(file_mib=8, folder_mib=8))


def test_a_link_that_it_leaves_leads_nowhere(reader: ReaderProcess, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text(SECRET)
    for cell in [None, *cells()]:
        with pytest.raises(LatexError, match="the reader failed"):
            made_of(reader, b"", "link", str(tmp_path / "secret.txt"), cell=cell)


def test_it_sees_nothing_of_the_readers_and_writes_nothing(
    reader: ReaderProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.txt").write_text(SECRET)
    monkeypatch.setenv("TIKZGEN_SECRET", SECRET)
    places = [str(tmp_path / "secret.txt"), str(ROOT / "pyproject.toml"), "/etc/passwd"]
    for cell in cells():  # where there is none, such files are refused before (test_tex_confine)
        told = made_of(reader, b"", "look", *places, cell=cell).decode()
        assert told == "nothing nothing nothing unwritten no secret figure.pdf"
        assert not (tmp_path / "written").exists()


@pytest.mark.parametrize("junk", [b"", b"%PDF-1.5", b"%PDF-1.5\n" + b"<<" * 100_000, bytes(10_000)])
def test_what_is_no_pdf_is_one_line(junk: bytes) -> None:
    with pytest.raises(LatexError) as raised:
        read_pdf_apart(junk, None)
    assert "PDFium failed" in str(raised.value)
    assert "\n" not in str(raised.value)


def pixels(width: int, height: int, count: int) -> bytes:
    return json.dumps([[1, 2, [], [width, height, 1, b64encode(zlib.compress(bytes(count))).decode()]]]).encode()


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"{}", b"[1]", b"[[1,2,[[1]],null]]", b'[[1,2,[["os",1]],null]]', b'[[1,2,[["MarkedText",1]],null]]'),
        *(b"[" * 100_000, pixels(1, 1, 3), pixels(1, 1, 10_000_000), pixels(10**9, 1, 4), pixels(-1, -1, 4)),
        *(b"[[1,2,[],[1,1,1]]]", b'[[1,2,[],[1,1,1,"AAAA"]]]'),
    ],
)
def test_what_no_page_is_is_one_line(data: bytes) -> None:
    with pytest.raises(LatexError, match="invalid page"):
        read_json(data)


def test_pages_survive_json(pdf: bytes) -> None:
    pages = [*read_pdf(pdf), MarkedPage(3.0, 4.0, (), Raster(2, 1, 0.5, b"12345678"))]
    assert read_json(written_as_json(pages)) == pages
    assert json.loads(written_as_json(pages))


TRAILER = b"\ntrailer <</Size 9 /Root 2 0 R /Info 3 0 R>>\n"
# Each would take our own readers of PDF hours, or all memory, if one look went on as long as the file does.
BOMBS = {
    "stream that never begins": b"/Type /ObjStm " * 300_000,
    "dictionary that never ends": b"<<" * 500_000,
    "information that never ends": b"\n3 0 obj <<" * 200_000,
    "blanks": b"\n3" + b" " * 1_000_000 + b"/Type" + b" " * 1_000_000,
    "boxes": b"/MediaBox [ 1 1 1 " * 200_000,
    "packed": b"<</Type/ObjStm/First 1>>stream\n%s\nendstream\n" * 40,
}


@pytest.mark.parametrize("name", BOMBS)
def test_our_own_readers_go_over_a_file_once(name: str) -> None:
    packed = zlib.compress(bytes(100_000_000), 9) if name == "packed" else b""
    head = b"%PDF-1.5\n" + BOMBS[name].replace(b"%s", packed) + b"\n"
    bomb = head + b"xref\n0 1\n" + TRAILER + b"startxref\n%d\n%%%%EOF\n" % len(head)
    with pytest.raises(ValueError, match="MediaBox"):
        page_size(bomb)
