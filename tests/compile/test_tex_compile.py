"""Compiling with real engines: same bytes anywhere, hostile figures contained, errors with their lines."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import namedtuple
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import ROOT

from tikzgen.base.errors import ExitStatus, LatexError, LatexMissing
from tikzgen.compile.tex import workplace
from tikzgen.compile.tex.argv import (
    SETTINGS,
    Limits,
    engine_argv,
    limit_argv,
    make_engine_environment,
    version_settings,
)
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.compile.tex.engines import FAMILIAR, Engine, engine_named, find_engine
from tikzgen.compile.tex.failures import lost_characters
from tikzgen.compile.tex.process import Running, run_process
from tikzgen.compile.tex.workplace import holds_more, read_made

CASES = ROOT / "tests" / "cases" / "tex"
FIGURES = {path.stem: path.read_text("utf-8") for path in (CASES / "figures").glob("*.tex")}
HOSTILE = sorted((CASES / "hostile").glob("*.tex"))
ENDLESS = (CASES / "hostile" / "loop.tex").read_text("utf-8")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that all private working folders stand in, to see that none stays."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def body(text: str) -> str:
    return f"\\documentclass[tikz]{{standalone}}\n\\begin{{document}}\n{text}\n\\end{{document}}\n"


@pytest.mark.tex
@pytest.mark.parametrize("engine", FAMILIAR)
@pytest.mark.parametrize("name", ["plain", "chinese"])
def test_every_engine_compiles_to_the_same_bytes_in_any_folder(name: str, engine: Engine, temporary: Path) -> None:
    first, second = compile_tex(FIGURES[name], engine=engine), compile_tex(FIGURES[name], engine=engine)
    assert first.pdf.startswith(b"%PDF-")
    assert first.pdf == second.pdf
    assert lost_characters(first.log) == ()
    assert "This is" in first.log
    assert list(temporary.iterdir()) == []


@pytest.mark.tex
@pytest.mark.parametrize("engine", FAMILIAR)
@pytest.mark.parametrize("case", HOSTILE, ids=lambda path: path.stem)
def test_a_hostile_figure_is_contained(case: Path, engine: Engine, tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "secret.txt").write_text("TOPSECRET")
    (temporary / "secret.txt").write_text("TOPSECRET")
    before = set(tmp_path.rglob("*"))
    source = case.read_text("utf-8").replace("FOLDER", str(tmp_path))
    try:
        compiled = compile_tex(source, engine=engine, time_limit=0.8)
        told = compiled.log
        assert b"TOPSECRET" not in compiled.pdf
    except LatexError as error:
        told = error.log
        assert error.hint
    assert "TOPSECRET" not in told
    assert set(tmp_path.rglob("*")) == before, "nothing is written, and the working folder is gone"


@pytest.mark.tex
def test_lualatex_has_no_sockets_and_no_shell() -> None:
    lua = "assert(not io.popen('id')) assert(not os.execute('true')) assert(not package.loaded['socket.core'])"
    compile_tex(body(rf"\directlua{{{lua}}}x"), engine="lualatex")


@pytest.mark.tex
def test_an_endless_figure_is_stopped_and_says_so() -> None:
    with pytest.raises(LatexError, match=r"pdflatex was stopped after 0\.5 s .*--time-limit"):
        compile_tex(ENDLESS, time_limit=0.5)


@pytest.mark.tex
def test_a_flood_is_stopped_and_says_so() -> None:
    flood = (CASES / "hostile" / "file-flood.tex").read_text("utf-8")
    with pytest.raises(LatexError, match="wrote more than 64 MiB"):
        compile_tex(flood, time_limit=60)


@pytest.mark.tex
def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(workplace, "disk_usage", lambda folder: usage(9, 9, 0))
    compile_tex(body("x"))  # there was room enough
    with pytest.raises(LatexError, match=r"the disk that pdflatex works on is full \(make room there, or"):
        compile_tex(body(r"\nosuchthing"))

    def nothing(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", nothing)
    with pytest.raises(LatexError, match=r"cannot be written: no space left on device \(make room there, or"):
        compile_tex(body("x"))


@pytest.mark.tex
def test_too_much_memory_is_refused() -> None:
    lua = r"\directlua{local t = {} for i = 1, 1e9 do t[i] = string.rep('x', 1000) .. i end}"
    with pytest.raises(LatexError, match=r"not enough memory \(the figure needs more memory"):
        compile_tex(body(lua), engine="lualatex", memory_limit_mib=512, time_limit=60)


@pytest.mark.tex
@pytest.mark.parametrize("engine", FAMILIAR)
def test_an_error_has_its_line(engine: Engine) -> None:
    with pytest.raises(LatexError, match=r"Undefined control sequence \\foo") as raised:
        compile_tex(body("\\begin{tikzpicture}\n  \\node (a) {\\foo};\n\\end{tikzpicture}"), engine=engine)
    assert (raised.value.line, raised.value.excerpt) == (4, r"\node (a) {\foo};")
    assert raised.value.exit_status is ExitStatus.LATEX
    assert "Undefined control sequence" in raised.value.log


@pytest.mark.tex
@pytest.mark.parametrize("engine", FAMILIAR)
@pytest.mark.parametrize("document", [body(""), r"\documentclass{article}\begin{document}\end{document}"])
def test_an_empty_figure_is_an_error(document: str, engine: Engine) -> None:
    with pytest.raises(LatexError, match="the figure is empty"):
        compile_tex(document, engine=engine)


@pytest.mark.tex
@pytest.mark.parametrize("text", ["\udc80", "\0", "\r\r\n", "\ufeff", "\x7f\x1b"])
def test_odd_characters_compile_or_are_refused(text: str) -> None:
    try:
        compile_tex(body(f"\\tikz\\node{{a{text}b}};"))
    except LatexError as error:
        assert error.line  # either outcome is right


@pytest.mark.tex
def test_characters_that_no_font_has_are_told() -> None:
    (lost,) = lost_characters(compile_tex(body("a 😀 b"), engine="xelatex").log)
    assert str(lost) == '"😀" (U+1F600)'


@pytest.mark.tex
def test_remembered_pictures_get_their_second_run() -> None:
    once = compile_tex(FIGURES["remembered"].replace("[remember picture]", ""))
    twice = compile_tex(FIGURES["remembered"])
    assert twice.pdf != once.pdf
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tikzgen.compile.tex.compile_tex._RUN_LIMIT", 1)
        assert compile_tex(FIGURES["remembered"]).pdf != twice.pdf
        patch.setattr("tikzgen.compile.tex.compile_tex._RUN_LIMIT", 5)
        assert compile_tex(FIGURES["remembered"]).pdf == twice.pdf, "it settles"


@pytest.mark.tex
def test_source_and_log_are_kept(tmp_path: Path) -> None:
    keep = tmp_path / "new" / "kept"
    compile_tex(FIGURES["plain"], keep=keep, name="good")
    with pytest.raises(LatexError) as raised:
        compile_tex(body(r"\foo"), keep=keep, name="bad")
    assert sorted(path.name for path in keep.iterdir()) == ["bad.log", "bad.tex", "good.log", "good.tex"]
    assert (keep / "good.tex").read_text("utf-8") == FIGURES["plain"]
    assert (keep / "bad.log").read_text("utf-8") == raised.value.log


@pytest.mark.parametrize("engine", FAMILIAR)
def test_a_missing_engine_comes_with_the_line_that_installs_it(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(LatexMissing, match=f"{engine} is not on the PATH") as raised:
        compile_tex(FIGURES["plain"], engine=engine)
    assert raised.value.hint.startswith("install it: ")
    assert raised.value.exit_status is ExitStatus.LATEX


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(
        LatexError, match=r"unknown engine \"tex\" \(the engines are pdflatex, xelatex, lualatex, tectonic\)"
    ):
        engine_named("tex")


@pytest.mark.tex
def test_an_engine_knows_its_version() -> None:
    assert "pdfTeX" in find_engine("pdflatex").version


@pytest.mark.parametrize("engine", FAMILIAR)
def test_no_run_has_a_shell_or_asks_questions(engine: Engine) -> None:
    argv = engine_argv(engine, "/bin/" + engine)
    assert argv[0] == "/bin/" + engine
    assert {"-no-shell-escape", "-interaction=batchmode", "-halt-on-error", "-jobname=figure"} <= set(argv)
    assert ("--nosocket" in argv) is (engine is Engine.LUALATEX)


def test_the_environment_is_ours_where_it_matters() -> None:
    env = make_engine_environment({"HOME": "/h", "openin_any": "a", "TEXMFOUTPUT": "/tmp", "SOURCE_DATE_EPOCH": "99"})
    assert env == {"HOME": "/h", **SETTINGS}
    assert (env["openin_any"], env["openout_any"]) == ("p", "p")


@pytest.mark.parametrize(
    ("engine", "version", "settings"),
    [
        (Engine.LUALATEX, "This is LuaHBTeX, Version 1.12.0 (TeX Live 2020/Debian)", {"openin_any": "r"}),
        (Engine.XELATEX, "XeTeX 3.14159265-2.6-0.999992 (TeX Live 2020/Debian)", {"openin_any": "r"}),
        (Engine.PDFLATEX, "pdfTeX 3.14159265-2.6-1.40.21 (TeX Live 2020/Debian)", {}),
        (Engine.LUALATEX, "This is LuaHBTeX, Version 1.15.0 (TeX Live 2022/Debian)", {}),
        (Engine.LUALATEX, "This is LuaHBTeX, Version 1.18.0 (TeX Live 2025/dev/Debian)", {"openin_any": "r"}),
        (Engine.XELATEX, "XeTeX 3.141592653-2.6-0.999996 (TeX Live 2025/dev/Debian)", {}),
        (Engine.XELATEX, "MiKTeX-XeTeX 4.10 (MiKTeX 24.1)", {}),
    ],
)
def test_every_version_may_read_its_own_files(engine: Engine, version: str, settings: dict[str, str]) -> None:
    assert version_settings(engine, version) == settings


@pytest.mark.parametrize(
    ("limits", "flag", "value"),
    [
        (Limits(seconds=2.5), "-t", "4"),
        (Limits(memory_mib=300), "-v", str(300 * 1024)),
        (Limits(file_mib=3), "-f", str(3 * 2048)),
    ],
)
def test_limits_reach_the_program(limits: Limits, flag: str, value: str) -> None:
    argv = limit_argv(["/bin/sh", "-c", f"ulimit {flag}"], limits)
    assert subprocess.run(argv, capture_output=True, text=True).stdout.strip() == value


def test_arguments_pass_the_limiter_unread(tmp_path: Path) -> None:
    odd = ["a b", "$HOME", "`id`", "'", '"', "\\", "*", "", "-n", ";"]
    program = [sys.executable, "-c", "import sys; print(sys.argv[1:])", *odd]
    assert run_process(program, cwd=tmp_path, limits=Limits()).output.strip() == repr(odd)


@pytest.mark.tex
def test_a_folder_that_fills_ends_the_run(tmp_path: Path) -> None:
    flood = 'n=0; while :; do n=$((n+1)); head -c 1000000 /dev/zero > "f$n"; done'
    ended = run_process(["/bin/sh", "-c", flood], cwd=tmp_path, limits=Limits(folder_mib=4))
    assert (ended.overfull, ended.timed_out) == (True, False)
    assert not run_process(["/bin/sh", "-c", ":"], cwd=tmp_path, limits=Limits(folder_mib=4)).overfull


def test_thousands_of_files_are_too_many(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}").mkdir()
    assert not holds_more(tmp_path, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tikzgen.compile.tex.workplace._ENTRY_LIMIT", 2)
        assert holds_more(tmp_path, 1)


def test_what_is_no_plain_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"data")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert read_made(tmp_path / "file") == b"data"
    assert read_made(tmp_path / "file", 2) == b"da"
    assert [read_made(tmp_path / name) for name in ("link", "folder", "pipe", "none")] == [b""] * 4


def test_a_program_that_cannot_be_started_tells_its_status(tmp_path: Path) -> None:
    assert run_process(["/nowhere/at/all"], cwd=tmp_path, limits=Limits()).status not in (0, None)


def has_ended(process: int) -> bool:
    """Whether it runs no more; a zombie may stay until its new parent looks."""
    if not Path("/proc/self/stat").exists():
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True).stdout.strip()
        return not state or state.startswith("Z")
    try:
        facts = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return facts.rpartition(")")[2].split()[0] == "Z"


def test_children_of_a_stopped_program_end_too(tmp_path: Path) -> None:
    for seconds in (0.3, 3, 30):  # a busy machine may not even start it in the first
        ended = run_process(["/bin/sh", "-c", "sleep 60 & echo $!; wait"], cwd=tmp_path, limits=Limits(seconds=seconds))
        assert ended.timed_out
        if ended.output:
            break
    child = int(ended.output.split()[0])
    while not has_ended(child):
        pass


def test_a_program_that_cannot_be_watched_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    running = Running()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    for limits in (Limits(), Limits(folder_mib=1)):
        with pytest.raises(RuntimeError):
            run_process(["/bin/sh", "-c", "echo $$ >pid; exec sleep 60"], cwd=tmp_path, limits=limits, running=running)
    assert not running._processes
    assert not (tmp_path / "pid").exists() or has_ended(int((tmp_path / "pid").read_text() or 0))


def test_stop_ends_what_runs_and_lets_nothing_start(tmp_path: Path) -> None:
    running, started = Running(), threading.Event()
    statuses: list[int] = []

    def work() -> None:
        started.set()
        statuses.append(run_process(["/bin/sleep", "60"], cwd=tmp_path, limits=Limits(), running=running).status)

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    while not running._processes:
        pass
    running.stop()
    thread.join()
    assert statuses == [-signal.SIGKILL]
    with pytest.raises(KeyboardInterrupt):
        run_process(["/bin/true"], cwd=tmp_path, limits=Limits(), running=running)


@pytest.mark.tex
def test_ctrl_c_ends_the_engine(tmp_path: Path) -> None:
    script = (
        "import os, sys, threading, time\n"
        "from tikzgen.compile.tex import process\n"
        "from tikzgen.compile.tex.argv import Limits\n"
        "from pathlib import Path\n"
        "started = process.Running.start\n"
        "def start(self, *args, **options):\n"
        "    child = started(self, *args, **options)\n"
        "    print(child.pid, flush=True)\n"
        "    return child\n"
        "process.Running.start = start\n"
        "process.run_process(['/bin/sleep', '60'], cwd=Path('.'), limits=Limits())\n"
    )
    root = str(ROOT)
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert child.stdout is not None
    engine = int(child.stdout.readline())
    child.send_signal(signal.SIGINT)
    assert child.wait() != 0
    child.stdout.close()
    while not has_ended(engine):  # killed, but the kernel may still end it
        pass


@pytest.mark.tex
def test_what_xelatex_leaves_among_temporary_files_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (mine := tmp_path / "mine").mkdir()
    monkeypatch.setenv("TMPDIR", str(mine))
    monkeypatch.setattr("tempfile.tempdir", None)
    for text in ("x", r"\\".join(map(str, range(100)))):
        with suppress(LatexError):
            compile_tex(body(rf"\tikz\node[align=left] {{{text}}};"), engine="xelatex")
    with pytest.raises(LatexError, match="was stopped after"):
        compile_tex(body(r"\loop\null\newpage\iftrue\repeat"), engine="xelatex", time_limit=1.5)
    assert list(mine.iterdir()) == []
