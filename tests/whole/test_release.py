"""What a release is made of: one version, both distributions, a README for an index, and what lies in them."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from importlib.metadata import files, requires
from pathlib import Path

import pytest
from conda_recipe import make_recipe
from conftest import ROOT
from readme_for_index import for_index
from ruamel.yaml import YAML

import tikzgen

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]


def listed() -> list[str]:
    """The files of the project, as git knows them."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
    return [name for name in names if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both distributions, by suffix: the wheel from the source distribution, as a release makes it."""
    folder = tmp_path_factory.mktemp("release")
    for name in listed():
        place = folder / "source" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", folder / "source"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {path.suffix: path for path in (folder / "dist").iterdir()}


def test_the_version_stands_in_one_place() -> None:
    told = [name for name in listed() if name.endswith((".py", ".toml", ".cff")) and not name.startswith("tests/")]
    stated = re.compile(r"^(?:VERSION|version|__version__) *[=:] *[\"']?\d", re.MULTILINE)
    places = [name for name in told if stated.search((ROOT / name).read_text(encoding="utf-8"))]
    assert sorted(places) == ["CITATION.cff", "tikzgen/base/version_and_cache_folder.py"]
    citation = YAML(typ="safe").load(ROOT / "CITATION.cff")
    assert citation["version"] == tikzgen.__version__
    assert (citation["cff-version"], citation["license"]) == ("1.2.0", PROJECT["project"]["license"])


def test_a_release_dirties_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    before = tikzgen.recipes.data_parallel(workers=2).tex()
    monkeypatch.setattr("tikzgen.base.version_and_cache_folder.VERSION", "9.9.9")
    assert tikzgen.recipes.data_parallel(workers=2).tex() == before
    assert tikzgen.__version__ not in before


def test_pythons_of_the_classifiers_are_those_that_are_tried() -> None:
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    tried = re.search(r'promised="([\d. ]+) lowest"', (ROOT / "tests" / "versions").read_text(encoding="utf-8"))
    assert tried is not None
    assert named == tried[1].split()
    assert PROJECT["project"]["requires-python"] == f">={named[0]}"


@pytest.mark.slow
def test_distributions_are_checked_and_hold_what_they_are_to(built: dict[str, Path]) -> None:
    wheel, source = built[".whl"], built[".gz"]
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", wheel, source], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    names = zipfile.ZipFile(wheel).namelist()
    inside = [
        f"tikzgen/{name.removeprefix('tikzgen/')}" for name in listed() if name.startswith(("tikzgen/", "templates/"))
    ]
    assert set(inside) <= set(names), "every file of the package and every template"
    assert {name for name in names if not name.startswith("tikzgen/")} == {
        f"tikzgen-{tikzgen.__version__}.dist-info/{name}"
        for name in (
            *("METADATA", "WHEEL", "RECORD", "entry_points.txt"),
            *(f"licenses/{path}" for path in listed() if path in ("LICENSE", "NOTICE") or path.startswith("LICENSES/")),
        )
    }
    with tarfile.open(source) as packed:
        held = {name.partition("/")[2] for name in packed.getnames()}
    assert {name for name in listed() if name.startswith(("tikzgen/", "templates/"))} <= held
    folders = {"tikzgen", "templates", "LICENSES", "tools"}
    single = {
        "README.md",
        "CHANGELOG.md",
        "CITATION.cff",
        "LICENSE",
        "NOTICE",
        "pyproject.toml",
        ".gitignore",
        "PKG-INFO",
    }
    assert {name.partition("/")[0] for name in held} == folders | single
    assert {name for name in held if name.startswith("tools/")} == {"tools/readme_for_index.py"}
    assert source.stat().st_size < 3.5e6, "bytes"


@pytest.mark.slow
def test_the_wheel_says_what_an_index_shows(built: dict[str, Path]) -> None:
    files = zipfile.ZipFile(built[".whl"])
    told = message_from_bytes(files.read(f"tikzgen-{tikzgen.__version__}.dist-info/METADATA"))
    assert (told["Version"], told["License-Expression"]) == (tikzgen.__version__, "MIT")
    assert leading_nowhere(shown(told.get_payload())) == []


def shown(markdown: str) -> str:
    """The page that a package index makes of a README."""
    from readme_renderer import markdown as renderer

    page: str = renderer.render(markdown)
    return page


def leading_nowhere(page: str) -> list[str]:
    """Links and pictures that are beside nothing where an index shows them."""
    return [each for each in re.findall(r'(?:href|src)="([^"]*)"', page) if not each.startswith(("https://", "#"))]


@pytest.mark.parametrize("address", ["https://example.org/one/tikzgen", ""])
def test_the_readme_of_an_index_leads_somewhere(address: str) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert leading_nowhere(shown(text)) != []
    page = shown(for_index(text, address, "1.2.3"))
    assert leading_nowhere(page) == []
    assert ("docs/tutorial.md" in page) == bool(address)
    assert ('src="https://example.org/one/tikzgen/raw/v1.2.3/examples/pictures/' in page) == bool(address)
    assert "<td></td>" not in page
    for path in re.findall(r"/(?:raw|blob)/v1\.2\.3/([^\"#]+)", page):
        assert (ROOT / path).exists(), path


def test_the_release_script_names_files_of_the_project() -> None:
    text = (ROOT / "tests" / "release").read_text(encoding="utf-8")
    named = re.findall(r"(?<![\w$/])(?:\.\./\.\./)?((?:tests|examples|tools|tikzgen)/[\w/-]+\.\w+)", text)
    assert len(named) >= 4
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_recipe_for_conda_requires_what_the_project_requires() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    recipe = make_recipe(text, tikzgen.__version__, "0" * 64, "https://example.org/one/tikzgen")
    asked = recipe["requirements"]
    run = [each.replace(" ", "") for each in asked["run"]]
    declared = [each.partition(";")[0].strip() for each in PROJECT["project"]["dependencies"]]
    assert run == ["python>=${{python_min}}", *declared]
    assert recipe["context"] == {"version": tikzgen.__version__, "python_min": "3.11"}
    assert asked["host"][1:] == ["pip", "hatchling >=1.25"]
    assert asked["run_constraints"] == ["google-re2 >=1.1.20240702", "pypdfium2 >=5"]
    assert recipe["extra"] == {"recipe-maintainers": ["one"]}
    assert "homepage" not in make_recipe(text, "1.2.3", "", "")["about"]
    with pytest.raises(SystemExit, match="has extras"):
        make_recipe(text.replace('"click>=', '"click[x]>='), "1.2.3", "", "")


def test_the_page_of_installation_lists_extras_and_compiled_dependencies() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    extras = set(PROJECT["project"]["optional-dependencies"]) - {"dev", "site", "test"}
    listed_extras = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    assert extras <= {name for row in listed_extras for name in re.findall(r"`([\w-]+)`", row)}
    compiled = re.search(r"\| dependency \|.*?\n\n", page, re.DOTALL)
    assert compiled is not None
    assert set(re.findall(r"^\| ([\w.-]+) *\|", compiled[0], re.MULTILINE)) - {"dependency"} == find_compiled()


def find_compiled() -> set[str]:
    """Return the required packages that need a compiled package, and google-re2."""
    found = {"google-re2"}
    for each in PROJECT["project"]["dependencies"]:
        (name,) = re.findall(r"^[\w.-]+", each)
        if any(is_compiled(package) for package in list_needed(name)):
            found.add(name)
    return found


def list_needed(name: str) -> set[str]:
    """Return a package and the packages that it requires without extras, at any depth."""
    found: set[str] = set()
    pending = [name]
    while pending:
        if (each := pending.pop()) not in found:
            found.add(each)
            wanted = [one for one in requires(each) or [] if ";" not in one]
            pending += [re.findall(r"^[\w.-]+", one)[0] for one in wanted]
    return found


def is_compiled(name: str) -> bool:
    return any(str(path).endswith((".so", ".pyd")) for path in files(name) or [])


@pytest.mark.slow
def test_the_demo_is_what_the_commands_say() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "demo.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
