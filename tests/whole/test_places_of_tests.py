"""Places of tests: a folder per package, unique file names, and no imports between test files."""

from __future__ import annotations

import re
from collections import Counter

import tiers
from conftest import LONGEST, ROOT

FILES = sorted((ROOT / "tests").rglob("test_*.py"))
NOT_PACKAGES = {"__pycache__", "benchmarks", "cases", "goldens", "whole"}


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
    importing = re.compile(rf"^ *(?:from|import) (?:{'|'.join(file.stem for file in FILES)})\b", re.MULTILINE)
    files = (ROOT / "tests").rglob("*.py")
    assert [file.name for file in files if importing.search(file.read_text(encoding="utf-8"))] == []


def test_lists_of_test_files_name_existing_files() -> None:
    assert {*tiers.WHOLE, *LONGEST} <= {file.stem for file in FILES}
