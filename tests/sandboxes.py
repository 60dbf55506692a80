"""Machines with one sandbox or another, whatever this one has."""

from __future__ import annotations

import pytest

from tikzgen.compile.sandbox import sandbox as confine

__all__ = ["SANDBOXES", "only"]

SANDBOXES = ("bwrap", "Landlock", "none")


def only(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the sandboxes of this machine, leave that one, if it works here."""
    real = confine.try_sandboxes
    monkeypatch.setattr(confine, "try_sandboxes", lambda: (tried for tried in real() if tried.name == name))
