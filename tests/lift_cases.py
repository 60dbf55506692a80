"""Manual edits of rendered figures as data: `tests/cases/lift`, with the operations that express them."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from conftest import ROOT
from ruamel.yaml import YAML

from tikzgen import load
from tikzgen.edit.lift.lifted_file import LiftedFile, lift_file
from tikzgen.edit.own_figure import read_own
from tikzgen.emit.render_figure import render

__all__ = ["FOLDER", "HAND_EDITS", "edited", "edited_by", "lifted", "operations", "rendered"]

FOLDER = ROOT / "tests/cases/lift"
HAND_EDITS: list[dict[str, Any]] = YAML(typ="safe").load((FOLDER / "cases.yaml").read_text(encoding="utf-8"))


@cache
def rendered(figure: str) -> str:
    """The file of a figure before any edit."""
    return render(load(FOLDER / f"{figure}.yaml")).tex


def _edited_line(line: str, edit: dict[str, str]) -> list[str]:
    """A line after one edit of a case."""
    put = edit.get("put", "").split("\n")
    if "after" in edit:
        return [line, *(put if re.search(edit["after"], line) else [])]
    if "before" in edit:
        return [*(put if re.search(edit["before"], line) else []), line]
    if "delete" in edit:
        return [] if re.search(edit["delete"], line) else [line]
    if "in" in edit and not re.search(edit["in"], line):
        return [line]
    return [re.sub(edit["find"], edit["put"], line)]


def edited_by(case: dict[str, Any], text: str) -> str | None:
    """A file after the manual edits of a case; None if one of them finds nothing to change."""
    head, mark, spec = text.partition("% tikzgen spec:")
    for edit in case["hand"]:
        before = head
        head = "\n".join(new for line in head.split("\n") for new in _edited_line(line, edit))
        if head == before:
            return None
    return head + mark + spec


def edited(case: dict[str, Any]) -> str:
    """The file of a case after its manual edits."""
    text = edited_by(case, rendered(case["figure"]))
    assert text is not None
    return text


def lifted(text: str) -> LiftedFile:
    """The manual edits of a file as operations."""
    return lift_file(read_own(text, "fig.tex"))


def operations(file: LiftedFile) -> list[dict[str, Any]]:
    """The operations that express the manual edits of a file."""
    calls = file.edits.lifted.calls if file.edits is not None else ()
    return [{"operation": name, **arguments} for name, arguments in calls]
