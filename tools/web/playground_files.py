"""The playground: Python in WebAssembly with everything that drawing needs, served with the site."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import version
from pathlib import Path

from stage_pages import ROOT, shown_specs

from tikzgen.compile.draw.output.cjk_outlines import PACKED_OUTLINES, how_to_add_fonts
from tikzgen.compile.draw.output.find_cjk_fonts import packaged_fonts
from tikzgen.compile.draw.output.font_outlines import OpenFont
from tikzgen.text.escape_characters import is_cjk, load_character_table

__all__ = ["packed_outlines", "write_playground"]

PYODIDE = "314.0.7"
_RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_TAGS = (
    "--python-version",
    "3.14",
    "--implementation",
    "cp",
    "--abi",
    "cp314",
    "--platform",
    "pyemscripten_2026_0_wasm32",
)
_PURE = (
    *("annotated_types", "click", "jinja2", "markupsafe", "pydantic", "ruamel"),
    *("typing_extensions", "typing_inspection"),
)
_DISTRIBUTIONS = {"ruamel": "ruamel*yaml"}
_EXAMPLES = (
    *("data-parallel", "parameter-server", "pipeline", "ring-all-reduce", "cluster", "rlhf", "moe"),
    *("paxos", "serving", "login", "zero-bubble", "vector-clocks"),
)


def write_playground(source: Path, kept: Path) -> None:
    """Write the playground into the site; `kept` contains earlier downloads."""
    folder = source / "_static" / "playground"
    folder.mkdir(parents=True, exist_ok=True)
    _fetch(kept)
    for name in _RUNTIME:
        shutil.copyfile(kept / "package" / name, folder / name)
    _pack(folder / "tikzgen.zip", kept)
    specs = shown_specs()
    chosen = {name: specs.get(f"recipes-{name}") or specs[f"example-{name}"] for name in _EXAMPLES}
    short = {name: _without_head(text) for name, text in chosen.items()}
    (folder / "examples.json").write_text(json.dumps(short, ensure_ascii=False), encoding="utf-8")
    page = (source / "playground.md").read_text(encoding="utf-8")
    shutil.copyfile(Path(__file__).with_name("playground.js"), folder / "playground.js")
    (source / "playground.md").write_text(page.partition(":::{div} unavailable")[0] + _BODY, encoding="utf-8")


def _without_head(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("# yaml-language-server"))


def _fetch(kept: Path) -> None:
    """Download Pyodide with npm, and its one compiled package with pip; skip existing files."""
    kept.mkdir(parents=True, exist_ok=True)
    if not (kept / "package" / "pyodide.mjs").exists():
        if not (npm := shutil.which("npm")):
            raise SystemExit("the playground needs npm, to fetch Pyodide; --no-playground leaves it out")
        subprocess.run([npm, "pack", "--silent", f"pyodide@{PYODIDE}"], cwd=kept, check=True, capture_output=True)
        with tarfile.open(kept / f"pyodide-{PYODIDE}.tgz") as packed:
            packed.extractall(kept, filter="data")
    if not [*kept.glob(f"pydantic_core-{version('pydantic_core')}-*.whl")]:
        wanted = f"pydantic_core=={version('pydantic_core')}"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *_TAGS]
        subprocess.run([*command, "--dest", kept, wanted], check=True)


def _pack(place: Path, kept: Path) -> None:
    """Write one archive of tikzgen, its templates and its dependencies, with all licenses."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for package in ("tikzgen", *_PURE):
            for file, name in _files(package):
                archive.write(file, name)
        for file in sorted((ROOT / "templates").rglob("*")):
            if file.is_file():
                archive.write(file, f"tikzgen/templates/{file.relative_to(ROOT / 'templates').as_posix()}")
        (wheel,) = kept.glob(f"pydantic_core-{version('pydantic_core')}-*.whl")
        with zipfile.ZipFile(wheel) as compiled:
            for each in compiled.namelist():
                archive.writestr(each, compiled.read(each))
        if not (fonts := packaged_fonts("sans")):
            print(
                f"the playground draws no Chinese labels; install a font first: {how_to_add_fonts()}", file=sys.stderr
            )
            return
        archive.writestr(
            f"tikzgen/{PACKED_OUTLINES.relative_to(ROOT / 'tikzgen').as_posix()}", packed_outlines(fonts[0])
        )
        for file, name in _files(fonts[0].parent.name):
            if ".dist-info/" in name:
                archive.write(file, name)


def packed_outlines(path: Path) -> str:
    """Return a font's outlines of all Chinese characters in labels, in the format of `PACKED_OUTLINES`."""
    font, refused = OpenFont(path), load_character_table()[1]
    accepted = [char for char in map(chr, range(0x3000, 0x10000)) if is_cjk(char) and char not in refused]
    paths = {char: outline for char in accepted if (outline := font.find_outline(char)) is not None}
    found = {"font": font.name, "digest": font.digest, "paths": paths}
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def _files(package: str) -> list[tuple[Path, str]]:
    """Return the Python and data files of an installed package, with their paths in an archive.

    Compiled files are left out.
    """
    spec = importlib.util.find_spec(package)
    assert spec is not None
    if not spec.submodule_search_locations:
        assert spec.origin is not None
        return [(Path(spec.origin), Path(spec.origin).name)]
    root = Path(next(iter(spec.submodule_search_locations)))
    found = [each for each in sorted(root.rglob("*")) if each.is_file()]
    beside = [
        each
        for info in root.parent.glob(f"{_DISTRIBUTIONS.get(package, package)}-*.dist-info")
        for each in sorted(info.rglob("*"))
        if each.is_file() and (each.name in ("METADATA", "entry_points.txt") or "licen" in str(each).lower())
    ]
    wanted = [
        each for each in found if "__pycache__" not in each.parts and each.suffix not in (".so", ".pyc", ".pyi", ".c")
    ]
    return [(each, each.relative_to(root.parent).as_posix()) for each in [*wanted, *beside]]


_BODY = """```{raw} html
<div class="playground">
<div>
<p><label>Begin with <select id="example"></select></label></p>
<textarea id="spec" spellcheck="false" aria-label="Spec"></textarea>
<p><button id="link" type="button">Copy a link to this spec</button>
<button id="svg" type="button">Save SVG</button> <button id="tex" type="button">Save .tex</button></p>
</div>
<div><p id="state" role="status">Loading Python …</p><output id="figure" for="spec"></output></div>
</div>
<script type="module" src="_static/playground/playground.js"></script>
```

It runs on [Pyodide](https://pyodide.org) (MPL 2.0), which holds CPython (PSF license), and on Pydantic, Jinja,
MarkupSafe, Click and ruamel.yaml, whose licenses lie in `tikzgen.zip` beside this page. Chinese labels have outlines of
Noto Sans SC (SIL Open Font License).
"""
