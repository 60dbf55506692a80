"""Virtual environments for tests that install tikzgen."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

__all__ = ["make_environment"]


def make_environment(folder: Path) -> Path:
    """Make a virtual environment that shares the dependencies and pip of this one; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (own,) = folder.glob("lib/python*/site-packages")
    (own / "shared.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return folder / "bin" / "python"
