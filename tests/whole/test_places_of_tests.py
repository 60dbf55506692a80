"""Places of tests: a folder per package, unique file names, and no imports between test files."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import tiers
from conftest import LONGEST, ROOT

FILES = sorted((ROOT / "tests").rglob("test_*.py"))
NOT_PACKAGES = {"__pycache__", "benchmarks", "cases", "goldens", "whole"}


def imported_by(file: Path) -> set[str]:
    tree = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {
        name.partition(".")[0]
        for node in tree
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([each.name for each in node.names] if isinstance(node, ast.Import) else [node.module or ""])
    }


def test_each_folder_tests_a_package() -> None:
    package = ROOT / "tikzgen"
    packages = {path.parent.name for path in package.glob("*/__init__.py")} | {
        path.stem for path in package.glob("*.py")
    }
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    assert folders - NOT_PACKAGES <= packages
    assert {file.parent.name for file in FILES} <= packages | {"whole"}
    assert {file.parent.parent for file in FILES} == {ROOT / "tests"}


def test_file_names_are_unique() -> None:
    assert [name for name, count in Counter(file.name for file in FILES).items() if count > 1] == []


def test_no_module_imports_a_test_file() -> None:
    names = {file.stem for file in FILES}
    found = {file.name: imported_by(file) & names for file in (ROOT / "tests").rglob("*.py")}
    assert {name: imported for name, imported in found.items() if imported} == {}


def test_lists_of_test_files_name_existing_files() -> None:
    assert {*tiers.WHOLE, *LONGEST} <= {file.stem for file in FILES}
