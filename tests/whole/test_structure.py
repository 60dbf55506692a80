"""The house: no modules import each other in a circle. (That rooms import downwards only, `lint-imports` guards.)"""

from __future__ import annotations

import ast
import re
import tomllib

import pytest
from circles import circles, imports
from conftest import ROOT


@pytest.mark.slow
def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(imports()) == []


def test_a_circle_would_be_found() -> None:
    graph = {"a": {"b": ["x"]}, "b": {"c": ["y"]}, "c": {"a": ["z"]}, "d": {"a": ["x"]}}
    assert circles(graph) == [["a", "b", "c"]]


PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
FOLDERS = sorted(path.parent for path in (ROOT / "tikzgen").rglob("__init__.py"))
PACKAGES = {path.name for path in FOLDERS if path.parent == ROOT / "tikzgen"}


def test_the_architecture_page_lists_the_packages_from_the_top_layer_down() -> None:
    rows = re.findall(r"^\| `(\w+)/` \| .+ \| (?:`(.+)`)? ?\|$", PAGE, flags=re.MULTILINE)
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = [layer.split(" : ")[0] for layer in contracts[0]["layers"]]
    assert [package for package, _ in rows] == [layer for layer in layers if layer in PACKAGES]
    assert {package for package, _ in rows} == PACKAGES
    for package, inside in rows:
        subpackages = {path.name for path in FOLDERS if path.parent == ROOT / "tikzgen" / package}
        assert set(inside.split()) == subpackages, package


def test_each_arrow_of_the_pipeline_is_a_package() -> None:
    picture = PAGE.partition("```text\n")[2].partition("```")[0]
    arrows = set(re.findall(r"(?<=[─ ])[a-z]+(?=─)|(?<=─)[a-z]+(?=[─▶])|(?<=─ )[a-z]+(?= ◀)|model", picture))
    assert arrows == PACKAGES - {"base", "text", "cli", "serve"}


def test_no_file_name_stands_twice() -> None:
    """Verbs have the word `verb` in theirs; rules are named after what they forbid."""
    files = [
        path for path in (ROOT / "tikzgen").rglob("*.py") if path.name != "__init__.py" and "rules" not in path.parts
    ]
    names = [path.name for path in files]
    assert sorted({name for name in names if names.count(name) > 1}) == []


HEAVY = {
    "serve/agents/mcp_server.py": {
        "mcp.server",
        "mcp.server.mcpserver",
        "mcp.server.mcpserver.exceptions",
        "mcp.types",
    },
    "compile/pdf.py": {"pypdfium2"},
    "lint/rules/metadata_beside.py": {"jsonschema"},
    "compile/draw/output/cjk_outlines.py": {"tikzgen.compile.draw.output.font_outlines"},
    "lint/probe/pdf/pdf_pages.py": {"pypdfium2.raw"},
    "text/label_types.py": {"pydantic_core"},
    "spec/yaml.py": {"ruamel.yaml", "ruamel.yaml.error", "yaml", "yaml.cyaml"},
    "trace/readers/read_in_parallel.py": {"distributed"},
    "trace/readers/trace_places.py": {"fsspec"},
}
"""Packages of others that take long to load, or need not be installed."""
RARE = {
    "base/child/fork_children.py": {"subprocess"},
    "compile/tex/engines.py": {"subprocess"},
    "compile/tex/process.py": {"subprocess"},
    "compile/draw/output/find_cjk_fonts.py": {"subprocess"},
    "base/child/child_messages.py": {"resource"},
    "base/child/signals.py": {"socket"},
    "base/record.py": {"dataclasses"},
    "base/extensions.py": {"importlib.metadata"},
    "base/suggest.py": {"difflib"},
    "compile/build_figures.py": {"concurrent.futures"},
    "model/cells/cells.py": {"tikzgen.model.cells.cells_from_tables"},
    "model/timeline/timeline.py": {"tikzgen.model.timeline.timeline_from_table"},
    "base/user_config.py": {"tomllib"},
    "trace/linear_patterns.py": {"re2"},
    "spec/toml_text.py": {"tomllib"},
    "spec/embedded_spec.py": {"importlib.metadata"},
}
"""Modules of Python's own that few runs need, or that not every system has."""
DONE_BEFORE = {
    "compile/build_figures.py": {"tikzgen.compile.sandbox.needs_sandbox", "tikzgen.compile.diagnosis"},
    "compile/sandbox/needs_sandbox.py": {
        "tikzgen.spec.load_figure",
        "tikzgen.model.part",
        "tikzgen.emit.render_figure",
    },
    "compile/figure_jobs.py": {
        "tikzgen.compile.true_text_sizes",
        "tikzgen.emit.spec_in_three_stages",
    },
    "compile/tex/errors_in_log.py": {"tikzgen.text.maths.maths_commands"},
    "compile/make_formats.py": {
        "tikzgen.compile.tex.compile_tex",
        "tikzgen.compile.tex.failures",
        "tikzgen.emit.environment",
    },
    "compile/formats/svg_format.py": {"tikzgen.compile.convert"},
    "compile/render_cache.py": {"tikzgen.model.looks", "tikzgen.emit.render_figure"},
    "edit/own_figure.py": {"tikzgen.emit.render_figure"},
    "lint/inventory/hand_edits.py": {"tikzgen.emit.render_figure"},
    "lint/inventory/floors_in_file.py": {"tikzgen.layout"},
    "lint/read_valid.py": {
        "tikzgen.lint.check_figure",
        "tikzgen.lint.measures.panel_measures",
    },
    "spec/settings/settings_order.py": {"tikzgen.spec.errors.error_places"},
    "spec/load_figure.py": {
        "tikzgen.spec.files_beside.durations_file",
        "tikzgen.spec.errors.error_places",
        "tikzgen.spec.files_beside.trace_files",
    },
    "lint/probe/judge_without_tex.py": {"tikzgen.lint.probe.drawn_pages", "tikzgen.lint.probe.page_with_source"},
    "lint/probe/page_with_source.py": {"tikzgen.lint.drawn_bars", "tikzgen.lint.written_tex"},
    "spec/settings/config_file.py": {"tikzgen.spec.toml_text"},
    "spec/settings/house_style.py": {"tikzgen.spec.parse_text"},
    "emit/figure_files.py": {"tikzgen.emit.own_contract", "tikzgen.model.layout_record", "tikzgen.spec.parse_text"},
}
"""Pydantic's models, Jinja's templates and the rules: what was made before, and what is right, is told without them.
And what runs TeX: what is drawn needs none of it."""
DOORS = {
    "__init__.py": {"importlib", "tikzgen.serve.sites.jupyter"},
    "__main__.py": {"tikzgen.cli"},
    "edit/__init__.py": {"tikzgen.edit.history", "tikzgen.edit.open_figure"},
    "edit/open_figure.py": {"tikzgen.edit.foreign.foreign_session"},
    "layout/page/fit_width.py": {"tikzgen.layout.timeline.fit_numbers"},
    "lint/probe/tex_runs.py": {"tikzgen.emit.environment"},
}
"""The public doors, kinds of content that a figure may lack, and the program that reads PDFs in a sandbox."""


def test_imports_stand_at_the_top_of_the_file() -> None:
    """Everywhere but in `cli/`; docs/architecture.md tells the reasons for the others."""
    known: dict[str, set[str]] = {}
    for reason in (HEAVY, RARE, DONE_BEFORE, DOORS):
        for name, modules in reason.items():
            known[name] = known.get(name, set()) | modules
    assert {name: found for name, found in lazy_imports().items() if not name.startswith("cli/")} == known


def lazy_imports() -> dict[str, set[str]]:
    """The modules that are imported inside functions, by file."""
    found: dict[str, set[str]] = {}
    for file in sorted((ROOT / "tikzgen").rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if not re.search(r"^[ \t]+(?:import|from) ", text, re.MULTILINE):
            continue
        tree = ast.parse(text)
        functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        names = {name for function in functions for node in ast.walk(function) for name in _imported(node)}
        if names:
            found[file.relative_to(ROOT / "tikzgen").as_posix()] = names
    return found


def _imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    return {node.module or ""} if isinstance(node, ast.ImportFrom) else set()


def test_frozen_data_have_one_style() -> None:
    """Records; what is taken apart by the thousand is a tuple, and what collects while it works is no frozen datum."""
    tuples, frozen = set(), set()
    for file in sorted((ROOT / "tikzgen").rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "NamedTuple" in text or "frozen=" in text else ():
            if isinstance(node, ast.ClassDef):
                name = f"{file.relative_to(ROOT / 'tikzgen').as_posix()}: {node.name}"
                tuples |= {name for base in node.bases if ast.unparse(base).endswith("NamedTuple")}
                frozen |= {name for decorator in node.decorator_list if "frozen=True" in ast.unparse(decorator)}
    assert tuples == {
        *("texfile/source_text.py: TextSpan", "texfile/tokens.py: TexToken"),
        *("trace/readers/trace_events.py: Slice", "trace/readers/trace_events.py: _Half"),
    }
    assert frozen == set()
