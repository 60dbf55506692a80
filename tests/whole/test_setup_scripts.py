"""The scripts that set up a machine: what is missing is reported in one line before anything is downloaded."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

OLD_PYTHON = '#!/bin/sh\ncase "$2" in *ensurepip*) exit 0;; *) exit 1;; esac\n'
NO_VENV = '#!/bin/sh\ncase "$2" in *ensurepip*) exit 1;; *) exit 0;; esac\n'
NO_BROWSER = '#!/bin/sh\ncase "$1" in *browser.py) echo "the tests need Chromium"; exit 1;; esac\nexit 1\n'
RECORD = '#!/bin/sh\necho "$0 $*" >>calls\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the scripts, and a PATH that has nothing but the programs of a minimal machine."""
    for name in ("run", "setup-python", "versions", "old-tex", "browser.py", "tex-packages"):
        (tmp_path / "tests").mkdir(exist_ok=True)
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests")
    (tmp_path / "bin").mkdir()
    for name in ("bash", "dirname", "mkdir", "sh"):
        found = shutil.which(name)
        assert found, name
        (tmp_path / "bin" / name).symlink_to(found)
    return tmp_path


def install(checkout: Path, **programs: str) -> None:
    for name, text in programs.items():
        path = checkout / "bin" / name.replace("_", "-")
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)


def start(checkout: Path, script: str, *arguments: str, **variables: str) -> tuple[int, str]:
    """The status and the standard error of a script."""
    env = {"PATH": str(checkout / "bin"), "PYENV_ROOT": str(checkout / "no-pyenv"), **variables}
    command = [checkout / "tests" / script, *arguments]
    done = subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("python", "status", "message"),
    [
        (
            None,
            4,
            "python3 cannot make a virtual environment (on Debian and Ubuntu: sudo apt-get install python3-venv)\n",
        ),
        (
            NO_VENV,
            4,
            "python3 cannot make a virtual environment (on Debian and Ubuntu: sudo apt-get install python3-venv)\n",
        ),
        (OLD_PYTHON, 3, "Python 3.11 or newer is needed (PYTHON=python3.12 {} uses one that is not the default)\n"),
    ],
)
@pytest.mark.parametrize("extra", ["dev", "--check"])
def test_a_python_that_cannot_do_is_one_line(
    checkout: Path, python: str | None, status: int, message: str, extra: str
) -> None:
    if python is not None:
        install(checkout, python3=python)
    assert start(checkout, "setup-python", extra) == (status, message.format(checkout / "tests" / "setup-python"))
    assert not (checkout / ".venv").exists()


def test_a_promised_python_that_is_missing_fails(checkout: Path) -> None:
    status, message = start(checkout, "versions", TIKZGEN_PYTHONS="3.12 3.14 lowest")
    assert (status, message.count("\n")) == (3, 1)
    assert message.startswith('not installed: Python 3.12 3.14 (install it, or name fewer: TIKZGEN_PYTHONS="lowest" ')
    assert not (checkout / "build" / "versions" / "lowest").exists()
    status, message = start(checkout, "versions", TIKZGEN_PYTHONS="2.7")
    assert (status, message) == (2, 'TIKZGEN_PYTHONS: unknown "2.7" (choose from 3.11 3.12 3.13 3.14 lowest)\n')


def test_a_user_who_may_not_install_gets_the_line_that_installs_everything(checkout: Path) -> None:
    install(checkout, python3=NO_BROWSER, apt_get=RECORD, id="#!/bin/sh\necho 1000\n", dpkg_query="#!/bin/sh\nexit 1\n")
    install(checkout, grep="#!/bin/sh\nexit 1\n")
    status, message = start(checkout, "run")
    assert status == 3
    line = next(line for line in message.splitlines() if line.startswith("  sudo apt-get install "))
    assert {"python3-venv", "texlive-luatex"} <= {*line.split()}
    assert "chromium-driver" in line or "the tests need Chromium" in message, "Ubuntu's package starts a snap"
    assert message.splitlines()[-1].startswith("python3 cannot make a virtual environment")
    assert not (checkout / "calls").exists(), "nothing is downloaded"


@pytest.mark.parametrize(
    ("suite", "user", "status", "message"),
    [
        ("sarge", "0", 2, "usage: tests/old-tex SUITE [PYTEST ARGUMENTS] (bullseye, bookworm or trixie)\n"),
        ("bullseye", "1000", 3, "tests/old-tex makes a chroot and needs root (sudo tests/old-tex bullseye)\n"),
        ("bullseye", "0", 3, "debootstrap is missing (apt-get install debootstrap)\n"),
    ],
)
def test_an_old_tex_that_cannot_be_had_is_one_line(
    checkout: Path, suite: str, user: str, status: int, message: str
) -> None:
    install(checkout, id=f"#!/bin/sh\necho {user}\n")
    assert start(checkout, "old-tex", suite) == (status, message)
    assert not (checkout / "build").exists()
