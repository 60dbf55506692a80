"""When TeX fails: who is to blame is told with its place, in the spec or in the .tex.

Each `tests/cases/tex/errors/NAME.ENGINE.yaml` (or `.tex`) is built with that engine; the section of `errors.txt`
is what stderr says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command import run
from conftest import ENGINES, ROOT
from hypothesis import given
from hypothesis import strategies as st

from tikzgen import Tex, load, loads, recipes
from tikzgen.base.errors import LatexError, Place
from tikzgen.base.trust import trust_commands
from tikzgen.compile.diagnosis import blamed_tex, with_cause
from tikzgen.compile.make_formats import Settings
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.compile.tex.errors_in_log import first_error
from tikzgen.compile.tex.failures import find_hole, lost_characters
from tikzgen.edit.find_words import find_words
from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.serve.watch.make_views import Studio
from tikzgen.serve.watch.troubles import troubles_of

CASES = ROOT / "tests" / "cases" / "tex" / "errors"
OWN = loads("recipe: data-parallel\n").tex()
BAD = "recipe: data-parallel\nlabels:\n  server: !tex \\foo\ntex: {allow: [\\foo]}\n"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder and a cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


@pytest.mark.tex
@pytest.mark.parametrize("case", sorted(CASES.glob("*")), ids=lambda path: path.stem)
def test_the_cause_is_told_with_its_place(case: Path, golden: Callable[[Path, str, str], None]) -> None:
    name, engine, suffix = case.name.split(".")
    Path(f"{name}.{suffix}").write_bytes(case.read_bytes())
    limit = "1" if name == "endless" else "60"
    done = run(
        "build", f"{name}.{suffix}", "--engine", engine, "-q", "--trust", "--keep", "kept", "--time-limit", limit
    )
    assert done.status == 3
    assert not Path(f"{name}.pdf").exists()
    assert Path("kept", f"{name}.log").read_text("utf-8")
    assert done.err.startswith(f"{name}.{suffix}")
    told, *excerpt = re.sub(r"size=\d+", "size=…", done.err).splitlines()  # as TeX is set up
    if suffix == "yaml":
        excerpt = [re.sub(r"\d+(?:\.\d+)?", "0", line) for line in excerpt]  # as the figure is laid out
    golden(CASES.with_suffix(".txt"), "\n".join([told, *excerpt]) + "\n", case.stem)


def failed(*command: str) -> str:
    """What a command that fails says on stderr, first line."""
    done = run(*command)
    assert done.status == 3, done
    return done.err.splitlines()[0]


VERBS = {
    r"\foo": r"Undefined control sequence \foo (misspelt, or its package is not loaded)",
    r"\symbol{200}": 'the font cmss8 has no character number 200 ("C8) (name it by a command, or use --engine '
    "lualatex or --engine xelatex)",
}


@pytest.mark.tex
@pytest.mark.parametrize("tex", VERBS)
def test_every_verb_that_compiles_names_the_same_place(tex: str) -> None:
    Path("a.yaml").write_text(BAD.replace(r"\foo", tex, 1))
    told = f"a.yaml:3:11: labels.server: {VERBS[tex]}"
    assert failed("build", "a.yaml", "-q", "--trust") == told
    assert failed("check", "--geometry", "a.yaml", "--trust") == told
    assert failed("bundle", "a.yaml", "--pdf", "-o", "out", "--trust") == told
    with pytest.raises(LatexError) as raised:
        load("a.yaml", trust=True).build("a.pdf")
    assert str(raised.value) == told
    studio = Studio(Settings(find_words), trust=True, geometry=False, measure=False, allow_invalid=False)
    with trust_commands():
        source = studio.make_tex(SpecReading("a.yaml"))
    with pytest.raises(LatexError) as raised, trust_commands():
        studio.make_picture(source, Path("a.yaml"), None)
    with trust_commands():
        (trouble,) = troubles_of(raised.value, Path("a.yaml"), source)
    assert trouble.message == told
    assert [(line.number, line.mark) for line in trouble.excerpt if line.here] == [(3, 11)]


@pytest.mark.tex
def test_a_hole_among_figures_that_share_a_run_is_that_figures_alone() -> None:
    for name, label in (("a", "server"), ("b", r"!tex '\symbol{200}'"), ("c", "one more")):
        Path(f"{name}.yaml").write_text(BAD.replace(r"!tex \foo", label))
    done = run("check", "--geometry", "a.yaml", "b.yaml", "c.yaml")
    assert [line.partition(": ")[0] for line in done.err.splitlines()[:-1]] == ["b.yaml:3:11"]


def test_what_nobody_sees_is_no_hole() -> None:
    said = "Missing character: There is no {} in font [lmroman10-regular]:+tlig;!\n"
    assert find_hole(said.format("\N{ZERO WIDTH JOINER} (U+200D)"), engine="lualatex") is None
    assert str(*lost_characters(said.format("^^80 (U+0080)"))) == "U+0080"
    assert find_hole(said.format("e (U+0065)"), engine="lualatex") is not None


@pytest.mark.tex
def test_a_figure_made_in_python_names_the_field() -> None:
    with pytest.raises(LatexError) as raised:
        recipes.data_parallel(labels={"server": Tex(r"\foo", [r"\foo"])}).build("a.pdf")
    assert (raised.value.path, raised.value.place) == ("labels.server", Place("data_parallel"))
    assert str(raised.value).startswith(r"data_parallel: labels.server: Undefined control sequence \foo (")


@pytest.mark.tex
def test_a_batch_keeps_every_log_and_tells_programs_the_same() -> None:
    Path("bad.yaml").write_text(BAD)
    Path("good.yaml").write_text("recipe: data-parallel\n")
    Path("wrong.yaml").write_text("recipe: data-parallel\nworkerz: 3\n")
    done = run("build", "bad.yaml", "good.yaml", "wrong.yaml", "--keep", "kept", "--json", "--trust")
    assert (done.status, done.err) == (3, "")
    assert sorted(path.name for path in Path("kept").iterdir()) == ["bad.log", "bad.tex", "good.log", "good.tex"]
    found = json.loads(done.out)
    bad, good, wrong = found["figures"]
    assert found["exit_status"] == 3
    assert [each["status"] for each in found["figures"]] == ["failed", "built", "failed"]
    (error,) = bad.pop("errors")
    assert error.pop("excerpt") == r"\node[slbl, below=2pt of ps, text height=0.195cm] {\pslabel};"
    assert Path("kept/bad.tex").read_text("utf-8").splitlines()[error.pop("tex_line") - 1].strip().startswith(r"\node")
    assert error == {
        "message": r"Undefined control sequence \foo",
        "path": "labels.server",
        "file": "bad.yaml",
        "line": 3,
        "column": 11,
        "hint": "misspelt, or its package is not loaded",
    }
    assert bad == {"name": "bad", "file": "bad.yaml", "status": "failed", "files": [], "notes": [], "log": LOG}
    assert (good["files"], good["errors"], good["log"]) == (["good.pdf"], [], None)
    assert wrong["errors"][0]["path"] == "workerz"


LOG = str(Path("kept/bad.log"))
# What is missing, in which engine's words, and the text that needs it.
CHINESE = "recipe: data-parallel\nlabels:\n  data: data\n  server: 服务器\n"


@pytest.mark.parametrize(
    "message",
    [
        "File `CJKutf8.sty' not found",
        "File `xeCJK.sty' not found",
        "File `luatexja-fontspec.sty' not found",
        "File `c70gbsn.fd' not found",
        'The font "FandolHei-Regular" cannot be found',
        'The font "gbsn" cannot be found',
    ],
)
def test_what_is_missing_is_blamed_on_the_text_that_needs_it(message: str) -> None:
    Path("a.yaml").write_text(CHINESE, "utf-8")
    error = with_cause(LatexError(message), load("a.yaml").tex(), Path("a.yaml"))
    assert (error.path, error.place) == ("labels.server", Place("a.yaml", 4, 11))
    other = with_cause(LatexError("File `standalone.cls' not found"), load("a.yaml").tex(), Path("a.yaml"))
    assert (other.path, other.place) == ("", Place("a.yaml"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["distributed-training", "parameter-server-en", "gradient-accumulation-en", "cluster"])
def test_the_field_that_is_blamed_is_the_one_that_makes_the_text(name: str) -> None:
    """Another text in that field is another text in that macro."""
    spec = ROOT / "examples" / f"{name}.yaml"
    source = load(spec).tex()
    macros = re.findall(r"^\\def(\\\w+)\{(.*)\}% (?!.* \(cm\))", source, flags=re.MULTILINE)
    fields: dict[str, list[str]] = {}
    for macro, _ in macros[:-1]:
        error = with_cause(LatexError("Oops", line=1, trail=(macro,)), source, spec)
        assert error.path, macro
        fields.setdefault(error.path, []).append(macro)
    assert len(fields) > 5
    for path, mine in list(fields.items())[:6]:
        other = load(spec, settings=[f"{path}=Other"]).tex()
        assert all(f"\\def{macro}{{Other" in other for macro in mine), path


def test_a_distance_is_blamed_where_it_is_set() -> None:
    Path("a.yaml").write_text("recipe: data-parallel\nspacing:\n  colsep: 30\n")
    source = load("a.yaml").tex()
    line = next(number for number, text in enumerate(source.splitlines(), 1) if "(w1) at" in text)
    error = LatexError("Dimension too large", line=line, read=r"  \node[icon] (w1) at (\colsep,\rowsep)")
    assert with_cause(error, source, Path("a.yaml")).path == "spacing.colsep"
    assert error.place == Place("a.yaml", 3, 11)


# What a text says, and what TeX makes of it: message and hint, whatever the limits of an installation are.
LIMITS = {
    "itself": (r"\def\b{\b x}\b", "input stack", "a macro calls itself without end"),
    "groups": (r"\def\b{\begingroup\b}\b", "grouping levels|input stack", "without end"),
    "boxes": (r"\def\b{\hbox\bgroup\b}\b", "semantic nest|grouping levels|input stack", "without end"),
    "saved": (r"\loop\count2=2 \global\count2=1 \iftrue\repeat", "save", "too many local settings"),
    "font": (r"\font\x=nosuchfont \x", "nosuchfont not loadable", "install that font, or name another one"),
    "line": ("x" * 250_000, "Unable to read an entire line", "break it"),
}


@pytest.mark.tex
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", LIMITS)
def test_what_exceeds_a_limit_is_told_with_its_place(name: str, engine: str) -> None:
    text, message, hint = LIMITS[name]
    source = OWN.replace("{Parameter server}", f"{{{text}}}")
    assert source != OWN
    with pytest.raises(LatexError) as raised:
        compile_tex(source, engine=engine)
    error = blamed_tex(raised.value, source, "a.tex")
    assert re.search(message, error.message)
    assert hint in error.hint
    line = next(number for number, row in enumerate(source.splitlines(), 1) if row.startswith(r"\def\pslabel"))
    assert error.place is not None
    assert (error.place.file, error.place.line) == ("a.tex", line)


@given(st.text(), st.text() | st.just(OWN), st.integers(1, 90) | st.none(), st.text(), st.text())
def test_whatever_tex_says_somebody_is_told(message: str, source: str, line: int | None, read: str, log: str) -> None:
    error = blamed_tex(LatexError(message or "?", line=line, read=read, trail=[read]), source, "a.tex")
    assert str(error).startswith("a.tex:")
    if found := first_error(log, source):
        blamed_tex(LatexError(found.message, line=found.line, read=found.read), source, "a.tex")
