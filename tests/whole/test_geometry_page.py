"""The page of figures before and after: what it says of them is so."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = pytest.mark.tex

PAGE = ROOT / "docs" / "geometry" / "README.md"
SCRIPT = ROOT / "tools" / "geometry_page.py"


def test_the_page_says_what_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    spec = spec_from_file_location("page", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    text = module.page(module.figures())
    assert [line for line in text.splitlines() if line.startswith("still: ")] == []
    assert text == PAGE.read_text("utf-8"), f"run: python {SCRIPT.relative_to(ROOT)}"
    for picture in re.findall(r"\]\(([^)]+)\)", text):
        assert PAGE.with_name(picture).is_file(), picture
