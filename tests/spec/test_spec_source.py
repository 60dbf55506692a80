"""What is read, and what is refused before it is looked at."""

from __future__ import annotations

import io
from contextlib import nullcontext
from pathlib import Path

import pytest

from tikzgen.base.errors import FileRefused, SpecError
from tikzgen.spec.parse_text import parse
from tikzgen.spec.read_document import read_document
from tikzgen.spec.source import MAX_BYTES, decode, read_text, stdin_called


class Counting(io.BytesIO):
    """A stream that knows how much was asked of it."""

    asked = 0

    def read(self, size: int | None = -1) -> bytes:
        assert size is not None
        assert size >= 0, "an endless stream would never end"
        self.asked += size
        return super().read(size)


def test_a_file_is_read_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "s.yaml").write_text("title: 同步更新\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    document = read_document("s.yaml")
    assert (document.name, document.data) == ("s.yaml", {"title": "同步更新"})
    assert read_document(Path("s.yaml")) == document


@pytest.mark.parametrize(("name", "wanted"), [(None, "<stdin>"), ("paper.yaml", "paper.yaml")])
def test_a_hyphen_is_standard_input(name: str | None, wanted: str) -> None:
    with stdin_called(name) if name else nullcontext():
        document = parse(*read_text("-", stdin=io.BytesIO(b"title: x")))
        assert (document.name, document.data) == (wanted, {"title": "x"})
        with pytest.raises(SpecError, match=f"^{wanted}:1:8: "):
            parse(*read_text("-", stdin=io.BytesIO(b"title: @")))
    assert parse(*read_text("-", stdin=io.BytesIO(b"title: x"))).name == "<stdin>"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfa: 1", "a: 1"),
        (b"a: 1\r\nb: 2\r\n", "a: 1\nb: 2\n"),
        (b"a: 1\rb: 2", "a: 1\nb: 2"),
        ("é: 😀\n".encode(), "é: 😀\n"),
        (b"", ""),
    ],
)
def test_bytes_become_text_with_line_feeds(data: bytes, text: str) -> None:
    assert decode(data, "s.yaml") == text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a: 1\nb: caf\xe9\n", "s.yaml:2:7: not UTF-8: byte 0xE9 at position 11 (save the file as UTF-8)"),
        (b"\xef\xbb\xbfa\r\n\xff", "s.yaml:2:1: not UTF-8: byte 0xFF at position 6 (save the file as UTF-8)"),
        ("a: 1".encode("utf-16"), "s.yaml:1:1: not UTF-8: byte 0xFF at position 0 (save the file as UTF-8)"),
        (b"a: x\x00y", "s.yaml:1:5: the character U+0000 is not allowed (remove it)"),
        (b"a: 1\r\nb: \x1b[1m", "s.yaml:2:4: the character U+001B is not allowed (remove it)"),
        ("a: \u0090".encode(), "s.yaml:1:4: the character U+0090 is not allowed (remove it)"),
        ("a: b\ufeff".encode(), "s.yaml:1:5: the character U+FEFF is not allowed (remove it)"),
    ],
)
def test_what_is_no_text_is_refused_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        decode(data, "s.yaml")
    assert str(caught.value) == message


TOO_LARGE = "is larger than 8 MB, which no spec needs (describe the figure in fewer parts)"


def test_a_large_file_is_refused_unopened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as stream:
        stream.truncate(50_000_000)
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("the file was opened"))
    with pytest.raises(SpecError) as caught:
        read_document(path)
    assert str(caught.value) == f"{path}: {TOO_LARGE}"


def test_a_long_stream_is_refused_without_reading_all_of_it() -> None:
    stream = Counting(b"#" * (MAX_BYTES + 10))
    with pytest.raises(SpecError) as caught:
        read_text("-", stdin=stream)
    assert str(caught.value) == f"<stdin>: {TOO_LARGE}"
    assert stream.asked == MAX_BYTES + 1


def test_a_file_of_just_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(b"#" * MAX_BYTES)
    assert len(read_text(path)[0]) == MAX_BYTES


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "s.yaml").write_text("a: 1")

    def say(name: str) -> str:
        with pytest.raises(FileRefused) as caught:
            read_document(name)
        return str(caught.value)

    assert say("absent") == "absent: file not found"
    assert say("absent.yaml") == "absent.yaml: file not found (`tikzgen new RECIPE` writes a spec)"
    assert say("ss.yaml") == 'ss.yaml: file not found (did you mean "s.yaml"?)'
    assert say("folder.yaml") == "folder.yaml: is a folder, not a file (name files in it: folder.yaml/*.yaml)"
    assert say("s.yaml/x.yaml") == "s.yaml/x.yaml: cannot be read: Not a directory"
    assert say("a" * 999).endswith(": cannot be read: File name too long")
    assert say("a\0b").startswith("a\0b: cannot be read: ")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert say("s.yaml") == "s.yaml: may not be read (check its permissions)"
