"""Every example's file and metadata, to the byte."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import EXAMPLES

from tikzgen import load, render

GOLDENS = Path(__file__).parent / "goldens"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_rendered_as_reviewed(example: Path, golden: Callable[[Path, str], None]) -> None:
    rendered = render(load(example))
    golden(GOLDENS / f"{example.stem}.tex", rendered.tex)
    golden(GOLDENS / f"{example.stem}.meta.json", json.dumps(rendered.metadata, ensure_ascii=False, indent=2) + "\n")
