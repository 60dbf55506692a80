"""Measured sizes against the boxes that TeX makes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from survey.engines import ENGINES, document, run

from tikzgen.base.cache import Cache
from tikzgen.base.plane.units import PT_PER_CM
from tikzgen.compile.tex.measure_by_tex import TextPreamble, measure_texts
from tikzgen.layout.label_sizes import Asked
from tikzgen.text import LabelFont, Margin, Tex, TextRefused, TextSize, measure, typeset_label

CASES = ROOT / "tests" / "cases" / "text"
FAMILIES = {"sans": r"\sffamily", "serif": r"\rmfamily", "mono": r"\ttfamily"}
TEXT_FONTS = [
    LabelFont(family, bold, italic, size)
    for family in ("sans", "serif", "mono")
    for bold in (False, True)
    for italic in (False, True)
    for size in (5, 6, 7, 8, 9, 10, 12)
]
MATHS_FONTS = [
    LabelFont(),
    LabelFont(size=6),
    LabelFont(size=7),
    LabelFont(size=9, bold=True),
    LabelFont(size=10),
    LabelFont("serif", size=12),
]
Size = tuple[float, float, float]


def cases(name: str) -> list[str]:
    return list(YAML(typ="safe").load((CASES / f"{name}.yaml").read_text(encoding="utf-8")))


def boxes(items: Sequence[tuple[str, LabelFont]], engine: str = "pdflatex", *, cjk: bool = False) -> list[Size]:
    """Width, height and depth in pt of every text, as a label macro in a box of TeX."""
    lines = []
    for text, font in items:
        shape = r"\bfseries" * font.bold + r"\itshape" * font.italic
        setup = rf"\fontsize{{{font.size}}}{{12}}{FAMILIES[font.family]}{shape}\selectfont"
        label = rf"\def\foolabel{{{typeset_label(text).source}}}"
        lines.append(rf"{label}\setbox0\hbox{{{setup}\foolabel}}\typeout{{<<0>>\the\wd0,\the\ht0,\the\dp0}}")
    return sizes("\n".join(lines), items, engine, cjk=cjk)


def sizes(body: str, items: Iterable[tuple[str, LabelFont]], engine: str, *, cjk: bool) -> list[Size]:
    packages = sorted({package for text, _ in items for package in typeset_label(text).packages})
    log = run(engine, document(body, engine, packages, cjk=cjk))
    found = re.findall(r"<<0>>([0-9.-]+)pt,([0-9.-]+)pt,([0-9.-]+)pt", log)
    return [(float(width), float(height), float(depth)) for width, height, depth in found]


def in_points(extent: TextSize) -> Size:
    return extent.width * PT_PER_CM, extent.height * PT_PER_CM, extent.depth * PT_PER_CM


@pytest.mark.tex
def test_plain_text_is_measured_exactly() -> None:
    items = [(text, font) for text in cases("words") for font in TEXT_FONTS]
    for (text, font), true in zip(items, boxes(items), strict=True):
        extent = measure(text, font)
        assert extent.exact, (text, font)
        assert in_points(extent) == pytest.approx(true, abs=Margin.exact), (text, font)


@pytest.mark.tex
def test_characters_that_other_fonts_have_larger_are_measured_as_there() -> None:
    """XeLaTeX's and LuaLaTeX's underscore is twice as wide as pdfLaTeX's, and so is that of T1 fonts in a paper."""
    fonts = [LabelFont("sans", bold, size=size) for bold in (False, True) for size in (6, 8, 12)] + [
        LabelFont("serif", size=10)
    ]
    items = [(text, font) for text in cases("varying") for font in fonts]
    for engine in ENGINES:
        for (text, font), true in zip(items, boxes(items, engine), strict=True):
            extent = measure(text, font)
            assert not extent.exact, text
            for ours, theirs in zip(in_points(extent), true, strict=True):
                assert ours >= theirs, (engine, text, font, in_points(extent), true)
            assert extent.width * PT_PER_CM <= Margin.varying * true[0] + Margin.slack, (engine, text, font)


@pytest.mark.tex
@pytest.mark.parametrize("ams", [False, True], ids=["plain", "ams"])
def test_formulas_are_measured_with_a_margin(ams: bool) -> None:
    """AMS packages change the size of brackets and sums, so formulas are tried in a document that suits them."""
    formulas = [f"${formula}$" for formula in cases("formulas")]
    items = [(text, font) for text in formulas if bool(typeset_label(text).packages) is ams for font in MATHS_FONTS]
    check_margins(items, boxes(items))


@pytest.mark.tex
def test_formulas_do_not_outgrow_their_measure_in_a_paper_with_ams_packages() -> None:
    items = [(f"${formula}$", font) for formula in cases("formulas") for font in MATHS_FONTS]
    for (text, font), true in zip(items, boxes(items), strict=True):
        extent = measure(text, font)
        rounded = Margin.exact
        for name, ours, theirs in zip(("width", "height", "depth"), in_points(extent), true, strict=True):
            assert ours >= theirs - rounded, (name, text, font)


@pytest.mark.tex
@pytest.mark.parametrize("engine", ENGINES[1:])
def test_formulas_of_other_engines_keep_to_the_margin(engine: str) -> None:
    items = [(f"${formula}$", font) for formula in cases("formulas") for font in MATHS_FONTS]
    for (text, font), true in zip(items, boxes(items, engine), strict=True):
        extent = measure(text, font)
        if extent.exact:
            width, height, depth = in_points(extent)
            assert true[0] <= width * (1 + Margin.width) + Margin.exact, (text, font, true[0], width)
            assert true[1] <= height + Margin.height * font.size, (text, font, true[1], height)
            assert true[2] <= depth + Margin.height * font.size, (text, font, true[2], depth)


@pytest.mark.tex
def test_symbols_in_text_are_measured_with_a_margin() -> None:
    texts = ["∇θ", "x² ≤ 10⁻³", "A → B × 2", "α ∈ ℝ", "50 °C · 3", "«a» ½"]
    items = [(text, font) for text in texts for font in MATHS_FONTS]
    check_margins(items, boxes(items))


def check_margins(items: Sequence[tuple[str, LabelFont]], truth: Sequence[Size]) -> None:
    for (text, font), true in zip(items, truth, strict=True):
        extent = measure(text, font)
        for name, ours, theirs in zip(("width", "height", "depth"), in_points(extent), true, strict=True):
            if extent.exact:
                assert ours == pytest.approx(theirs, abs=Margin.exact), (name, text, font)
            else:
                least = theirs - Margin.exact
                assert least <= ours <= Margin.ratio * theirs + Margin.slack, (name, text, font, ours, theirs)


@pytest.mark.tex
@pytest.mark.parametrize("engine", ENGINES)
def test_chinese_does_not_outgrow_its_measure(engine: str) -> None:
    texts = [
        "同步更新",
        "(a) 同步更新",
        "GPU1 空闲",
        "GPU空闲x",
        "前向/反向",
        "梯度更新，等待。",
        "累积两步（time）",
        "中$x$中",
    ]
    items = [
        (text, font)
        for text in texts
        for font in (LabelFont(), LabelFont(size=10, bold=True), LabelFont("serif", size=9))
    ]
    for (text, font), true in zip(items, boxes(items, engine, cjk=True), strict=True):
        for name, ours, theirs in zip(("width", "height", "depth"), in_points(measure(text, font)), true, strict=True):
            assert ours >= theirs, (name, text, font, ours, theirs)


def test_a_chinese_character_is_one_em_wide() -> None:
    one, four = (measure("同步更新"[:count], LabelFont(size=8)).width * PT_PER_CM for count in (1, 4))
    assert four - one == pytest.approx(24, rel=0.05)


@pytest.mark.tex
@pytest.mark.parametrize("engine", ENGINES[1:])
def test_the_other_engines_keep_to_the_margin(engine: str) -> None:
    """Latin Modern sets the ring by itself and three dots narrower than Computer Modern, and nothing much wider."""
    fonts = [
        LabelFont(),
        LabelFont(bold=True),
        LabelFont(size=6),
        LabelFont(size=12, bold=True),
        LabelFont("serif", size=9),
    ]
    items = [(text, font) for text in cases("words") for font in fonts]
    for (text, font), true in zip(items, boxes(items, engine), strict=True):
        width, height, depth = in_points(measure(text, font))
        assert width >= true[0] * (1 - Margin.width) - Margin.exact, (text, font)
        assert "…" in text or width <= true[0] * 1.02 + 0.5, (text, font, width, true)
        assert height >= true[1] - Margin.height * font.size, (text, font)
        assert depth >= true[2] - Margin.height * font.size, (text, font)


@pytest.mark.tex
def test_lines_are_stacked_as_in_a_node() -> None:
    texts = ["a\nb", "Ag\nAg\nAg", "a\n\nb", "x\n[y]\n*z", "Processor 2\non GPU2 (G2)"]
    names = {5: r"\tiny", 7: r"\scriptsize", 8: r"\footnotesize", 9: r"\small", 10: r"\normalsize"}
    items = [(text, LabelFont(size=size)) for text in texts for size in names]
    lines = []
    for text, font in items:
        options = rf"inner sep=0pt,outer sep=0pt,align=center,font=\sffamily{names[int(font.size)]}"
        picture = rf"\begin{{tikzpicture}}\node[{options}]{{\foolabel}};\end{{tikzpicture}}"
        label = rf"\def\foolabel{{{typeset_label(text).source}}}"
        lines.append(rf"{label}\setbox0\hbox{{{picture}}}\typeout{{<<0>>\the\wd0,\the\ht0,\the\dp0}}")
    body = "\n".join(lines)
    for (text, font), (width, height, depth) in zip(items, sizes(body, items, "pdflatex", cjk=False), strict=True):
        extent = measure(text, font)
        assert extent.exact
        assert extent.width * PT_PER_CM == pytest.approx(width, abs=0.01), (text, font)
        assert (extent.height + extent.depth) * PT_PER_CM == pytest.approx(height + depth, abs=0.01), (text, font)


def test_raw_tex_is_estimated() -> None:
    plain = measure("parameter server", LabelFont(bold=True))
    raw = measure(Tex(r"\textbf{parameter server}"), LabelFont())
    assert raw.width == pytest.approx(plain.width, rel=0.1)
    assert not measure(Tex(r"\foo", [r"\foo"]), LabelFont()).exact
    assert measure(Tex(r"\foo", [r"\foo"]), LabelFont()).width > 0
    assert measure(Tex(r"a\\b"), LabelFont()).depth > measure(Tex("a"), LabelFont()).depth


@pytest.mark.tex
def test_the_boxes_of_raw_tex_are_no_larger_than_their_measure() -> None:
    asked = [Asked(Tex(text), True, "sans", False, 8) for text in cases("raw-boxes")]
    for each, true in measure_texts(asked, TextPreamble(packages=("amsmath",)), cache=Cache(None)).items():
        text = each.text
        extent = measure(Tex(text), LabelFont())
        width, height, depth = in_points(extent)
        rounded = Margin.exact
        assert width >= true.width - rounded, (text, width, true)
        assert height >= true.height - rounded, (text, height, true)
        assert depth >= true.depth - rounded, (text, depth, true)
        assert width <= 1.5 * true.width + 4, (text, width, true)


def test_an_odd_size_is_scaled_and_not_exact() -> None:
    odd = measure("worker", LabelFont(size=8.5))
    assert not odd.exact
    assert measure("worker", LabelFont(size=8)).width < odd.width < measure("worker", LabelFont(size=9)).width * 1.1


def test_nothing_has_no_size() -> None:
    assert measure("", LabelFont()) == TextSize(0, 0, 0)


@given(st.text(alphabet="abAV.,:- _$\\{}^é²中\n\"'`f", max_size=20), st.sampled_from(TEXT_FONTS))
def test_whatever_can_be_typeset_can_be_measured(text: str, font: LabelFont) -> None:
    try:
        extent = measure(text, font)
    except TextRefused:
        return
    assert extent.width >= 0
    assert extent.height >= 0
    assert extent.height + extent.depth >= 0
