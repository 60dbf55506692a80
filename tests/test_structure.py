"""The house: no modules import each other in a circle. (That rooms import downwards only, `lint-imports` guards.)"""

from __future__ import annotations

from circles import circles, imports
from conftest import ROOT


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(imports()) == []


def test_a_circle_would_be_found() -> None:
    graph = {"a": {"b": ["x"]}, "b": {"c": ["y"]}, "c": {"a": ["z"]}, "d": {"a": ["x"]}}
    assert circles(graph) == [["a", "b", "c"]]


def test_every_room_stands_on_the_page_of_the_architecture() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = [path.name for path in (ROOT / "tikzgen").iterdir() if (path / "__init__.py").exists()]
    assert [room for room in sorted(rooms) if f"`{room}/`" not in page] == []


def test_no_file_name_stands_twice() -> None:
    """Verbs have the word `verb` in theirs; rules are named after what they forbid."""
    files = [
        path for path in (ROOT / "tikzgen").rglob("*.py") if path.name != "__init__.py" and "rules" not in path.parts
    ]
    names = [path.name for path in files]
    assert sorted({name for name in names if names.count(name) > 1}) == []
