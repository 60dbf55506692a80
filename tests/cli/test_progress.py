"""What is told of work that takes over a second: a bar with the time left on a terminal, lines elsewhere."""

from __future__ import annotations

import io
import marshal
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import run

from tikzgen.base.child import child_messages as notes
from tikzgen.base.child.child_state import ResourceLimits, Watched
from tikzgen.cli import progress as module
from tikzgen.cli import voice
from tikzgen.cli.progress import Progress


class Stream(io.StringIO):
    """Standard error, which may be a terminal."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self.isatty = lambda: terminal  # type: ignore[method-assign]


def told(*, terminal: bool, quiet: bool = False, files: int = 4, speaks: bool = False) -> str:
    """What is said of a child that has been at `a` for 1 s, and then at `b` for 9 s."""
    stream, now = Stream(terminal=terminal), [0.0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        progress = Progress(quiet=quiet, clock=lambda: now[0])
        child = Watched(0, "a.yaml", ResourceLimits())
        child.files, child.begun = files, 1
        for now[0] in (0.2, 0.9, 1.0, 2.0):
            progress.show_child(child)
        child.subject, child.begun, child.speaks = "b.yaml", 2, speaks
        for now[0] in (3.0, 4.0, 5.0, 11.0):
            progress.show_child(child)
        progress.clear()
    return stream.getvalue()


def test_a_bar_with_the_time_left_stands_on_a_terminal() -> None:
    shown = told(terminal=True).split("\r\x1b[K")
    assert shown[:3] == ["", "[....................] 0 of 4, a.yaml", "[....................] 0 of 4, a.yaml"]
    assert shown[3] == "[#####...............] 1 of 4, 9 s left, b.yaml"
    assert shown[-2:] == ["[#####...............] 1 of 4, 33 s left, b.yaml", ""]


def test_of_one_file_the_time_is_told() -> None:
    assert "\r\x1b[K2 s, a.yaml\r" in told(terminal=True, files=0)


def test_nothing_stands_elsewhere() -> None:
    assert told(terminal=False) == told(terminal=False, files=0) == ""


@pytest.mark.parametrize("terminal", [True, False])
def test_nothing_is_told_where_nobody_wants_it(terminal: bool) -> None:
    assert told(terminal=terminal, quiet=True) == ""


def test_what_is_printed_stands_alone_on_its_line() -> None:
    assert told(terminal=True, speaks=True).endswith("a.yaml")  # the child clears the line, and nothing comes after


@pytest.mark.parametrize("terminal", [True, False])
def test_a_spec_whose_traces_are_read_is_one_file_and_its_share_is_told(terminal: bool) -> None:
    stream, now = Stream(terminal=terminal), [0.0]
    child = Watched(0, "", ResourceLimits())

    def heard(kind: str, value: int | str = "") -> None:
        data = marshal.dumps((kind, value))
        child.take(notes.HEAD.pack(len(data)) + data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        patch.setattr(notes, "send_message", heard)
        notes.send_file_count(2)
        notes.working_on("a.yaml")
        for name in ("t0.json", "t1.json"):
            with notes.working_at(name, anew=True):
                progress = Progress(quiet=False, clock=lambda: now[0])
                progress.show_child(child)
                notes.so_far(0.37, 1)
                now[0] += 2
                progress.show_child(child)
        assert (child.subject, child.share, child.begun, child.files) == ("a.yaml", "", 1, 2)
    bar = "\r\x1b[K[....................] 0 of 2, {}, 37 % of 1"
    assert stream.getvalue() == "".join((bar if terminal else "").format(name) for name in ("t0.json", "t1.json"))


@pytest.mark.parametrize(("options", "count"), [((), 1), (("--geometry", "--engine", "none"), 3)])
def test_a_check_of_geometry_counts_each_file_three_times(
    options: tuple[str, ...], count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, object]] = []
    monkeypatch.setattr(notes, "send_message", lambda kind, value="": sent.append((kind, value)))
    spec = tmp_path / "a.yaml"
    spec.write_text("recipe: data-parallel\nworkers: 2\n", encoding="utf-8")
    assert run("check", str(spec), *options).status == 0
    assert [value for kind, value in sent if kind == "expecting"] == [count]
    assert [kind for kind, _ in sent].count("next") == count


def test_the_memory_limit_is_in_mib(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: dict[str, int] = {}
    monkeypatch.setattr(notes, "_lower_limit", limits.__setitem__)
    for name in ("pipe", "seconds", "subject"):
        monkeypatch.setattr(notes._Line, name, getattr(notes._Line, name))
    notes.begin(-1, "a.yaml", 3.0, 400)
    assert limits["RLIMIT_AS"] == 400 * 2**20


class Writes(io.RawIOBase):
    """A terminal that records each write."""

    def __init__(self) -> None:
        self.writes: list[bytes] = []

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.writes.append(bytes(data))
        return len(data)


@pytest.mark.parametrize("printed", [voice.print_line, voice.print_error, voice.print_output])
def test_one_write_clears_the_bar_and_prints(printed: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Writes()
    stream = io.TextIOWrapper(io.BufferedWriter(terminal), encoding="utf-8", line_buffering=True)
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, stream)
    monkeypatch.setattr(voice, "is_watched", lambda: True)
    printed("a.tex written")
    assert terminal.writes == [b"\r\x1b[Ka.tex written\n"]


SLOW = """\
import time
from pathlib import Path
from tikzgen.cli import main, progress
from tikzgen.cli.verbs import render_verb
assert progress._DELAY_SECONDS > 0 and progress._UPDATE_SECONDS > 0
progress._DELAY_SECONDS = progress._UPDATE_SECONDS = 0
first = render_verb._render_spec
def wait_until_shown(*given, **more):
    drawn = first(*given, **more)
    for _ in range(600):
        if Path("shown").exists():
            break
        time.sleep(0.1)
    Path("shown").unlink()
    return drawn
render_verb._render_spec = wait_until_shown
main(apart=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals of this kind")
def test_rendering_shows_it_in_a_terminal(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.yaml").write_text("recipe: data-parallel\nworkers: 2\n", encoding="utf-8")
    ours, theirs = os.openpty()
    run = [sys.executable, "-c", SLOW, "render", "."]
    env = {**os.environ, "TIKZGEN_PROGRESS": "auto", "XDG_CACHE_HOME": str(tmp_path / ".cache")}
    done = subprocess.Popen(run, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown, expected = b"", [b"\r\x1b[K[....................] 0 of 2, a.yaml", b"[##########..........] 1 of 2"]
    try:
        while data := os.read(ours, 4096):
            shown += data
            if expected and expected[0] in shown:
                del expected[0]
                (tmp_path / "shown").touch()  # the file that is rendered now may end
    except OSError:
        pass  # it is closed at the other end
    assert done.wait() == 0
    assert not expected
    assert b"\r\x1b[Ka.tex and a.meta.json written\r\n" in shown
    assert shown.endswith(b"\r\x1b[K")
    assert module._DELAY_SECONDS == 1.0
