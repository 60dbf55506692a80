"""Every attack through every verb: refused or contained, and nothing of the reader's in anything that comes out.

The attacks are the files of `tests/cases/tex/{confined,attacks,hostile}`; as raw TeX in a spec they are the bodies of
the same files. CI runs some that reach for the reader's files, in the engine that they are for; with TIKZGEN_NIGHTLY=1
all of them are run in all three engines, the floods and loops, too.
"""

from __future__ import annotations

import re
import subprocess
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command import run
from conftest import NIGHTLY, ROOT
from sandboxes import SANDBOXES, SECRET, make_readers_folder, only

from tikzgen import loads
from tikzgen.base.errors import FileRefused, TikzgenError
from tikzgen.base.write_files import write_file
from tikzgen.compile.make_formats import Settings
from tikzgen.compile.sandbox.sandbox import find_cell
from tikzgen.compile.tex.engines import FAMILIAR
from tikzgen.edit.find_words import find_words
from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.lint.probe.probing import probe
from tikzgen.serve.agents.tools import Tools
from tikzgen.serve.watch.make_views import Studio
from tikzgen.spec.embedded_spec import _compute_digest, is_untouched

pytestmark = pytest.mark.tex

CASES = ROOT / "tests" / "cases" / "tex"
SECONDS = 3.0 if NIGHTLY else 30.0  # the floods and loops of the nightly run would go on for ever


IN_CI = (
    *("confined/pdflatex-object", "confined/xelatex-stream", "confined/lualatex-read", "confined/lualatex-write"),
    *("attacks/pdflatex-catcodes", "attacks/xelatex-graphics"),
)


def attacks() -> list[tuple[str, str]]:
    """Attack and engine: those that the file's name tells, or all."""
    return list(_attacks())


def written(case: Path, theirs: Path) -> str:
    """The attack on these files; the secret does not stand in it as such."""
    return case.read_text("utf-8").replace("FOLDER", str(theirs)).replace('"TOPSECRET"', '"TOP" .. "SECRET"')


def _attacks() -> Iterator[tuple[str, str]]:
    if not NIGHTLY:
        yield from ((attack, attack.partition("/")[2].partition("-")[0]) for attack in IN_CI)
        return
    for folder in ("confined", "attacks", "hostile"):
        for case in sorted((CASES / folder).glob("*.tex")):
            yield from ((f"{folder}/{case.stem}", str(engine)) for engine in FAMILIAR)


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reader's files; the working folder is a stranger's."""
    folder = make_readers_folder(tmp_path, monkeypatch)
    (folder / "secret.pdf").write_bytes(pdf_of(SECRET.encode()))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TIKZGEN_SECRET", SECRET)
    assert probe.__kwdefaults__ is not None
    monkeypatch.setitem(probe.__kwdefaults__, "time_limit", SECONDS)
    return folder


def pdf_of(text: bytes) -> bytes:
    """A page that says `text`."""
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 20]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"
    drawing = b"BT /F 9 Tf 5 5 Td (%s) Tj ET" % text
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        page,
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(drawing), drawing),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    made, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(made)
    return made + b"xref\n0 6\n0000000000 65535 f \n" + table + end


def held(path: Path) -> str:
    """All that a file says: as it is, unpacked, and as a reader of a PDF sees it."""
    data = path.read_bytes()
    parts = [data]
    for stream in re.finditer(rb"stream\r?\n|IDAT", data):
        try:
            parts.append(zlib.decompressobj().decompress(data[stream.end() :], 64 * 1024 * 1024))
        except zlib.error:
            continue
    if path.suffix == ".pdf":
        parts.append(subprocess.run(["pdftotext", str(path), "-"], capture_output=True).stdout)
    return b"".join(parts).decode("latin-1")


Told = list[str]


def command(*words: str) -> Callable[[Told], None]:
    def act(told: Told) -> None:
        done = run(*words)
        assert done.status in (0, 1, 2, 3)
        assert "Traceback" not in done.err
        told += [done.out, done.err]

    return act


def called(act: Callable[[], object]) -> Callable[[Told], None]:
    def acted(told: Told) -> None:
        try:
            told.append(str(act()))
        except TikzgenError as error:
            told += [str(error), getattr(error, "log", "")]

    return acted


def watched(file: Path, engine: str) -> object:
    """What `tikzgen watch` does with a file."""
    settings = Settings(find_words, engine=engine, time_limit=SECONDS)
    studio = Studio(settings, geometry=True, measure=False, trust=False, allow_invalid=False)
    reading = SpecReading(file, drawn=True)
    source = studio.make_tex(reading)
    looked = studio.look(reading, source)
    picture = studio.make_picture(source, file, None)
    return looked, picture.data, picture.alt, picture.notes


RUNS_TEX = ("build", "check geometry", "probe", "bundle pdf", "watch", "mcp preview")


def verbs(file: Path, engine: str) -> dict[str, Callable[[Told], None]]:
    """Each verb on a stranger's file."""
    name = str(file)
    built = ("build", name, "-f", "pdf,png,svg", "--engine", engine, "--time-limit", f"{SECONDS:g}")
    tools = Tools(Path())
    operation = [{"operation": "set", "parameter": "rowsep", "value": 2}]
    return {
        "build": command(*built, "--keep", "kept"),
        "build again": command(*built),
        "check": command("check", name),
        "check geometry": command("check", "--geometry", name),
        "probe": called(lambda: probe([file.read_text()], engine=engine)),
        "bundle": command("bundle", name, "-o", "bundled"),
        "bundle pdf": command("bundle", name, "--pdf", "--engine", engine, "-o", "bundled-pdf"),
        "watch": called(lambda: watched(file, engine)),
        "show": command("show", name),
        "edit": command("edit", name, "set", "rowsep=2"),
        "pull": command("pull", name, "-o", "pulled.yaml"),
        "preamble": command("preamble", name),
        "metrics": command("metrics", name),
        "render": command("render", name, "-o", "rendered.tex"),
        "mcp show": called(lambda: tools.show(name)),
        "mcp plan": called(lambda: tools.plan(name, operation)),
        "mcp check": called(lambda: tools.check(name)),
        "mcp render": called(lambda: tools.render(name, "agent.tex")),
        "mcp preview": called(lambda: tools.preview(name)),
    }


def proven(theirs: Path, told: Told, verb: str) -> None:
    """Nothing of the reader's came out, and nothing of theirs is another."""
    assert SECRET not in "".join(told), verb
    assert sorted(path.name for path in theirs.iterdir()) == ["secret.pdf", "secret.txt"], verb
    assert (theirs / "secret.txt").read_text() == SECRET
    for path in Path().rglob("*"):
        if path.is_file():
            assert SECRET not in held(path), f"{verb}: {path}"


@pytest.mark.parametrize(("attack", "engine"), attacks())
def test_a_figure_of_a_stranger(attack: str, engine: str, theirs: Path) -> None:
    """By day, a verb other than `build` that runs TeX meets two attacks."""
    source = written(CASES / f"{attack}.tex", theirs)
    file = Path("a.tex")
    for verb, act in verbs(file, engine).items():
        if not NIGHTLY and verb in RUNS_TEX[1:] and (RUNS_TEX.index(verb) + IN_CI.index(attack)) % 3:
            continue
        file.write_text(source)
        told: Told = []
        act(told)
        proven(theirs, told, verb)
        file.unlink()
    if find_cell() is None:
        assert not list(Path().rglob("*.pdf")), "without a sandbox nothing is compiled"


FORGED = ("pdflatex-setkeys", "xelatex-setkeys", "lualatex-setkeys-write", "lualatex-csuse-write")


def forged(source: str) -> str:
    """The attack with a description that was taken from elsewhere, and a digest that fits."""
    capsule = loads("recipe: data-parallel\ntitle: !tex x\n").tex().partition("\\end{document}\n")[2]
    told = capsule.rpartition("% tikzgen digest: ")[0]
    return f"{source}{told}% tikzgen digest: {_compute_digest(source + told)}\n"


@pytest.mark.parametrize(
    ("attack", "sandbox"),
    [
        (attack, sandbox)
        for row, attack in enumerate(FORGED)
        for column, sandbox in enumerate(SANDBOXES)
        if NIGHTLY or (row + column) % 2 == 0  # each attack in one of them or two, each of them with two attacks
    ],
)
def test_a_figure_that_looks_like_ours(
    attack: str, sandbox: str, theirs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a list of forbidden names lets by, in each sandbox, and where there is none."""
    only(sandbox, monkeypatch)
    source = forged(written(CASES / "confined" / f"{attack}.tex", theirs))
    assert is_untouched(source)
    file = Path("a.tex")
    file.write_text(source)
    engine = attack.partition("-")[0]
    acts = verbs(file, engine)
    for verb in RUNS_TEX:
        told: Told = []
        acts[verb](told)
        proven(theirs, told, verb)
        if find_cell() is None:
            assert "is not as tikzgen wrote it, and no sandbox" in "".join(told), verb
            assert not list(Path().rglob("*.pdf")), verb
        elif verb == "build" and engine != "pdflatex":
            assert Path("a.pdf").exists(), "pdfTeX alone fails where it cannot read the file"


# ---- specs


def bodies(theirs: Path) -> list[str]:
    """What each attack has between \\begin{document} and \\end{document}."""
    found = []
    for folder in ("confined", "attacks", "hostile"):
        for case in sorted((CASES / folder).glob("*.tex")):
            text = written(case, theirs).partition("\\begin{document}")[2].partition("\\end{document}")[0]
            found.append(" ".join(text.split()))
    return found


SPECS = {
    "raw text": "recipe: data-parallel\ntitle: !tex {}\n",
    "raw label": "recipe: parameter-server\nlabels:\n  rule: !tex {}\n",
    "maths": "recipe: data-parallel\ntitle: ${}$\n",
    "words": "recipe: data-parallel\nmeta:\n  author: {}\n",
    "style": "recipe: data-parallel\nphases:\n  compute:\n    style: {}\n",
    "own figure": "panels:\n- id: t\n  content: {{type: topology, nodes: [{{kind: worker, id: w, label: !tex {}}}]}}\n",
    "description": "recipe: data-parallel\nmeta: {{description: {}}}\n",
}


REACHES = re.compile(r"\\directlua|\\write|\\input|\\openin|\\openout|\\pdfobj|\\special|\^\^")


@pytest.mark.parametrize("where", SPECS)
def test_a_spec_of_a_stranger(where: str, theirs: Path) -> None:
    """What stands in a spec is refused before TeX sees it, or is a text as any other."""
    for body in bodies(theirs):
        told: Told = []
        quoted = "'" + body.replace("'", "''") + "'"
        Path("a.yaml").write_text(SPECS[where].format(quoted))
        command("render", "a.yaml", "-o", "out.tex")(told)
        if Path("out.tex").exists():
            tex = Path("out.tex").read_text().partition("\\end{document}")[0]
            lines = "\n".join(line.partition("%")[0] for line in tex.splitlines())
            for reaches in (
                r"\directlua",
                r"\write",
                r"\input",
                r"\openin",
                r"\openout",
                r"\pdfobj",
                r"\special",
                "^^",
            ):
                assert reaches not in lines, body
            Path("out.tex").unlink()
        proven(theirs, told, body)


def test_each_verb_refuses_raw_tex_that_reaches_for_files(theirs: Path) -> None:
    spec = f"recipe: data-parallel\ntitle: !tex '\\immediate\\pdfobj stream file {{{theirs}/secret.txt}}'\n"
    line = "a.yaml:2:8: title: "
    for verb, act in verbs(Path("a.yaml"), "pdflatex").items():
        Path("a.yaml").write_text(spec)
        told: Told = []
        act(told)
        proven(theirs, told, verb)
        if verb not in ("show", "edit", "pull", "preamble", "probe", "mcp show", "mcp plan", "watch"):
            assert line in "".join(told), verb
        assert not list(Path().rglob("*.pdf")), verb


def test_what_a_template_writes_is_a_strangers(theirs: Path) -> None:
    """A template may write any TeX; what comes of it is not as tikzgen writes it."""
    Path("mine").mkdir()
    attack = rf"\immediate\pdfobj stream file {{{theirs}/secret.txt}}\pdfrefobj\pdflastobj "
    plain = (ROOT / "templates" / "figure.tex.j2").read_text("utf-8")
    Path("mine/figure.tex.j2").write_text(plain.replace(r"\begin{document}", rf"\begin{{document}}{attack}"))
    Path("a.yaml").write_text("recipe: data-parallel\n")
    told: Told = []
    command("render", "a.yaml", "--templates", "mine", "-o", "a.tex")(told)
    assert r"\pdfobj" in Path("a.tex").read_text()
    Path("a.yaml").unlink()
    command("build", "a.tex", "-f", "pdf,png,svg")(told)
    proven(theirs, told, "build")
    assert find_cell() is not None or not Path("a.pdf").exists()


NAMES = ["$(touch x).yaml", "`touch x`.yaml", "-o.yaml", "a\nb.yaml", "a;touch x.yaml", "'\".yaml", "%s\\input.yaml"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_a_name(name: str, theirs: Path) -> None:
    Path(name).write_text("recipe: data-parallel\nworkers: 1\n")
    for verb in (["build", "-f", "pdf,svg"], ["render"], ["check"], ["metrics"], ["bundle", "-o", "bundled"]):
        done = run(*verb, "--", name)
        assert done.status in (0, 1, 2)
        assert "Traceback" not in done.err
    allowed = {name, *(str(Path(name).with_suffix(end)) for end in (".pdf", ".svg", ".tex", ".meta.json")), "bundled"}
    assert {path.name for path in Path().iterdir()} <= allowed
    assert Path(name).with_suffix(".pdf").exists()


def test_links_of_a_stranger_lead_nowhere(theirs: Path) -> None:
    spec = "recipe: data-parallel\nworkers: 1\n"
    (theirs / "profile").write_text("the reader's own")
    Path("fig.yaml").write_text(spec)
    for suffix in (".pdf", ".png", ".svg", ".tex", ".meta.json"):
        Path(f"fig{suffix}").symlink_to(theirs / "profile")
    for verb in (["build", "fig.yaml", "-f", "pdf,png,svg"], ["render", "fig.yaml"], ["build", "fig.tex"]):
        done = run(*verb)
        assert done.status in (1, 3)
        assert "Traceback" not in done.err
        assert (theirs / "profile").read_text() == "the reader's own"
    with pytest.raises(
        FileRefused, match=r"fig\.pdf: not overwritten: it is a link to .*profile, outside its folder \("
    ):
        write_file(Path("fig.pdf"), b"x")
