"""Texts as the engines set them: the layout's sizes hold in all three, and measured ones make one file anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from command import run
from conftest import ENGINES, EXAMPLES

from tikzgen import Figure, SpecError, load, loads, render
from tikzgen.base.cache import Cache
from tikzgen.base.errors import LatexError, LatexMissing
from tikzgen.base.plane.units import PT_PER_CM
from tikzgen.base.trust import trust_commands
from tikzgen.compile.pdf import page_size
from tikzgen.compile.sandbox.needs_sandbox import is_foreign
from tikzgen.compile.tex import measure_by_tex as boxes
from tikzgen.compile.tex.measure_by_tex import TexBox, TextPreamble, Unsettable, measure_texts
from tikzgen.layout import layout
from tikzgen.layout.label_sizes import Asked, Sizes, estimate_size
from tikzgen.model.looks.icons import icons_of_figure, with_plugins
from tikzgen.spec.embedded_spec import extract_spec
from tikzgen.text import Margin, Tex, TextSize

ROW = """\
tex: {allow: [\\tikz, \\draw, \\nosuchthing]}
panels:
  - content:
      type: topology
      layout: {type: row}
      nodes:
        - {kind: node, id: a, label: Rank 1}
        - {kind: node, id: b, label: !tex '\\tikz\\draw (0,0) rectangle (1,2);'}
        - {kind: node, id: c, label: '$\\sum_{i=1}^{N}\\frac{\\partial L}{\\partial w_i}$'}
      flows:
        - {source: a, target: b, label: '$\\displaystyle\\nabla_\\theta\\mathcal L$'}
"""


class Everything(Sizes):
    """Sizes that keep all that a layout asked for."""

    def __init__(self) -> None:
        super().__init__(())
        self.every: dict[Asked, None] = {}

    def measure_label(self, text: str, family: str, bold: bool, size: float) -> TextSize:
        self.every[Asked(text, isinstance(text, Tex), family, bold, size)] = None
        return super().measure_label(text, family, bold, size)


@pytest.fixture(scope="module", autouse=True)
def fresh_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache that no other test knows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def texts() -> dict[TextPreamble, list[Asked]]:
    """Every text of every example, in every size that its layout tried, by the preamble that it is set under."""
    found: dict[TextPreamble, dict[Asked, None]] = {}
    for example in EXAMPLES:
        figure, sizes = load(example), Everything()
        scene = layout(figure, icons_of_figure(figure, with_plugins(figure, ())), sizes)
        found.setdefault(TextPreamble(scene.packages, scene.cjk), {}).update(sizes.every)
    return {preamble: list(asked) for preamble, asked in found.items()}


@pytest.mark.tex
@pytest.mark.parametrize("engine", ENGINES)
def test_every_text_of_every_example_is_as_large_as_planned(
    engine: str, texts: dict[TextPreamble, list[Asked]]
) -> None:
    count = 0
    for preamble, asked in texts.items():
        for one, true in measure_texts(asked, preamble, engine, cache=Cache(None)).items():
            planned = estimate_size(one.text, one.family, one.bold, one.size)
            check(one, planned, true, engine)
            count += 1
    assert count > 200


def check(asked: Asked, planned: TextSize, true: TexBox, engine: str) -> None:
    """Hold one text to the margin."""
    ours = [PT_PER_CM * side for side in (planned.width, planned.height, planned.depth)]
    sides = list(zip(ours, (true.width, true.height, true.depth), strict=True))
    if not planned.exact:
        ratio = Margin.varying if any(char in "_<>" or char > "⺀" for char in asked.text) else Margin.ratio
        assert all(theirs <= mine <= ratio * theirs + Margin.slack for mine, theirs in sides), (asked, sides)
    elif engine == "pdflatex":
        assert all(abs(mine - theirs) <= Margin.exact for mine, theirs in sides), (asked, sides)
    else:
        wide, *tall = sides
        assert wide[1] <= wide[0] * (1 + Margin.width) + Margin.exact, (asked, sides)
        assert all(theirs <= mine + Margin.height * asked.size for mine, theirs in tall), (asked, sides)


@pytest.fixture(scope="module")
def measured() -> Figure:
    return loads(ROW, trust=True).measure("pdflatex", "lualatex")


def without_tex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(LatexMissing):
        loads(ROW, trust=True).measure()


@pytest.mark.tex
def test_a_measured_figure_is_the_same_without_tex(measured: Figure, monkeypatch: pytest.MonkeyPatch) -> None:
    tex = measured.tex()
    without_tex(monkeypatch)
    again = loads(extract_spec(tex) or "", trust=True)
    assert again.tex() == tex
    with trust_commands():
        assert not is_foreign(tex)
    assert loads(ROW, trust=True).tex() != tex


@pytest.mark.tex
def test_true_sizes_make_a_figure_fit_what_it_holds(measured: Figure) -> None:
    """The estimate of a picture inside raw TeX is too wide and not high enough."""
    entries = {entry.text: entry for entry in measured.measured}
    drawn = entries[Tex(r"\tikz\draw (0,0) rectangle (1,2);")]
    assert drawn.width == pytest.approx(28.85, abs=0.02)
    assert drawn.height == pytest.approx(57.3, abs=0.3)
    guessed, true = (layout(figure, {}) for figure in (loads(ROW, trust=True), measured))
    values = [{each.name: float(each.value) for each in scene.parameters if each.type == "length-cm"}
              for scene in (guessed, true)]  # fmt: skip
    assert values[1]["colsep"] < 0.8 * values[0]["colsep"]
    assert true.extent.measure_height(values[1]) > 2.4 > guessed.extent.measure_height(values[0])


@pytest.mark.tex
def test_a_recipe_carries_its_sizes_and_drops_stale_ones() -> None:
    spec = "recipe: data-parallel\nworkers: 2\nlabels: {gradient: '$\\sum_i g_i$'}\n"
    stale = "measured: [{text: old $x$, size: 8, width: 1, height: 1, depth: 0}]\n"
    figure = loads(spec + stale)
    assert '"measured"' not in figure.tex()
    true = figure.measure("pdflatex")
    assert true.origin is not None
    assert "old $x$" not in true.tex()
    assert '"measured": [' in true.tex()
    assert loads(extract_spec(true.tex()) or "") == true


@pytest.mark.tex
def test_an_edit_drops_the_size_of_a_text_that_is_gone(measured: Figure, tmp_path: Path) -> None:
    path = measured.save(tmp_path / "fig.tex")
    assert run("edit", str(path), "rename-node", "c=plain", "--trust").status == 0
    edited = load(path, trust=True)
    assert [entry.text for entry in edited.measured] == [each.text for each in measured.measured[:1]]
    with trust_commands():
        assert not is_foreign(path.read_text(encoding="utf-8"))


def test_a_size_of_another_font_is_not_taken() -> None:
    figure = loads(ROW + "measured: [{text: '$\\sum_{i=1}^{N}\\frac{\\partial L}{\\partial w_i}$', size: 8, "
                   "family: serif, width: 900, height: 1, depth: 0}]\n", trust=True)  # fmt: skip
    assert figure.tex() == loads(ROW, trust=True).tex()


@pytest.mark.tex
def test_what_is_measured_is_not_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [Asked("$x^2$", False, "inherit", True, 9), Asked(Tex(r"a\\bb"), True, "sans", False, 8)]
    cache = Cache(tmp_path)
    first = measure_texts(asked, TextPreamble(), cache=cache)

    def never(*args: object, **more: object) -> None:
        raise AssertionError("TeX was run")

    monkeypatch.setattr(boxes, "compile_tex", never)
    assert measure_texts(asked, TextPreamble(), cache=cache) == first
    with pytest.raises(AssertionError, match="TeX was run"):
        measure_texts(asked, replace(TextPreamble(), packages=("amsmath",)), cache=cache)


@pytest.mark.tex
def test_lines_are_measured_from_the_first_baseline() -> None:
    """As the layout measures them: the split matters where a head stands beside several lines."""
    asked = [Asked(text, False, "sans", False, 8) for text in ("A\ng", "$\\frac{1}{2}$\nx\ny", "Ag")]
    for one, true in measure_texts(asked, TextPreamble(), cache=Cache(None)).items():
        planned = estimate_size(one.text, one.family, one.bold, one.size)
        check(one, planned, true, "pdflatex")


ALLOWED = [r"\nosuchthing", r"\rule", r"\foreach", r"\x", r"\y"]
HOSTILE = {
    "no such command": (r"\nosuchthing{x}", "Undefined control sequence"),
    "too large": (r"\rule{9999999cm}{1cm}", "Dimension too large"),
}


@pytest.mark.tex
@pytest.mark.parametrize("name", HOSTILE)
def test_a_text_that_tex_cannot_set_is_named(name: str) -> None:
    source, reason = HOSTILE[name]
    good = [Asked(f"$x_{place}$", False, "sans", False, 8) for place in range(5)]
    bad = Asked(Tex(source, ALLOWED), True, "sans", False, 8)
    with pytest.raises(Unsettable, match=reason) as caught:
        measure_texts([*good[:3], bad, *good[3:]], TextPreamble(), cache=Cache(None))
    assert caught.value.asked == bad


@pytest.mark.tex
def test_an_endless_loop_is_stopped() -> None:
    loop = r"\foreach \x in {1,...,15000}{\foreach \y in {1,...,15000}{}}"
    bad = Asked(Tex(loop, ALLOWED), True, "sans", False, 8)
    with pytest.raises(Unsettable, match="stopped after 5 s"):
        measure_texts([bad], TextPreamble(), cache=Cache(None), time_limit=5)


@pytest.mark.tex
def test_the_place_of_a_text_that_tex_cannot_set_is_told() -> None:
    spec = ROW.replace(r"\tikz\draw (0,0) rectangle (1,2);", r"\nosuchthing{}")
    with pytest.raises(SpecError) as caught:
        loads(spec, name="fig.yaml", trust=True).measure("pdflatex")
    assert str(caught.value).startswith(
        "fig.yaml:8:38: panels[0].content.nodes[1].label: pdflatex cannot set it: "
        r"Undefined control sequence \nosuchthing"
    )


@pytest.mark.tex
def test_a_preamble_that_does_not_compile_is_no_text_s_fault() -> None:
    asked = Asked("$x$", False, "sans", False, 8)
    with pytest.raises(LatexError, match="nosuchpackage"):
        measure_texts([asked], TextPreamble(packages=("nosuchpackage",)), cache=Cache(None))


def test_an_engine_that_lacks_a_package_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from tikzgen.compile import true_text_sizes

    def some(texts: Iterable[Asked], preamble: TextPreamble, engine: str, **more: object) -> dict[Asked, TexBox]:
        if engine == "xelatex":
            raise LatexError("no such package")
        return {asked: TexBox(1 if engine == "pdflatex" else 1.004, 2, 0) for asked in texts}

    monkeypatch.setattr(true_text_sizes, "measure_texts", some)
    monkeypatch.setattr(true_text_sizes, "which", lambda name: name)
    entry, *_ = loads(ROW, trust=True).measure().measured
    assert (entry.width, entry.height, entry.depth) == (1.01, 2, 0)
    with pytest.raises(LatexError, match="no such package"):
        loads(ROW, trust=True).measure("xelatex")


@pytest.mark.tex
def test_render_measures_on_demand(tmp_path: Path) -> None:
    spec = tmp_path / "fig.yaml"
    spec.write_text(ROW, encoding="utf-8")
    done = run("render", str(spec), "--measure", "--trust")
    assert done.status == 0, done.err
    tex = (tmp_path / "fig.tex").read_text(encoding="utf-8")
    assert '"width":28.' in tex
    assert run("render", str(tmp_path / "fig.tex"), "-o", "-", "--trust").out == tex
    assert render(load(tmp_path / "fig.tex", trust=True)).tex == tex


@pytest.mark.tex
def test_build_measures_on_demand(tmp_path: Path) -> None:
    spec = tmp_path / "fig.yaml"
    spec.write_text(ROW, encoding="utf-8")
    heights = []
    for options in ([], ["--measure"]):
        assert run("build", str(spec), "-q", "--no-cache", "--trust", *options).status == 0
        heights.append(page_size((tmp_path / "fig.pdf").read_bytes())[1])
    assert heights[1] > heights[0]


@pytest.mark.tex
def test_a_size_that_is_no_longer_true_is_found(tmp_path: Path) -> None:
    spec = tmp_path / "fig.yaml"
    formula = "$\\sum_{i=1}^{N}\\frac{\\partial L}{\\partial w_i}$"
    wrong = f"measured: [{{text: '{formula}', size: 8, width: 9, height: 5, depth: 0}}]\n"
    spec.write_text(ROW + wrong, encoding="utf-8")
    found = run("check", "--geometry", str(spec), "--trust").out.splitlines()
    planned = [line.removeprefix(str(spec)).partition(" takes ")[0] for line in found if " TG312 " in line]
    assert planned == [
        r':8:38: TG312 text "\tikz\draw (0,0) rectangle (1,2);"',
        r':9:38: TG312 text "$\sum_{i=1}^{N}\frac{\partial L}{\partial w_i}$"',
    ]
