"""Packages that offer names of their modules: complete, and quick to import."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys

import pytest
from conftest import ROOT

import tikzgen
from tikzgen.base.lazy_names import lazy_names

PACKAGES = [
    each.name
    for each in pkgutil.walk_packages(tikzgen.__path__, "tikzgen.")
    if each.ispkg
    and each.name != "tikzgen.sites"
    and "lazy_names(" in ROOT.joinpath(*each.name.split("."), "__init__.py").read_text("utf-8")
]


def typed_names(package: str) -> set[str]:
    """Return the names that type checkers see: those that are imported in the package's `__init__`."""
    file = ROOT.joinpath(*package.split("."), "__init__.py")
    imports = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
    return {
        alias.asname or alias.name
        for node in imports
        if (node.module or "").startswith(f"{package}.")
        for alias in node.names
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_each_name_that_type_checkers_see_exists(package: str) -> None:
    module = importlib.import_module(package)
    assert [name for name in sorted(typed_names(package)) if not hasattr(module, name)] == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    load = lazy_names("tikzgen.base", {"plain_words": "spell_plural several=spell_plural"})
    assert load("spell_plural") is load("several")
    with pytest.raises(AttributeError, match=r"module 'tikzgen.base' has no attribute 'spell_plurals'"):
        load("spell_plurals")


@pytest.mark.parametrize("package", PACKAGES)
def test_a_lazy_name_is_not_the_name_of_a_submodule(package: str) -> None:
    """The import of a submodule would replace it."""
    module = importlib.import_module(package)
    submodules = {each.name for each in pkgutil.iter_modules(module.__path__)}
    assert typed_names(package) & submodules == set()


@pytest.mark.parametrize("package", ["tikzgen.compile.draw", "tikzgen.base.child", "tikzgen.base.plane"])
def test_a_package_loads_nothing_of_its_own_at_first(package: str) -> None:
    code = f"import {package}, sys; print(*[name for name in sys.modules if name.startswith('{package}.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
