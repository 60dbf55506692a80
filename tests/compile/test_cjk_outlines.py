"""Chinese labels in pictures without TeX: outlines of a font that is here, or no picture.

Source of the first input: a topology with one node, whose label was an empty box on a machine without fonts.
"""

from __future__ import annotations

import logging
import os
import re
import tomllib
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pypdfium2
import pytest
from command import run
from conftest import ROOT
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTCollection, TTFont
from fontTools.ttLib.tables.TupleVariation import TupleVariation

from tikzgen import loads
from tikzgen.base.errors import TikzgenError
from tikzgen.compile.draw.output import cjk_outlines, find_cjk_fonts
from tikzgen.compile.draw.output.cjk_outlines import cjk_outline
from tikzgen.compile.draw.output.set_text import set_text
from tikzgen.compile.draw.unsupported import GlyphsMissing, Unsupported
from tikzgen.compile.formats_without_tex import drawn_pdf, drawn_slides, drawn_svg
from tikzgen.compile.make_formats import Settings
from tikzgen.compile.tex.install import System
from tikzgen.compile.tex.tools_here import examine_machine
from tikzgen.edit.find_words import find_words
from tikzgen.model.about import WORDLESS
from tikzgen.serve.watch.make_views import Failed, PictureOfFigure, Studio

SPEC = "panels: [{content: {type: topology, nodes: [{kind: node, id: a, label: 客户端}]}}]\n"
CHARS = "客户端"
USE = "{http://www.w3.org/2000/svg}use"


def make_font(
    place: Path, chars: str, name: str = "Test Hei", *, em: int = 1000, width: float = 1.0, height: float = 0.8
) -> Path:
    """Write a font whose characters are bars, each as high as its place among them says; return its path."""
    glyphs = {".notdef": TTGlyphPen(None).glyph()}
    for at, char in enumerate(chars, 1):
        pen = TTGlyphPen(None)
        left, right, top = round(0.1 * em), round((width - 0.1) * em), round(height * em * at / len(chars))
        pen.moveTo((left, 0))
        for corner in ((left, top), (right, top), (right, 0)):
            pen.lineTo(corner)
        pen.closePath()
        glyphs[f"u{ord(char):x}"] = pen.glyph()
    builder = FontBuilder(em, isTTF=True)
    builder.setupGlyphOrder(list(glyphs))
    builder.setupCharacterMap({ord(char): f"u{ord(char):x}" for char in chars})
    builder.setupGlyf(glyphs)
    builder.setupHorizontalMetrics(
        {each: (round(width * em), round(0.1 * em) if each != ".notdef" else 0) for each in glyphs}
    )
    builder.setupHorizontalHeader(ascent=round(0.88 * em), descent=-round(0.12 * em))
    builder.setupNameTable({"familyName": name, "styleName": "Regular", "fullName": name, "version": "Version 1.25"})
    builder.setupOS2()
    builder.setupPost()
    builder.save(place)
    return place


@pytest.fixture
def fonts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Let only the given files be fonts, for sans labels and for serif ones."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def use(sans: Sequence[Path] = (), serif: Sequence[Path] | None = None) -> None:
        found = {"sans": sans, "serif": sans if serif is None else serif}
        monkeypatch.setattr(cjk_outlines, "font_files", lambda kind: iter(found[kind]))
        set_text.cache_clear()

    use()
    return use


# -- no font ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["svg", "png", "pdf", "svg,png,pdf"])
def test_no_picture_is_written_without_a_font(form: str, fonts: Callable[..., None], tmp_path: Path) -> None:
    spec = tmp_path / "k.yaml"
    spec.write_text(SPEC, encoding="utf-8")
    done = run("build", str(spec), "-f", form, "--engine", "none", "-o", str(tmp_path / "out"))
    assert done.status == 3
    (line,) = [line for line in done.err.splitlines() if CHARS in line]
    start = f'{spec}:1:72: panels[0].content.nodes[0].label: label "{CHARS}": no outlines for {CHARS} (pip install '
    assert line.startswith(start)
    assert [path for path in tmp_path.rglob("*") if path.suffix in (".svg", ".png", ".pdf")] == []


def test_a_character_that_a_font_of_tex_lacks_is_refused(tmp_path: Path) -> None:
    """Raw TeX can ask for any; the picture had nothing in its place."""
    source = loads("recipe: data-parallel\nlabels: {server: !tex 'a\\char200 b'}\n").tex()
    with pytest.raises(Unsupported, match=r"line \d+: the text .*, with character 200 of cmss8, cannot be drawn"):
        drawn_svg(source, find_words(source))


@pytest.mark.parametrize("form", ["svg", "png", "pdf"])
def test_render_to_a_picture_writes_nothing_without_a_font(
    form: str, fonts: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    (tmp_path / "k.yaml").write_text(SPEC, encoding="utf-8")
    done = run("render", str(tmp_path / "k.yaml"), "-o", str(tmp_path / f"k.{form}"))
    assert done.status == 3
    assert not (tmp_path / f"k.{form}").exists()
    if form != "pdf":
        assert f'label "{CHARS}": no outlines for {CHARS} (pip install ' in done.err


def test_one_figure_without_a_font_leaves_the_others(fonts: Callable[..., None], tmp_path: Path) -> None:
    (tmp_path / "chinese.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "english.yaml").write_text(SPEC.replace(CHARS, "client"), encoding="utf-8")
    done = run("build", str(tmp_path), "-f", "svg", "--engine", "none", "-o", str(tmp_path / "out"))
    assert (done.status, "1 built" in done.err + done.out) == (3, True)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["english.svg"]


def test_the_message_names_only_the_missing_characters(fonts: Callable[..., None], tmp_path: Path) -> None:
    fonts([make_font(tmp_path / "a.ttf", "客端")])
    with pytest.raises(GlyphsMissing, match=f'^line \\d+: label "{CHARS}": no outlines for 户 \\(pip install '):
        loads(SPEC).svg().encode()


def test_every_way_to_draw_refuses(fonts: Callable[..., None], tmp_path: Path) -> None:
    source = loads(SPEC).tex()
    for draw in (drawn_svg, drawn_pdf, partial(drawn_slides, transparent=False)):
        with pytest.raises(GlyphsMissing):
            draw(source, WORDLESS)
    with pytest.raises(TikzgenError) as refused:
        loads(SPEC).build(tmp_path / "k.png", engine="none")
    assert refused.value.exit_status == 3
    assert not (tmp_path / "k.png").exists()


def test_a_notebook_shows_the_reason(fonts: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    shown = loads(SPEC)._repr_mimebundle_()
    assert list(shown) == ["text/plain"]
    assert re.match(rf'% no picture: .*label "{CHARS}": no outlines for {CHARS}', shown["text/plain"])


def test_watch_names_the_field(fonts: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "")
    (tmp_path / "k.yaml").write_text(SPEC, encoding="utf-8")
    studio = Studio(Settings(find_words), allow_invalid=False, trust=False, measure=False, geometry=False)
    (drawn,) = studio.draw(tmp_path / "k.yaml")
    assert isinstance(drawn, PictureOfFigure) and drawn.picture is None
    (failed, *_) = studio.finish(tmp_path / "k.yaml", drawn)
    assert isinstance(failed, Failed)
    (trouble,) = failed.troubles
    assert "panels[0].content.nodes[0].label" in trouble.message
    assert f'label "{CHARS}": no outlines for {CHARS} (pip install ' in trouble.message


def test_the_doctor_tells_how_to_install_a_font(fonts: Callable[..., None], tmp_path: Path) -> None:
    missing = [each for each in examine_machine(System("linux", ("debian",))).findings if each.group == "fonts"]
    assert [(each.name, each.found) for each in missing] == [("sans", ""), ("serif", "")]
    assert all("pip install" in each.purpose for each in missing)
    fonts([make_font(tmp_path / "a.ttf", CHARS)])
    found = [each for each in examine_machine(System("linux", ("debian",))).findings if each.group == "fonts"]
    assert [each.found for each in found] == ["Test Hei 1.25"] * 2
    assert not any("pip install" in each.purpose for each in found)


# -- with a font -----------------------------------------------------------------------------------------------------


def test_outlines_stand_once_each_where_the_layout_planned(fonts: Callable[..., None], tmp_path: Path) -> None:
    fonts([make_font(tmp_path / "a.ttf", CHARS)])
    root = ElementTree.fromstring(loads(SPEC.replace(CHARS, CHARS * 2)).svg().encode())
    used = [each for each in root.iter(USE) if "-cjk-sans-" in each.attrib["href"]]
    names = [each.attrib["href"].partition("-cjk-sans-")[2] for each in used]
    assert names == [f"{ord(char):x}-8" for char in CHARS * 2]
    places = [float(each.attrib["x"]) for each in used]
    assert [round(after - before, 3) for before, after in pairwise(places)] == [8.0] * 5
    ids = [each.attrib["id"] for each in root.iter() if "-cjk-sans-" in each.attrib.get("id", "")]
    assert len(ids) == len(set(ids)) == 3
    texts = {each.text: each.attrib for each in root.iter("{http://www.w3.org/2000/svg}text")}
    assert texts[CHARS * 2]["fill-opacity"] == "0", "selectable, and drawn by outlines alone"
    assert float(texts[CHARS * 2]["textLength"]) == 48


def test_a_pdf_holds_each_character_once_and_no_font(fonts: Callable[..., None], tmp_path: Path) -> None:
    fonts([make_font(tmp_path / "a.ttf", CHARS)])
    source = loads(SPEC.replace(CHARS, CHARS * 4)).tex()
    pdf = drawn_pdf(source, find_words(source))
    assert pdf == drawn_pdf(source, find_words(source))
    assert pdf.count(b"/Subtype/Form") == 3
    assert b"/Type/Font" not in pdf
    document = pypdfium2.PdfDocument(pdf)
    assert len(list(document[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_FORM]))) == 12


def test_the_ink_of_each_character_is_seen(fonts: Callable[..., None], tmp_path: Path) -> None:
    """Bars of different heights: the columns of the picture have more and more ink."""
    fonts([make_font(tmp_path / "a.ttf", CHARS)])
    page = pypdfium2.PdfDocument(drawn_pdf(loads(SPEC).tex(), WORDLESS))[0]
    image = page.render(scale=10, grayscale=True)
    pixels, middle = bytes(image.buffer), image.width / 2
    em = 8 * 10 * 72 / 72.27
    inks = []
    for column in (-1, 0, 1):
        x = round(middle + column * em)
        inks.append(
            sum(pixels[row * image.stride + x] < 128 for row in range(image.height // 8, image.height * 7 // 8))
        )
    assert [round(ink / em, 1) for ink in inks] == [0.3, 0.5, 0.8]


def test_pictures_record_the_font(fonts: Callable[..., None], tmp_path: Path) -> None:
    font = make_font(tmp_path / "a.ttf", CHARS)
    fonts([font])
    told = f"Test Hei 1.25 (sha256 {sha256(font.read_bytes()).hexdigest()})"
    for form in ("svg", "png", "pdf"):
        loads(SPEC).build(tmp_path / f"k.{form}", engine="none")
    assert f"<metadata>Fonts: {told}</metadata>" in (tmp_path / "k.svg").read_text(encoding="utf-8")
    assert b"Fonts\0" + told.encode() in (tmp_path / "k.png").read_bytes()
    assert f"/Fonts<{told.encode().hex()}>".encode() in (tmp_path / "k.pdf").read_bytes()
    loads(SPEC.replace(CHARS, "client")).build(tmp_path / "e.svg", engine="none")
    assert "<metadata>" not in (tmp_path / "e.svg").read_text(encoding="utf-8")


def test_another_font_makes_another_picture(fonts: Callable[..., None], tmp_path: Path) -> None:
    """What was drawn before comes from the cache only if the fonts are the same."""
    fonts([make_font(tmp_path / "a.ttf", CHARS)])
    first = loads(SPEC).build(tmp_path / "k.svg", engine="none").read_bytes()
    fonts([make_font(tmp_path / "b.ttf", CHARS, "Other Hei", height=0.5)])
    other = loads(SPEC).build(tmp_path / "k.svg", engine="none").read_bytes()
    assert b"Test Hei" in first and b"Other Hei" in other
    fonts()
    with pytest.raises(TikzgenError):
        loads(SPEC).build(tmp_path / "k.svg", engine="none")


def test_serif_labels_take_a_serif_font(fonts: Callable[..., None], tmp_path: Path) -> None:
    hei, song = make_font(tmp_path / "a.ttf", CHARS), make_font(tmp_path / "b.ttf", CHARS, "Test Song")
    fonts([hei, song], [song, hei])
    assert b"Fonts: Test Hei" in loads(SPEC).svg().encode()
    assert b"Fonts: Test Song" in loads("font: {family: serif}\n" + SPEC).svg().encode()


def test_the_playground_draws_outlines_that_were_packed(
    fonts: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "web"))
    packed_outlines = import_module("playground_files").packed_outlines
    font = make_font(tmp_path / "a.ttf", CHARS)
    fonts([font])
    drawn = loads(SPEC).svg().encode()
    fonts()
    (tmp_path / "cjk.json").write_text(packed_outlines(font), encoding="utf-8")
    monkeypatch.setattr(cjk_outlines, "PACKED_OUTLINES", tmp_path / "cjk.json")
    cjk_outlines._read_packed.cache_clear()
    assert loads(SPEC).svg().encode() == drawn
    with pytest.raises(GlyphsMissing):
        loads(SPEC.replace(CHARS, "客人")).svg().encode()
    monkeypatch.undo()
    cjk_outlines._read_packed.cache_clear()


# -- fonts of all kinds ----------------------------------------------------------------------------------------------


def test_a_font_with_another_em_is_scaled(fonts: Callable[..., None], tmp_path: Path) -> None:
    fonts([make_font(tmp_path / "a.ttf", "客", em=256)])
    found = cjk_outline("cjk-sans", "客")
    assert found is not None
    x, y = map(float, re.findall(r"-?[\d.]+", found.path)[:2])
    assert (x, y) == (pytest.approx(101.6, abs=0.1), 0.0)


def test_a_font_whose_characters_are_narrower_is_passed_over(fonts: Callable[..., None], tmp_path: Path) -> None:
    narrow = make_font(tmp_path / "a.ttf", CHARS, "Half", width=0.5)
    fonts([narrow, make_font(tmp_path / "b.ttf", CHARS)])
    assert cjk_outline("cjk-sans", "客").font == "Test Hei 1.25"  # type: ignore[union-attr]
    fonts([narrow])
    assert cjk_outline("cjk-sans", "客") is None


@pytest.mark.parametrize("damage", [b"", b"\0\1\0\0", b"no font at all, but long enough to be read as one"])
def test_a_damaged_font_is_passed_over(damage: bytes, fonts: Callable[..., None], tmp_path: Path) -> None:
    (tmp_path / "bad.ttf").write_bytes(damage)
    (tmp_path / "bad.ttc").write_bytes(damage)
    fonts([tmp_path / "bad.ttf", tmp_path / "bad.ttc", tmp_path / "gone.otf", make_font(tmp_path / "b.ttf", CHARS)])
    assert cjk_outline("cjk-sans", "客").font == "Test Hei 1.25"  # type: ignore[union-attr]


def test_a_cut_font_is_passed_over(fonts: Callable[..., None], tmp_path: Path) -> None:
    data = make_font(tmp_path / "a.ttf", CHARS).read_bytes()
    good = make_font(tmp_path / "b.ttf", CHARS, "Good")
    for size in range(100, len(data), 97):
        (tmp_path / f"{size}.ttf").write_bytes(data[:size])
        fonts([tmp_path / f"{size}.ttf", good])
        assert cjk_outline("cjk-sans", "端") is not None


def test_of_a_collection_the_simplified_font_is_taken(fonts: Callable[..., None], tmp_path: Path) -> None:
    collection = TTCollection()
    for name in ("Test Sans JP", "Test Sans SC Bold", "Test Sans SC Regular", "Test Sans TC"):
        collection.fonts.append(TTFont(make_font(tmp_path / f"{name}.ttf", CHARS, name)))
    collection.save(tmp_path / "all.ttc")
    fonts([tmp_path / "all.ttc"])
    assert cjk_outline("cjk-sans", "客").font == "Test Sans SC Regular 1.25"  # type: ignore[union-attr]


def test_a_variable_font_is_drawn_in_regular_weight(fonts: Callable[..., None], tmp_path: Path) -> None:
    """Its default may be thin, as that of Noto Sans CJK is."""
    builder = FontBuilder(font=TTFont(make_font(tmp_path / "a.ttf", "客")))
    builder.setupFvar([("wght", 100, 100, 700, "Weight")], [])
    wider = TupleVariation({"wght": (0.0, 1.0, 1.0)}, [(0, 0), (0, 0), (200, 0), (200, 0), *[(0, 0)] * 4])
    builder.setupGvar({"u5ba2": [wider]})
    builder.save(tmp_path / "b.ttf")
    fonts([tmp_path / "b.ttf"])
    found = cjk_outline("cjk-sans", "客")
    assert found is not None
    assert found.path == "m100 0l0 800l900 0l0-800z"


def test_reading_a_font_prints_nothing(fonts: Callable[..., None], tmp_path: Path) -> None:
    fonts([make_font(tmp_path / "a.ttf", "客")])
    assert cjk_outline("cjk-sans", "客") is not None
    assert logging.getLogger("fontTools").handlers


# -- where fonts are looked for --------------------------------------------------------------------------------------


def program(place: Path, lines: Sequence[object]) -> None:
    """Write a program that prints these lines."""
    place.write_text("#!/bin/sh\n" + "".join(f"printf '%s\\n' '{line}'\n" for line in lines), encoding="utf-8")
    place.chmod(0o755)


def placed(folder: Path, *names: str) -> list[Path]:
    folder.mkdir(exist_ok=True, parents=True)
    for name in names:
        (folder / name).write_bytes(zlib.compress(name.encode()))
    return [folder / name for name in names]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine with nothing on its PATH, no usual folders, and no package with fonts."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(find_cjk_fonts, "_PACKAGES", {"sans": (), "serif": ()})
    monkeypatch.setattr(find_cjk_fonts, "_FOLDERS", {})
    (tmp_path / "bin").mkdir()
    find_cjk_fonts._system_fonts.cache_clear()
    return tmp_path


def names(kind: str) -> list[str]:
    return [path.name for path in find_cjk_fonts.font_files(kind)]


def test_a_machine_without_fonts_has_none(machine: Path) -> None:
    assert names("sans") == names("serif") == []


def test_fontconfig_tells_the_fonts_of_the_system(machine: Path) -> None:
    files = placed(machine / "f", "odd.ttf", "simsun.ttc", "wqy-zenhei.ttc", "old.pcf", "latin.ttf")
    kinds = ["TrueType", "TrueType", "TrueType", "PCF", "TrueType"]
    languages = ["en|zh-cn", "zh-cn", "ja|zh-cn", "zh-cn", "en|zh-tw"]
    rows = ["\t".join(map(str, row)) for row in zip(kinds, languages, files, strict=True)]
    program(machine / "bin" / "fc-match", [*rows, "not a row", f"TrueType\tzh-cn\t{machine / 'gone.ttf'}"])
    assert names("sans") == ["wqy-zenhei.ttc", "simsun.ttc", "odd.ttf"]
    assert names("serif") == ["simsun.ttc", "wqy-zenhei.ttc", "odd.ttf"]


def test_the_fonts_of_xelatex_come_before_those_of_the_system(machine: Path) -> None:
    fandol = placed(machine / "t", "FandolHei-Regular.otf", "FandolSong-Regular.otf")
    (noto,) = placed(machine / "f", "NotoSansCJK-Regular.ttc")
    program(machine / "bin" / "kpsewhich", fandol)
    program(machine / "bin" / "fc-match", [f"CFF\tzh-cn\t{noto}"])
    assert names("sans") == ["FandolHei-Regular.otf", "NotoSansCJK-Regular.ttc", "FandolSong-Regular.otf"]
    assert names("serif")[0] == "FandolSong-Regular.otf"


def test_known_files_are_found_without_fontconfig(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    placed(machine / "fonts" / "deep", "gbsn00lp.ttf", "PingFang.ttc", "unknown.ttf", "STHeiti Light.ttc")
    monkeypatch.setattr(find_cjk_fonts, "_FOLDERS", {find_cjk_fonts.sys.platform: (str(machine / "fonts"),)})
    assert names("sans") == ["PingFang.ttc", "STHeiti Light.ttc", "gbsn00lp.ttf"]


def test_the_extra_comes_first(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    placed(machine / "lib" / "some_fonts", "__init__.py", "Sans.otf", "Serif.otf")
    (machine / "lib" / "some_fonts" / "__init__.py").write_text("raise SystemExit('nothing of it is run')")
    packages: Mapping[str, tuple[tuple[str, str], ...]] = {
        "sans": (("not_installed_fonts", "X.otf"), ("some_fonts", "Sans.otf"), ("some_fonts", "Gone.otf")),
        "serif": (("some_fonts", "Serif.otf"),),
    }
    monkeypatch.setattr(find_cjk_fonts, "_PACKAGES", packages)
    monkeypatch.syspath_prepend(str(machine / "lib"))
    fandol = placed(machine / "t", "FandolHei-Regular.otf")
    program(machine / "bin" / "kpsewhich", fandol)
    assert names("sans") == ["Sans.otf", "FandolHei-Regular.otf", "Serif.otf"]
    assert names("serif") == ["Serif.otf", "Sans.otf", "FandolHei-Regular.otf"]


def test_a_font_in_the_current_folder_is_not_read(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be a stranger's folder, and kpsewhich searches the current one first."""
    placed(machine / "project", "FandolHei-Regular.otf")
    monkeypatch.chdir(machine / "project")
    (machine / "bin" / "kpsewhich").write_text('#!/bin/sh\necho "$(pwd)/$1"\n')
    (machine / "bin" / "kpsewhich").chmod(0o755)
    assert names("sans") == []


def test_a_program_that_fails_tells_no_fonts(machine: Path) -> None:
    (machine / "bin" / "fc-match").write_text("#!/bin/sh\nexit 1\n")
    (machine / "bin" / "fc-match").chmod(0o755)
    (machine / "bin" / "kpsewhich").write_bytes(b"\x7fELF broken")
    (machine / "bin" / "kpsewhich").chmod(0o755)
    assert names("sans") == []


def test_the_extra_has_a_font_that_is_looked_for() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    required = {re.split("[<>=]", each)[0].replace("-", "_") for each in extras[find_cjk_fonts.EXTRA]}
    for packages in find_cjk_fonts._PACKAGES.values():
        assert required & {package for package, _ in packages}
    assert set(extras[find_cjk_fonts.EXTRA]) <= set(extras["test"])


def test_this_machine_has_a_font_for_the_tests() -> None:
    """The extra `test` brings one; `tests/run` is of no use without."""
    assert cjk_outlines.first_font("sans"), os.environ.get("PATH")
