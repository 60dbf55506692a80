"""The configuration of a paper: found upwards, said by file, environment and options; and options that are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run

import tikzgen
from tikzgen import load
from tikzgen.base.errors import LatexError
from tikzgen.base.read_files import staying_in
from tikzgen.spec.embedded_spec import extract_spec
from tikzgen.spec.settings.config_file import ENVIRONMENT, spell_variable_name

SPEC = "recipe: data-parallel\nworkers: 2\n"
TOML = 'width = "ieee-column"\npalette = "dark"\nlanguage = "de"\n\n[font]\nsize = 7\n'


@pytest.fixture(autouse=True)
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A paper with a figure one folder below it, seen from its folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for key in ENVIRONMENT:
        monkeypatch.delenv(spell_variable_name(key), raising=False)
    place = tmp_path / "paper"
    (place / "figs").mkdir(parents=True)
    (place / "figs" / "a.yaml").write_text(SPEC, encoding="utf-8")
    monkeypatch.chdir(place)
    return place


def drawn(*options: str) -> dict[str, object]:
    """What a figure says of itself."""
    done = run("render", "figs/a.yaml", "-o", "-", *options)
    assert done.status == 0, done.err
    found: dict[str, object] = json.loads(extract_spec(done.out) or "")
    return found


@pytest.mark.parametrize("name", ["tikzgen.toml", "figs/tikzgen.toml", "pyproject.toml", "../tikzgen.toml"])
def test_the_nearest_file_upwards_counts(name: str) -> None:
    text = TOML.replace("[font]", "[tool.tikzgen.font]") if "pyproject" in name else TOML
    head = '[project]\nname = "x"\n\n[tool.tikzgen]\n' if "pyproject" in name else ""
    assert "width" not in drawn()
    Path(name).write_text(head + text, encoding="utf-8")
    facts = drawn()
    found = (facts["width"], facts["palette"], facts["language"], facts["font"])
    assert found == ("ieee-column", "dark", "de", {"size": 7})
    assert tikzgen.load("figs/a.yaml").width == "ieee-column"


def test_a_nearer_file_hides_a_farther_one_and_a_repository_ends_the_search() -> None:
    Path("tikzgen.toml").write_text("width = 9\n", encoding="utf-8")
    Path("figs/pyproject.toml").write_text('[project]\nname = "says nothing of tikzgen"\n', encoding="utf-8")
    assert drawn()["width"] == 9
    Path("figs/tikzgen.toml").write_text("width = 8\n", encoding="utf-8")
    assert drawn()["width"] == 8
    Path("figs/tikzgen.toml").unlink()
    Path("figs/.git").mkdir()
    assert "width" not in drawn()


def test_options_over_environment_over_spec_over_file_over_style(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tikzgen-style.yaml").write_text("width: 12\ncorners: 2\n", encoding="utf-8")
    assert drawn()["width"] == 12
    Path("tikzgen.toml").write_text("width = 8\n", encoding="utf-8")
    facts = drawn()
    assert (facts["width"], facts["style"]) == (8, {"corners": 2})
    Path("figs/a.yaml").write_text(SPEC + "width: 9\n", encoding="utf-8")
    assert drawn()["width"] == 9
    monkeypatch.setenv("TIKZGEN_WIDTH", "10")
    assert drawn()["width"] == 10
    assert drawn("--width", "11")["width"] == 11


def test_a_style_is_seen_from_the_folder_of_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("looks.yaml").write_text("corners: 3\n", encoding="utf-8")
    Path("tikzgen.toml").write_text('style = "looks.yaml"\n', encoding="utf-8")
    assert drawn()["style"] == {"corners": 3}
    Path("looks.yaml").write_text("corners: 4\n", encoding="utf-8")
    monkeypatch.chdir("figs")
    assert run("render", "a.yaml").status == 0
    assert '"corners": 4' in Path("a.tex").read_text("utf-8")
    monkeypatch.setenv("TIKZGEN_STYLE", "none")
    assert run("render", "a.yaml").status == 0
    assert "corners" not in (extract_spec(Path("a.tex").read_text("utf-8")) or "")


def test_what_was_rendered_before_is_rendered_anew_when_the_configuration_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for text in ("width = 9\n", "width = 10\n", 'palette = "dark"\n'):
        Path("tikzgen.toml").write_text(text, encoding="utf-8")
        assert run("render", "figs/a.yaml").err.endswith("written\n")
    monkeypatch.setenv("TIKZGEN_WIDTH", "11")
    assert run("render", "figs/a.yaml").err.endswith("written\n")
    assert run("render", "figs/a.yaml").err.endswith("are up to date\n")


WRONG = {
    "widht = 3\n": 'tikzgen.toml:1:1: widht: unknown field (did you mean "width"?)',
    'palette = "light"\n[font]\nsize = 99\n': "tikzgen.toml:3:8: font.size: should be 6, 7, 8, 9 or 10, not 99",
    "width = \n": "tikzgen.toml:1:9: is not valid TOML: ",
    'engine = "latex"\n': "tikzgen.toml:1:10: engine: unknown engine ",
}


@pytest.mark.parametrize("text", WRONG)
@pytest.mark.parametrize("verb", ["render", "config"])
def test_what_is_wrong_is_told_with_its_line(text: str, verb: str) -> None:
    Path("tikzgen.toml").write_text(text, encoding="utf-8")
    done = run(verb, "figs/a.yaml")
    assert (done.status, done.err.startswith(WRONG[text]), done.err.count("\n")) == (2, True, 1), done.err


@pytest.mark.parametrize("verb", ["render", "check", "metrics"])
def test_what_the_environment_says_wrongly_is_told_by_its_name(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKZGEN_PALETTE", "drak")
    done = run(verb, "figs/a.yaml")
    said = 'TIKZGEN_PALETTE: unknown palette "drak" (did you mean "dark"?)\n'
    assert (done.status, said in done.err) == (2, True)


def test_config_tells_each_key_its_value_and_where_it_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tikzgen.toml").write_text(TOML, encoding="utf-8")
    monkeypatch.setenv("TIKZGEN_PALETTE", "light")
    found = json.loads(run("config", "figs/a.yaml", "--format", "json").out)
    assert {key: (each["value"], each["source"]) for key, each in found.items()} == {
        "width": ("ieee-column", "tikzgen.toml:1:1"),
        "height": (None, "default"),
        "palette": ("light", "TIKZGEN_PALETTE"),
        "style": ("default", "default"),
        "language": ("de", "tikzgen.toml:3:1"),
        "font": ({"size": 7}, "tikzgen.toml:5:2"),
        "spacing": ({}, "default"),
        "engine": ("pdflatex", "default"),
    }
    assert run("config", "nowhere").status == 2
    assert json.loads(run("config", "--schema").out)["title"]


def test_the_engine_is_configured_and_said_over(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tikzgen.toml").write_text('engine = "none"\n', encoding="utf-8")
    assert run("build", "figs/a.yaml").status == 0
    assert Path("figs/a.pdf").read_bytes().startswith(b"%PDF")
    asked: list[str] = []
    monkeypatch.setattr("tikzgen.compile.build_figures.build_file", lambda *_, engine, **__: asked.append(engine))
    run("render", "figs/a.yaml", "-o", "x.pdf")
    monkeypatch.setenv("TIKZGEN_ENGINE", "lualatex")
    run("render", "figs/a.yaml", "-o", "x.pdf")
    run("open", "figs/a.yaml", "--print")
    run("open", "figs/a.yaml", "--print", "--engine", "xelatex")
    assert asked == ["none", "lualatex", "lualatex", "xelatex"]


def test_python_builds_with_the_configured_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tikzgen.toml").write_text('engine = "none"\n', encoding="utf-8")
    figure = load("figs/a.yaml")
    assert figure.build("b.pdf").read_bytes().startswith(b"%PDF")
    monkeypatch.setenv("TIKZGEN_ENGINE", "latex")
    with pytest.raises(LatexError, match="unknown engine"):
        figure.build("b.pdf")


OPTIONS = ["--width", "12cm", "--palette", "dark", "--set", "labels.server=Store", "--style", "plain"]


def test_a_figure_records_its_options_and_bundle_and_build_take_them_again() -> None:
    run("render", "figs/a.yaml", *OPTIONS)
    want = Path("figs/a.tex").read_bytes()
    assert run("render", "figs/a.yaml", "--as-before").err == "figs/a.tex and a.meta.json are up to date\n"
    assert run("bundle", "figs/a.yaml", "-o", "packed").status == 0
    assert Path("packed/a.tex").read_bytes() == want
    assert run("build", "figs/a.yaml", "--as-before", "--keep", "kept", "--engine", "none", "-f", "svg").status == 0
    assert run("render", "figs/a.yaml", "--as-before", "--width", "10").status == 0
    assert '"width": 10' in Path("figs/a.tex").read_text("utf-8")
    run("render", "figs/a.yaml")
    assert "given" not in Path("figs/a.tex").read_text("utf-8")


def test_an_edit_keeps_what_was_given() -> None:
    run("render", "figs/a.yaml", "--width", "12cm")
    assert run("edit", "figs/a.tex", "add-worker").status == 0
    assert json.loads(extract_spec(Path("figs/a.tex").read_text("utf-8")) or "")["tikzgen"]["given"] == ["width=12cm"]
    run("render", "figs/a.tex")
    assert json.loads(extract_spec(Path("figs/a.tex").read_text("utf-8")) or "")["tikzgen"]["given"] == ["width=12cm"]


def test_a_style_far_away_is_not_taken_on_the_word_of_a_figure(tmp_path: Path) -> None:
    far = tmp_path / "far.yaml"
    far.write_text("corners: 3\n", encoding="utf-8")
    run("render", "figs/a.yaml", "--style", str(far))
    run("render", "figs/a.yaml", "--as-before")
    assert "corners" not in (extract_spec(Path("figs/a.tex").read_text("utf-8")) or "")


def test_the_latexmk_rules_take_the_recorded_options() -> None:
    out = run("preamble", "--latexmkrc", "figs/a.yaml").out
    assert "system('tikzgen', $verb, '--as-before', '-o'" in out


def test_a_project_above_the_folder_that_a_program_must_stay_in_is_none_of_its_business(paper: Path) -> None:
    Path("pyproject.toml").write_text('[project]\nname = "x"\n', encoding="utf-8")
    with staying_in(paper / "figs"):
        assert tikzgen.load("figs/a.yaml").width is None
    Path("tikzgen.toml").write_text("width = 9\n", encoding="utf-8")
    with staying_in(paper / "figs"), pytest.raises(tikzgen.FileRefused, match="is outside"):
        tikzgen.load("figs/a.yaml")  # it would be another figure
