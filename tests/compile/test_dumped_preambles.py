"""Dumped preambles: used where they give the same bytes, forgotten when a package changes, never in the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread

import pytest
from conftest import example_tex

from tikzgen.base.errors import LatexError
from tikzgen.compile.tex import compile_tex as compiling
from tikzgen.compile.tex.argv import Limits
from tikzgen.compile.tex.compile_tex import Compiled, compile_tex
from tikzgen.compile.tex.dumped_preambles import DumpedPreamble, Formats, preamble_of
from tikzgen.compile.tex.engines import Engine, Installed, find_engine
from tikzgen.compile.tex.process import Ended

LATIN, CHINESE = (example_tex(name).read_text("utf-8") for name in ("distributed-training", "gradient-accumulation"))
SMALL = "\\documentclass{standalone}\n\\usepackage{xcolor}\n%s\n\\begin{document}\n\\color{red}Hi\n\\end{document}\n"
ENOUGH = 4


@pytest.fixture
def formats(tmp_path: Path) -> Formats:
    return Formats(tmp_path / "formats")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """One entry for each run of an engine: whether it started from a format of ours."""
    found: list[bool] = []
    run: Callable[..., Ended] = compiling.run_process

    def counted(argv: list[str], **options: object) -> Ended:
        found.append(any(argument.startswith("-fmt=") for argument in argv))
        return run(argv, **options)

    monkeypatch.setattr(compiling, "run_process", counted)
    return found


def compiled_often(source: str, formats: Formats) -> list[Compiled]:
    return [compile_tex(source, formats=formats) for _ in range(ENOUGH)]


@pytest.mark.tex
@pytest.mark.parametrize("source", [LATIN, CHINESE], ids=["latin", "chinese"])
def test_the_same_bytes_from_a_format(source: str, formats: Formats, runs: list[bool]) -> None:
    plain = compile_tex(source).pdf
    compiled_often(source, formats)
    runs.clear()
    other = source.replace("% --- figure ---", "% --- another figure with this preamble ---")
    quick = [compile_tex(text, formats=formats) for text in (source, other)]
    assert runs == [True, True]
    assert [made.pdf for made in quick] == [plain, plain]
    assert "tikz.sty" not in quick[0].log


@pytest.mark.tex
def test_a_format_is_made_when_it_pays(formats: Formats, runs: list[bool]) -> None:
    source = SMALL % ""
    compiled_often(source, formats)
    assert runs == [False] * ENOUGH + [True], "the last is the trial"
    assert len(list(formats.folder.glob("*.fmt"))) == 1


@pytest.mark.tex
def test_an_error_is_told_as_without(formats: Formats, runs: list[bool]) -> None:
    compiled_often(SMALL % "", formats)
    bad = (SMALL % "").replace("Hi", "\\foo")
    told = []
    for preambles in (None, formats):
        with pytest.raises(LatexError) as caught:
            compile_tex(bad, formats=preambles)
        told.append((str(caught.value), caught.value.line, caught.value.excerpt, caught.value.log))
    assert told[0] == told[1]
    assert told[0][1] == 5
    assert runs[-2:] == [True, False]


@pytest.mark.tex
@pytest.mark.parametrize("line", [r"\pdfinfo{/Subject (a)}", r"\begingroup"], ids=["other bytes", "cannot be dumped"])
def test_what_a_format_would_change_is_compiled_without(line: str, formats: Formats, runs: list[bool]) -> None:
    source = SMALL % line
    compiled_often(source, formats)
    assert not list(formats.folder.glob("*.fmt"))
    runs.clear()
    compile_tex(source, formats=formats)
    assert runs == [False], "nor is it tried again"


@pytest.mark.tex
def test_a_changed_package_makes_a_new_format(formats: Formats, runs: list[bool]) -> None:
    source = SMALL % ""
    compiled_often(source, formats)
    (record,) = formats.folder.glob("*.json")
    known = json.loads(record.read_bytes())
    assert any(name.endswith("/xcolor.sty") for name in known["files"])
    known["files"][next(iter(known["files"]))][0] += 1
    record.write_text(json.dumps(known))
    runs.clear()
    compile_tex(source, formats=formats)
    assert runs == [False, True]
    runs.clear()
    compile_tex(source, formats=formats)
    assert runs == [True]


@pytest.mark.tex
@pytest.mark.parametrize("damage", ["cut", "junk", "gone"])
def test_a_damaged_format_does_no_harm(damage: str, formats: Formats, runs: list[bool]) -> None:
    source = SMALL % ""
    plain = compiled_often(source, formats)[0].pdf
    (place,) = formats.folder.glob("*.fmt")
    size = place.stat().st_size
    if damage == "gone":
        place.unlink()
    else:
        place.write_bytes(b"junk" * (size // 4 + 1) if damage == "junk" else place.read_bytes()[: size // 2])
    if damage == "junk":
        place.write_bytes(place.read_bytes()[:size])
    assert compile_tex(source, formats=formats).pdf == plain
    runs.clear()
    assert [compile_tex(source, formats=formats).pdf for _ in range(2)] == [plain, plain]
    assert runs[-1], "a new one took its place"
    assert len(runs) <= 3, "and none is run in vain"


@pytest.mark.tex
def test_no_folder_no_format(tmp_path: Path, runs: list[bool]) -> None:
    (tmp_path / "file").write_text("in the way")
    formats = Formats(tmp_path / "file" / "formats")
    compiled_often(SMALL % "", formats)
    assert runs == [False] * ENOUGH


@pytest.mark.parametrize("engine", [Engine.XELATEX, Engine.LUALATEX])
def test_engines_that_keep_fonts_outside_have_none(engine: Engine) -> None:
    assert preamble_of(LATIN, engine) is None


@pytest.mark.parametrize(
    "source", ["", "Hi", "\\begin{document}\n", "\\documentclass{a}\\begin{document}\n", "\\relax\n" + LATIN]
)
def test_what_has_no_usual_preamble_has_no_format(source: str) -> None:
    assert preamble_of(source, Engine.PDFLATEX) is None


def test_lines_keep_their_numbers() -> None:
    found = preamble_of(LATIN, Engine.PDFLATEX)
    assert found is not None
    head = found.text.count("\n")
    assert found.text + "\n".join(found.rest.split("\n")[head:]) == LATIN


@pytest.fixture
def installed() -> Installed:
    return find_engine(Engine.PDFLATEX)


@pytest.mark.tex
def test_one_thread_makes_it(formats: Formats, installed: Installed) -> None:
    preamble, tries, together = DumpedPreamble((SMALL % "").partition("\\begin{document}\n")[0], ""), [], Barrier(2)
    formats.folder.mkdir()

    def trial(place: Path) -> bool:
        tries.append(place)
        return True

    def make() -> None:
        together.wait()
        formats.make(preamble, installed, trial, limits=Limits())

    threads = [Thread(target=make) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tries) == 1
    assert formats.find(preamble, installed)


@pytest.mark.tex
def test_a_few_formats_are_kept(formats: Formats, installed: Installed) -> None:
    formats.folder.mkdir()
    for number in range(20):
        (formats.folder / f"{number}.fmt").write_bytes(b"")
    preamble = DumpedPreamble((SMALL % "").partition("\\begin{document}\n")[0], "")
    formats.make(preamble, installed, lambda _: True, limits=Limits())
    assert len(list(formats.folder.glob("*.fmt"))) == 8
    assert formats.find(preamble, installed), "the newest is among them"


@pytest.mark.tex
def test_searched_folders_are_part_of_it(
    formats: Formats, installed: Installed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    preamble = DumpedPreamble((SMALL % "").partition("\\begin{document}\n")[0], "")
    formats.folder.mkdir()
    formats.make(preamble, installed, lambda _: True, limits=Limits())
    monkeypatch.setenv("TEXINPUTS", f"{tmp_path}:")
    assert formats.find(preamble, installed) is None
