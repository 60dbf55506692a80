"""The one way in which files are written: all of them or none, through no link that leads away, by one at a time.

CI kills 20 runs, the nightly run 200.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from command import run
from conftest import ROOT, example_tex, scaled

from tikzgen.base import atomic_writes, folders, read_files
from tikzgen.base.errors import FileRefused, TikzgenError
from tikzgen.base.folders import lock_folder
from tikzgen.base.read_files import read_bounded, staying_in
from tikzgen.base.write_files import write_file, write_files
from tikzgen.serve.agents.tools import Tools
from tikzgen.serve.watch.editing import FieldChange, edit
from tikzgen.texfile.source_text import compute_digest

GOLDEN = example_tex("distributed-training")
SPEC = "recipe: data-parallel\nworkers: 2\n"


@pytest.fixture(autouse=True)
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reader's folder; the working folder is beside it."""
    for name in ("mine", "work"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "mine"


def held(folder: Path) -> dict[str, tuple[int, bytes]]:
    """The mode and the bytes of each file, whatever it is called."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def names() -> list[str]:
    """What lies in the working folder."""
    return sorted(path.name for path in Path().iterdir())


def figure(name: str = "fig") -> None:
    """A figure with its metadata, as tikzgen wrote it."""
    Path(f"{name}.tex").write_bytes(GOLDEN.read_bytes())
    Path(f"{name}.meta.json").write_bytes(GOLDEN.with_suffix(".meta.json").read_bytes())


def spec() -> None:
    Path("fig.yaml").write_text(SPEC)


def rendered() -> None:
    spec()
    assert run("render", "fig.yaml").status == 0
    spec_of_three()


def spec_of_three() -> None:
    Path("fig.yaml").write_text(SPEC.replace("2", "3"))


def edited() -> None:
    figure()
    assert run("edit", "fig.tex", "set", "rowsep=2").status == 0


def broken() -> None:
    """A figure in which `check --fix` mends the source and the metadata."""
    figure()
    text = Path("fig.tex").read_text("utf-8")
    assert "{otblue}{HTML}{0072B2}%" in text
    Path("fig.tex").write_text(text.replace("{otblue}{HTML}{0072B2}%", "{otblue}{HTML}{0072B2}"), "utf-8")
    meta = Path("fig.meta.json").read_text("utf-8")
    assert '"arrows.meta"' in meta
    Path("fig.meta.json").write_text(meta.replace('"arrows.meta"', '"arrows"'), "utf-8")


def pulled() -> None:
    figure()
    spec()


def bundled() -> None:
    spec()
    assert run("bundle", "fig.yaml", "-o", "out").status == 0
    spec_of_three()


def zipped() -> None:
    spec()
    assert run("bundle", "fig.yaml", "-o", "out.zip").status == 0
    spec_of_three()


def begun() -> None:
    Path("fsdp.yaml").write_text("mine\n")
    Path("tikzgen.schema.json").write_text("{}\n")


def measured() -> None:
    Path("fig.yaml").write_text("recipe: pipeline\nschedule: gpipe\n")
    Path("out.txt").write_text("old\n")


def built() -> None:
    spec()
    Path("fig.pdf").write_bytes(b"old")


def ruled() -> None:
    spec()
    Path("out.d").write_text("old\n")


def kept() -> None:
    spec()
    Path("kept").mkdir()
    for name in ("kept/fig.tex", "kept/fig.log", "fig.pdf"):
        Path(name).write_text("old\n")


def act(work: Callable[[], object]) -> Callable[[], tuple[int, str]]:
    """What Python calls do, told as a verb tells it."""

    def done() -> tuple[int, str]:
        try:
            work()
        except TikzgenError as error:
            return error.exit_status, f"{error}\n"
        return 0, ""

    return done


def verb(*words: str) -> Callable[[], tuple[int, str]]:
    def done() -> tuple[int, str]:
        ended = run(*words)
        return ended.status, ended.err

    return done


def applied() -> None:
    calls = [{"operation": "set", "parameter": "rowsep", "value": 2}]
    Tools(Path()).apply("fig.tex", calls, compute_digest(Path("fig.tex").read_bytes()))


def of_form() -> None:
    edit(Path("fig.yaml"), FieldChange("fact:workers", "2", "4"), allow_invalid=False)


VERBS: dict[str, tuple[Callable[[], None], Callable[[], tuple[int, str]], tuple[str, ...]]] = {
    "render": (rendered, verb("render", "fig.yaml"), ("fig.tex", "fig.meta.json")),
    "render --merge": (rendered, verb("render", "fig.yaml", "--merge"), ("fig.tex", "fig.meta.json")),
    "render --force": (rendered, verb("render", "fig.yaml", "--force"), ("fig.tex", "fig.meta.json")),
    "edit": (figure, verb("edit", "fig.tex", "set", "rowsep=2"), ("fig.tex", "fig.meta.json")),
    "edit --undo": (edited, verb("edit", "fig.tex", "--undo"), ("fig.tex", "fig.meta.json")),
    "check --fix": (broken, verb("check", "fig.tex", "--fix"), ("fig.tex", "fig.meta.json")),
    "pull": (pulled, verb("pull", "fig.tex", "-o", "fig.yaml"), ("fig.yaml",)),
    "metrics": (measured, verb("metrics", "fig.yaml", "-o", "out.txt"), ("out.txt",)),
    "new": (begun, verb("new", "fsdp", "--force"), ("fsdp.yaml", "tikzgen.schema.json")),
    "bundle": (bundled, verb("bundle", "fig.yaml", "-o", "out"), ("out/fig.tex", "out/README.txt")),
    "bundle zip": (zipped, verb("bundle", "fig.yaml", "-o", "out.zip"), ("out.zip",)),
    "build": (built, verb("build", "fig.yaml", "--quiet"), ("fig.pdf",)),
    "build --deps": (ruled, verb("build", "fig.yaml", "--quiet", "--deps", "out.d"), ("out.d",)),
    "build --keep": (kept, verb("build", "fig.yaml", "--quiet", "--keep", "kept"), ("kept/fig.tex", "kept/fig.log")),
    "an agent's apply": (figure, act(applied), ("fig.tex", "fig.meta.json")),
    "an agent's render": (rendered, act(lambda: Tools(Path()).render("fig.yaml", "fig.tex")), ("fig.tex",)),
    "the form of watch": (spec, act(of_form), ("fig.yaml",)),
}
"""What stands there first, what then writes, and which files that changes."""

LINKS = [(name, target) for name, (_, _, targets) in VERBS.items() for target in targets]
LINKS.remove(("edit --undo", "fig.tex"))  # whoever moves a figure takes its history from it


@pytest.mark.tex
@pytest.mark.parametrize(("name", "target"), LINKS, ids=[" ".join(each) for each in LINKS])
def test_nothing_is_written_through_a_link_that_leads_away(name: str, target: str, mine: Path) -> None:
    prepare, write, _ = VERBS[name]
    prepare()
    theirs = mine / Path(target).name
    Path(target).rename(theirs)
    Path(target).symlink_to(theirs)
    before = held(mine), held(Path())
    status, told = write()
    assert status in (1, 2) if "check" in name else status == 1, told
    assert "Traceback" not in told
    if "agent" in name:
        assert "outside" in told
    else:
        assert f"{target}: not overwritten: it is a link to {theirs}, outside its folder (remove the link" in told
    assert (held(mine), held(Path())) == before


# ---- what the system refuses

Break = Callable[[pytest.MonkeyPatch, OSError], None]


def _failing(module: object, name: str, when: Callable[..., bool]) -> Break:
    def broken(patch: pytest.MonkeyPatch, error: OSError) -> None:
        real = getattr(module, name)

        def call(*given: object, **named: object) -> object:
            if when(*given, **named):
                raise error
            return real(*given, **named)

        patch.setattr(module, name, call)

    return broken


def _is_draft(path: object, *given: object, **named: object) -> bool:
    return Path(os.fspath(path)).name.startswith(".tikzgen-") if isinstance(path, str | Path) else False


def _is_new_draft(path: object, flags: int = 0, *given: object, **named: object) -> bool:
    return bool(flags & os.O_CREAT) and _is_draft(path)


def _counted(number: int) -> Break:
    """The rename of that number fails, and none after it: what was moved can be put back."""

    def broken(patch: pytest.MonkeyPatch, error: OSError) -> None:
        seen: list[object] = []

        def when(draft: object, *given: object, **named: object) -> bool:
            seen.append(draft)
            return len(seen) == number

        _failing(os, "replace", when)(patch, error)

    return broken


def _writing(patch: pytest.MonkeyPatch, error: OSError) -> None:
    """Half of the data comes to the disk."""
    real = atomic_writes._create

    class Full:
        def __init__(self, *given: object) -> None:
            self.file = real(*given)  # type: ignore[arg-type]

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *given: object) -> None:
            self.file.close()

        def write(self, data: bytes) -> None:
            self.file.write(data[: len(data) // 2])
            raise error

    patch.setattr(atomic_writes, "_create", Full)


def _of(kind: Callable[[int], bool]) -> Callable[..., bool]:
    return lambda handle: kind(os.fstat(handle).st_mode)


STEPS: dict[str, tuple[int, Break]] = {
    "open the draft": (errno.EACCES, _failing(os, "open", _is_new_draft)),
    "open the draft on a full disk": (errno.ENOSPC, _failing(os, "open", _is_new_draft)),
    "open the draft where nothing may be written": (errno.EROFS, _failing(os, "open", _is_new_draft)),
    "write": (errno.ENOSPC, _writing),
    "write to a disk that fails": (errno.EIO, _writing),
    "set the mode": (errno.EPERM, _failing(os, "chmod", _is_draft)),
    "wait for the disk": (errno.EIO, _failing(os, "fsync", _of(stat.S_ISREG))),
    "move the first": (errno.EACCES, _counted(1)),
    "move the second": (errno.EIO, _counted(2)),
    "wait for the folder": (errno.EIO, _failing(os, "fsync", _of(stat.S_ISDIR))),
}


@pytest.mark.tex
@pytest.mark.parametrize("name", [name for name in VERBS if name != "build --keep"])
def test_what_the_system_refuses_leaves_the_old_files_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare, write, targets = VERBS[name]
    prepare()
    for target in targets:
        Path(target).chmod(0o666)  # more than a new file gets
    before, tried = held(Path()), 0
    for step, (number, broken) in STEPS.items():
        if step == "move the second" and len(targets) == 1 and name != "an agent's render":
            continue
        with monkeypatch.context() as patch:
            broken(patch, OSError(number, os.strerror(number), "/a/name/of/the/system"))
            status, told = write()
        tried += 1
        assert status in (1, 2) if name == "check --fix" else status == 1, (step, told)
        lines = [line for line in told.splitlines() if "checked: " not in line and line != "1 failed"]
        assert len(lines) == 1, (step, told)
        assert lines[0].startswith("cannot write ") or ": cannot write " in lines[0], step
        assert lines[0].endswith(os.strerror(number).lower()), step
        assert held(Path()) == before, step
    assert tried >= 9
    status, told = write()
    assert status == 0, told
    assert held(Path()) != before


def test_what_cannot_be_put_back_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    write_files({Path("a"): b"old", Path("b"): b"old"})
    seen: list[object] = []

    def once(*given: object, **named: object) -> bool:
        seen.append(given)
        return len(seen) > 1

    _failing(os, "replace", once)(monkeypatch, OSError(errno.EIO, "Input/output error"))
    with pytest.raises(FileRefused) as refused:
        write_files({Path("a"): b"new", Path("b"): b"new"})
    assert str(refused.value) == "cannot write b: input/output error; what was written already stays: a"
    assert [path.read_bytes() for path in map(Path, "ab")] == [b"new", b"old"]
    assert names() == ["a", "b"]


def test_an_interrupt_between_two_files_puts_the_first_back(monkeypatch: pytest.MonkeyPatch) -> None:
    write_files({Path("a"): b"old", Path("b"): b"old"})
    real = atomic_writes.FileChange.move

    def interrupted(change: atomic_writes.FileChange) -> None:
        real(change)
        if change.path == Path("a"):
            raise KeyboardInterrupt

    monkeypatch.setattr(atomic_writes.FileChange, "move", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_files({Path("a"): b"new", Path("b"): b"new", Path("c"): b"new"})
    assert {name: Path(name).read_bytes() for name in names()} == {"a": b"old", "b": b"old"}


def test_where_files_have_one_name_only_a_copy_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    write_files({Path("a"): b"old", Path("b"): b"old"})
    _failing(os, "link", lambda *given, **named: True)(monkeypatch, OSError(errno.EPERM, "no links here"))
    _counted(2)(monkeypatch, OSError(errno.EIO, "Input/output error"))
    with pytest.raises(FileRefused, match=r"^cannot write b: input/output error$"):
        write_files({Path("a"): b"new", Path("b"): b"new"})
    assert {name: Path(name).read_bytes() for name in names()} == {"a": b"old", "b": b"old"}


@pytest.mark.tex
def test_a_full_disk_leaves_the_old_files_whole(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    (tmp_path / "fig.yaml").write_text(SPEC)
    script = (
        f"cp {tmp_path}/fig.yaml . && {sys.executable} -m tikzgen render fig.yaml 2>&1 && sha256sum fig.* > before; "
        f"head -c 200000 /dev/zero > filling 2>/dev/null; {sys.executable} -m tikzgen render fig.yaml --set workers=9; "
        "echo status $?; sha256sum -c --quiet before && ls -A"
    )
    cell = ["bwrap", "--dev-bind", "/", "/", "--size", "131072", "--tmpfs", str(disk), "--chdir", str(disk)]
    done = subprocess.run([*cell, "sh", "-c", script], capture_output=True, text=True)
    assert done.stderr == "cannot write fig.tex: no space left on device\n"
    assert done.stdout.splitlines()[1:] == [
        "status 1",
        *sorted(["before", "fig.meta.json", "fig.tex", "fig.yaml", "filling"]),
    ]


# ---- names


def test_a_name_may_be_as_long_as_the_file_system_allows() -> None:
    longest = os.pathconf(".", "PC_NAME_MAX")
    write_file(Path("x" * longest), b"new")
    spec()
    stem = "x" * (longest - len(".meta.json"))
    assert run("render", "fig.yaml", "-o", f"{stem}.tex").status == 0
    assert run("edit", f"{stem}.tex", "set", "rowsep=2").status == 0
    assert run("edit", f"{stem}.tex", "--undo").status == 0
    done = run("render", "fig.yaml", "-o", f"{stem}x.tex")
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert done.err.endswith("file name too long\n")
    assert names() == sorted(["x" * longest, "fig.yaml", f"{stem}.tex", f"{stem}.meta.json"])


def test_a_file_of_another_kind_is_not_written_through_a_link() -> None:
    Path("notes.txt").write_text("mine")
    Path("fig.pdf").symlink_to("notes.txt")
    with pytest.raises(FileRefused, match=r"not overwritten: it is a link to .*notes\.txt, a file of another kind"):
        write_file(Path("fig.pdf"), b"new")
    assert Path("notes.txt").read_text() == "mine"


def test_a_link_may_lead_deeper() -> None:
    Path("sub").mkdir()
    Path("fig.pdf").symlink_to("sub/fig.pdf")
    assert write_file(Path("fig.pdf"), b"new")
    assert (Path("fig.pdf").is_symlink(), Path("sub/fig.pdf").read_bytes()) == (True, b"new")


def test_a_bundle_stays_in_its_folder(mine: Path) -> None:
    spec()
    Path("out").mkdir()
    Path("out/README.txt").symlink_to(mine / "README.txt")
    assert run("bundle", "fig.yaml", "-o", "out", "--force").status == 1
    assert held(mine) == {}


def test_nothing_else_in_tikzgen_writes_files() -> None:
    """But for scratch folders, caches, and what the sandbox's own programs make."""
    writing = re.compile(
        r"\.write_(?:text|bytes)\(|os\.(?:replace|rename)\(|\bopen\([^)\n]*[\"'][rx+]?[awx]b?\+?[\"']|O_CREAT"
    )
    found = {
        str(path.relative_to(ROOT / "tikzgen"))
        for path in (ROOT / "tikzgen").rglob("*.py")
        if writing.search(path.read_text("utf-8"))
    }
    scratch = {"compile/pdf.py", "compile/convert.py", "compile/sandbox/reader_process.py"}
    scratch |= {"compile/tex/compile_tex.py", "compile/tex/dumped_preambles.py"}
    scratch |= {"lint/probe/tex_runs.py", "lint/probe/pdf/read_apart.py"}
    ours = {
        "serve/watch/guard.py",
        "base/folders.py",
    }  # in the cache folder: the secret of the page, files that stand for folders
    tools = {
        "serve/agents/mcp_server.py",
        "serve/sites/sphinx.py",
        "trace/readers/trace_formats.py",
    }  # a guide, pages, copies
    assert found - scratch - ours - tools == {"base/atomic_writes.py", "base/write_files.py"}


# ---- drafts of those that were killed


def test_the_drafts_of_killed_runs_are_swept_by_the_next_write() -> None:
    left = [f".tikzgen-{number:012x}" for number in range(3)]
    others = [".tikzgen-notes", ".tikzgen-000000000000.txt", "tikzgen-000000000000"]
    for name in (*left, *others):
        Path(name).write_text("x")
    Path(".tikzgen-ffffffffffff").mkdir()
    write_file(Path("a"), b"new")
    assert names() == sorted(["a", ".tikzgen-ffffffffffff", *others])


RUNS = """
import itertools, sys
from pathlib import Path
from tikzgen import loads
from tikzgen.emit.figure_files import write_figure
from tikzgen.emit.render_figure import render
import tikzgen.edit
two = [render(loads(f"recipe: data-parallel\\nworkers: {count}\\n")) for count in (2, 3)]
path = Path("fig.tex")
for each in two:
    write_figure(path, each.tex, each.metadata)
    print(path.read_bytes().hex(), Path("fig.meta.json").read_bytes().hex(), flush=True)
if sys.argv[1] == "render":
    for each in itertools.cycle(two):
        write_figure(path, each.tex, each.metadata)
for value in itertools.cycle((2, 3)):
    tikzgen.edit.open(path).set("rowsep", value).save()
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["render", "edit"])
def test_a_run_that_is_killed_leaves_whole_files(kind: str) -> None:
    random = Random(7)
    for _ in range(scaled(100)):
        with subprocess.Popen([sys.executable, "-c", RUNS, kind], stdout=subprocess.PIPE, text=True) as runs:
            assert runs.stdout is not None
            both = [runs.stdout.readline().split() for _ in range(2)]
            time.sleep(random.random() * 0.3)
            runs.send_signal(signal.SIGKILL)
        tex, meta = Path("fig.tex").read_bytes(), Path("fig.meta.json").read_bytes()
        if kind == "render":
            assert tex.hex() in [pair[0] for pair in both]
            assert meta.hex() in [pair[1] for pair in both]
        assert tex.endswith(b"\n")
        assert run("check", "fig.tex").status in (0, 1)
        assert json.loads(meta)
        assert all(re.fullmatch(r"\.tikzgen-[0-9a-f]{12}|fig\.(?:tex|meta\.json)", name) for name in names())
        assert write_file(Path("another"), random.randbytes(9))
        Path("another").unlink()
        assert names() == ["fig.meta.json", "fig.tex"]


# ---- one at a time

EDITS = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[4])
from command import run
from tikzgen.serve.agents.tools import Tools
from tikzgen.base.errors import TikzgenError
from tikzgen.serve.watch.editing import FieldChange, edit
how, parameter, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
told = 0
def value():
    text = Path("fig.tex").read_text("utf-8")
    return text.partition("\\\\def\\\\%s{" % parameter)[2].partition("}")[0]
def write(new):
    if how == "agent":
        tools = Tools(Path())
        call = [{"operation": "set", "parameter": parameter, "value": new}]
        return "written" in tools.apply("fig.tex", call, tools.plan("fig.tex", call)["digest"])
    if how == "watch":
        return edit(Path("fig.tex"), FieldChange("parameter:" + parameter, value(), new), allow_invalid=False)
    return run("edit", "fig.tex", "set", f"{parameter}={new}").status == 0
last = value()
while told < times:
    new = f"{how} {told}"
    try:
        done = write(new)
    except TikzgenError as error:
        assert "changed" in str(error), error
        continue
    assert done
    told += 1
    assert value() == new, f"lost: {new}, it is {value()}"
    last = new
"""


@pytest.mark.slow
def test_no_edit_that_was_told_as_written_is_lost() -> None:
    figure()
    times = scaled(40)
    hows = {"workeronelabel": "agent", "workertwolabel": "agent", "workerthreelabel": "edit", "datalabel": "watch"}
    tests = str(ROOT / "tests")
    runs = [
        subprocess.Popen([sys.executable, "-c", EDITS, how, parameter, str(times), tests], stderr=subprocess.PIPE)
        for parameter, how in hows.items()
    ]
    ends = [(each.communicate()[1].decode(), each.returncode) for each in runs]
    assert ends == [("", 0)] * len(runs)
    text = Path("fig.tex").read_text("utf-8")
    for parameter, how in hows.items():
        assert f"\\def\\{parameter}{{{how} {times - 1}}}" in text
    assert run("check", "fig.tex").status == 0
    assert names() == ["fig.meta.json", "fig.tex"]


def test_who_finds_the_folder_held_for_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "LOCK_SECONDS", 0.1)
    handle = os.open(".", os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(FileRefused) as refused:
            write_file(Path("a"), b"new")
    finally:
        os.close(handle)
    told = "another tikzgen has been at work in this folder for 0.1 s (wait for it to end, or end it)"
    assert str(refused.value) == f"{Path().resolve()}: {told}"
    assert write_file(Path("a"), b"new")


def no_lock(handle: int, operation: int) -> None:
    if stat.S_ISDIR(os.fstat(handle).st_mode):
        raise OSError(errno.EBADF, "Bad file descriptor")  # as NFS says it of folders
    flock(handle, operation)


flock = fcntl.flock


@pytest.mark.parametrize("locks", [flock, no_lock], ids=["folders are locked", "a file stands for the folder"])
def test_one_thread_at_a_time(locks: Callable[[int, int], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fcntl, "flock", locks)
    path, inside, most = Path("a").resolve(), [0], [0]

    def work() -> None:
        for _ in range(10):
            with lock_folder(path), lock_folder(path):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                count = int(path.read_text()) if path.exists() else 0
                time.sleep(0.001)
                write_file(path, str(count + 1).encode())
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (path.read_text(), most[0]) == ("40", 1)
    fresh = Path(".tikzgen-000000000000")
    fresh.write_text("")
    write_file(path, b"another")
    assert fresh.exists() == (locks is no_lock), "another machine may be writing it"


def test_what_changed_since_it_was_read_is_not_replaced() -> None:
    path = Path("a")
    write_file(path, b"old")
    for expect in (compute_digest(b"other"), None):
        with pytest.raises(FileRefused, match=r"^a: not overwritten: it changed after it was read \(read it again\)$"):
            write_files({Path("b"): b"new", path: b"new"}, expect={path: expect})
    assert (path.read_bytes(), names()) == (b"old", ["a"])
    with pytest.raises(FileRefused, match="changed after"):
        write_files({Path("b"): b"new"}, expect={Path("b"): compute_digest(b"old")})
    assert write_files({path: b"new", Path("b"): b"new"}, expect={path: compute_digest(b"old"), Path("b"): None})


@pytest.mark.parametrize("before", [b"old", None], ids=["changed", "made"])
def test_what_an_editor_saves_while_the_draft_is_written_is_not_replaced(
    before: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Editors take no lock."""
    path, real = Path("a"), atomic_writes.FileChange.keep
    write_file(Path("b"), b"old")
    if before is not None:
        write_file(path, before)

    def saved(change: atomic_writes.FileChange) -> None:
        real(change)
        path.write_bytes(b"new")

    monkeypatch.setattr(atomic_writes.FileChange, "keep", saved)
    with pytest.raises(FileRefused, match="changed after"):
        write_files({Path("b"): b"ours", path: b"ours"}, expect={path: compute_digest(before) if before else None})
    assert {name: Path(name).read_bytes() for name in names()} == {"a": b"new", "b": b"old"}


# ---- agents


@pytest.mark.parametrize(
    "name", [".latexmkrc", ".git/hooks/x", ".git/x.tex", "x.yaml", "x.meta.json", "sub/.x.tex", "Makefile", "a.tex.sh"]
)
def test_an_agent_writes_figures_only(name: str) -> None:
    spec()
    Path(".git/hooks").mkdir(parents=True)
    with pytest.raises(FileRefused, match=r"only figures are written, and nothing hidden \(name a \.tex file\)"):
        Tools(Path()).render("fig.yaml", name)
    with pytest.raises(FileRefused, match="only figures are written"):
        Tools(Path()).apply(name, [], "")
    assert list(held(Path())) == ["fig.yaml"]


@pytest.mark.parametrize("name", ["x" * 5_000_000, "a\0b", "a/" * 600 + "b.tex", "y" * 300 + ".tex", "\ud800.tex"])
def test_an_agent_is_told_a_name_in_short(name: str) -> None:
    spec()
    tools = Tools(Path())
    for act_ in (tools.show, tools.check, tools.preview, lambda each: tools.render("fig.yaml", each)):
        with pytest.raises(TikzgenError) as refused:
            act_(name)
        assert len(str(refused.value)) < 400 + len(str(Path().resolve()))
        assert "\n" not in str(refused.value)


def test_an_agent_reads_no_contract_through_a_link(mine: Path) -> None:
    (mine / "c.json").write_text("TOPSECRET")
    Path("fig.tex").write_text("\\documentclass{standalone}\\begin{document}\\end{document}")
    Path("fig.contract.json").symlink_to(mine / "c.json")
    for act_ in (Tools(Path()).show, Tools(Path()).check):
        with pytest.raises(FileRefused, match="is outside"):
            act_("fig.tex")


def test_an_agent_stays_in_its_folder_when_links_are_swapped_meanwhile(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the moment at which a path is looked at and that at which it is opened."""
    (mine / "fig.yaml").write_text("TOPSECRET")
    Path("sub").mkdir()
    real = folders.Folder.__init__

    def swapped(folder: folders.Folder, path: Path) -> None:
        if path.name == "sub" and not Path("sub").is_symlink():
            Path("sub").rename("before")
            Path("sub").symlink_to(mine)
        real(folder, path)

    root = Path().resolve()
    for work in (lambda: read_bounded(root / "sub/fig.yaml"), lambda: write_file(root / "sub/fig.yaml", b"new")):
        (root / "sub/fig.yaml").write_text(SPEC)
        with monkeypatch.context() as patch, staying_in(root), pytest.raises((OSError, FileRefused)):
            patch.setattr(folders.Folder, "__init__", swapped)
            work()
        assert held(mine)["fig.yaml"][1] == b"TOPSECRET"
        Path("sub").unlink()
        Path("before").rename("sub")
    with staying_in(root), pytest.raises(FileRefused, match="is outside"):
        read_bounded(mine / "fig.yaml")
    with staying_in(root), pytest.raises(FileRefused, match="is outside"):
        write_file(root / ".." / "mine" / "fig.yaml", b"new")


def test_a_file_that_becomes_a_link_is_neither_read_nor_followed(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (mine / "secret").write_text("TOPSECRET")
    path = Path("fig.tex").resolve()
    real = read_files.open_plain

    def swapped(folder: folders.Folder, name: str) -> object:
        path.unlink()
        path.symlink_to(mine / "secret")
        return real(folder, name)

    path.write_text("old")
    monkeypatch.setattr(read_files, "open_plain", swapped)
    with staying_in(path.parent), pytest.raises(OSError):
        read_bounded(path)
    assert (mine / "secret").read_text() == "TOPSECRET"


@pytest.fixture
def pipe() -> Iterator[Path]:
    os.mkfifo("fig.meta.json")
    yield Path("fig.meta.json")


@pytest.mark.parametrize(
    "words", [("edit", "fig.tex", "set", "rowsep=2"), ("render", "fig.tex", "-o", "fig.tex", "--merge")]
)
def test_a_pipe_for_metadata_is_not_waited_for(words: tuple[str, ...], pipe: Path) -> None:
    Path("fig.tex").write_bytes(GOLDEN.read_bytes())
    done = run(*words)
    assert (done.status, done.err.count("\n")) in ((1, 1), (0, 1))
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


@pytest.mark.parametrize("name", ["", ".", "sub.tex", "pipe.tex", "device.tex", "fig.yaml/x.tex", "circle.tex"])
def test_what_is_no_file_is_refused_to_an_agent(name: str) -> None:
    spec()
    Path("sub.tex").mkdir()
    os.mkfifo("pipe.tex")
    Path("device.tex").symlink_to("/dev/zero")
    Path("circle.tex").symlink_to("circle.tex")
    tools = Tools(Path())
    for act_ in (
        tools.show,
        tools.check,
        tools.preview,
        lambda each: tools.plan(each, []),
        lambda each: tools.apply(each, [], ""),
        lambda each: tools.render(each, "new.tex"),
        lambda each: tools.render("fig.yaml", each or "."),  # none means beside the spec
        lambda each: tools.render("fig.yaml", each or ".", merge=False),
    ):
        with pytest.raises(TikzgenError) as refused:
            act_(name)
        assert "\n" not in str(refused.value)
    assert not Path("new.tex").exists()
