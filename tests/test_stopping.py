"""Work that takes too long, or that nobody wants any more, is stopped, rendering, too, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from conftest import ROOT
from test_watch_files import SETTINGS, SPEC, until, view_of

from tikzgen.agents import server as agents
from tikzgen.stopping import Stoppable, TooLong, limited
from tikzgen.tex.process import Running
from tikzgen.tex.scratch import sweep
from tikzgen.watch import looking, making, running
from tikzgen.watch.running import watching

pytestmark = pytest.mark.slow


def endless() -> None:
    while True:
        time.sleep(0)


def stopped(work: Stoppable, begun: Event, told: list[str]) -> None:
    try:
        with work:
            begun.set()
            endless()
    except KeyboardInterrupt:
        told.append("stopped")


def test_another_thread_stops_it() -> None:
    work, begun, told = Stoppable(), Event(), list[str]()
    thread = Thread(target=stopped, args=(work, begun, told))
    thread.start()
    begun.wait()
    work.stop()
    work.stop()
    thread.join()
    assert told == ["stopped"]


def test_what_was_stopped_before_does_not_begin() -> None:
    held = Running()
    held.stop()
    for work in (held.work(), Stoppable()):
        work.stop()
        with pytest.raises(KeyboardInterrupt), work:
            pytest.fail("it began")


def test_what_has_ended_is_left_alone() -> None:
    """However late `stop` comes, nothing after the work is struck by it."""
    for delay in range(300):
        work, entered, struck = Stoppable(), Event(), list[str]()

        def task(work: Stoppable = work, entered: Event = entered, delay: int = delay) -> None:
            try:
                with work:
                    entered.set()
                    sum(range(delay * 20))
            except KeyboardInterrupt:
                pass  # it was in time

        def outside(task: Callable[[], None] = task, struck: list[str] = struck) -> None:
            try:
                task()
                sum(1 for _ in range(2000))
            except KeyboardInterrupt:
                struck.append("struck")

        thread = Thread(target=outside)
        thread.start()
        entered.wait()
        work.stop()
        thread.join()
        assert not struck


def test_time_is_up() -> None:
    with (
        pytest.raises(TooLong, match=r"^fig\.yaml: this takes more than 0\.1 s \(draw fewer parts, or raise --time"),
        limited(0.1, "fig.yaml"),
    ):
        endless()
    with limited(60, "fig.yaml"):
        pass
    with pytest.raises(KeyboardInterrupt), limited(60, "fig.yaml"):
        raise KeyboardInterrupt


# ---- build


CODE = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import tikzgen.rendering
def endless(*given, **more):
    print("begun", file=sys.stderr, flush=True)
    while True: time.sleep(0)
tikzgen.rendering.render = endless
from tikzgen.cli import main
main(apart=True)
"""


@pytest.mark.parametrize("verb", ["build", "render"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_interrupted_rendering_ends_at_once_and_leaves_nothing(tmp_path: Path, verb: str, name: str) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "temporary").mkdir()
    for number in range(3):
        (tmp_path / "work" / f"fig{number}.yaml").write_text(SPEC)
    figures = ["fig0.yaml", "fig1.yaml", "fig2.yaml"] if verb == "build" else ["fig0.yaml"]
    env = {"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path / "temporary"), "HOME": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, verb, *figures], cwd=tmp_path / "work", env=env, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "begun\n"
    process.send_signal(getattr(signal, name))
    assert process.wait(60) == 130
    assert set(process.stderr.read().split()) <= {"begun", "Aborted!"}
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["fig0.yaml", "fig1.yaml", "fig2.yaml"]
    assert not list((tmp_path / "temporary").iterdir())


LOOP = (ROOT / "tests/cases/tex/hostile/loop.tex").read_text("utf-8")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_interrupted_run_of_tex_ends_and_leaves_no_folder(tmp_path: Path, name: str) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    (tmp_path / "a.tex").write_text(LOOP)
    env = {**os.environ, "TMPDIR": str(place), "HOME": str(tmp_path)}
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{heed}; from tikzgen.cli import main; main(apart=True)"
    command = [sys.executable, "-c", code, "build", "a.tex", "--trust", "--time-limit", "600"]
    process = subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.DEVNULL)
    until(lambda: list(place.glob("tikzgen-*/figure.log")))
    process.send_signal(getattr(signal, name))
    assert process.wait(60) == 130
    assert not list(place.iterdir())
    assert not (tmp_path / "a.pdf").exists()


def test_what_a_killed_run_left_is_swept_when_it_is_old(tmp_path: Path) -> None:
    (tmp_path / "tikzgen-left").mkdir()
    (tmp_path / "tikzgen-left" / "figure.log").write_text("")
    sweep(tmp_path)
    assert (tmp_path / "tikzgen-left").exists(), "it may be another run's, that is under way"
    os.utime(tmp_path / "tikzgen-left", (0, 0))
    sweep(tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_is_not_ours_is_not_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "kept").write_text("kept")
    (tmp_path / "tikzgen-file").write_text("kept")
    (tmp_path / "tikzgen-link").symlink_to(tmp_path / "theirs")
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0), follow_symlinks=False)
    before = sorted(tmp_path.rglob("*"))
    sweep(tmp_path)
    sweep(tmp_path / "none")
    assert sorted(tmp_path.rglob("*")) == before
    (tmp_path / "tikzgen-old").mkdir()
    os.utime(tmp_path / "tikzgen-old", (0, 0))
    monkeypatch.setattr(os, "getuid", lambda: 4321, raising=False)
    sweep(tmp_path)
    assert (tmp_path / "tikzgen-old").exists(), "it is another user's"


# ---- watch


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(making, "_shown", lambda pdf, running, **_: ("svg", b"<svg/>"))
    monkeypatch.chdir(tmp_path)
    path = Path("fig.yaml")
    path.write_text(f"{SPEC}# endless\n")
    return path


def slow(act: Callable[..., Any], begun: Event) -> Callable[..., Any]:
    """`act`, that does not end for a file that says so."""

    def acted(*given: Any, **more: Any) -> Any:
        if "endless" in Path("fig.yaml").read_text():
            begun.set()
            endless()
        return act(*given, **more)

    return acted


@pytest.mark.parametrize("where", [(making.Maker, "source"), (looking.Looker, "__call__")], ids=["layout", "form"])
def test_the_next_save_replaces_what_is_rendered_without_end(
    spec: Path, monkeypatch: pytest.MonkeyPatch, where: tuple[Any, str]
) -> None:
    begun = Event()
    monkeypatch.setattr(*where, slow(getattr(*where), begun))
    with watching(spec, settings=SETTINGS) as server:
        begun.wait()
        spec.write_text(SPEC)
        until(lambda: view_of(server).status == "ready" and view_of(server).looked)
        begun.clear()
        spec.write_text(f"{SPEC}# endless\n")
        begun.wait()  # and it ends all the same


def test_what_takes_too_long_is_told_in_place_of_the_figure(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    monkeypatch.setattr(making.Maker, "source", slow(making.Maker.source, Event()))
    monkeypatch.setattr(looking.Looker, "__call__", slow(looking.Looker.__call__, Event()))
    monkeypatch.setattr(running, "edit", slow(running.edit, Event()))
    with watching(spec, settings=replace(SETTINGS, time_limit=0.3)) as server:
        until(lambda: view_of(server).status == "failed" and view_of(server).looked)
        line = "fig.yaml: this takes more than 0.3 s "
        assert view_of(server).troubles[0].message == f"{line}(draw fewer parts, or raise --time-limit)"
        assert view_of(server).fields == ()
        told = server.change(view_of(server).id, {"field": "fact:workers", "was": "3", "value": "4"})
        assert told == {"refused": f"{line}(change it in the file)"}


# ---- agents


def test_a_call_of_an_agent_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added: dict[str, Callable[..., Any]] = {}

    class Server:
        def __init__(self, *given: Any, **more: Any) -> None:
            pass

        def add_tool(self, act: Callable[..., Any], *, name: str, **more: Any) -> None:
            added[name] = act

        def run(self) -> None:
            pass

    monkeypatch.setattr("mcp.server.MCPServer", Server)
    monkeypatch.setattr(agents, "SECONDS", 0.2)
    monkeypatch.setattr("tikzgen.check", lambda path: endless())
    agents.serve(tmp_path)
    from mcp.server.mcpserver.exceptions import ToolError

    with pytest.raises(ToolError, match=r"check: this takes more than 0\.2 s \(ask for less\)"):
        added["check"]("fig.yaml")
