"""A house style: found upwards from the spec, read by every verb, and its colours keep the ladder of lightness."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from command import run
from conftest import EXAMPLES, ROOT, SWEPT, some
from extension_packages import install
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tikzgen import load, recipes
from tikzgen.base.errors import SpecError
from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.lint.check_figure import check
from tikzgen.lint.probe.look_at_figures import drawing_of, look_at
from tikzgen.model.looks import vision
from tikzgen.model.looks.palettes import HUES, PALETTES
from tikzgen.model.looks.phase_and_flow_looks import MEETING, PHASES
from tikzgen.model.looks.style import Style
from tikzgen.spec.settings.house_style import SHIPPED_STYLES

SPEC = "recipe: data-parallel\nworkers: 2\n"
HOUSE = """brand: {otblue: "#C8102E"}
corners: 2
phases: {forward: {label: ahead}}
labels: {worker: "rank {n}"}
font: {size: 7}
"""

THICK = [each for each in EXAMPLES[1::4] + EXAMPLES[2::4] + EXAMPLES[3::4] if each.stem in ("raft-replication", "talk")]


@pytest.fixture
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A paper with a style, and a figure two folders below it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    place = tmp_path / "paper" / "figs" / "one"
    place.mkdir(parents=True)
    (tmp_path / "paper" / "tikzgen-style.yaml").write_text(HOUSE, encoding="utf-8")
    (place / "fig.yaml").write_text(SPEC, encoding="utf-8")
    return place / "fig.yaml"


def test_a_style_is_found_upwards(paper: Path) -> None:
    figure = load(paper)
    assert (figure.style.corners, figure.font.size, figure.phase("forward").label) == (2, 7, "ahead")
    assert figure.style.colors("light")["otblue"] != PALETTES["light"]["otblue"]
    assert "rank 1" in run("render", str(paper), "-o", "-").out


def test_a_bundle_is_drawn_in_its_style(paper: Path, tmp_path: Path) -> None:
    assert run("bundle", str(paper), "-o", str(tmp_path / "out")).status == 0
    assert "rank 1" in next((tmp_path / "out").rglob("fig.tex")).read_text(encoding="utf-8")


def test_not_from_outside_of_a_repository(paper: Path) -> None:
    (paper.parent.parent / ".git").mkdir()
    assert load(paper).style == Style()


def test_a_figure_says_more_than_its_style(paper: Path) -> None:
    paper.write_text(SPEC + "style: {corners: 0}\nfont: {size: 9}\nlabels: {worker: W}\n", encoding="utf-8")
    figure = load(paper)
    assert (figure.style.corners, figure.font.size) == (0, 9)
    assert figure.style.brand == {"otblue": "C8102E"}


@pytest.mark.parametrize("chosen", SHIPPED_STYLES)
def test_styles_that_ship_are_known_by_name(chosen: str, paper: Path) -> None:
    found = load(paper, settings=[f"style@{chosen}"]).style
    paper.write_text(SPEC + f"style: {chosen}\n", encoding="utf-8")
    assert load(paper).style == found == recipes.ddp(style=chosen).style
    assert run("render", str(paper), "--style", chosen, "-o", "-").status == 0


def test_none_is_none(paper: Path) -> None:
    assert load(paper, settings=["style@none"]).style == Style()


def test_a_changed_style_is_rendered_again(paper: Path) -> None:
    first = run("render", str(paper), "-o", "-").out
    (paper.parents[2] / "tikzgen-style.yaml").write_text("corners: 3\n", encoding="utf-8")
    second = run("render", str(paper), "-o", "-").out
    assert first != second
    assert second == run("render", str(paper), "-o", "-").out


def test_a_rendered_figure_keeps_its_style(paper: Path) -> None:
    assert run("render", str(paper)).status == 0
    (paper.parents[2] / "tikzgen-style.yaml").unlink()
    assert load(paper.with_suffix(".tex")).style.corners == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("corners: 9\n", ":1:10: corners: "),
        ("brand: {otblue: red}\n", ":1:17: brand.otblue: "),
        ("colour: red\n", ":1:1: colour: unknown field"),
        ("phases: {forwards: {tint: 20}}\n", 'unknown name "forwards"'),
        ("exact: true\nbrand: {otteal: '333333'}\n", "less than 4.5:1 (leave out `exact`)"),
    ],
    ids=["range", "colour", "field", "phase", "contrast"],
)
def test_what_is_wrong_in_a_style_is_told_there(text: str, told: str, paper: Path) -> None:
    house = paper.parents[2] / "tikzgen-style.yaml"
    house.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as refused:
        load(paper)
    assert str(refused.value).startswith(str(house))
    assert told in str(refused.value)


def test_a_spec_names_no_file(paper: Path) -> None:
    paper.write_text(SPEC + "style: ../../../secret.yaml\n", encoding="utf-8")
    with pytest.raises(SpecError, match="unknown style"):
        load(paper)


COLORS = st.integers(0, 0xFFFFFF).map("{:06X}".format)


@given(st.sampled_from(HUES), COLORS, st.sampled_from(sorted(PALETTES)))
def test_brand_colours_are_as_light_as_what_they_replace(slot: str, own: str, palette: str) -> None:
    """So a phase is as far from its neighbours in greyscale as with the palette's own colours."""
    found = Style.model_validate({"brand": {slot: own}}).colors(palette)[slot]
    wanted = vision.compute_lightness(vision.color_of_hex(PALETTES[palette][slot]))
    assert vision.compute_lightness(vision.color_of_hex(found)) == pytest.approx(wanted, abs=1.5)


@given(COLORS, st.sampled_from(sorted(PALETTES)))
@example("808080", "dark")
def test_texts_on_brand_colours_are_read(own: str, palette: str) -> None:
    colors = Style.model_validate({"brand": dict.fromkeys(HUES, own)}).colors(palette)
    for phase in PHASES.values():
        assert vision.compute_contrast(vision.color_of_hex(colors[phase.text]), phase.fill(palette, colors)) >= 4.5


def check_ladder(style: Style, palette: str) -> None:
    """As without a style: phases that meet keep apart to all eyes, texts are read, and idle time is seen least."""
    colors, looks = style.colors(palette), style.looks()
    fills = {name: look.fill(palette, colors) for name, look in looks.items()}
    for group in MEETING:
        for one, other in itertools.combinations(group, 2):
            assert vision.are_distinct(fills[one], fills[other]), (one, other)
    assert all(
        vision.compute_contrast(vision.color_of_hex(colors[looks[name].text]), fill) >= 4.5
        for name, fill in fills.items()
    )
    paper = vision.compute_lightness(vision.color_of_hex(colors["paper"]))
    assert min(fills, key=lambda name: abs(vision.compute_lightness(fills[name]) - paper)) == "idle"


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("chosen", SHIPPED_STYLES)
def test_phases_keep_apart_in_the_styles_that_ship(chosen: str, palette: str) -> None:
    check_ladder(load(ROOT / "examples" / "zero-bubble.yaml", settings=[f"style@{chosen}"]).style, palette)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(HUES), COLORS), st.sampled_from(sorted(PALETTES)))
@example({"otblue": "E30613"}, "light")
@example({"otpurple": "FF0000"}, "dark")
@example(dict.fromkeys(HUES, "E30613"), "light")
@example(dict.fromkeys(HUES, "FFD200"), "light")
@example(dict.fromkeys(HUES, "001A70"), "dark")
def test_phases_keep_apart_in_brand_colours(brand: dict[str, str], palette: str) -> None:
    """A full red is so dark to some eyes that it would lie on what is two steps darker."""
    check_ladder(Style.model_validate({"brand": brand}), palette)


def test_the_lint_accepts_the_colours_of_a_style(paper: Path) -> None:
    paper.write_text("recipe: pipeline\nschedule: 1f1b\ndevices: 2\nmicrobatches: 4\n", encoding="utf-8")
    assert run("render", str(paper)).status == 0
    tex = paper.with_suffix(".tex")
    tex.write_text(tex.read_text("utf-8").replace("}% label of lane gpu0", " }% label of lane gpu0"), encoding="utf-8")
    assert [each for each in check(tex) if each.code in ("TG208", "TG209")] == []
    tex.write_text(tex.read_text("utf-8").replace("{otteal}{HTML}{009E73}", "{otteal}{HTML}{FF0000}"), encoding="utf-8")
    assert {each.code for each in check(tex)} >= {"TG209"}


@pytest.mark.parametrize("chosen", some(["plain", "vivid"]))
@pytest.mark.parametrize("example", [*SWEPT[::4], *THICK])
def test_examples_are_well_in_every_style(example: Path, chosen: str) -> None:
    drawing = drawing_of(SpecReading(example, [f"style@{chosen}"], drawn=True))
    assert drawing is not None
    looked = look_at([drawing], engine="none")
    assert (list(map(str, looked.findings)), looked.errors) == ([], [])


@pytest.mark.parametrize("factor", [0.7, 1.5])
def test_icons_have_the_size_that_a_style_says(factor: float, paper: Path) -> None:
    (paper.parents[2] / "tikzgen-style.yaml").write_text(f"icons: {factor}\nfirst: 1\n", encoding="utf-8")
    tex = load(paper).tex()
    assert tex.count(f"begin{{tikzpicture}}[x={factor}cm, y={factor}cm,") == 3
    drawing = drawing_of(SpecReading(paper, drawn=True))
    assert drawing is not None
    assert [each.code for each in look_at([drawing], engine="none").findings] == []
    paper.write_text("recipe: gradient-accumulation\n", encoding="utf-8")
    assert "GPU 4" in load(paper).tex()


def test_a_package_adds_a_style(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path / "site", "gray-style")
    (tmp_path / "a.yaml").write_text("recipe: data-parallel\nstyle: gray\n", "utf-8")
    (tmp_path / "b.yaml").write_text("recipe: data-parallel\n", "utf-8")
    named, chosen = load(tmp_path / "a.yaml"), load(tmp_path / "b.yaml", settings=["style@gray"])
    assert named.style.corners == 0
    assert named.style == chosen.style
    (tmp_path / "c.yaml").write_text("recipe: data-parallel\nstyle: grey\n", "utf-8")
    with pytest.raises(SpecError, match='did you mean "gray"'):
        load(tmp_path / "c.yaml")
