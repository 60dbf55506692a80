"""Each verb ends within its limits, with one line and a status, and leaves neither programs nor half-written files."""

from __future__ import annotations

import os
import pickle
import random
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from operator import methodcaller
from pathlib import Path
from pkgutil import walk_packages
from threading import Timer
from typing import Any

import pytest
from click import Group
from conftest import NIGHTLY, ROOT, scaled
from worker_servant import Servant, endless, stubborn, with_a_program

from tikzgen import loads
from tikzgen.base.child import fork_children as forked
from tikzgen.base.child.child_state import ResourceLimits, TooMuch
from tikzgen.base.child.spawn_workers import WorkerCall, WorkerPool
from tikzgen.base.errors import InvalidSchedule, Place, Problem, SpecError, TikzgenError
from tikzgen.base.trust import trust_commands
from tikzgen.cli import COMMANDS, load_command

pytestmark = pytest.mark.slow

TEMPLATES = sorted((ROOT / "tests" / "cases" / "templates" / "endless").glob("*.j2"))
HEAD = "\\documentclass{standalone}\n\\begin{document}\n\\begin{tikzpicture}\n"
PLAIN = "recipe: data-parallel\nworkers: 2\n"


@dataclass(frozen=True)
class Ended:
    """What a command did: `left` are processes of its session that it left behind."""

    status: int
    out: str
    err: str
    seconds: float
    left: list[int]


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "temporary").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))


def run(*words: str, memory_mib: int = 0, stdin: str = "") -> Ended:
    """Run the command line as a process that leads a session; what still runs of that at its end is `left`."""

    def narrow() -> None:
        if memory_mib:
            resource.setrlimit(resource.RLIMIT_AS, (memory_mib * 1024 * 1024, resource.RLIM_INFINITY))

    begun = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "tikzgen", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=narrow,
    )
    out, err = process.communicate(stdin, timeout=120)
    assert "Traceback" not in err
    return Ended(process.returncode, out, err, time.monotonic() - begun, session(process.pid))


def session(leader: int) -> list[int]:
    """The processes of a session."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            facts = place.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(facts[3]) == leader and facts[0] != "Z":
            found.append(int(place.parent.name))
    return found


def files() -> list[str]:
    return sorted(str(path) for path in Path().rglob("*") if path.is_file())


# ---- templates of one's own


@pytest.mark.parametrize("case", TEMPLATES if NIGHTLY else TEMPLATES[::3], ids=lambda path: path.name.partition(".")[0])
def test_a_template_without_an_end_is_ended(case: Path) -> None:
    Path("mine").mkdir()
    Path("mine/figure.tex.j2").write_bytes(case.read_bytes())
    Path("a.yaml").write_text(PLAIN)
    before = files()
    done = run("render", "a.yaml", "--templates", "mine", "--time-limit", "3")
    line = "mine/figure.tex.j2: this takes more than 3 s (draw fewer parts, or raise --time-limit)\n"
    assert (done.status, done.out, done.left, files()) == (2, "", [], before)
    assert done.err.endswith(line)
    assert done.err.count("\n") == 1
    assert done.seconds < 40


@pytest.mark.parametrize("name", ["doubling", "width"])
def test_a_template_that_takes_all_memory_is_ended(name: str) -> None:
    Path("mine").mkdir()
    case = ROOT / "tests" / "cases" / "templates" / "greedy" / f"{name}.tex.j2"
    Path("mine/figure.tex.j2").write_bytes(case.read_bytes())
    Path("a.yaml").write_text(PLAIN)
    done = run("render", "a.yaml", "--templates", "mine", "-o", "-", memory_mib=400)
    assert (done.status, done.out, done.left) == (2, "", [])
    assert re.fullmatch(r".*mine/figure\.tex\.j2(:1)?: needs more than 400 MiB of memory\n", done.err)


# ---- every verb


def hostile() -> dict[str, str]:
    """Files that take minutes, each small enough to be read."""
    lanes = "".join(f"    - {{id: l{number}}}\n" for number in range(50))
    spans = "".join(
        f"    - {{lane: l{number % 50}, start: {number // 50}, duration: 1, phase: p, label: a{number}}}\n"
        for number in range(60_000)
    )
    timeline = f"    type: timeline\n    lanes:\n{lanes}    phases: {{p: {{}}}}\n    spans:\n{spans}"
    huge = f"panels:\n- id: t\n  content:\n{timeline}"
    passes = (",".join(f"{device}{kind}{number}" for kind in "FB" for number in range(12_000)) for device in range(8))
    nodes = "".join(
        f"\\node (n{number}) at ({number},0) {{x}};\n\\draw (n{number}) -- (n0);\n" for number in range(90_000)
    )
    own = loads(PLAIN).tex()
    start, mark, rest = own.partition("% tikzgen spec: ")
    inside = "\n% ".join(huge.splitlines())
    return {
        "huge.yaml": huge,
        "drawn.yaml": "panels:\n- id: t\n  content:\n" + timeline.replace("phases: {p: {}}", "title: T"),
        "slow.csv": "\n".join(passes) + "\n",
        "huge.tex": HEAD + nodes + "\\end{tikzpicture}\n\\end{document}\n",
        "inside.tex": f"{start}{mark}{rest.partition(chr(10))[0]}\n% {inside}\n% tikzgen digest: 0\n",
    }


VERBS = {
    "render": ["render", "FILE", "-o", "made.tex"],
    "check": ["check", "FILE"],
    "check geometry": ["check", "--geometry", "FILE"],
    "metrics": ["metrics", "FILE", "-o", "made.json", "--format", "json"],
    "preamble": ["preamble", "FILE"],
    "bundle": ["bundle", "FILE", "-o", "made"],
    "show": ["show", "FILE"],
    "edit": ["edit", "FILE", "set", "rowsep=2"],
    "pull": ["pull", "FILE", "-o", "made.yaml"],
}
SLOW = [
    *((verb, file) for verb in list(VERBS)[:6] for file in ("huge.yaml", "drawn.yaml", "slow.csv")),
    *((verb, "huge.tex") for verb in ("check", "check geometry", "bundle", "show", "edit")),
    *((verb, "inside.tex") for verb in ("render", "metrics", "pull")),
]


@pytest.mark.parametrize(("verb", "file"), SLOW, ids=[" ".join(case) for case in SLOW])
def test_a_verb_ends_within_its_time(verb: str, file: str) -> None:
    Path(file).write_text(hostile()[file])
    done = run(*(file if word == "FILE" else word for word in VERBS[verb]), "--time-limit", "1")
    line = f"{file}: this takes more than 1 s (draw fewer parts, or raise --time-limit)\n"
    assert (done.status, done.out, done.err, done.left) == (2, "", line, [])
    assert files() == [file]
    assert done.seconds < 30


def test_all_verbs_that_read_a_file_are_bounded() -> None:
    """Each takes the option, or is known to read nothing that a stranger wrote."""
    free = {"completion", "doctor", "icons", "mcp", "new", "recipes", "schema"}
    for verb in COMMANDS:
        command = load_command(verb)
        for each in [*command.commands.values()] if isinstance(command, Group) else [command]:
            options = {name for parameter in each.params for name in parameter.opts}
            assert ("--time-limit" in options) == (verb not in free), (verb, each.name)


def test_a_figure_that_takes_too_long_does_not_keep_the_others_from_being_built() -> None:
    Path("b.yaml").write_text(hostile()["huge.yaml"])
    Path("c.yaml").write_text(hostile()["drawn.yaml"])
    for name in ("a", "d"):
        Path(f"{name}.tex").write_text("\\documentclass{standalone}\n\\begin{document}a\\end{document}\n")
    done = run("build", "a.tex", "b.yaml", "c.yaml", "d.tex", "--trust", "-q", "--time-limit", "4", "-j", "2")
    line = "this takes more than 4 s (draw fewer parts, or raise --time-limit)\n"
    assert (done.status, done.err, done.left) == (2, f"b.yaml: {line}c.yaml: {line}", [])
    assert files() == ["a.pdf", "a.tex", "b.yaml", "c.yaml", "d.pdf", "d.tex"]
    assert not list(Path(os.environ["TMPDIR"]).iterdir())


def test_each_file_has_its_own_time() -> None:
    Path("slow.csv").write_text(hostile()["slow.csv"])
    for name in "abcdef":
        Path(f"{name}.yaml").write_text(PLAIN)
    done = run("check", *(f"{name}.yaml" for name in "abcdef"), "slow.csv", "--time-limit", "2")
    assert (done.status, done.err) == (
        2,
        "slow.csv: this takes more than 2 s (draw fewer parts, or raise --time-limit)\n",
    )


def test_who_types_a_spec_may_take_all_the_time() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tikzgen", "metrics", "-", "--time-limit", "5"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write("recipe: pipeline\n")
    process.stdin.flush()
    time.sleep(6)
    assert process.poll() is None
    assert "makespan" in process.communicate("devices: 2\nmicrobatches: 2\nschedule: 1f1b\n")[0]
    assert process.returncode == 0


def test_a_program_has_its_own_time_and_ends_with_the_verb() -> None:
    """TeX is stopped by its own limit; where the verb is killed, TeX ends with it."""
    Path("a.tex").write_text((ROOT / "tests/cases/tex/hostile/loop.tex").read_text("utf-8"))
    done = run("check", "--geometry", "--trust", "a.tex", "--time-limit", "2")
    assert (done.status, done.left) == (3, [])
    assert "stopped after 2 s (an endless loop, or raise --time-limit)" in done.err
    assert not list(Path(os.environ["TMPDIR"]).iterdir())


# ---- the mechanism


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What heeds no request to end is killed sooner than a user's work would be."""
    monkeypatch.setattr("tikzgen.base.child.child_state.GRACE_SECONDS", 0.5)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("work", [endless, stubborn, with_a_program])
def test_work_is_ended_whatever_it_heeds(work: Callable[[], int]) -> None:
    begun = time.monotonic()
    with pytest.raises(TooMuch, match=r"^a\.yaml: this takes more than 0\.3 s \(draw fewer parts"):
        forked.run_bounded(work, "a.yaml", ResourceLimits(0.3))
    assert time.monotonic() - begun < 20
    if Path("pid").exists():
        gone(int(Path("pid").read_text()))


def gone(pid: int) -> None:
    """Wait until a process is no more."""
    with pytest.raises(ProcessLookupError):
        for _ in range(2000):
            os.kill(pid, 0)
            time.sleep(0.01)


def test_work_gives_its_status() -> None:
    assert forked.run_bounded(lambda: 7, "a.yaml", ResourceLimits()) == 7


def test_work_that_the_system_ends_is_told() -> None:
    with pytest.raises(TooMuch, match=r"^a\.yaml: the system ended this \(SIGKILL\) \(it may have needed too much"):
        forked.run_bounded(lambda: os.kill(os.getpid(), signal.SIGKILL) or 0, "a.yaml", ResourceLimits())


def test_a_system_without_fork_starts_the_command_anew(capfd: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text(PLAIN)
    assert forked.run_again(["check", "a.yaml"], {"TIKZGEN_APART": "1"}, "a.yaml", ResourceLimits(60)) == 0
    with pytest.raises(TooMuch, match=r"^a\.yaml: this takes more than 0\.1 s"):
        forked.run_again(["check", "a.yaml"], {"TIKZGEN_APART": "1"}, "a.yaml", ResourceLimits(0.1))


def test_a_child_whose_parent_is_killed_has_no_more_time_than_the_system_gives() -> None:
    def limit() -> int:
        return resource.getrlimit(resource.RLIMIT_CPU)[0]

    assert 32 <= forked.run_bounded(limit, "a.yaml", ResourceLimits(2)) < 60


# ---- requests to end


# what Python itself says when it is interrupted before it comes to a program's first line is not ours to mend
START = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.write(1, b".")
from tikzgen.__main__ import main
main()
"""


@pytest.mark.parametrize("number", range(scaled(400)))
def test_a_request_to_end_is_heeded_at_any_moment(number: int) -> None:
    Path("slow.csv").write_text(
        "\n".join(",".join(f"{device}F{batch}" for batch in range(9999)) for device in range(8))
    )
    chance = random.Random(number)
    asked = chance.choice([signal.SIGINT, signal.SIGTERM])
    process = subprocess.Popen(
        [sys.executable, "-c", START, "check", "slow.csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.read(1) == "."
    time.sleep(chance.uniform(0, 0.2))
    process.send_signal(asked)
    out, err = process.communicate(timeout=60)
    assert (out, err.strip()) == ("", ""), "click ends the line that ^C stands on, and that is all"
    assert process.returncode in (130, -asked), (
        "by the signal itself, in the moment before anything is there to heed it"
    )
    assert session(process.pid) == []


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_ctrl_c_reaches_parent_and_child_and_is_heeded_once(name: str) -> None:
    Path("a.tex").write_text((ROOT / "tests/cases/tex/hostile/loop.tex").read_text("utf-8"))
    place = Path(os.environ["TMPDIR"])
    process = subprocess.Popen(
        [sys.executable, "-m", "tikzgen", "check", "--geometry", "--trust", "a.tex"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not list(place.glob("tikzgen-*/figure.log")):
        time.sleep(0.05)
    os.killpg(process.pid, getattr(signal, name))
    assert "Traceback" not in process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert session(process.pid) == []
    assert not list(place.iterdir())


# ---- workers


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerPool]:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))
    found = WorkerPool(Servant())
    yield found
    found.close()


def call(workers: WorkerPool, name: str, seconds: float = 60) -> Any:
    return workers.call(methodcaller(name), "a.yaml", ResourceLimits(seconds))


def test_a_worker_does_one_thing_after_another(workers: WorkerPool) -> None:
    first = call(workers, "number")
    assert first != os.getpid()
    assert list(WorkerCall(methodcaller("some"), "a.yaml", ResourceLimits()).made_by(workers)) == [1, 2, 3]
    with pytest.raises(InvalidSchedule, match=r"^a\.yaml:1:2: a: wrong \(mend it\)$") as raised:
        call(workers, "wrong")
    assert raised.value.problems[0][0] == ("a", 1)
    with pytest.raises(TikzgenError, match=r"^a\.yaml: tikzgen failed: ZeroDivisionError: by zero$"):
        call(workers, "mistaken")
    assert call(workers, "printed") is None
    assert call(workers, "number") == first


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", ["endless", "stubborn"])
def test_a_worker_that_takes_too_long_is_replaced(workers: WorkerPool, name: str) -> None:
    first = call(workers, "number")
    with pytest.raises(TooMuch, match=r"^a\.yaml: this takes more than 0\.3 s"):
        call(workers, name, 0.3)
    assert call(workers, "number") != first
    if Path("pid").exists():
        gone(int(Path("pid").read_text()))


def test_a_worker_that_the_system_ends_is_replaced(workers: WorkerPool) -> None:
    with pytest.raises(TooMuch, match=r"^a\.yaml: the system ended this \(SIGKILL\)"):
        call(workers, "killed")
    assert call(workers, "number")


def test_a_call_is_stopped_by_another_thread_before_it_begins_or_while_it_runs(workers: WorkerPool) -> None:
    for delay in (None, 0.0, 0.5):
        stopped = WorkerCall(methodcaller("endless"), "a.yaml", ResourceLimits(600))
        if delay is None:
            stopped.stop()
        else:
            Timer(delay, stopped.stop).start()
        with pytest.raises(KeyboardInterrupt):
            list(stopped.made_by(workers))
    assert call(workers, "number")


def test_several_threads_have_a_worker_each(workers: WorkerPool) -> None:
    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(lambda _: call(workers, "number"), range(12)))) <= 3


def test_a_worker_trusts_as_its_process_does(workers: WorkerPool) -> None:
    assert call(workers, "trusted") is False
    with trust_commands(everywhere=True):
        trusted = WorkerPool(Servant())
    assert call(trusted, "trusted") is True
    trusted.close()


def test_workers_that_are_closed_take_nothing_on(workers: WorkerPool) -> None:
    first = call(workers, "number")
    workers.close()
    gone(first)
    with pytest.raises(KeyboardInterrupt):
        call(workers, "number")


def kinds(root: type[TikzgenError]) -> Iterator[type[TikzgenError]]:
    for module in walk_packages([str(ROOT / "tikzgen")], "tikzgen."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):
                import_module(module.name)
    found = [root]
    while found:
        kind = found.pop()
        found += kind.__subclasses__()
        if kind.__module__.startswith("tikzgen"):
            yield kind


def test_every_error_of_ours_reaches_another_process_as_it_is() -> None:
    for kind in kinds(TikzgenError):
        error = kind.__new__(kind, "what is wrong")
        TikzgenError.__init__(error, "what is wrong", hint="the way out")
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again.message), again.hint) == (kind, "what is wrong", "the way out")
    one = SpecError([Problem("wrong", "a", Place("a.yaml", 1, 2), "mend it")])
    again = pickle.loads(pickle.dumps(one))
    assert (again.problems, str(again), again.list_problems()) == (one.problems, str(one), one.list_problems())
