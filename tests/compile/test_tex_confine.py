"""Figures of strangers: compiled in a sandbox where there is one, refused elsewhere; nothing of the reader's gets out.

What holds raw TeX is a stranger's, whoever made the file.

A container may forbid the sandbox: what it contains is then not shown there, but that such figures are refused is.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
from command import run
from conftest import ROOT
from sandboxes import SANDBOXES, only

from tikzgen import loads
from tikzgen.base.cache import Cache
from tikzgen.base.errors import FileRefused, LatexError
from tikzgen.compile.build_figures import build_file
from tikzgen.compile.make_formats import Settings, open_workshop
from tikzgen.compile.sandbox import needs_sandbox
from tikzgen.compile.sandbox import sandbox as confine
from tikzgen.compile.sandbox.needs_sandbox import cell_for, is_foreign
from tikzgen.compile.sandbox.sandbox import Bubblewrap, Landlock, ProcessSandbox, Seatbelt, find_cell, sandbox_argv
from tikzgen.compile.tex import measure_by_tex as boxes
from tikzgen.compile.tex.argv import SETTINGS, Limits
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.compile.tex.engines import FAMILIAR, Engine
from tikzgen.compile.tex.install import InstallNeed, install_line, this_system
from tikzgen.compile.tex.measure_by_tex import TextPreamble, measure_texts
from tikzgen.compile.tex.process import run_process as run_program
from tikzgen.edit.find_words import find_words
from tikzgen.layout.label_sizes import Asked
from tikzgen.lint.probe.probing import probe

CASES = ROOT / "tests" / "cases" / "tex"
PLAIN = (CASES / "figures" / "plain.tex").read_text("utf-8")
HOSTILE = sorted((CASES / "hostile").glob("*.tex"))
CONFINED = sorted((CASES / "confined").glob("*.tex"))
OWN = loads("recipe: data-parallel\n").tex()
RAW = "recipe: data-parallel\nmeta: {author: me}\ntitle: !tex \\fbox{Training}\n"
SECRET = "TOPSECRET"
NO_SANDBOX = (
    "and no sandbox is available "
    f"(install a sandbox: {install_line([InstallNeed.SANDBOX], this_system())}; "
    "`--trust` compiles it without, if you know what it does)"
)


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder, a secret beside it, and a cache that no other test knows."""
    (tmp_path / "work").mkdir()
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "secret.txt").write_text(SECRET)
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TIKZGEN_SECRET", SECRET)


@pytest.fixture(params=SANDBOXES)
def sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each test on a machine that has this sandbox alone."""
    only(request.param, monkeypatch)
    return str(request.param)


def cell_or_refusal() -> ProcessSandbox | None:
    """The sandbox; where there is none, the proof that nothing would be compiled."""
    cell = find_cell()
    if cell is None:
        with pytest.raises(FileRefused, match="no sandbox is available"):
            cell_for(PLAIN, "a")
    return cell


def shown(pdf: Path) -> str:
    """All that a PDF holds: its text as a reader sees it, and its streams unpacked."""
    data = pdf.read_bytes()
    parts = [data]
    for stream in re.finditer(rb"stream\r?\n", data):
        try:
            parts.append(zlib.decompressobj().decompress(data[stream.end() :]))
        except zlib.error:
            continue
    text = subprocess.run(["pdftotext", str(pdf), "-"], capture_output=True, check=True).stdout
    return b"".join([*parts, text]).decode("latin-1")


def written(case: Path, tmp_path: Path) -> str:
    """The engine that the case is for; its figure stands in `a.tex`."""
    source = case.read_text("utf-8").replace("FOLDER", str(tmp_path / "theirs"))
    Path("a.tex").write_text(source)
    return case.stem.partition("-")[0]


@pytest.mark.tex
@pytest.mark.parametrize("case", CONFINED, ids=lambda path: path.stem)
def test_what_reaches_the_readers_files_is_contained_or_refused(case: Path, tmp_path: Path, sandbox: str) -> None:
    engine = written(case, tmp_path)
    assert (find_cell() is None) >= (sandbox == "none")
    done = run("build", "a.tex", "--engine", engine)
    assert sorted(path.name for path in (tmp_path / "theirs").iterdir()) == ["secret.txt"]
    if find_cell() is None:
        assert (done.status, Path("a.pdf").exists()) == (1, False)
        assert "no sandbox is available" in done.err
    elif done.status == 0:
        assert SECRET not in shown(Path("a.pdf"))
    else:
        assert (done.status, Path("a.pdf").exists()) == (3, False)
        assert SECRET not in done.err


@pytest.mark.tex
def test_without_the_sandbox_these_attacks_would_work(tmp_path: Path) -> None:
    for case in CONFINED:
        engine = written(case, tmp_path)
        assert run("build", "a.tex", "--engine", engine, "--trust").status == 0
        got_out = (tmp_path / "theirs" / "written").exists() if "write" in case.stem else SECRET in shown(Path("a.pdf"))
        assert got_out, case.stem


@pytest.mark.tex
@pytest.mark.parametrize("case", HOSTILE, ids=lambda path: path.stem)
def test_the_sandbox_keeps_the_limits(case: Path, tmp_path: Path, sandbox: str) -> None:
    cell = find_cell()
    if cell is None:
        with pytest.raises(FileRefused, match="no sandbox"):
            build_file(case.read_text("utf-8"), Path("a.pdf"), find_words)
        return
    before = set(tmp_path.rglob("*"))
    source = case.read_text("utf-8").replace("FOLDER", str(tmp_path / "theirs"))
    try:
        assert SECRET not in compile_tex(source, time_limit=0.8, cell=cell).log
    except LatexError as error:
        assert error.hint
        assert SECRET not in error.log
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.tex
def test_limits_inside_are_told_as_outside(sandbox: str) -> None:
    cell = cell_or_refusal()
    if cell is None:
        return
    flood = (CASES / "hostile" / "file-flood.tex").read_text("utf-8")
    with pytest.raises(LatexError, match="wrote more than 64 MiB"):
        compile_tex(flood, cell=cell)
    bomb = r"\directlua{local t = {} for i = 1, 1e9 do t[i] = string.rep('x', 1000) .. i end}"
    with pytest.raises(LatexError, match="needs more memory"):
        compile_tex(PLAIN.replace("Worker", bomb), engine="lualatex", memory_limit_mib=512, cell=cell)


def inside(cell: ProcessSandbox, script: str, work: Path) -> tuple[int, str]:
    """What the shell makes of a script in the sandbox: its status, what it printed."""
    argv, env = sandbox_argv(["/bin/sh", "-c", script], work, cell)
    done = run_program(argv, cwd=work, env=env, limits=Limits())
    return done.status, done.output


@pytest.mark.tex
def test_nothing_can_be_written_beside_the_job(tmp_path: Path, sandbox: str) -> None:
    cell = cell_or_refusal()
    if cell is None:
        return
    work = tmp_path / "work"
    secret = tmp_path / "theirs" / "secret.txt"
    for place in ("/x", "/usr/x", "/etc/x", "/dev/x", "/dev/shm/x", str(tmp_path / "x"), str(secret)):
        assert inside(cell, f": > {place}", work)[0] != 0, place
    for move in (f"mv {secret} x", f"ln {secret} x", f"rm {secret}", f"mkdir {tmp_path}/x", f"rmdir {tmp_path}/theirs"):
        assert inside(cell, move, work)[0] != 0, move
    assert secret.read_text() == SECRET
    assert inside(cell, ": > x && mkdir y && mv x y && ln -s x z && echo x > /dev/null", work)[0] == 0
    assert (work / "y" / "x").exists()


@pytest.mark.tex
def test_nothing_is_read_beside_the_job(tmp_path: Path, sandbox: str) -> None:
    cell = cell_or_refusal()
    if cell is None:
        return
    secret, work = tmp_path / "theirs" / "secret.txt", tmp_path / "work"
    (work / "link").symlink_to(secret)
    for place in (secret, "/etc/passwd", "/proc/self/environ", "/proc/1/cmdline", Path.home() / ".profile", "link"):
        status, told = inside(cell, f"cat {place}", work)
        assert (status != 0, SECRET in told) == (True, False), place
    for folder in (tmp_path, Path.home(), "/etc", "/tmp"):
        assert "secret" not in inside(cell, f"ls {folder}", work)[1], folder
    assert inside(cell, "cat /usr/bin/env > env && ls /usr/bin", work)[0] == 0


CONNECT = """
import socket, sys
for kind, address in (("AF_INET", ("127.0.0.1", int(sys.argv[1]))), ("AF_UNIX", "\\0" + sys.argv[2])):
    try:
        socket.socket(getattr(socket, kind)).connect(address)
    except OSError:
        continue
    print("reached", kind)
"""


@pytest.mark.tex
def test_there_is_no_network(tmp_path: Path, sandbox: str) -> None:
    cell = cell_or_refusal()
    if cell is None:
        return
    name = f"tikzgen-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{name}")
        abstract.listen()
        program = [os.path.realpath(sys.executable), "-c", CONNECT, str(server.getsockname()[1]), name]
        assert run_program(program, cwd=tmp_path, limits=Limits()).output.count("reached") == 2
        argv, env = sandbox_argv(program, tmp_path / "work", cell, (sys.base_prefix,))
        done = run_program(argv, cwd=tmp_path / "work", env=env, limits=Limits())
    assert (done.status, done.output) == (0, "")


def test_the_environment_is_the_systems(tmp_path: Path, sandbox: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is the reader's PATH seen, which tells of their folders."""
    cell = cell_or_refusal()
    if cell is None:
        return
    (tmp_path / "mine").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'mine'}:{os.environ['PATH']}")
    status, told = inside(cell, "env", tmp_path / "work")
    facts = dict(line.split("=", 1) for line in told.splitlines())
    assert (status, facts["PATH"]) == (0, "/usr/bin:/usr/local/bin:/bin")
    assert facts["HOME"] == facts["TMPDIR"] == facts["PWD"] == cell.locate_folder(tmp_path / "work")
    assert SECRET not in told
    assert set(facts) <= {"PATH", "HOME", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_", *SETTINGS}


@pytest.mark.tex
@pytest.mark.parametrize("engine", FAMILIAR)
def test_the_sandbox_changes_no_byte(engine: Engine, sandbox: str) -> None:
    cell = cell_or_refusal()
    if cell is not None:
        assert compile_tex(PLAIN, engine=engine, cell=cell).pdf == compile_tex(PLAIN, engine=engine).pdf


@pytest.mark.tex
def test_no_sandbox_no_compilation_unless_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    only("none", monkeypatch)
    Path("a.tex").write_text(PLAIN)
    done = run("build", "a.tex")
    assert (done.status, Path("a.pdf").exists()) == (1, False)
    assert done.err.splitlines()[1] == f"a.tex: is not as tikzgen wrote it, {NO_SANDBOX}"
    assert run("build", "a.tex", "--trust").status == 0
    Path("a.pdf").unlink()
    assert run("build", "a.tex").status == 1, "what --trust made is not given to who does not trust"


@pytest.mark.tex
def test_a_sandbox_that_does_not_work_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    only("bwrap", monkeypatch)
    monkeypatch.setattr(confine, "which", lambda name: str(broken))
    assert find_cell() is None
    with pytest.raises(FileRefused, match=r"bwrap does not work here: bwrap: No permissions .*`--trust`"):
        build_file(PLAIN, Path("a.pdf"), find_words)
    assert "No permissions to create new namespace" in run("doctor").out


@pytest.mark.tex
def test_one_refused_figure_does_not_keep_the_others_from_being_built(monkeypatch: pytest.MonkeyPatch) -> None:
    only("none", monkeypatch)
    Path("theirs.tex").write_text(PLAIN)
    Path("own.tex").write_text(OWN)
    Path("spec.yaml").write_text("recipe: data-parallel\n")
    done = run("build", "theirs.tex", "own.tex", "spec.yaml")
    assert (done.status, done.err.splitlines()[-1]) == (1, "2 built, 1 failed")


def resealed(text: str) -> str:
    """A digest that fits, as anybody can write one."""
    from tikzgen.spec.embedded_spec import _compute_digest

    head = text.rpartition("% tikzgen digest: ")[0]
    return f"{head}% tikzgen digest: {_compute_digest(head)}\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (OWN, False),
        (OWN.replace("\n", "\r\n"), False),
        (PLAIN, True),
        (OWN.replace("\\begin{document}", "\\begin{document}\\relax"), True),
        (resealed(OWN.replace("\\begin{document}", "\\begin{document}\\relax")), True),
        (resealed(OWN.replace("data-parallel", "no-such")), True),
        (OWN + "% more\n", True),
        ("", True),
    ],
    ids=["own", "crlf", "plain", "edited", "forged", "unreadable", "appended", "empty"],
)
def test_whose_figure_it_is(source: str, expected: bool) -> None:
    assert is_foreign(source) is expected


@pytest.mark.tex
def test_a_figure_that_was_made_here_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs_sandbox, "is_foreign", None)
    only("none", monkeypatch)
    assert loads("recipe: data-parallel\n").build("a.pdf").exists()


@pytest.mark.tex
def test_the_workshop_hands_the_sandbox_to_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    cell, cells = Bubblewrap("here"), []

    def compiler(source: str, **options: object) -> object:
        cells.append(options["cell"])
        return compile_tex(source)

    workshop = open_workshop(("pdf",), Settings(find_words, compiler=compiler, cache=Cache(None)))  # type: ignore[arg-type]
    workshop.make_product(PLAIN, cell=lambda: cell)
    workshop.make_product(PLAIN)
    assert cells == [cell, None]


def test_a_tex_live_in_a_home_is_seen_inside(tmp_path: Path) -> None:
    program = tmp_path / "texlive" / "bin" / "x86_64-linux" / "pdftex"
    program.parent.mkdir(parents=True)
    assert str(tmp_path / "texlive") not in Bubblewrap("bwrap").wrap_argv([str(program)], tmp_path)
    (tmp_path / "texlive" / "texmf-dist").mkdir()
    argv = Bubblewrap("bwrap").wrap_argv([str(program)], tmp_path)
    place = argv.index(str(tmp_path / "texlive"))
    assert argv[place - 1 : place + 2] == ["--ro-bind-try", str(tmp_path / "texlive"), str(tmp_path / "texlive")]
    assert place < argv.index("--remount-ro")
    argv, env = sandbox_argv([str(program)], tmp_path, Landlock())
    assert argv[argv.index(str(tmp_path / "texlive")) - 1] == "--read"
    assert env["PATH"].startswith(f"{program.parent}:/usr/local/bin:")


@pytest.mark.tex
def test_geometry_without_a_sandbox_is_refused_unless_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    only("none", monkeypatch)
    Path("a.tex").write_text(PLAIN)
    Path("own.tex").write_text(OWN)
    done = run("check", "--geometry", "a.tex", "own.tex")
    assert done.status == 2
    assert done.err.splitlines() == [
        f"a.tex: is not as tikzgen wrote it, {NO_SANDBOX}",
        done.err.splitlines()[-1],
    ]
    assert "is not as tikzgen wrote it" not in run("check", "--geometry", "--trust", "a.tex").err


@pytest.mark.tex
def test_a_link_that_a_job_leaves_leads_nowhere(tmp_path: Path) -> None:
    """Lua code can put a link in the place of the PDF; who follows it is the reader, outside the sandbox."""
    secret = tmp_path / "theirs" / "secret.txt"
    swap = "".join(f"os.remove('figure.{end}') lfs.link('{secret}', 'figure.{end}', true) " for end in ("pdf", "log"))
    lua = f"luatexbase.add_to_callback('wrapup_run', function() {swap} end, 'x')"
    source = PLAIN.replace("Worker", rf"\directlua{{{lua}}}")
    for cell in (None, find_cell()):
        with pytest.raises(LatexError) as raised:
            compile_tex(source, engine="lualatex", cell=cell, keep=tmp_path / "kept")
        assert SECRET not in raised.value.log
    assert SECRET not in (tmp_path / "kept" / "figure.log").read_text()


@pytest.mark.tex
def test_what_lies_beside_a_figure_or_in_the_environment_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = rf"\newwrite\w \immediate\openout\w=written \message{{{SECRET}}}\endinput"
    for name in ("tikz.sty", "standalone.cls", "figure.cfg", "pgf.cfg"):
        Path(name).write_text(evil)
    Path(".latexmkrc").write_text(f"system('touch {tmp_path}/theirs/written');")
    Path("texmf.cnf").write_text("shell_escape = t\nopenin_any = a\nopenout_any = a\n")
    Path("a.tex").write_text(PLAIN)
    Path("b.yaml").write_text("recipe: data-parallel\n")
    assert run("build", "b.yaml").status == 0
    if cell_or_refusal() is not None:
        monkeypatch.setenv("TEXINPUTS", f"{Path.cwd()}:")
        monkeypatch.setenv("TEXMFHOME", str(Path.cwd()))
        monkeypatch.setenv("TEXMFCNF", f"{Path.cwd()}:")
        assert run("build", "a.tex", "--keep", "kept").status == 0
        assert SECRET not in Path("kept/a.log").read_text()
    assert sorted(path.name for path in (tmp_path / "theirs").iterdir()) == ["secret.txt"]


@pytest.mark.tex
def test_geometry_and_bundles_hold_foreign_figures_to_the_same(tmp_path: Path) -> None:
    engine = written(CASES / "confined" / "lualatex-write.tex", tmp_path)
    if cell_or_refusal() is not None:
        probe([Path("a.tex").read_text()], engine=Engine.LUALATEX)
        assert not (tmp_path / "theirs" / "written").exists()
    run("bundle", "a.tex", "--pdf", "--engine", engine, "-o", "out")
    assert not (tmp_path / "theirs" / "written").exists()
    assert run("bundle", "a.tex", "--pdf", "--trust", "--engine", engine, "-o", "out").status == 0
    assert (tmp_path / "theirs" / "written").exists()


# ---- raw TeX in a description


@pytest.mark.tex
@pytest.mark.parametrize("engine", FAMILIAR)
def test_raw_tex_is_compiled_in_the_sandbox_only(engine: Engine, sandbox: str) -> None:
    """Also in a file that is ours byte by byte."""
    Path("a.yaml").write_text(RAW)
    assert run("render", "a.yaml", "-o", "b.tex").status == 0
    assert not is_foreign(Path("b.tex").read_text())
    for name, place in (("a.yaml", "3:8"), ("b.tex", None)):
        done = run("build", name, "--engine", str(engine))
        if find_cell() is not None:
            assert (done.status, done.err.splitlines()[-1]) == (0, "1 built")
            continue
        assert (done.status, Path(name).with_suffix(".pdf").exists()) == (1, False)
        [line] = [line for line in done.err.splitlines() if "sandbox" in line]
        where = f"{name}:{place}" if place else r"b\.tex:\d+:\d+"
        assert re.fullmatch(f"{where}: title: is raw TeX, {re.escape(NO_SANDBOX)}", line), line


@pytest.mark.tex
def test_what_holds_raw_tex_is_made_apart_from_the_same_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result of --trust is not given to who does not trust, in any cache."""
    only("none", monkeypatch)
    Path("a.yaml").write_text(RAW)
    trusting = (
        *(
            ("build", "a.yaml", "-f", "pdf,png,svg"),
            ("build", "a.yaml", "--measure"),
            ("check", "--geometry", "a.yaml"),
        ),
        *(("render", "a.yaml", "--measure", "-o", "a.tex"), ("bundle", "a.yaml", "--pdf", "-o", "out")),
    )
    for verb in trusting:
        assert run(*verb, "--trust").status == 0, verb
        done = run(*verb)
        assert done.status in (1, 2), verb
        assert "a.yaml:3:8: title: is raw TeX, and no sandbox" in done.err, verb


@pytest.mark.tex
def test_from_python_the_same_holds(sandbox: str) -> None:
    figure = loads(RAW, name="a.yaml")
    for act in (lambda: figure.build("a.pdf"), lambda: figure.measure("pdflatex")):
        if find_cell() is not None:
            assert act()
        else:
            with pytest.raises(FileRefused, match=r"title\)?(: is|.*) ?raw TeX|holds raw TeX"):
                act()
    assert figure.build("b.pdf", trust=True).exists()
    assert figure.measure("pdflatex", trust=True).measured


@pytest.mark.tex
def test_raw_tex_is_measured_in_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = []

    def compiler(*given: object, **options: object) -> object:
        cells.append(options["cell"])
        return compile_tex(*given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(boxes, "compile_tex", compiler)
    if cell_or_refusal() is not None:
        loads(RAW).measure("pdflatex")
    loads(RAW).measure("pdflatex", trust=True)
    loads("recipe: data-parallel\ntitle: $x$\n").measure("pdflatex")
    assert cells == ([find_cell()] if find_cell() else []) + [None] * (len(cells) - bool(find_cell()))
    assert len(cells) >= 2


@pytest.mark.tex
def test_what_is_measured_reaches_nothing(tmp_path: Path, sandbox: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the check of raw TeX lets something by, the sandbox does not."""
    cell = cell_or_refusal()
    if cell is None:
        return
    attack = (
        rf"\setkeys[]{{}}{{directlua={{local f = io.open('{tmp_path}/theirs/written', 'w') if f then f:close() end}}}}x"
    )
    monkeypatch.setattr(boxes, "_make_lines", lambda asked: [boxes._Line(asked.text, asked.text, "sans", False, 8)])
    asked = Asked(attack, True, "sans", False, 8)
    measure_texts([asked], TextPreamble(), Engine.LUALATEX, cell=cell)
    assert not (tmp_path / "theirs" / "written").exists()
    measure_texts([asked], TextPreamble(), Engine.LUALATEX)
    assert (tmp_path / "theirs" / "written").exists(), "outside it does"


def test_the_profile_for_macos(tmp_path: Path) -> None:
    """It was never run on a Mac; what it says is this."""
    program = tmp_path / "texlive" / "bin" / "universal-darwin" / "pdftex"
    program.parent.mkdir(parents=True)
    (tmp_path / "texlive" / "texmf-dist").mkdir()
    work = tmp_path / 'a "b) (allow default'
    work.mkdir()
    (tmp_path / "link").symlink_to(work)
    argv = Seatbelt("/usr/bin/sandbox-exec").wrap_argv([str(program), "x.tex"], tmp_path / "link", ["/opt/python"])
    profile = argv[argv.index("-p") + 1]
    given = dict(value.split("=", 1) for flag, value in pairwise(argv) if flag == "-D")
    assert argv[0] == "/usr/bin/sandbox-exec"
    assert argv[-2:] == [str(program), "x.tex"]
    assert given.pop("JOB") == str(work), "paths are parameters, and links are followed"
    assert {"/usr", "/System", "/Library/TeX", str(tmp_path / "texlive"), "/opt/python"} <= set(given.values())
    assert not any(place.startswith(("/Users", "/private/tmp", "/private/var/folders")) for place in given.values())
    rules = profile.splitlines()
    assert rules[:2] == ["(version 1)", "(deny default)"]
    assert [rule for rule in rules if "write" in rule] == [
        '(allow file-write* (subpath (param "JOB")) (literal "/dev/null") (literal "/dev/zero") '
        '(literal "/dev/random") (literal "/dev/urandom"))'
    ]
    assert "network" not in profile
    assert "allow default" not in profile
    assert all(f'(param "{name}")' in profile for name in given)
