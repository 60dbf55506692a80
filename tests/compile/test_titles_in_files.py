"""What a built figure says of itself: title and description in PDF, PNG and SVG."""

from __future__ import annotations

import re
import struct
import subprocess
import zlib
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pypdfium2
import pytest
from conftest import ROOT, example_tex

from tikzgen import recipes
from tikzgen.base.plane.units import PT_PER_BP
from tikzgen.compile import convert
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.compile.draw.output.write_pdf import to_pdf
from tikzgen.compile.draw.output.write_svg import to_svg
from tikzgen.compile.pdf import object_streams, page_size
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.compile.tex.engines import FAMILIAR
from tikzgen.emit.describe_figure import make_about
from tikzgen.model.about import About

FIGURES = {path.stem: path.read_text("utf-8") for path in (ROOT / "tests" / "cases/tex/figures").glob("*.tex")}
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
NAMED = ["ascii", "unicode", "title", "description", "language", "language-alone", "told-in-another"]
GOLDEN = example_tex("ring")
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


@pytest.mark.tex
@pytest.mark.parametrize("engine", FAMILIAR)
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


@pytest.mark.tex
@pytest.mark.parametrize("engine", FAMILIAR)
def test_words_mean_nothing_to_tex_and_may_be_long(engine: str) -> None:
    hostile = About("} \\undefined % # $ ^^M >>", "\\input{x} " * 4000)
    facts = told(pdf("plain", engine, hostile))
    assert facts["Title"] == hostile.title
    assert facts["Subject"].strip() == hostile.description.strip()


@pytest.mark.tex
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


@pytest.mark.tex
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


@pytest.mark.parametrize("background", ["", "#ffffff"])
@pytest.mark.parametrize("words", [*WORDS, About()], ids=[*NAMED, "none"])
def test_words_and_paper_stand_in_the_svg(words: About, background: str) -> None:
    said = {"title": words.title, "description": words.description, "language": words.language}
    svg = to_svg(draw(GOLDEN.read_text("utf-8")), **said, told_in=words.told_in, background=background)
    root = ElementTree.fromstring(svg)
    by_id = {element.get("id"): element for element in root.iter()}
    named = [by_id[name] for key in ("labelledby", "describedby") for name in root.get(f"aria-{key}", "").split()]
    wanted = {f"{SVG}title": words.title, f"{SVG}desc": words.description}
    assert {element.tag: element.text for element in named} == {tag: text for tag, text in wanted.items() if text}
    assert root.get("role") == "img"
    assert root.get(LANGUAGE, "") == words.language
    told_in = {element.get(LANGUAGE, "") for element in named if element.tag == f"{SVG}desc"}
    assert told_in <= {words.told_in}
    assert list(root)[: len(named)] == named, "before the drawing"
    paper = [element.attrib for element in root.findall(f"{SVG}rect") if element.get("fill") == "#ffffff"]
    box = dict(zip(("x", "y", "width", "height"), root.get("viewBox", "").split(), strict=True))
    assert paper == ([{**box, "fill": "#ffffff"}] if background else [])


@pytest.mark.tex
@pytest.mark.parametrize("words", [*WORDS, About()], ids=[*NAMED, "none"])
def test_words_stand_in_the_pdf_that_is_drawn(words: About) -> None:
    said = {"title": words.title, "description": words.description, "language": words.language}
    data = to_pdf(draw(GOLDEN.read_text("utf-8")), **said)
    facts = told(data)
    assert (facts.get("Title", ""), facts.get("Subject", "")) == (words.title, words.description)
    assert language(data) == words.language
    document = pypdfium2.PdfDocument(data)
    assert len(document) == 1
    assert document[0].get_size() == pytest.approx([side / PT_PER_BP for side in page_size(data)], abs=0.01)
    document.close()


@pytest.mark.tex
def test_every_format_says_what_the_model_says() -> None:
    figure = recipes.data_parallel(workers=2, title="梯度 $\\nabla\\theta$")
    words = make_about(figure)
    assert words.title == "梯度 ∇θ"
    facts = told(figure.build("a.pdf").read_bytes())
    assert (facts["Title"], facts["Subject"]) == (words.title, figure.description)
    said = [text for name, text in chunks(figure.build("a.png", transparent=True).read_bytes()) if name == "iTXt"]
    assert [text.rpartition(b"\0")[2].decode() for text in said] == [words.title, words.description]
    svg = figure.build("a.svg").read_text("utf-8")
    assert words.title in svg
    assert words.description in svg
    assert "Worker 1" in [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert told(figure.build("b.pdf", engine="none").read_bytes())["Title"] == words.title
