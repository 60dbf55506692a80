"""Figures of strangers: compiled in a sandbox where there is one, refused elsewhere; nothing of the reader's gets out.

A container may forbid the sandbox: what it contains is then not shown there, but that such figures are refused is.
"""

from __future__ import annotations

import re
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from command import run
from conftest import ROOT

from tikzgen import loads
from tikzgen.errors import FileRefused, LatexError
from tikzgen.geometry.probing import probe
from tikzgen.tex import confine, foreign
from tikzgen.tex.build import build_file
from tikzgen.tex.cache import Cache
from tikzgen.tex.compile import compile_tex
from tikzgen.tex.confine import Cell, confined, find_cell
from tikzgen.tex.engines import Engine
from tikzgen.tex.foreign import is_foreign
from tikzgen.tex.process import run as run_program
from tikzgen.tex.produce import Settings, open_workshop

CASES = ROOT / "tests" / "cases" / "tex"
PLAIN = (CASES / "figures" / "plain.tex").read_text("utf-8")
HOSTILE = sorted((CASES / "hostile").glob("*.tex"))
CONFINED = sorted((CASES / "confined").glob("*.tex"))
OWN = loads("recipe: data-parallel\n").tex()
SECRET = "TOPSECRET"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder, a secret beside it, and a cache that no other test knows."""
    (tmp_path / "work").mkdir()
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "secret.txt").write_text(SECRET)
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TIKZGEN_SECRET", SECRET)


def cell_or_refusal() -> Cell | None:
    """The sandbox; where there is none, the proof that nothing would be compiled."""
    cell = find_cell()
    if cell is None:
        with pytest.raises(FileRefused, match="there is no sandbox"):
            confined("a")
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


@pytest.mark.parametrize("case", CONFINED, ids=lambda path: path.stem)
def test_what_reaches_the_readers_files_is_contained_or_refused(case: Path, tmp_path: Path) -> None:
    engine = written(case, tmp_path)
    done = run("build", "a.tex", "--engine", engine)
    assert sorted(path.name for path in (tmp_path / "theirs").iterdir()) == ["secret.txt"]
    if find_cell() is None:
        assert (done.status, Path("a.pdf").exists()) == (1, False)
        assert "there is no sandbox to compile it in" in done.err
    elif done.status == 0:
        assert SECRET not in shown(Path("a.pdf"))
    else:
        assert (done.status, Path("a.pdf").exists()) == (3, False)
        assert SECRET not in done.err


def test_without_the_sandbox_these_attacks_would_work(tmp_path: Path) -> None:
    for case in CONFINED:
        engine = written(case, tmp_path)
        assert run("build", "a.tex", "--engine", engine, "--trust").status == 0
        got_out = (tmp_path / "theirs" / "written").exists() if "write" in case.stem else SECRET in shown(Path("a.pdf"))
        assert got_out, case.stem


@pytest.mark.parametrize("case", HOSTILE, ids=lambda path: path.stem)
def test_the_sandbox_keeps_the_limits(case: Path, tmp_path: Path) -> None:
    cell = find_cell()
    if cell is None:
        with pytest.raises(FileRefused, match="no sandbox"):
            build_file(case.read_text("utf-8"), Path("a.pdf"))
        return
    before = set(tmp_path.rglob("*"))
    source = case.read_text("utf-8").replace("FOLDER", str(tmp_path / "theirs"))
    try:
        assert SECRET not in compile_tex(source, time_limit=0.8, cell=cell).log
    except LatexError as error:
        assert error.hint
        assert SECRET not in error.log
    assert set(tmp_path.rglob("*")) == before


def test_limits_inside_are_told_as_outside() -> None:
    cell = cell_or_refusal()
    if cell is None:
        return
    flood = (CASES / "hostile" / "file-flood.tex").read_text("utf-8")
    with pytest.raises(LatexError, match="wrote more than 64 MiB"):
        compile_tex(flood, cell=cell)
    bomb = r"\directlua{local t = {} for i = 1, 1e9 do t[i] = string.rep('x', 1000) .. i end}"
    with pytest.raises(LatexError, match="needs more memory"):
        compile_tex(PLAIN.replace("Worker", bomb), engine="lualatex", memory_limit_mib=512, cell=cell)


def test_nothing_can_be_written_beside_the_job(tmp_path: Path) -> None:
    cell = cell_or_refusal()
    if cell is None:
        return
    from tikzgen.tex.argv import Limits

    for place in ("/x", "/usr/x", "/etc/x", "/dev/x", "/dev/shm/x", str(tmp_path / "x")):
        done = run_program(cell.argv(["/bin/sh", "-c", f": > {place}"], tmp_path), cwd=tmp_path, limits=Limits())
        assert done.status != 0, place
    assert run_program(cell.argv(["/bin/sh", "-c", ": > /job/x"], tmp_path), cwd=tmp_path, limits=Limits()).status == 0
    assert (tmp_path / "x").exists()


def test_the_sandbox_changes_no_byte(tmp_path: Path) -> None:
    cell = cell_or_refusal()
    if cell is not None:
        assert compile_tex(PLAIN, cell=cell).pdf == compile_tex(PLAIN).pdf


def no_bwrap(monkeypatch: pytest.MonkeyPatch, path: str | None) -> None:
    find: Callable[[str], str | None] = lambda name: path  # noqa: E731
    monkeypatch.setattr(confine, "which", find)


def test_no_sandbox_no_compilation_unless_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    no_bwrap(monkeypatch, None)
    Path("a.tex").write_text(PLAIN)
    done = run("build", "a.tex")
    assert (done.status, Path("a.pdf").exists()) == (1, False)
    assert done.err.splitlines()[1] == (
        "a: is not as tikzgen wrote it, and there is no sandbox to compile it in "
        "(install bubblewrap, or compile it with `--trust` if you know what it does)"
    )
    assert run("build", "a.tex", "--trust").status == 0
    Path("a.pdf").unlink()
    assert run("build", "a.tex").status == 1, "what --trust made is not given to who does not trust"


def test_a_sandbox_that_does_not_work_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    no_bwrap(monkeypatch, str(broken))
    assert find_cell() is None
    with pytest.raises(FileRefused, match=r"bwrap does not work here: bwrap: No permissions .*`--trust`"):
        build_file(PLAIN, Path("a.pdf"))
    assert "No permissions to create new namespace" in run("doctor").out


def test_one_refused_figure_does_not_keep_the_others_from_being_built(monkeypatch: pytest.MonkeyPatch) -> None:
    no_bwrap(monkeypatch, None)
    Path("theirs.tex").write_text(PLAIN)
    Path("own.tex").write_text(OWN)
    Path("spec.yaml").write_text("recipe: data-parallel\n")
    done = run("build", "theirs.tex", "own.tex", "spec.yaml")
    assert (done.status, done.err.splitlines()[-1]) == (1, "2 built, 1 failed")


def resealed(text: str) -> str:
    """A digest that fits, as anybody can write one."""
    from tikzgen.rendering.capsule import _digest

    head = text.rpartition("% tikzgen digest: ")[0]
    return f"{head}% tikzgen digest: {_digest(head)}\n"


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


def test_a_figure_that_was_made_here_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "is_foreign", None)
    no_bwrap(monkeypatch, None)
    assert loads("recipe: data-parallel\n").build("a.pdf").exists()


def test_the_workshop_hands_the_sandbox_to_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tikzgen.tex.produce.confined", lambda name: Cell("here"))
    cells = []

    def compiler(source: str, **options: object) -> object:
        cells.append(options["cell"])
        return compile_tex(source)

    workshop = open_workshop(("pdf",), Settings(compiler=compiler, cache=Cache(None)))  # type: ignore[arg-type]
    workshop.produce(PLAIN, foreign=True)
    workshop.produce(PLAIN)
    assert cells == [Cell("here"), None]


def test_a_tex_live_in_a_home_is_seen_inside(tmp_path: Path) -> None:
    program = tmp_path / "texlive" / "bin" / "x86_64-linux" / "pdftex"
    program.parent.mkdir(parents=True)
    assert str(tmp_path / "texlive") not in Cell("bwrap").argv([str(program)], tmp_path)
    (tmp_path / "texlive" / "texmf-dist").mkdir()
    argv = Cell("bwrap").argv([str(program)], tmp_path)
    place = argv.index(str(tmp_path / "texlive"))
    assert argv[place - 1 : place + 2] == ["--ro-bind-try", str(tmp_path / "texlive"), str(tmp_path / "texlive")]
    assert place < argv.index("--remount-ro")


def test_geometry_without_a_sandbox_is_refused_unless_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    no_bwrap(monkeypatch, None)
    Path("a.tex").write_text(PLAIN)
    Path("own.tex").write_text(OWN)
    done = run("check", "--geometry", "a.tex", "own.tex")
    assert done.status == 2
    assert done.err.splitlines() == [
        "a.tex: is not as tikzgen wrote it, and there is no sandbox to compile it in "
        "(install bubblewrap, or compile it with `--trust` if you know what it does)",
        done.err.splitlines()[-1],
    ]
    assert "is not as tikzgen wrote it" not in run("check", "--geometry", "--trust", "a.tex").err


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


def test_geometry_and_bundles_hold_foreign_figures_to_the_same(tmp_path: Path) -> None:
    engine = written(CASES / "confined" / "lualatex-write.tex", tmp_path)
    if cell_or_refusal() is not None:
        probe([Path("a.tex").read_text()], engine=Engine.LUALATEX)
        assert not (tmp_path / "theirs" / "written").exists()
    run("bundle", "a.tex", "--pdf", "--engine", engine, "-o", "out")
    assert not (tmp_path / "theirs" / "written").exists()
    assert run("bundle", "a.tex", "--pdf", "--trust", "--engine", engine, "-o", "out").status == 0
    assert (tmp_path / "theirs" / "written").exists()
