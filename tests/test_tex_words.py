"""What a built figure says of itself: title and description in PDF, PNG and SVG; and SVG whose text is text."""

from __future__ import annotations

import base64
import re
import struct
import subprocess
import zlib
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pypdfium2
import pytest
from command import run

from tikzgen import recipes
from tikzgen.base.errors import LatexError, LatexMissing, TikzgenError
from tikzgen.compile import convert, dvi
from tikzgen.compile.build_figures import build_file
from tikzgen.compile.compile_tex import compile_tex
from tikzgen.compile.confine import Cell, find_cell
from tikzgen.compile.engines import Engine
from tikzgen.compile.pdf import object_streams, page_size
from tikzgen.compile.sandboxes import Bubblewrap
from tikzgen.compile.svg import clean_svg, finished_svg
from tikzgen.compile.svgfonts import clean_faces, families
from tikzgen.describe import About, about

pytestmark = pytest.mark.tex

FIGURES = {path.stem: path.read_text("utf-8") for path in (Path(__file__).parent / "cases/tex/figures").glob("*.tex")}
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
NAMED = ["ascii", "unicode", "title", "description", "language", "language-alone", "told-in-another"]
SVG = "{http://www.w3.org/2000/svg}"
WORDLESS = About()
WORDS = [
    About("Two GPUs", "Gradients (nabla theta) from a\\b to c."),
    About("梯度累积 θ → 😀", "更新 after each step: 27.3 %"),
    About("Only a title"),
    About("", "Only a description"),
    About("一个图", "更新", "zh-Hans"),
    About("", "", "fr"),
    About("一个图", "Two GPUs", "zh-Hans", "en"),
]


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder and a cache that no other test knows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@cache
def pdf(name: str, engine: str = "pdflatex", words: About = WORDLESS) -> bytes:
    return compile_tex(FIGURES[name], engine=engine, words=words).pdf


def language(data: bytes) -> str:
    """What the document's root says; TeX packs it."""
    objects = b"".join([data, *object_streams(data)])
    found = re.search(rb"/Lang\s*(?:<([0-9a-fA-F]*)>|\(([^)]*)\))", objects)
    return "" if found is None else (found[2] or bytes.fromhex(found[1].decode())).decode()


def told(data: bytes) -> dict[str, str]:
    """What poppler reads of a PDF; it complains of what is broken."""
    Path("a.pdf").write_bytes(data)
    done = subprocess.run(["pdfinfo", "-enc", "UTF-8", "a.pdf"], capture_output=True, check=True)
    assert done.stderr == b""
    lines = (line.partition(":") for line in done.stdout.decode().splitlines())
    return {key: value.strip() for key, _, value in lines}


def pixels(data: bytes) -> bytes:
    document = pypdfium2.PdfDocument(data)
    bitmap = document[0].render(scale=2)
    found = bytes(bitmap.buffer)
    document.close()
    return found


@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize("words", WORDS, ids=NAMED)
def test_words_stand_in_the_pdf(engine: str, words: About) -> None:
    plain, made = pdf("plain", engine), pdf("plain", engine, words)
    facts = told(made)
    assert (facts.get("Title", ""), facts.get("Subject", "")) == (words.title, words.description)
    assert language(made) == words.language
    assert facts["Producer"] == told(plain)["Producer"]
    assert pixels(made) == pixels(plain)
    assert page_size(made) == page_size(plain)
    assert compile_tex(FIGURES["plain"], engine=engine, words=words).pdf == made


@pytest.mark.parametrize("engine", Engine)
def test_words_mean_nothing_to_tex_and_may_be_long(engine: str) -> None:
    hostile = About("} \\undefined % # $ ^^M >>", "\\input{x} " * 4000)
    facts = told(pdf("plain", engine, hostile))
    assert facts["Title"] == hostile.title
    assert facts["Subject"].strip() == hostile.description.strip()


def test_a_pdf_with_words_goes_into_a_paper() -> None:
    Path("b.pdf").write_bytes(pdf("plain", words=WORDS[1]))
    paper = r"\documentclass{article}\usepackage{graphicx}\begin{document}\includegraphics{b}\end{document}"
    Path("paper.tex").write_text(paper)
    done = subprocess.run(["pdflatex", "-interaction=batchmode", "paper.tex"], capture_output=True)
    assert done.returncode == 0
    assert "Title" not in told(Path("paper.pdf").read_bytes()), "the figure's title is not the paper's"


def chunks(png: bytes) -> list[tuple[str, bytes]]:
    found, at = [], 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        name, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + data)
        found.append((name.decode(), data))
        at += 12 + length
    return found


@pytest.mark.parametrize("poppler", [False, True])
@pytest.mark.parametrize("words", WORDS, ids=NAMED)
def test_words_and_resolution_stand_in_the_png(words: About, poppler: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if poppler:
        monkeypatch.setattr(convert, "png_converter", lambda: convert.Converter("pdftoppm", "", "pdftoppm"))
    found = chunks(convert.to_png(pdf("plain"), words, dpi=127))
    texts = [data for name, data in found if name in ("tEXt", "iTXt")]
    said = {data.partition(b"\0")[0].decode(): data.rpartition(b"\0")[2].decode() for data in texts}
    wanted = {"Title": words.title, "Description": words.description}
    assert said == {key: text for key, text in wanted.items() if text}
    assert [name for name, data in found if name == "tEXt" and not data.isascii()] == []
    assert {data.split(b"\0")[3].decode() for name, data in found if name == "iTXt"} <= {words.language, words.told_in}
    assert struct.unpack(">IIB", dict(found)["pHYs"]) == (5000, 5000, 1)


@pytest.mark.parametrize("transparent", [False, True])
@pytest.mark.parametrize("words", [*WORDS, About()], ids=[*NAMED, "none"])
def test_words_and_paper_stand_in_the_svg(words: About, transparent: bool) -> None:
    svg = convert.to_svg(pdf("plain"), words, transparent=transparent)
    root = ElementTree.fromstring(svg)
    by_id = {element.get("id"): element for element in root.iter()}
    named = [by_id[name] for name in root.get("aria-labelledby", "").split()]
    wanted = {f"{SVG}title": words.title, f"{SVG}desc": words.description}
    assert {element.tag: element.text for element in named} == {tag: text for tag, text in wanted.items() if text}
    assert root.get("role") == ("img" if named else None)
    assert root.get(LANGUAGE, "") == words.language
    told_in = {element.get(LANGUAGE, "") for element in named if element.tag == f"{SVG}desc"}
    assert told_in <= {words.told_in}
    assert list(root)[: len(named)] == named, "before the drawing"
    paper = [element.attrib for element in root.findall(f"{SVG}rect") if element.get("fill") == "#ffffff"]
    box = dict(zip(("x", "y", "width", "height"), root.get("viewBox", "").split(), strict=True))
    assert paper == ([] if transparent else [{**box, "fill": "#ffffff"}])
    assert clean_svg(svg) == svg


def test_no_two_figures_share_an_id() -> None:
    pages = [convert.to_svg(pdf(name), About()) for name in ("plain", "hatched", "chinese")]
    pages += [finished_svg(pages[0], words) for words in WORDS[:1]]
    ids = [re.findall(r' id="([^"]*)"', page) for page in pages]
    assert all(ids)
    assert len({name for found in ids for name in found}) == sum(map(len, ids))


def text_svg(source: str, cell: Cell | None = None) -> str:
    return finished_svg(dvi.dvi_svg(source, cell=cell), About(), paper=False)


def test_the_program_that_failed_is_named_not_the_sandbox(tmp_path: Path) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\nexit 7\n")
    (tmp_path / "bwrap").chmod(0o755)
    with pytest.raises(LatexError, match=r"^SVG from DVI: pdflatex ended with status 7$"):
        text_svg(FIGURES["chinese"], Bubblewrap(str(tmp_path / "bwrap")))


def texts(svg: str) -> str:
    return "".join(text for element in ElementTree.fromstring(svg).iter(f"{SVG}text") for text in element.itertext())


def test_text_can_be_found_and_has_its_fonts() -> None:
    svg = text_svg(FIGURES["chinese"])
    assert re.search("[\u4e00-\u9fff]", texts(svg))
    css = "".join(element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}style"))
    used = {element.get("font-family") for element in ElementTree.fromstring(svg).iter(f"{SVG}text")}
    assert used == set(families(css))
    assert clean_svg(svg) == svg
    for data in re.findall(r"base64,([^)]*)\)", css):
        font = base64.b64decode(data)
        head = next(at for at in range(12, len(font), 16) if font[at : at + 4] == b"head")
        (begin,) = struct.unpack(">I", font[head + 8 : head + 12])
        assert font[begin + 20 : begin + 36] == bytes(16), "no moment at which it was made"
        assert sum(struct.unpack(f">{len(font) // 4}I", font[: len(font) // 4 * 4])) & 0xFFFFFFFF == 0xB1B0AFBA


def test_words_are_parted_and_kerned_letters_are_not() -> None:
    source = FIGURES["plain"].replace("Worker", "AV Worker To 1, data: $a = b$")
    assert "AV Worker To 1, data:" in texts(text_svg(source))
    once = text_svg(source)
    assert finished_svg(once, About(), paper=False).count("<tspan") == once.count("<tspan")


def test_text_and_paths_make_one_size() -> None:
    for name in ("plain", "hatched"):
        root = ElementTree.fromstring(text_svg(FIGURES[name]))
        size = [float(root.get(side, "").removesuffix("pt")) for side in ("width", "height")]
        one_bp = 72.27 / 72
        assert size == pytest.approx([length / one_bp for length in page_size(pdf(name))], abs=0.02)


def test_hatching_and_the_current_colour_stay_beside_text() -> None:
    assert "url(#" in text_svg(FIGURES["hatched"])
    body = r"\begin{tikzpicture}\color{red}\draw (0,0) -- (1,1); \node {a};\end{tikzpicture}"
    source = rf"\documentclass{{standalone}}\usepackage{{tikz}}\begin{{document}}{body}\end{{document}}"
    assert 'stroke="#f00"' in text_svg(source)


def test_what_dvisvgm_loses_from_pdf_it_takes_from_dvi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convert, "which", {"dvisvgm": "dvisvgm"}.get)
    with pytest.raises(LatexMissing):
        convert.to_svg(pdf("hatched"), About())
    svg = build_file(FIGURES["hatched"], Path("a.svg"), trust=True).read_text("utf-8")
    assert svg.count("url(#") > 1, "hatching and shading"
    assert texts(svg) == ""
    monkeypatch.setattr("tikzgen.compile.produce.has_dvisvgm", lambda: False)
    with pytest.raises(LatexMissing, match="dvisvgm loses"):
        build_file(FIGURES["hatched"], Path("b.svg"), trust=True, transparent=True)
    with pytest.raises(TikzgenError, match=r'no letters of SVG are "lines" \(they are paths or text\)'):
        build_file(FIGURES["plain"], Path("b.svg"), svg_text="lines")  # type: ignore[arg-type]


def test_nothing_foreign_comes_with_text() -> None:
    evil = r"\special{dvisvgm:raw <script>alert(1)</script>}\special{dvisvgm:img 9 9 /etc/passwd}"
    style = r"\special{dvisvgm:raw <style>@import url(http://example.org/a);text\string{fill:red\string}</style>}"
    svg = text_svg(FIGURES["plain"].replace(r"\begin{document}", r"\begin{document}" + evil + style))
    assert not re.search("script|passwd|example|fill:red", svg)
    assert texts(svg)


@pytest.mark.parametrize(
    "css",
    [
        "text{fill:red}",
        "@font-face{font-family:a;src:url(https://example.org/a.ttf) format('truetype');}",
        "@font-face{font-family:a;src:url(data:text/html;base64,AAAA) format('truetype');}",
        "@font-face{font-family:a;src:url(data:application/x-font-ttf;base64,AAA) format('truetype');}",
        "@import url(https://example.org/a.css);",
    ],
)
def test_of_style_sheets_only_fonts_stay(css: str) -> None:
    assert clean_faces(css) == ""


def test_what_does_not_become_text_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LatexError, match="SVG from DVI: pdflatex ended with status 1"):
        dvi.dvi_svg(r"\documentclass{standalone}\foo")
    monkeypatch.setattr(dvi, "which", lambda name: None)
    with pytest.raises(LatexMissing, match=r"needs dvisvgm \(install it: .*; or leave the text as paths\)"):
        dvi.dvi_svg(FIGURES["plain"])


def test_a_strangers_figure_becomes_text_in_the_sandbox() -> None:
    Path("a.tex").write_text(FIGURES["plain"])
    done = run("build", "a.tex", "-o", "a.svg", "--svg-text", "text")
    assert done.status == (0 if find_cell() else 1), done.err
    if cell := find_cell():
        assert text_svg(FIGURES["plain"], cell) == text_svg(FIGURES["plain"])


def test_every_format_says_what_the_model_says() -> None:
    figure = recipes.data_parallel(workers=2, title="梯度 $\\nabla\\theta$")
    words = about(figure)
    assert words.title == "梯度 ∇θ"
    facts = told(figure.build("a.pdf").read_bytes())
    assert (facts["Title"], facts["Subject"]) == (words.title, figure.description)
    said = [text for name, text in chunks(figure.build("a.png", transparent=True).read_bytes()) if name == "iTXt"]
    assert [text.rpartition(b"\0")[2].decode() for text in said] == [words.title, words.description]
    for look in ("paths", "text"):
        svg = figure.build("a.svg", svg_text=look).read_text("utf-8")
        assert words.title in svg
        assert words.description in svg
        assert ("Worker 1" in texts(svg)) is (look == "text")
