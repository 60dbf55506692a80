"""Settings of the user's shell that the tests do not inherit, and the browsers that they do not take."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from browser import find_program
from conftest import ROOT
from host_environment import FIXED, reset_environment

KEPT = {"PATH": "/bin", "HOME": "/nowhere", "LANG": "C", "TERM": "dumb", "TIKZGEN_ACCEPT": "1", "TIKZGEN_NIGHTLY": "1"}
HOSTILE = {
    "COLUMNS": "40",
    "NO_COLOR": "1",
    "FORCE_COLOR": "1",
    "SOURCE_DATE_EPOCH": "0",
    "TEXINPUTS": "/elsewhere:",
    "GIT_DIR": "/elsewhere/.git",
    "TIKZGEN_WIDTH": "3cm",
    "TIKZGEN_RENDER_PALETTE": "dark",
    "TIKZGEN_JOBS": "none",
}


def test_settings_of_the_shell_are_reset() -> None:
    environ = KEPT | HOSTILE
    reset_environment(environ)
    assert environ == KEPT | FIXED


@pytest.mark.slow
def test_a_run_from_a_hostile_shell_passes() -> None:
    names = ("a_recipe_is_told_with_types", "a_bar_with_the_time_left")
    files = [ROOT / "tests" / "cli" / f"test_{name}.py" for name in ("cli", "progress")]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", " or ".join(names)]
    done = subprocess.run([*command, *files], cwd=ROOT, env=os.environ | HOSTILE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def test_a_browser_of_a_snap_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snap = program(tmp_path / "usr" / "snap", "#!/bin/sh\n")
    script = program(tmp_path / "first" / "chromium-browser", '#!/bin/sh\nexec /snap/bin/chromium "$@"\n')
    (tmp_path / "first" / "chromium").symlink_to(snap)
    monkeypatch.setenv("PATH", str(script.parent))
    assert find_program(("chromium", "chromium-browser")) is None
    real = program(tmp_path / "second" / "google-chrome", '#!/bin/sh\nexec /opt/google/chrome/chrome "$@"\n')
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{real.parent}")
    assert find_program(("chromium", "google-chrome")) == str(real)
