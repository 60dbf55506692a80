"""The public names mean the same, whatever was imported before them."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

import pytest
from conftest import at_once

import tikzgen

# Entering a module binds its name in the package; a fresh interpreter tells what a name then means.
_SUBMODULES = "import sys, importlib, tikzgen; [importlib.import_module(name) for name in sys.argv[1:]]; "
_NAMES = "print(*(type(getattr(tikzgen, name)).__name__ for name in tikzgen.__all__))"


@cache
def submodules() -> list[str]:
    found = [module.name for module in walk_packages(tikzgen.__path__, "tikzgen.")]
    return [name for name in found if not name.endswith("__main__")]


@pytest.mark.slow
def test_public_names_after_every_submodule() -> None:
    run = [sys.executable, "-c", _SUBMODULES + _NAMES, *submodules()]
    kinds = subprocess.run(run, check=True, capture_output=True, text=True, timeout=60).stdout.split()
    modules = {name for name, kind in zip(tikzgen.__all__, kinds, strict=True) if kind == "module"}
    assert modules == {"recipes"}


@at_once
@pytest.mark.parametrize("name", sorted(set(tikzgen.__all__) - {"recipes", "__version__"}))
def test_no_submodule_takes_a_public_name(name: str) -> None:
    assert f"tikzgen.{name}" not in submodules()
    assert not isinstance(getattr(tikzgen, name), ModuleType)


def test_recipes_is_the_module() -> None:
    assert tikzgen.recipes is import_module("tikzgen.recipes")
