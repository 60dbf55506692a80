"""Tables of extension points: what an entry of a package must be, and how an error names the package."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import ROOT
from extension_packages import CASES, TABLES, forget, install, list_entries, make_dist_info

from tikzgen.base.errors import TikzgenError
from tikzgen.base.extensions import Table, is_attribute_missing

Make = Callable[..., Table[Any]]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Make a table of fruit, with one built in, among packages with these entry points."""

    def made(*packages: tuple[str, str]) -> Table[Any]:
        for name, entries in packages:
            make_dist_info(tmp_path, name, f"[tikzgen.fruit]\n{entries}\n")
        (tmp_path / "orchard.py").write_text("class Pear:\n    taste = 1\nclass Stone:\n    pass\n")
        (tmp_path / "broken.py").write_text("1 / 0\n")
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()
        return Table("fruit", {"apple": "fractions:Fraction"}, needed=("taste",))

    return made


def test_names_are_the_built_in_ones_then_those_of_packages(make: Make) -> None:
    table = make(("b-pack", "quince = orchard:Pear"), ("a-pack", "pear = orchard:Pear"))
    assert list(table) == ["apple", "pear", "quince"]
    assert table.map_entry_packages() == {"pear": "a-pack", "quince": "b-pack"}
    assert (table.package_of("pear"), table.release_of("pear")) == ("a-pack", "a-pack 1.0")
    assert (table.package_of("apple"), table.release_of("apple")) == ("", "")
    assert table["pear"].taste == 1
    assert table["pear"] is table["pear"]
    assert "pear" in table
    assert "plum" not in table
    assert table.suggest_entry("peer") == 'did you mean "pear"?'


REFUSED = {
    'package "p": entry "stone" of tikzgen.fruit lacks taste (define taste in orchard:Stone)': "stone = orchard:Stone",
    'package "p": entry "apple" of tikzgen.fruit conflicts with a built-in entry (rename the entry point)': (
        "apple = orchard:Pear"
    ),
    'package "p": entry "x" of tikzgen.fruit cannot load broken:X: ZeroDivisionError: division by zero '
    "(update or uninstall the package)": "x = broken:X",
    'package "p": entry "x" of tikzgen.fruit cannot load nowhere:X: ModuleNotFoundError: No module named \'nowhere\' '
    "(update or uninstall the package)": "x = nowhere:X",
}


@pytest.mark.parametrize("message", REFUSED)
def test_an_entry_that_cannot_be_used_is_refused_by_name(make: Make, message: str) -> None:
    entries = REFUSED[message]
    table = make(("p", entries))
    with pytest.raises(TikzgenError) as caught:
        table[entries.split()[0]] if "apple" not in entries else table.list_entry_names()
    assert str(caught.value) == message


def test_two_packages_with_one_name_are_refused(make: Make) -> None:
    table = make(("p", "pear = orchard:Pear"), ("q", "pear = orchard:Pear"))
    with pytest.raises(TikzgenError, match=r'package "q": entry "pear" of tikzgen.fruit conflicts with package "p"'):
        table.list_entry_names()


def test_a_built_in_name_does_not_read_the_environment(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: pytest.fail("read"))
    table = make()
    assert "apple" in table
    assert table["apple"] == 0
    assert table.release_of("apple") == ""


def test_an_unknown_name_is_a_key_error(make: Make) -> None:
    with pytest.raises(KeyError):
        make()["plum"]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_built_in_entries_have_what_third_party_entries_need(table: Table[Any]) -> None:
    for name in table.built_in:
        assert not [each for each in table.needed if is_attribute_missing(table[name], each)], name


PACKAGES = sorted(path.name for path in CASES.iterdir())


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_of_a_third_party_is_small(package: str) -> None:
    lines = [path.read_text("utf-8").count("\n") for path in (CASES / package).rglob("*") if path.is_file()]
    assert sum(lines) < 60


@pytest.mark.parametrize("package", PACKAGES)
def test_an_incomplete_package_is_refused_by_name(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each attribute that the table needs, and that the package defines itself, is deleted in turn."""
    for group, name, address in list_entries(CASES / package / "entry_points.txt"):
        table = next(table for table in TABLES if table.group == group)
        install(monkeypatch, tmp_path / name / "whole", package)
        module, _, kind = address.partition(":")
        found = getattr(importlib.import_module(module), kind)
        if not isinstance(found, type):
            continue  # a record has all its fields
        own = [each for each in table.needed if is_attribute_missing(found.__base__, each)]
        assert own
        for attribute in own:
            install(monkeypatch, tmp_path / name / attribute, package, append=f"\n\ndel {kind}.{attribute}\n")
            with pytest.raises(TikzgenError) as caught:
                table[name]
            head = f'package "{package}": entry "{name}" of {group} lacks {attribute} '
            assert str(caught.value).startswith(head)


@pytest.mark.parametrize("example", ["distributed-training", "login", "memory"])
def test_a_figure_of_built_in_names_reads_no_entry_points(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise AssertionError("entry points are read")

    monkeypatch.setattr("importlib.metadata.entry_points", fail)
    forget(monkeypatch)
    spec = Path(shutil.copy(ROOT / "examples" / f"{example}.yaml", tmp_path))
    assert run("render", str(spec)).status == 0
    assert run("build", str(spec), "-f", "svg", "--no-cache").status == 0
    assert run("edit", str(spec.with_suffix(".tex")), "palette", "dark").status == 0
