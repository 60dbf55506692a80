"""The pre-commit hooks and the GitHub Action, run on a repository of their own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import run
from conftest import ROOT
from environments import make_environment
from ruamel.yaml import YAML

GOOD = "recipe: data-parallel\nworkers: 2\n"
BAD = (ROOT / "tests" / "cases" / "check" / "backward-arrow.yaml").read_text(encoding="utf-8")
UNREADABLE = "recipe: data-parallel\nwrokers: 2\n"
OTHERS = {
    "other.yaml": "jobs: []\n",
    "paper.tex": "\\documentclass{article}\n",
    "data.json": "[]\n",
    "notes.csv": "a,b\n",
}
PROJECT = (
    "tikzgen",
    "templates",
    "tools",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "LICENSES",
    "NOTICE",
    "action.yml",
)


def git(folder: Path, *words: str) -> str:
    own = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"]
    done = subprocess.run(["git", *own, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def commit(folder: Path) -> None:
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This project as a repository of one commit."""
    folder = tmp_path_factory.mktemp("project")
    for name in (*PROJECT, ".pre-commit-hooks.yaml"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(ROOT / name, folder / name)
    commit(folder)
    return folder


@pytest.fixture(autouse=True)
def compiled_when_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pip leave modules uncompiled: a test imports few of those that it installs."""
    monkeypatch.setenv("PIP_NO_COMPILE", "1")


@pytest.fixture
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a figure, rendered, and files that are none."""
    folder = tmp_path / "paper"
    (folder / "figures").mkdir(parents=True)
    (folder / "figures" / "good.yaml").write_text(GOOD, encoding="utf-8")
    for name, text in OTHERS.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    assert run("render", "figures/good.yaml", "--width", "8.4").status == 0
    commit(folder)
    return folder


def test_other_files_are_passed_over(paper: Path) -> None:
    names = [str(each.relative_to(paper)) for each in sorted(paper.rglob("*.*")) if ".git" not in each.parts]
    done = run("check", "--only-figures", *names)
    assert (done.status, done.err) == (0, "2 files checked: no findings\n")
    assert run("check", *names).status == 2


def test_what_cannot_be_read_is_told_beside_its_line(paper: Path) -> None:
    Path("wrong.yaml").write_text(UNREADABLE, encoding="utf-8")
    told = 'wrokers: unknown field (did you mean "workers"?)'
    done = run("check", "wrong.yaml", "--format", "github")
    assert (done.status, done.out) == (2, f"::error file=wrong.yaml,line=2,col=1,title=tikzgen::{told}\n")
    log = json.loads(run("check", "wrong.yaml", "--format", "sarif").out)
    (result,) = log["runs"][0]["results"]
    region = {"startLine": 2, "startColumn": 1}
    where = {"physicalLocation": {"artifactLocation": {"uri": "wrong.yaml"}, "region": region}}
    assert result == {"level": "error", "message": {"text": told}, "locations": [where]}


def test_the_page_on_ci_names_hooks_and_inputs() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    hooks = YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")
    assert re.findall(r"^  - id: ([\w-]+)$", page, re.MULTILINE) == [hook["id"] for hook in hooks]
    inputs = YAML(typ="safe").load(ROOT / "action.yml")["inputs"]
    assert re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE) == [*inputs]


@pytest.mark.slow
def test_the_hooks(project: Path, paper: Path, tmp_path: Path) -> None:
    config = {"repos": [{"repo": str(project), "rev": "", "hooks": [{"id": "tikzgen-check"}, {"id": "tikzgen-fresh"}]}]}
    config["repos"][0]["rev"] = git(project, "rev-parse", "HEAD").strip()
    (paper / ".pre-commit-config.yaml").write_text(json.dumps(config), encoding="utf-8")
    env = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "hooks"), "PATH": os.environ["PATH"]}

    def hooks() -> tuple[int, str]:
        commit(paper)
        command = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never"]
        done = subprocess.run(command, cwd=paper, env=env, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr

    status, said = hooks()
    assert status == 0, said
    assert re.findall(r"^tikzgen (.*?)\.+(\w+)$", said, re.MULTILINE) == [
        ("check", "Passed"),
        ("render --check", "Passed"),
    ]
    (paper / "figures" / "bad.yaml").write_text(BAD, encoding="utf-8")
    (paper / "figures" / "good.yaml").write_text(GOOD.replace("2", "3"), encoding="utf-8")
    status, said = hooks()
    assert status == 1
    assert "figures/bad.yaml:8:" in said
    assert "figures/good.tex" in said


def act(project: Path, folder: Path, venv: Path, *, install: bool = False, **given: str) -> tuple[int, str, str]:
    """What a runner does with the Action: its steps in order, until one fails."""
    action = YAML(typ="safe").load(project / "action.yml")
    values = {f"inputs.{name}": str(each["default"]) for name, each in action["inputs"].items()}
    values |= {f"inputs.{name}": value for name, value in given.items()} | {"github.action_path": str(project)}
    out = err = ""
    for step in action["runs"]["steps"]:
        if "uses" in step:
            assert step["uses"].startswith("actions/setup-python@")
            continue
        if "pip install" in step["run"] and not install:
            continue  # it was done before
        assert "${{" not in step["run"], "what a user gives is no part of a script"
        own = {
            name: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], said)
            for name, said in step["env"].items()
        }
        env = {**os.environ, **own, "PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
        out, err = out + done.stdout, err + done.stderr
        if done.returncode:
            return done.returncode, out, err
    return 0, out, err


@pytest.mark.slow
def test_the_action(project: Path, paper: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hooks install the dependencies and the build system from an index; the Action finds them."""
    make_environment(tmp_path / "venv")
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "0")  # pip takes 0 for yes
    status, out, err = act(project, paper, tmp_path / "venv", install=True, fresh="figures/*.yaml")
    assert (status, out) == (0, ""), err
    assert "2 files checked: no findings" in err
    (paper / "figures" / "good.yaml").write_text(GOOD.replace("2", "3"), encoding="utf-8")
    assert act(project, paper, tmp_path / "venv", fresh="figures/*.yaml")[0] == 1
    (paper / "figures" / "bad.yaml").write_text(BAD, encoding="utf-8")
    commit(paper)
    status, out, err = act(project, paper, tmp_path / "venv", paths="figures other.yaml")
    assert status == 1
    assert out.startswith("::error file=figures/bad.yaml,line=8,col=")
    status, _, err = act(project, paper, tmp_path / "venv", sarif="found.sarif", arguments="--select TG1")
    assert status == 1, err
    (found,) = json.loads((paper / "found.sarif").read_text("utf-8"))["runs"]
    place = found["results"][0]["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("figures/bad.yaml", 8)
