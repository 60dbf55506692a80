"""What each operation changes in a spec, as reviewed: lines that go, lines that come, or the refusal."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from ruamel.yaml import YAML

from tikzgen import Figure, TikzgenError, loads
from tikzgen.model.operations.operations_table import read_operation


def _read(name: str) -> Any:
    return YAML(typ="safe").load((ROOT / "tests" / "cases" / name).read_text(encoding="utf-8"))


FIGURES: dict[str, Any] = {case["name"]: case["figure"] for case in _read("layouts/options.yaml")}
CHANGES: dict[str, list[dict[str, Any]]] = _read("operations/changes.yaml")


def _lines(figure: Figure) -> list[str]:
    data = figure.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(data, ensure_ascii=False, indent=1).splitlines()


def _told(figure: Figure, call: dict[str, Any]) -> Iterator[str]:
    arguments = {name: value for name, value in call.items() if name != "do"}
    yield f"{call['do']} {json.dumps(arguments, ensure_ascii=False)}"
    try:
        changed = read_operation(call["do"], arguments).change(figure)
    except TikzgenError as error:
        yield f"  {getattr(error, 'code', type(error).__name__)}: {error}"
        return
    difference = difflib.unified_diff(_lines(figure), _lines(changed), lineterm="", n=0)
    yield from (f"  {line}" for line in difference if not line.startswith(("---", "+++", "@@")))


@pytest.mark.parametrize("name", CHANGES)
def test_operations_change_what_was_reviewed(name: str, golden: Callable[[Path, str], None]) -> None:
    figure = loads(json.dumps(FIGURES[name]))
    lines = [line for call in CHANGES[name] for line in _told(figure, call)]
    golden(ROOT / "tests" / "goldens" / "operations" / f"{name}.txt", "\n".join(lines) + "\n")
