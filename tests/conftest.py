"""What several test files share: the examples, and the golden files with their one way to be rewritten."""

from __future__ import annotations

import difflib
import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

NIGHTLY = os.environ.get("TIKZGEN_NIGHTLY") == "1"
"""Whether `tests/nightly` runs the tests."""

# a busy machine is no failure, and every run tries the same examples: the nightly size tries new ones
settings.register_profile("tests", deadline=None, derandomize=not NIGHTLY)
settings.load_profile("tests")

# a run in the background ignores these signals, and so would every program that a test starts and ends
# a busy machine is slow, and says so: what a command says is the same everywhere
os.environ["TIKZGEN_PROGRESS"] = "never"
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def scaled(count: int) -> int:
    """How many of `count` cases to try: all in the nightly run, a tenth in any other."""
    return count if NIGHTLY else count // 10


ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))


def with_traces(example: Path, folder: Path) -> Path:
    """An example in another folder, with the traces that it may name beside it."""
    folder.mkdir(exist_ok=True)
    shutil.copytree(ROOT / "examples" / "traces", folder / "traces", dirs_exist_ok=True)
    return Path(shutil.copy(example, folder))


ENGINES = ("pdflatex", "xelatex", "lualatex")


# what `--fast` leaves on the PATH: no TeX, no browser, no sandbox, nothing that `tests/run` installs
_PLAIN = (
    "bash",
    "cat",
    "cp",
    "dirname",
    "env",
    "git",
    "ls",
    "mkdir",
    "mv",
    "rm",
    "sed",
    "sh",
    "sleep",
    "true",
    "uname",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="only what needs no TeX and no browser, and is quick")


def pytest_configure(config: pytest.Config) -> None:
    """A test without a marker that needs TeX or a browser after all fails in a fast run: it finds none."""
    if not config.getoption("--fast"):
        return
    chosen = "not tex and not browser and not slow"
    config.option.markexpr = f"({config.option.markexpr}) and {chosen}" if config.option.markexpr else chosen
    folder = tempfile.mkdtemp(prefix="tikzgen-plain-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    for name in _PLAIN:
        if found := shutil.which(name):
            Path(folder, name).symlink_to(found)
    os.environ["PATH"] = folder


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What another version of tikzgen left in this user's cache is no part of a test."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def golden() -> Callable[[Path, str], None]:
    """Compare a text with its golden file; `TIKZGEN_ACCEPT=1 pytest` rewrites those that differ."""

    def compare(path: Path, text: str) -> None:
        if os.environ.get("TIKZGEN_ACCEPT") == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        wanted = path.read_text(encoding="utf-8") if path.exists() else ""
        changes = difflib.unified_diff(wanted.splitlines(), text.splitlines(), str(path), "rendered", lineterm="", n=2)
        assert wanted == text, "\n".join(["TIKZGEN_ACCEPT=1 pytest accepts this:", *changes])

    return compare
