"""Work that takes too long, or that nobody wants any more, is stopped, rendering, too, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from watched_specs import SPEC, until, view_of

from tikzgen.base.child.signals import handle_signals
from tikzgen.compile.make_formats import Settings
from tikzgen.compile.tex.workplace import remove_old_folders
from tikzgen.edit.find_words import find_words
from tikzgen.serve.agents import mcp_server as agents
from tikzgen.serve.watch.run_watch import run_watch

pytestmark = pytest.mark.slow

# ---- build


CODE = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import tikzgen.emit.render_figure
def endless(*given, **more):
    print("begun", file=sys.stderr, flush=True)
    while True: time.sleep(0)
tikzgen.emit.render_figure.render = endless
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
    remove_old_folders(tmp_path)
    assert (tmp_path / "tikzgen-left").exists(), "it may be another run's, that is under way"
    os.utime(tmp_path / "tikzgen-left", (0, 0))
    remove_old_folders(tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_is_not_ours_is_not_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "kept").write_text("kept")
    (tmp_path / "tikzgen-file").write_text("kept")
    (tmp_path / "tikzgen-link").symlink_to(tmp_path / "theirs")
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0), follow_symlinks=False)
    before = sorted(tmp_path.rglob("*"))
    remove_old_folders(tmp_path)
    remove_old_folders(tmp_path / "none")
    assert sorted(tmp_path.rglob("*")) == before
    (tmp_path / "tikzgen-old").mkdir()
    os.utime(tmp_path / "tikzgen-old", (0, 0))
    monkeypatch.setattr(os, "getuid", lambda: 4321, raising=False)
    remove_old_folders(tmp_path)
    assert (tmp_path / "tikzgen-old").exists(), "it is another user's"


def test_a_request_that_a_library_swallows_comes_again(capfd: pytest.CaptureFixture[str]) -> None:
    class Finalized:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt), handle_signals():
        Finalized()
        time.sleep(600)
    assert capfd.readouterr() == ("", "")


# ---- watch

SLOW = "panels:\n- content:\n    type: topology\n    nodes:\n"
SLOW += "".join(f"    - {{kind: node, id: n{each}}}\n" for each in range(300)) + "    flows:\n"
SLOW += "".join(
    f"    - {{source: n{each}, target: n{other}}}\n"
    for each in range(300)
    for other in {(7 * each + 1) % 300, (13 * each + 5) % 300} - {each}
)


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    path = Path("fig.yaml")
    path.write_text(SLOW)
    return path


def test_the_next_save_replaces_what_is_rendered_without_end(spec: Path) -> None:
    with run_watch(spec, settings=Settings(find_words, time_limit=600), apart=True) as server:
        until(lambda: view_of(server).status == "building")
        time.sleep(2)
        spec.write_text(SPEC)
        until(lambda: view_of(server).status == "ready" and view_of(server).looked)
        spec.write_text(SLOW)
        until(lambda: view_of(server).status == "building")
    until(lambda: not workers())  # and it ends all the same


def test_what_takes_too_long_is_told_in_place_of_the_figure(spec: Path) -> None:
    with run_watch(spec, settings=Settings(find_words, time_limit=3), apart=True) as server:
        until(lambda: view_of(server).status == "failed" and view_of(server).looked)
        line = "fig.yaml: this takes more than 3 s "
        assert view_of(server).troubles[0].message == f"{line}(draw fewer parts, or raise --time-limit)"
        assert view_of(server).fields == ()
        told = server.change(view_of(server).id, {"field": "fact:devices", "was": "50", "value": "4"})
        assert told == {"refused": f"{line}(change it in the file)"}
        assert spec.read_text() == SLOW


def workers() -> list[Path]:
    """The workers of this process that still run."""
    return [place for place in Path("/proc").glob("[0-9]*/stat") if _is_worker(place)]


def _is_worker(place: Path) -> bool:
    try:
        ours = place.read_text().rpartition(")")[2].split()[1] == str(os.getpid())
        return ours and b"apart.answering" in (place.parent / "cmdline").read_bytes()
    except OSError:
        return False  # it has just ended


# ---- agents


def test_a_call_of_an_agent_has_a_limit(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added: dict[str, Callable[..., Any]] = {}
    from mcp.server.mcpserver.exceptions import ToolError

    class Server:
        def __init__(self, *given: Any, **more: Any) -> None:
            pass

        def add_tool(self, act: Callable[..., Any], *, name: str, **more: Any) -> None:
            added[name] = act

        def run(self) -> None:
            monkeypatch.setattr(agents, "CALL_SECONDS", 1)
            spec.write_text("recipe: pipeline\ndevices: 50\nmicrobatches: 1900\n")
            with pytest.raises(ToolError, match=r"^check: this takes more than 1 s \(ask for less\)$"):
                added["check"]("fig.yaml")
            monkeypatch.setattr(agents, "CALL_SECONDS", 60)
            spec.write_text(SPEC)
            assert json.loads(added["check"]("fig.yaml")) == {"findings": []}
            with pytest.raises(ToolError, match=r"^none\.yaml: file not found"):
                added["check"]("none.yaml")

    monkeypatch.setattr("mcp.server.MCPServer", Server)
    agents.serve(Path())
    until(lambda: not workers())
