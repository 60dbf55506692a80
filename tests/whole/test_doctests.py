"""Examples in docstrings print what they show."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest
from conftest import ROOT

MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "tikzgen").rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # some name files of examples/
    failed, tried = doctest.testmod(import_module(name))
    assert (failed, tried > 0) == (0, True)
