"""The cache: keys that do not run together, results whole or absent, never an error."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tikzgen.base.cache import Cache, cache_key
from tikzgen.base.errors import FileRefused
from tikzgen.base.version_and_cache_folder import cache_folder
from tikzgen.base.write_files import write_file
from tikzgen.compile.tex.workplace import remove_old_folders

PARTS = st.lists(st.text(max_size=6), max_size=4)


@given(PARTS, PARTS)
def test_different_parts_have_different_keys(one: list[str], other: list[str]) -> None:
    assert (cache_key(*one) == cache_key(*other)) == (one == other)


def test_parts_do_not_run_into_each_other() -> None:
    assert len({cache_key("ab", "c"), cache_key("a", "bc"), cache_key("abc"), cache_key("abc", "")}) == 4


@given(st.binary())
def test_what_is_put_is_got(data: bytes) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        cache = Cache(Path(folder) / "new" / "cache")
        assert cache.get(cache_key("a")) is None
        cache.store(cache_key("a"), data)
        assert cache.get(cache_key("a")) == data
        assert cache.get(cache_key("b")) is None


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 200])
def test_a_damaged_result_is_no_result(tmp_path: Path, damage: bytes) -> None:
    cache, key = Cache(tmp_path), cache_key("a")
    cache.store(key, b"whole")
    (file,) = tmp_path.glob("??/*")
    file.write_bytes(damage)
    assert cache.get(key) is None
    cache.store(key, b"whole")
    assert cache.get(key) == b"whole"


def test_no_folder_and_an_unusable_folder_are_empty_caches(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    for cache in (Cache(None), Cache(tmp_path / "file" / "cache")):
        cache.store(cache_key("a"), b"data")
        assert cache.get(cache_key("a")) is None
        cache.prune(0)


@pytest.mark.slow
def test_many_at_once(tmp_path: Path) -> None:
    data = os.urandom(100_000)

    def use(number: int) -> bytes | None:
        cache = Cache(tmp_path)
        cache.store(cache_key(str(number % 3)), data)
        return cache.get(cache_key(str(number % 3)))

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(use, range(200))) == {data}
    assert len(list(tmp_path.glob("*/*"))) == 3, "no drafts are left"


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    keys = [cache_key(str(number)) for number in range(4)]
    for age, key in enumerate(keys):
        cache.store(key, bytes(1000))
        os.utime(tmp_path / key[:2] / key[2:], (age, age))
    assert cache.get(keys[0]) is not None, "which makes it the youngest"
    cache.prune(2500 / 1024 / 1024)
    assert [cache.get(key) is not None for key in keys] == [True, False, False, True]


@pytest.mark.parametrize(
    ("platform", "env", "folder"),
    [
        ("linux", {"HOME": "/home/u"}, "/home/u/.cache/tikzgen"),
        ("linux", {"HOME": "/home/u", "XDG_CACHE_HOME": "/c"}, "/c/tikzgen"),
        ("linux", {"HOME": "/home/u", "XDG_CACHE_HOME": "relative"}, "/home/u/.cache/tikzgen"),
        ("darwin", {"HOME": "/Users/u"}, "/Users/u/Library/Caches/tikzgen"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/tikzgen/Cache"),
        ("linux", {}, None),
        ("win32", {}, None),
    ],
)
def test_where_it_lives(platform: str, env: dict[str, str], folder: str | None) -> None:
    assert cache_folder(platform, env) == (None if folder is None else Path(folder))


def test_a_file_is_written_whole_and_only_when_it_changes(tmp_path: Path) -> None:
    target = tmp_path / "new" / "a.pdf"
    assert write_file(target, b"one")
    before = target.stat()
    assert not write_file(target, b"one")
    assert target.stat().st_mtime_ns == before.st_mtime_ns
    assert write_file(target, b"two")
    assert target.read_bytes() == b"two"
    assert [path.name for path in target.parent.iterdir()] == ["a.pdf"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.pdf").write_bytes(b"one")
    (tmp_path / "link.pdf").symlink_to("real.pdf")
    assert write_file(tmp_path / "link.pdf", b"two")
    assert (tmp_path / "link.pdf").is_symlink()
    assert (tmp_path / "real.pdf").read_bytes() == b"two"


def test_a_target_that_cannot_be_written_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "folder.pdf").mkdir()
    for target in (tmp_path / "file" / "a.pdf", tmp_path / "folder.pdf"):
        with pytest.raises(FileRefused, match="cannot write") as refused:
            write_file(target, b"data")
        assert "\n" not in str(refused.value)


def test_what_was_made_of_the_same_parts_is_not_made_again(tmp_path: Path) -> None:
    made = []

    def make() -> bytes:
        made.append(b"data")
        return made[-1]

    for cache, times in ((Cache(tmp_path), 2), (Cache(None), 6)):
        assert [cache.get_or_make(make, "kind", part) for part in ("a", "b", "a", "b")] == [b"data"] * 4
        assert len(made) == times


def test_what_is_two_days_old_is_not_yet_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tikzgen-left").mkdir()
    os.utime(tmp_path / "tikzgen-left", (1000, 1000))
    monkeypatch.setattr(time, "time", lambda: 1000 + 2 * 86400.0)
    remove_old_folders(tmp_path)
    assert (tmp_path / "tikzgen-left").exists()
    monkeypatch.setattr(time, "time", lambda: 1001 + 2 * 86400.0)
    remove_old_folders(tmp_path)
    assert not (tmp_path / "tikzgen-left").exists()
