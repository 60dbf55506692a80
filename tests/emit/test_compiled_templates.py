"""Compiled templates, beside Python's bytecode or in the cache folder: whatever happens to them, a figure stays so."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import some
from jinja2.exceptions import SecurityError

from tikzgen import recipes
from tikzgen.base.version_and_cache_folder import template_folder
from tikzgen.emit.environment import bytecode_cache, make_environment

WANTED = recipes.data_parallel().tex()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder, no bytecode, and an environment that has compiled nothing yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    make_environment.cache_clear()
    yield tmp_path
    make_environment.cache_clear()


def rendered() -> str:
    make_environment.cache_clear()
    return recipes.data_parallel().tex()


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_templates_are_kept_and_found_again(cache: Path) -> None:
    assert rendered() == WANTED
    kept = {path: path.stat().st_mtime_ns for path in files(cache)}
    assert kept
    assert rendered() == WANTED
    assert {path: path.stat().st_mtime_ns for path in files(cache)} == kept, "nothing was compiled again"


def test_they_lie_where_python_keeps_the_bytecode_of_their_folder(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", str(cache / "bytecode"))
    assert rendered() == WANTED
    kept = files(cache)
    assert kept
    assert all(path.is_relative_to(f"{cache}/bytecode{template_folder()}") for path in kept)


def test_where_python_may_keep_none_they_lie_in_the_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / "taken").write_text("not a folder")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", str(cache / "taken"))
    assert rendered() == WANTED
    assert (cache / "tikzgen" / "templates").is_dir()


@pytest.mark.parametrize(
    "damage", some([None, b"", b"\x80", b"j2" + bytes(200)]), ids=["cut", "empty", "short", "zeros"]
)
def test_a_damaged_file_is_compiled_anew(cache: Path, damage: bytes | None) -> None:
    rendered()
    sound = {path: path.read_bytes() for path in files(cache)}
    for path, content in sound.items():
        path.write_bytes(content[: len(content) // 2] if damage is None else damage)
    assert rendered() == WANTED
    assert {path: path.read_bytes() for path in files(cache)} == sound, "and written again"


def test_a_folder_that_nobody_may_write_to_is_done_without(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert bytecode_cache("syntax") is None
    assert rendered() == WANTED
    assert files(cache) == []


def test_files_that_cannot_be_written_are_done_without(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("tempfile.NamedTemporaryFile", refuse)
    assert rendered() == WANTED
    assert files(cache) == []


def test_a_file_in_place_of_the_folder_is_done_without(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / "taken").write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache / "taken"))
    assert rendered() == WANTED


def test_two_versions_keep_apart(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered()
    first = {path: path.read_bytes() for path in files(cache)}
    monkeypatch.setattr(sys.implementation, "cache_tag", "another-python")
    assert rendered() == WANTED
    both = {path: path.read_bytes() for path in files(cache)}
    assert len(both) == 2 * len(first)
    assert first.items() <= both.items(), "the other version's files stay as they were"


def test_another_syntax_has_files_of_its_own(cache: Path) -> None:
    one, other = bytecode_cache("one"), bytecode_cache("other")
    assert one is not None
    assert other is not None
    assert one.directory != other.directory


@pytest.mark.parametrize("factor", ["x" * 1000, 1000, -1000, (0,) * 1000], ids=["text", "number", "negative", "tuple"])
def test_a_template_of_a_user_multiplies_up_to_a_million(factor: object, tmp_path: Path) -> None:
    multiply = make_environment((tmp_path,)).from_string("<< (one * two) is defined >>").render
    assert multiply(one=factor, two=999) == "True"
    with pytest.raises(SecurityError, match="a product grows too large"):
        multiply(one=factor, two=1000)
