"""The wheel works away from the checkout: templates and icons travel inside."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import EXAMPLES, ROOT
from environments import make_environment

from tikzgen import load

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    names = listed.stdout.decode().split("\0")[:-1] if listed.returncode == 0 else []
    wanted = names or [str(p.relative_to(ROOT)) for top in ("tikzgen", "templates") for p in (ROOT / top).rglob("*.*")]
    for name in {*wanted, "pyproject.toml", "README.md", "LICENSE", "NOTICE", "tools/readme_for_index.py"}:
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, source / name)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


def test_wheel_holds_code_templates_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "tikzgen/py.typed" in names
    assert "tikzgen/templates/figure.tex.j2" in names
    assert "tikzgen/templates/icons/gpu.tex.j2" in names
    assert "tikzgen/lint/probe/probe.tex" in names
    assert {f"tikzgen/templates/watch/{name}" for name in ("page.html.j2", "watch.js", "watch.css")} <= set(names)
    assert all(name.startswith(("tikzgen/", "tikzgen-")) for name in names)


def test_wheel_carries_the_notices_of_what_it_took_from_others(wheel: Path) -> None:
    files = zipfile.ZipFile(wheel)
    told = {Path(name).name: files.read(name).decode() for name in files.namelist() if "/licenses/" in name}
    assert set(told) == {"LICENSE", "NOTICE", "AMSFonts-OFL-1.1.txt"}
    reserved = set(re.findall(r'^"(\w+)" is a Reserved Font Name', told["AMSFonts-OFL-1.1.txt"], re.MULTILINE))
    assert set(json.loads(files.read("tikzgen/text/data/fonts.json"))) <= reserved
    outlines = [info for info in files.infolist() if info.filename.startswith("tikzgen/compile/draw/output/outlines/")]
    assert {Path(info.filename).stem for info in outlines}.isdisjoint(reserved)
    assert 0.5e6 < sum(info.compress_size for info in outlines) <= 1.1e6
    for name in (
        "outlines",
        "Arphic",
        "Donald E. Knuth",
        "American Mathematical Society",
        "SIL Open Font License 1.1",
        "fonts.json",
    ):
        assert name in told["NOTICE"]
    assert not [name for name in files.namelist() if b"opentikz.org" in files.read(name) and name.endswith(".json")]


def test_installed_wheel_renders_away_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    """The hooks of `test_hook_and_action.py` show that the declared dependencies are enough."""
    python = make_environment(tmp_path / "venv")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile"]
    subprocess.run([*install, wheel], check=True, capture_output=True)
    for example in EXAMPLES[:3]:
        (tmp_path / example.name).write_bytes(example.read_bytes())
        command = [tmp_path / "venv" / "bin" / "tikzgen", "render", example.name, "-o", "-"]
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        assert done.stdout.decode() == load(example).tex()
