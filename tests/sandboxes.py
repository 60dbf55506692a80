"""Machines with one sandbox or another, whatever this one has, and a folder that must stay closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tikzgen.compile.sandbox import sandbox as confine

__all__ = ["SANDBOXES", "SECRET", "make_readers_folder", "only"]

SANDBOXES = ("bwrap", "Landlock", "none")


SECRET = "TOPSECRET"
"""Text of a file of the reader."""


def make_readers_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a secret file; the working folder is another one, `work`."""
    (tmp_path / "work").mkdir()
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "secret.txt").write_text(SECRET)
    monkeypatch.chdir(tmp_path / "work")
    return folder


def only(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the sandboxes of this machine, leave that one, if it works here."""
    real = confine.try_sandboxes
    monkeypatch.setattr(confine, "try_sandboxes", lambda: (tried for tried in real() if tried.name == name))
