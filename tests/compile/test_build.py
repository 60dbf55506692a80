"""`tikzgen build`: many figures at once, only those that changed, every failure told, files whole or absent."""

from __future__ import annotations

import errno
import io
import itertools
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Lock

import pytest
from command import Done, run
from conftest import ROOT

from tikzgen.base.cache import Cache
from tikzgen.base.errors import ExitStatus, FileRefused, LatexError, LatexMissing, SpecError, TikzgenError
from tikzgen.cli.progress import Progress
from tikzgen.compile.build_figures import BuildReport, Job, build, build_file
from tikzgen.compile.figure_jobs import find_jobs
from tikzgen.compile.make_formats import Settings
from tikzgen.compile.tex.compile_tex import Compiled, compile_tex
from tikzgen.compile.tex.engines import Engine
from tikzgen.edit.find_words import find_words
from tikzgen.lint.read_valid import read_figure
from tikzgen.spec.source import looks_like_spec

pytestmark = pytest.mark.tex

PLAIN = (ROOT / "tests/cases/tex/figures/plain.tex").read_text("utf-8")
ENDLESS = (ROOT / "tests/cases/tex/hostile/loop.tex").read_text("utf-8")
BAD = PLAIN.replace("Worker", r"\foo")
TIKZGEN = (sys.executable, "-c", "from tikzgen.cli import main; main()")
SPEC = "recipe: data-parallel\n"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A working folder and a cache that no other test knows."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield


def test_a_build_of_a_spec_states_that_it_lacks_manual_edits() -> None:
    Path("fig.yaml").write_text(SPEC)
    assert run("render", "fig.yaml").status == 0
    assert "manual edits" not in run("build", "fig.yaml", "-f", "svg").err
    tex = Path("fig.tex")
    tex.write_text(tex.read_text("utf-8").replace("{Worker 2}", "{Own}"), "utf-8")
    assert "the picture lacks the manual edits of fig.tex (build fig.tex instead)" in run("build", "fig.yaml").err
    refused = run("bundle", "fig.yaml", "-o", "paper.zip")
    assert (refused.status, Path("paper.zip").exists()) == (1, False)
    assert "fig.yaml: the bundle would lack the manual edits of fig.tex (bundle fig.tex instead)" in refused.err


class Counting:
    """Compiles, and counts how often: what is not compiled is not counted."""

    def __init__(self, compiler: Callable[..., Compiled] = compile_tex) -> None:
        self.compiler = compiler
        self.count = 0
        self._lock = Lock()

    def __call__(self, source: str, **options: object) -> Compiled:
        with self._lock:
            self.count += 1
        return self.compiler(source, **options)


def fake(source: str, **options: object) -> Compiled:
    """A PDF of one empty page, without TeX; a source that holds "bad" fails."""
    if "bad" in source:
        raise LatexError("it does not compile", line=1, excerpt=source, log="log")
    return Compiled(b"%PDF-1.4 /MediaBox [0 0 10 10] " + source.encode(), "", 0.0)


def job(name: str, source: str | Exception = PLAIN) -> Job:
    def make() -> str:
        if isinstance(source, Exception):
            raise source
        return source

    return Job(name, make, Path(name))


def settings(compiler: Callable[..., Compiled], **options: object) -> Settings:
    return Settings(find_words, compiler=compiler, cache=Cache(Path.cwd().parent / "cache"), **options)  # type: ignore[arg-type]


def test_what_was_compiled_is_not_compiled_again() -> None:
    tex = Counting()
    jobs = [job("a"), job("b", PLAIN.replace("Server", "PS"))]
    first = build(jobs, formats=("pdf", "png", "svg"), settings=settings(tex))
    assert (tex.count, str(first)) == (2, "2 built")
    times = {path: path.stat().st_mtime_ns for path in Path().iterdir()}
    assert sorted(path.name for path in times) == ["a.pdf", "a.png", "a.svg", "b.pdf", "b.png", "b.svg"]
    second = build(jobs, formats=("pdf", "png", "svg"), settings=settings(tex))
    assert (tex.count, str(second)) == (2, "2 unchanged")
    assert {path: path.stat().st_mtime_ns for path in Path().iterdir()} == times, "nor written again"


def test_a_lost_target_comes_from_the_cache() -> None:
    tex = Counting()
    build([job("a")], settings=settings(tex))
    data = Path("a.pdf").read_bytes()
    Path("a.pdf").unlink()
    assert str(build([job("a")], settings=settings(tex))) == "1 built"
    assert (tex.count, Path("a.pdf").read_bytes()) == (1, data)


def test_another_format_needs_no_new_compilation() -> None:
    tex = Counting()
    build([job("a")], settings=settings(tex))
    build([job("a")], formats=("svg", "png"), settings=settings(tex))
    build([job("a")], formats=("png",), settings=settings(tex, dpi=50))
    assert tex.count == 1


@pytest.mark.parametrize(
    "change",
    [
        {"source": PLAIN + "%"},
        {"options": {"engine": "xelatex"}},
        {"options": {"cache": Cache(None)}},
        {"options": {"keep": Path("kept")}},
    ],
)
def test_what_changed_is_compiled_again(change: dict[str, object]) -> None:
    tex = Counting(fake)
    build([job("a", "one")], settings=settings(tex))
    options = {"compiler": tex, "cache": Cache(Path.cwd().parent / "cache"), **change.get("options", {})}  # type: ignore[dict-item]
    build([job("a", str(change.get("source", "one")))], settings=Settings(find_words, **options))  # type: ignore[arg-type]
    assert tex.count == 2


def test_a_new_version_of_the_engine_compiles_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from tikzgen.compile import make_formats as produce
    from tikzgen.compile.tex import engines

    tex = Counting(fake)
    monkeypatch.setattr(produce, "find_engine", lambda _: engines.Installed(Engine.PDFLATEX, "x"))
    for version in ("1", "2", "2"):
        monkeypatch.setattr(engines, "first_line", lambda *_, version=version: version)
        build([job("a", "one")], settings=settings(tex))
    assert tex.count == 2


def test_one_failure_hides_no_other_figure() -> None:
    outcomes = []
    report = build(
        [job("a", "bad"), job("b", "fine"), job("c", SpecError([])), job("d", "bad too"), job("e", "also fine")],
        settings=settings(fake),
        workers=2,
        progress=lambda done, total, outcome: outcomes.append((done, total, outcome and outcome.job.name)),
    )
    assert [outcome.status for outcome in report.outcomes] == ["failed", "built", "failed", "failed", "built"]
    assert [outcome.job.name for outcome in report.outcomes] == list("abcde")
    assert str(report) == "2 built, 3 failed"
    assert sorted(path.name for path in Path().iterdir()) == ["b.pdf", "e.pdf"]
    assert outcomes[0] == (0, 5, None)
    assert [done for done, _, _ in outcomes] == list(range(6))
    assert {name for _, _, name in outcomes[1:]} == set("abcde")


@pytest.mark.parametrize(
    ("sources", "status"),
    [
        ([], ExitStatus.OK),
        (["fine"], ExitStatus.OK),
        (["fine", SpecError([])], ExitStatus.USAGE),
        (["bad", SpecError([])], ExitStatus.LATEX),
        (["bad", "fine"], ExitStatus.LATEX),
        ([FileRefused("no"), "fine"], ExitStatus.FINDINGS),
        ([FileRefused("no"), SpecError([])], ExitStatus.USAGE),
    ],
)
def test_the_exit_status(sources: list[str | Exception], status: ExitStatus) -> None:
    jobs = [job(str(number), source) for number, source in enumerate(sources)]
    assert build(jobs, settings=settings(fake)).exit_status is status


def folder() -> None:
    Path("a.pdf").mkdir()


def pipe() -> None:
    os.mkfifo("a.pdf")


def circle() -> None:
    Path("a.pdf").symlink_to("b.link")
    Path("b.link").symlink_to("a.pdf")


@pytest.mark.parametrize("stands", [folder, pipe, circle])
def test_a_target_that_cannot_be_written_fails_alone(stands: Callable[[], None]) -> None:
    stands()
    report = build([job("a", "one"), job("b", "two")], settings=settings(fake))
    assert [outcome.status for outcome in report.outcomes] == ["failed", "built"]
    assert isinstance(report.outcomes[0].error, FileRefused)
    assert str(report.outcomes[0].error).startswith("cannot write a.pdf: ")


def test_what_the_system_refuses_fails_alone() -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "/tmp/x")
    report = build([job("a", full), job("b", "two")], settings=settings(fake))
    assert [outcome.status for outcome in report.outcomes] == ["failed", "built"]
    told = "a: /tmp/x: no space left on device (free some, or set TMPDIR)"
    assert str(report.outcomes[0].error) == told


def test_a_link_as_target_stays_one() -> None:
    Path("elsewhere").mkdir()
    Path("a.pdf").symlink_to("elsewhere/real.pdf")
    assert str(build([job("a", "one")], settings=settings(fake))) == "1 built"
    assert Path("a.pdf").is_symlink()
    assert Path("elsewhere/real.pdf").read_bytes().endswith(b"one")


def test_a_character_that_no_font_has_fails_each_time() -> None:
    source = PLAIN.replace("Worker", "😀")
    for _ in range(2):
        report = build([job("a", source)], settings=settings(compile_tex, engine="xelatex"))
        assert 'has no character "😀" (U+1F600)' in str(report.outcomes[0].error)
        assert not Path("a.pdf").exists()


def test_a_missing_program_is_told_before_anything_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    tex = Counting(fake)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(LatexMissing, match="pdflatex"):
        build([job("a", "one")], settings=settings(tex))
    assert tex.count == 0


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(TikzgenError, match=r'unknown format "gif" \(the formats are pdf, png, svg\)'):
        build_file(PLAIN, Path("a.gif"), find_words)


@pytest.mark.parametrize(
    ("suffix", "magic"), [("pdf", b"%PDF-"), ("png", b"\x89PNG"), ("svg", b"<svg"), ("PDF", b"%PDF-")]
)
def test_one_file_by_its_suffix(suffix: str, magic: bytes) -> None:
    path = build_file(PLAIN, Path("new") / f"a.{suffix}", find_words, trust=True)
    assert path.read_bytes().startswith(magic)


def test_the_same_file_from_a_figure() -> None:
    from tikzgen import load

    Path("a.yaml").write_text(SPEC)
    load("a.yaml").build("a.pdf")
    assert run("build", "a.yaml", "-o", "out").status == 0
    assert Path("a.pdf").read_bytes() == Path("out/a.pdf").read_bytes()


# ---- the command line


def build_own(*arguments: str) -> Done:
    """Build .tex files that their writer trusts: the sandbox has tests of its own."""
    return run("build", "--trust", *arguments)


def test_specs_and_rendered_figures() -> None:
    Path("one.yaml").write_text(SPEC)
    Path("two.tex").write_text(PLAIN)
    done = build_own("one.yaml", "two.tex", "-f", "pdf,svg")
    assert (done.status, done.out) == (0, "")
    assert done.err.splitlines()[-1] == "2 built"
    assert "[2/2] built" in done.err
    assert sorted(path.name for path in Path().glob("*.[ps]*")) == ["one.pdf", "one.svg", "two.pdf", "two.svg"]
    assert build_own("one.yaml", "two.tex", "-f", "svg,pdf").err.splitlines()[-1] == "2 unchanged"


def test_a_folder_stands_for_its_specs() -> None:
    folder = Path("specs")
    folder.mkdir()
    (folder / "b.yaml").write_text(SPEC)
    (folder / "a.json").write_text('{"recipe": "data-parallel", "workers": 2}')
    (folder / "a.meta.json").write_text('{"id": "a"}')
    (folder / "mkdocs.yml").write_text("site_name: panels\nnav:\n  recipe: no\n")
    (folder / "a.tex").write_text(PLAIN)
    done = build_own("specs", "-o", "out/figures", "-j", "1")
    assert done.status == 0
    assert [line for line in done.err.splitlines() if line.startswith("[")] == ["[1/2] built a", "[2/2] built b"]
    assert "skipped files without recipe: and panels: mkdocs.yml" in done.err
    assert sorted(path.name for path in Path("out/figures").iterdir()) == ["a.pdf", "b.pdf"]


def test_an_empty_folder_is_refused() -> None:
    Path("empty").mkdir()
    done = build_own("empty")
    assert done.status == 1
    assert done.err == "empty: no specs here (`tikzgen new RECIPE` writes one)\n"


@pytest.mark.parametrize(
    ("name", "text", "is_spec"),
    [
        ("a.yaml", SPEC, True),
        ("a.yaml", "# yaml-language-server: $schema=s.json\n\nworkers: 3\nrecipe: data-parallel\n", True),
        ("a.yml", '"panels":\n- id: a\n', True),
        ("a.yaml", "{recipe: data-parallel}", True),
        ("a.yaml", "{workers: 3,\n recipe: data-parallel}", False),
        ("a.yaml", "jobs:\n  recipe: no\n", False),
        ("a.yaml", "", False),
        ("a.json", '{"panels": []}', True),
        ("a.json", '{"a": 1,\n  "recipe" : "x"}', True),
        ("a.json", '{"recipes": 1}', False),
    ],
)
def test_which_files_of_a_folder_are_specs(name: str, text: str, is_spec: bool) -> None:
    Path(name).write_text(text)
    assert looks_like_spec(Path(name)) is is_spec


@pytest.mark.parametrize(
    ("files", "arguments"),
    [
        (["x/a.yaml", "y/a.yaml"], ["x/a.yaml", "y/a.yaml", "-o", "out"]),
        (["x/a.yaml", "x/a.json"], ["x"]),
        (["x/a.yaml", "x/a.tex"], ["x/a.yaml", "x/a.tex"]),
    ],
)
def test_two_figures_with_one_target_are_refused(files: list[str], arguments: list[str]) -> None:
    for file in files:
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).write_text('{"recipe": "data-parallel"}')
    done = build_own(*arguments)
    assert done.status == 2
    assert "would both write" in done.err
    assert done.err.count("\n") == 1
    assert not list(Path().rglob("*.pdf"))


def test_the_same_file_twice_is_one_figure() -> None:
    Path("a.tex").write_text(PLAIN)
    off = dict.fromkeys(("allow_invalid", "trust", "measure", "as_before"), False)
    jobs, skipped = find_jobs(
        [Path("a.tex"), Path("./a.tex")], read_figure, output=None, formats=("pdf",), cache=None, settings=(), **off
    )
    assert ([job.name for job in jobs], skipped) == (["a"], [])


def test_a_file_name_as_output() -> None:
    Path("a.tex").write_text(PLAIN)
    assert build_own("a.tex", "-o", "out/fig.svg").status == 0
    assert Path("out/fig.svg").read_text().startswith("<svg")
    assert build_own("a.tex", "-o", "fig.png", "-f", "png").status == 0
    assert Path("fig.png").exists()
    assert build_own("a.tex", "-o", "BIG.PNG").status == 0
    assert Path("BIG.PNG").read_bytes() == Path("fig.png").read_bytes()
    for wrong in (["a.tex", "-o", "fig.png", "-f", "pdf"], ["a.tex", "b.tex", "-o", "fig.png"]):
        Path("b.tex").write_text(PLAIN)
        done = build_own(*wrong)
        assert (done.status, done.err.count("\n")) == (2, 1)


def test_dash_reads_stdin_and_writes_stdout() -> None:
    Path("a.yaml").write_text(SPEC)
    assert run("build", "a.yaml", "-o", "out").status == 0
    for arguments in (["-"], ["a.yaml", "-o", "-"]):
        argv, env = [*TIKZGEN, "build", *arguments], {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(argv, env=env, input=SPEC.encode(), capture_output=True, check=True)
        assert done.stdout == Path("out/a.pdf").read_bytes()
    assert run("build", "-", "-o", "out", stdin=SPEC).err.splitlines()[-1] == "1 built"
    assert Path("out/stdin.pdf").read_bytes() == Path("out/a.pdf").read_bytes()
    done = run("build", "-", stdin=SPEC + "workerz: 3\n")
    assert (done.status, done.err.splitlines()[1][:44]) == (2, "<stdin>:2:1: workerz: unknown field (did you")


def test_fields_are_set_as_render_sets_them() -> None:
    Path("a.yaml").write_text(SPEC)
    given = ["--width", "acm-column", "--palette", "dark", "--set", "workers=2"]
    assert run("render", "a.yaml", *given).status == 0
    assert run("build", "a.yaml", "-o", "spec.pdf", *given).status == 0
    assert run("build", "a.tex", "-o", "tex.pdf").status == 0
    assert Path("spec.pdf").read_bytes() == Path("tex.pdf").read_bytes()
    assert run("build", "a.yaml", "-o", "plain.pdf").status == 0
    assert Path("plain.pdf").read_bytes() != Path("spec.pdf").read_bytes(), "nor does the cache mix them up"
    done = run("build", "a.tex", "--set", "workers=4")
    told = "a.tex: fields are set in specs (`tikzgen render a.tex --set workers=4 -o FIG.tex` writes another one)\n"
    assert (done.status, done.err) == (2, told)


def test_a_pipe_is_read_once() -> None:
    os.mkfifo("spec")
    with subprocess.Popen(["sh", "-c", "exec cat >spec"], stdin=subprocess.PIPE) as writer:
        assert writer.stdin
        writer.stdin.write(SPEC.encode())
        writer.stdin.close()
        assert run("build", "spec", "-o", "a.pdf").status == 0


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["-o", "a.jpg"], 2, 'a.jpg: figures are not built as "jpg" (the formats are pdf, png, svg)'),
        (["-o", "a.tex"], 2, 'a.tex: figures are not built as "tex" (`tikzgen render` writes it)'),
        (["-o", "a.yaml"], 1, "cannot write a.yaml/a.pdf: its folder is a file"),
        (["-o", "a.yaml/b/c.pdf"], 1, "cannot write a.yaml/b/c.pdf: its folder is a file"),
        (["--keep", "a.yaml/b"], 1, "cannot write a.yaml/b/a.tex: its folder is a file"),
        (["--deps", "a.yaml/b.d"], 1, "cannot write a.yaml/b.d: its folder is a file"),
        (["b.yaml", "-o", "-"], 2, "stdout is one file for 2 figures (give a folder to -o)"),
        (
            ["-o", "-", "-f", "pdf,svg"],
            2,
            "Error: stdout accepts one output: one format, and neither --json nor --deps -",
        ),
        (["-o", "-", "--json"], 2, "Error: stdout accepts one output: one format, and neither --json nor --deps -"),
    ],
)
def test_places_that_cannot_be_written(arguments: list[str], status: int, told: str) -> None:
    for name in ("a", "b"):
        Path(f"{name}.yaml").write_text(SPEC)
    done = run("build", "a.yaml", *arguments)
    assert done.status == status
    assert told in done.err.splitlines()
    assert sorted(path.name for path in Path().iterdir()) == ["a.yaml", "b.yaml"]


def test_bad_specs_and_bad_figures_are_all_told() -> None:
    Path("good.yaml").write_text(SPEC)
    Path("spec.yaml").write_text(SPEC + "workerz: 3\n")
    Path("tex.tex").write_text(BAD)
    done = build_own("spec.yaml", "tex.tex", "good.yaml")
    assert done.status == 3
    lines = [line for line in done.err.splitlines() if not line.startswith("[")]
    assert lines[0].startswith("spec.yaml:2:1: workerz: unknown field")
    assert lines[1].startswith(r"tex.tex:5:6: node a: Undefined control sequence \foo (")
    assert lines[2] == r"    \node[draw] (a) {\foo $\theta$};"
    assert lines[3] == "--keep DIR keeps the .tex and the whole log"
    assert lines[4] == "1 built, 2 failed"
    assert Path("good.pdf").exists()
    assert build_own("spec.yaml").status == 2


def test_a_png_on_paper_and_on_nothing() -> None:
    Path("a.tex").write_text(PLAIN)
    assert build_own("a.tex", "-o", "paper.png").status == 0
    assert build_own("a.tex", "-o", "bare.png", "--transparent").status == 0
    assert build_own("a.tex", "-o", "paper.png").err.splitlines()[-1] == "1 unchanged"
    assert {sample[-1] for sample in pixels(Path("bare.png"))} >= {0, 255}, "bare paper, solid ink"
    assert {len(sample) for sample in pixels(Path("paper.png"))} == {3}


def pixels(png: Path) -> set[bytes]:
    """The colours of a PNG that `png_bytes` wrote."""
    data = png.read_bytes()
    channels = {2: 3, 6: 4}[data[25]]
    start = data.index(b"IDAT") + 4
    rows, width = zlib.decompressobj().decompress(data[start:]), int.from_bytes(data[16:20], "big")
    wide = 1 + channels * width
    return {
        rows[at : at + channels] for row in range(0, len(rows), wide) for at in range(row + 1, row + wide, channels)
    }


def test_kept_logs() -> None:
    Path("a.tex").write_text(BAD)
    done = build_own("a.tex", "--keep", "kept")
    assert done.status == 3
    assert "--keep" not in done.err
    assert sorted(path.name for path in Path("kept").iterdir()) == ["a.log", "a.tex"]


def test_logs_of_one_name_are_not_mixed() -> None:
    for folder in ("x", "y"):
        Path(folder).mkdir()
        Path(folder, "a.tex").write_text(PLAIN)
    done = build_own("x/a.tex", "y/a.tex", "--keep", "kept")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert build_own("x/a.tex", "y/a.tex").status == 0


def test_quiet() -> None:
    Path("a.tex").write_text(PLAIN)
    Path("b.tex").write_text(BAD)
    assert build_own("a.tex", "-q").err == ""
    assert build_own("a.tex", "b.tex", "-q").err.startswith("b.tex:5:6: node a: Undefined")


def test_without_tex() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "")
        Path("a.tex").write_text(PLAIN)
        done = build_own("a.tex")
    assert (done.status, done.out, done.err.count("\n")) == (3, "", 1)
    assert "pdflatex is not on the PATH" in done.err
    assert "(install it: " in done.err


def test_a_time_limit() -> None:
    Path("a.tex").write_text(ENDLESS)
    done = build_own("a.tex", "--time-limit", "1.5")
    assert done.status == 3
    assert "a.tex: pdflatex was stopped after 1.5 s (an endless loop, or raise --time-limit)" in done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "SPEC"),
        (["nowhere.yaml"], "nowhere.yaml"),
        (["-f", "gif", "a.tex"], 'unknown format "gif" (the formats are pdf, png, svg)'),
        (["-f", "", "a.tex"], "the formats are pdf, png, svg"),
        (["--engine", "tex", "a.tex"], "pdflatex"),
        (["-j", "0", "a.tex"], "-j"),
    ],
)
def test_usage(arguments: list[str], told: str) -> None:
    Path("a.tex").write_text(PLAIN)
    done = build_own(*arguments)
    assert done.status == 2
    assert told in done.err


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_a_figure_that_cannot_be_read(content: bytes | None) -> None:
    if content is None:
        Path("a.tex").mkdir()
        assert build_own("a.tex").status == 1
    else:
        Path("a.tex").write_bytes(content)
        done = build_own("a.tex")
        assert done.status == 1
        assert "a.tex: is not UTF-8" in done.err


def test_no_cache_compiles_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tex = Counting()
    monkeypatch.setattr("tikzgen.compile.make_formats.Settings", partial(Settings, compiler=tex))
    Path("a.tex").write_text(PLAIN)
    assert [build_own("a.tex", *flags).status for flags in ((), (), ("--no-cache",))] == [0, 0, 0]
    assert tex.count == 2


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_one_line_of_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    times = itertools.chain([0.0], itertools.count(2.0, 3.0))
    progress = Progress(quiet=False, clock=lambda: next(times))
    report: BuildReport = build(
        [job("a", "one"), job("b", "bad")], settings=settings(fake), workers=1, progress=progress
    )
    progress.clear()
    shown = stream.getvalue().split("\r\x1b[K")
    assert shown[1] == "[....................] 0 of 2"
    assert shown[2] == "[##########..........] 1 of 2, 5 s left, last a built"
    assert shown[3] == "[####################] 2 of 2, 0 s left, last b failed"
    assert shown[-1] == ""
    assert "\n" not in stream.getvalue()
    assert report.count("failed") == 1


@pytest.mark.parametrize("request_", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_stops_all_engines_and_leaves_no_file(tmp_path: Path, request_: signal.Signals) -> None:
    for number in range(4):
        Path(f"loop{number}.tex").write_text(ENDLESS)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    child = subprocess.Popen(
        [
            *TIKZGEN,
            "build",
            "--trust",
            *map(str, Path().glob("*.tex")),
            "-j",
            "2",
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        stderr=subprocess.DEVNULL,
    )
    while len(list(temporary.glob("*/figure.log"))) < 2:
        assert child.poll() is None
    child.send_signal(request_)
    assert child.wait() == ExitStatus.INTERRUPTED
    assert list(temporary.iterdir()) == []
    assert not list(Path().glob("*.pdf"))


def test_bytes_do_not_depend_on_the_folder_or_the_hash_seed(tmp_path: Path) -> None:
    made = set()
    for seed in ("1", "2"):
        folder = tmp_path / f"folder {seed}"
        folder.mkdir()
        (folder / "a.yaml").write_text(SPEC)
        subprocess.run(
            [
                *TIKZGEN,
                "build",
                "a.yaml",
                "--no-cache",
                "-f",
                "pdf,png,svg",
            ],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )
        made.add(tuple((folder / f"a.{suffix}").read_bytes() for suffix in ("pdf", "png", "svg")))
    assert len(made) == 1
