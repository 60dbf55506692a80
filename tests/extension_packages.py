"""Install the packages of tests/cases/extensions for one test: a folder on the path, without pip."""

from __future__ import annotations

import configparser
import importlib
import shutil
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from tikzgen.base.extensions import Table
from tikzgen.compile.formats.format_table import FORMATS
from tikzgen.layout import layout_kinds
from tikzgen.lint.rule_table import RULES
from tikzgen.model.content import KINDS
from tikzgen.model.looks.icons import ICON_FOLDERS
from tikzgen.model.looks.venues import VENUES
from tikzgen.model.timeline.mark_table import MARKS
from tikzgen.model.topology.node_shapes import SHAPES
from tikzgen.recipe.recipe_names import RECIPES
from tikzgen.spec.diagrams.import_formats import IMPORT_FORMATS
from tikzgen.spec.schema import spec_schema_text
from tikzgen.spec.settings.house_style import STYLES
from tikzgen.trace.readers.trace_formats import TRACE_FORMATS

CASES = ROOT / "tests" / "cases" / "extensions"
TABLES: tuple[Table, ...] = (
    *(FORMATS, SHAPES, RECIPES, MARKS, KINDS, VENUES, STYLES, TRACE_FORMATS, IMPORT_FORMATS, RULES),
    *ICON_FOLDERS,
)  # type: ignore[type-arg]


def install(patch: pytest.MonkeyPatch, folder: Path, name: str, *, append: str = "") -> None:
    """Put a package on the path, with `append` at the end of its module; all tables look for entries anew."""
    shutil.copytree(CASES / name, folder, dirs_exist_ok=True)
    entries = folder / "entry_points.txt"
    modules = {entry.partition(":")[0] for _, _, entry in list_entries(entries)}
    for module in modules:
        with (folder / f"{module}.py").open("a", encoding="utf-8") as file:
            file.write(append)
        patch.delitem(sys.modules, module, raising=False)
    make_dist_info(folder, name, entries.read_text("utf-8"))
    patch.syspath_prepend(folder)
    importlib.invalidate_caches()
    forget(patch)


def make_dist_info(folder: Path, name: str, entries: str) -> None:
    """Write the metadata that an installer leaves beside a package."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(entries, "utf-8")


def forget(patch: pytest.MonkeyPatch) -> None:
    """Let all tables look for third-party entries anew, in this test and after it."""
    for table in TABLES:
        patch.setattr(table, "_loaded", {})
        patch.setattr(table, "_third_party", None)
    spec_schema_text.cache_clear()
    layout_kinds._load_kind.cache_clear()


def list_entries(path: Path) -> list[tuple[str, str, str]]:
    """Return the entry points of a package: group, name and address."""
    parser = configparser.ConfigParser()
    parser.read_string(path.read_text("utf-8"))
    return [(section, *pair) for section in parser.sections() for pair in parser.items(section)]
