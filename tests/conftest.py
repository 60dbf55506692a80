"""What several test files share: the examples, and the comparison with golden files."""

from __future__ import annotations

import gc
import hashlib
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from host_environment import reset_environment
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from pictures.goldens import RECEIVED, Pending, read_golden
from shards import LongRun, add_options
from tiers import read_left_out, sample_sweeps

NIGHTLY = os.environ.get("TIKZGEN_NIGHTLY") == "1"
"""Whether `tests/nightly` runs the tests."""

# a busy machine is no failure, and every run tries the same examples: the nightly size tries new ones
settings.register_profile("tests", deadline=None, derandomize=not NIGHTLY, max_examples=100 if NIGHTLY else 15)
settings.load_profile("tests")
if not NIGHTLY:
    # it would also draw the strings in our modules, of as many as happen to be loaded: a test alone would try other
    # examples than among all, and each worker would read every module for them
    providers.is_local_module_file = lambda path: False

reset_environment(os.environ)
# what each of a thousand processes would compile or build anew: our modules, and a grammar of addresses
# that jsonschema loads where a package of the tests has brought it, though nothing here asks for formats
sys.dont_write_bytecode = False
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

# a run in the background ignores these signals, and so would every program that a test starts and ends
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def scaled(count: int) -> int:
    """How many of `count` cases to try: all in the nightly run, a fortieth in any other."""
    return count if NIGHTLY else max(1, count // 40)


ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
_FEW = (
    "cluster distributed-training gradient-accumulation login measured-ranks memory moe overlap parameter-server "
    "sharding talk"
)
SWEPT = [
    pytest.param(each, id=each.stem, marks=[pytest.mark.slow] * (each.stem not in _FEW.split())) for each in EXAMPLES
]
"""Every example, for tests that take long with each: a fast run has one of each kind."""
KINDS = [each for each in EXAMPLES if NIGHTLY or each.stem in _FEW.split()]
"""An example of each kind, for tests that try much with each; nightly every example."""


def some(cases: Iterable[Any], every: int = 4) -> list[Any]:
    """All cases of a table, for tests that take long with each: a fast run has the first of every four."""
    return [each if place % every == 0 else _slow(each) for place, each in enumerate(cases)]


def _slow(case: Any) -> Any:
    return pytest.param(*(case if type(case) is tuple else (case,)), marks=pytest.mark.slow)


def at_once(test: Callable[..., None]) -> Callable[[], None]:
    """All cases of a test's `parametrize` as one test: for tables whose cases take less than pytest does for each."""
    marks = [(mark.args[0], list(mark.args[1])) for mark in test.pytestmark]  # type: ignore[attr-defined]

    def every() -> None:
        for chosen in product(*(values for _, values in marks)):
            given: dict[str, object] = {}
            for (names, _), value in zip(marks, chosen, strict=True):
                given |= {names: value} if isinstance(names, str) else dict(zip(names, value, strict=True))
            try:
                test(**given)
            except BaseException as failed:
                failed.add_note(f"the case: {given}")
                raise

    every.__name__, every.__module__, every.__doc__ = test.__name__, test.__module__, test.__doc__
    return every


def chosen_cases(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """Return the parameters of the tests in this run that use a fixture: by day, a sweep has few of its cases."""
    users = [item for item in request.session.items if request.fixturename in getattr(item, "fixturenames", ())]
    return [item.callspec.params for item in users if hasattr(item, "callspec")]


def example_tex(name: str) -> Path:
    """Return an example's file, which has its metadata beside it; each is rendered once a run, for all workers."""
    folder = Path(os.environ["TIKZGEN_RENDERED"])
    path = folder / f"{name}.tex"
    if not path.exists():
        from tikzgen import load

        with tempfile.TemporaryDirectory(dir=folder) as own:
            made = load(ROOT / "examples" / f"{name}.yaml").save(Path(own, path.name))
            for file in (made.with_suffix(".meta.json"), made):
                file.replace(folder / file.name)
    return path


def written(example: Path) -> str:
    """Return the text of an example's file."""
    return example_tex(example.stem).read_text(encoding="utf-8")


def with_traces(example: Path, folder: Path) -> Path:
    """An example in another folder, with the traces that it may name beside it."""
    folder.mkdir(exist_ok=True)
    shutil.copytree(ROOT / "examples" / "traces", folder / "traces", dirs_exist_ok=True)
    return Path(shutil.copy(example, folder))


pytest_plugins = ["pytester"]

ENGINES = ("pdflatex", "xelatex", "lualatex")
_LONG_TRACE = 3_000  # bytes

_WHOLLY = re.compile(r"^pytestmark = pytest\.mark\.(tex|browser|slow)$", re.MULTILINE)
"""A file whose tests are all left out of a fast run."""
LONGEST = (
    "test_website",
    "test_paper_html",
    "test_paper_conflicts",
    "test_hook_and_action",
    "test_random_figures",
    "test_picture_report",
    "test_layout_goldens",
    "test_topology_layout",
    "test_geometry_matrix",
    "test_drawing_branches",
    "test_code_metrics",
    "test_large_schedules",
    "test_random_figures_in_tex",
    "test_mutation",
    "test_text_truth",
    "test_width_limits",
    "test_drawing",
    "test_child_processes",
    "test_examples_in_engines",
    "test_complexity",
    "test_paper_classes",
    "test_tex_confine",
    "test_diagnosis",
    "test_topology_beside_timeline",
    "test_paper_venues",
    "test_hostile_commands",
    "test_determinism",
)
"""Files with the longest tests of a whole run, the longest test first.

Not `test_python_classes`: its run of mypy takes a twentieth of the time after the one that checks the code.
"""

# what `--fast` leaves on the PATH: no TeX, no browser, no sandbox, nothing that `tests/run` installs
_PLAIN = (
    "basename",
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
    plain = "only what needs no TeX and no browser, and is quick"
    parser.addoption("--plain", action="store_true", help=f"{plain}; with as many cases as a whole run")
    parser.addoption("--fast", action="store_true", help=plain)
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """A test without a marker that needs TeX or a browser after all fails in a fast run: it finds none."""
    config.pluginmanager.register(LongRun(config))
    _share_compilation(config)
    if "TIKZGEN_RENDERED" not in os.environ:  # else this is a worker
        os.environ["TIKZGEN_RENDERED"] = _temporary(config, "tikzgen-rendered-")
    if not _is_plain(config):
        return
    chosen = "not tex and not browser and not slow"
    config.option.markexpr = f"({config.option.markexpr}) and {chosen}" if config.option.markexpr else chosen
    folder = _temporary(config, "tikzgen-plain-")
    for name in _PLAIN:
        if found := shutil.which(name):
            Path(folder, name).symlink_to(found)
    os.environ["PATH"] = folder


def _share_compilation(config: pytest.Config) -> None:
    """Make each worker collect other folders first: on a clean machine, together they compile each test file once."""
    facts = getattr(config, "workerinput", None)
    if facts and [Path(each).resolve() for each in config.args] == [ROOT / "tests"]:
        folders = sorted({str(file.parent) for file in (ROOT / "tests").rglob("test_*.py")})
        first = len(folders) * int(facts["workerid"].removeprefix("gw")) // facts["workercount"]
        config.args = [*folders[first:], *folders[:first]]


def _temporary(config: pytest.Config, prefix: str) -> str:
    folder = tempfile.mkdtemp(prefix=prefix)
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    return folder


def _is_plain(config: pytest.Config) -> bool:
    return bool(config.getoption("--fast") or config.getoption("--plain"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A fast run does not even load a file that has none of its tests."""
    if not _is_plain(config) or collection_path.suffix != ".py":
        return None
    return True if _WHOLLY.search(collection_path.read_text(encoding="utf-8")) else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Drop the tests that this run leaves out; start the longest files first, so that no worker waits at the end."""
    is_chosen = config.option.keyword or any("::" in argument for argument in config.args)
    if not (NIGHTLY or is_chosen):  # who names tests wants these
        left_out = read_left_out(fast=config.getoption("--fast"))
        if not config.getoption("--fast"):
            left_out = sample_sweeps(items, set() if config.getoption("--plain") else left_out)
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
        items[:] = [item for item in items if item.nodeid not in left_out]
    turns = {name: turn for turn, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (turns.get(item.path.stem, len(turns)), str(item.path)))


def pytest_collection_finish() -> None:
    """What the collection made stays to the end: nobody need look through it for garbage again and again."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # figures are made by the thousand, and go without a search


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What another version left in this user's cache is no part of a test; the workers of a run share one."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"
    folder.mkdir(exist_ok=True)
    os.environ["XDG_CACHE_HOME"] = str(folder)


@pytest.fixture(scope="session", autouse=True)
def _traces_read_once() -> Iterator[None]:
    """By day each worker reads a long trace once: what is drawn and measured is of the same few files."""
    if NIGHTLY:
        yield
        return
    from tikzgen.trace.readers import read_run

    real = read_run.read_trace
    held: dict[object, tuple[Any, list[float]]] = {}

    def read(place: Any, *, strict: bool = False, stated: str = "", told: Callable[[float], None] | None = None) -> Any:
        if not (isinstance(place, Path) and place.is_file() and place.stat().st_size > _LONG_TRACE):
            return real(place, strict=strict, stated=stated, told=told)
        key = place.name, hashlib.sha256(place.read_bytes()).digest(), strict, stated
        if key not in held:
            shares: list[float] = []
            held[key] = real(place, strict=strict, stated=stated, told=shares.append), shares
        found, shares = held[key]
        for share in shares if told else ():
            told(share)
        return [*found]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_run, "read_trace", read)
        yield


ACCEPT = "look at it with `python tools/picture_report.py`, then write it with `--accept`"
"""What to do with a golden that differs, as failing tests say it."""


@pytest.fixture
def golden() -> Callable[..., None]:
    """Compare with a golden file, or a section of one; leave what differs for the report, which accepts it."""

    def compare(path: Path, made: str | bytes, section: str = "") -> None:
        data = made.encode() if isinstance(made, str) else made
        slot = path.relative_to(ROOT).as_posix() + (f"#{section}" if section else "")
        received = ROOT / RECEIVED / slot
        wanted = read_golden(ROOT, slot)
        if wanted == data:
            received.unlink(missing_ok=True)
            return
        received.parent.mkdir(parents=True, exist_ok=True)
        received.write_bytes(data)
        pytest.fail(f"{slot}: {ACCEPT}\n{Pending(slot, slot, wanted, data).difference}", pytrace=False)

    return compare
