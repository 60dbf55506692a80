"""The house: no modules import each other in a circle. (That rooms import downwards only, `lint-imports` guards.)"""

from __future__ import annotations

from circles import circles, imports


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(imports()) == []


def test_a_circle_would_be_found() -> None:
    graph = {"a": {"b": ["x"]}, "b": {"c": ["y"]}, "c": {"a": ["z"]}, "d": {"a": ["x"]}}
    assert circles(graph) == [["a", "b", "c"]]
