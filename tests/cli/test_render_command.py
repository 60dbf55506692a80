"""The command line at work: many specs, comparing without writing, how much is said and in which colours."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from command import run

from tikzgen.cli import cli
from tikzgen.spec.spec_text import STARTS

SPEC = "recipe: data-parallel\nworkers: 2\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    for name in ("NO_COLOR", "TIKZGEN_COLOR"):
        monkeypatch.delenv(name, raising=False)
    Path("a.yaml").write_text(SPEC, encoding="utf-8")
    Path("b.yaml").write_text(SPEC.replace("2", "3"), encoding="utf-8")
    return tmp_path


def made() -> list[str]:
    return sorted(path.name for path in Path().rglob("*.tex"))


@pytest.mark.parametrize("given", [["a.yaml", "b.yaml"], ["."], [".", "a.yaml"]])
def test_many_specs_or_a_folder_are_rendered(given: list[str]) -> None:
    done = run("render", *given)
    assert (done.status, done.out, made()) == (0, "", ["a.tex", "b.tex"])
    assert done.err == "".join(f"{name}.tex and {name}.meta.json written\n" for name in "ab")


def test_several_go_into_a_folder() -> None:
    assert run("render", ".", "-o", "out/").status == 0
    assert sorted(path.name for path in Path("out").glob("*.tex")) == ["a.tex", "b.tex"]
    done = run("render", ".", "-o", "one.tex")
    assert (done.status, done.err) == (2, "one.tex is one file for 2 figures (give a folder to -o)\n")
    Path("sub").mkdir()
    Path("sub/a.yaml").write_text(SPEC, encoding="utf-8")
    assert "would both write out/a.tex" in run("render", "a.yaml", "sub/a.yaml", "-o", "out").err


def test_one_that_fails_does_not_keep_the_others() -> None:
    Path("a.yaml").write_text("recipe: pipelin\n", encoding="utf-8")
    done = run("render", ".", "nowhere.yaml")
    assert (done.status, made()) == (2, ["b.tex"])
    assert 'a.yaml:1:9: recipe: unknown recipe "pipelin" (did you mean "pipeline"?)' in done.err
    assert "nowhere.yaml: file not found" in done.err


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_the_suffix_decides(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if suffix == "pdf":  # TeX makes it: it is enough to see that it is asked for
        asked = []
        monkeypatch.setattr(
            "tikzgen.compile.build_figures.build_file", lambda source, path, words, **_: asked.append(path)
        )
        assert run("render", "a.yaml", "-o", "fig.pdf").status == 0
        assert asked == [Path("fig.pdf")]
        return
    assert run("render", "a.yaml", "-o", f"fig.{suffix}").status == 0
    assert Path(f"fig.{suffix}").read_bytes()[:4] in (b"<svg", b"\x89PNG")


def test_another_suffix_is_refused() -> None:
    done = run("render", "a.yaml", "-o", "fig.pfd")
    said = 'fig.pfd: figures are written as .tex, .pdf, .png or .svg (did you mean ".pdf"?)\n'
    assert (done.status, done.err, made()) == (2, said, [])


def test_check_says_what_is_not_as_it_would_be_written_and_writes_nothing() -> None:
    run("render", "a.yaml")
    before = Path("a.tex").read_bytes()
    done = run("render", ".", "--check")
    assert (done.status, done.out, made()) == (1, "", ["a.tex"])
    assert done.err == "a.tex is up to date\nb.tex: is not as b.yaml says (tikzgen render writes it)\n"
    assert run("render", "a.yaml", "--check").status == 0
    done = run("render", "a.yaml", "--diff", "--set", "labels.server=Store")
    assert (done.status, Path("a.tex").read_bytes() == before) == (1, True)
    assert "--- a.tex\n+++ a.tex\n" in done.out
    assert any(line.startswith("+") and "Store" in line for line in done.out.splitlines())
    assert run("render", "a.yaml", "--check", "--merge").status == 0
    assert run("render", "a.yaml", "--check", "--format", "json").status == 2


def test_check_with_merge_accepts_manual_edits_that_were_merged() -> None:
    run("render", "a.yaml")
    tex = Path("a.tex").read_text(encoding="utf-8")
    Path("a.tex").write_text(tex.replace("below=2pt of data", "below=4pt of data"), encoding="utf-8")
    assert Path("a.tex").read_text(encoding="utf-8") != tex
    way = "it has manual edits: add --merge to keep them"
    assert run("render", "a.yaml", "--check").err == f"a.tex: is not as a.yaml says ({way})\n"
    assert run("render", "a.yaml", "--check", "--merge").status == 0
    done = run("render", "a.yaml", "--diff", "--merge", "--set", "workers=3")
    assert done.err == "a.tex: is not as a.yaml says (tikzgen render --merge writes it)\n"
    assert "(w3)" in done.out
    assert "-  \\node[slbl, below=4pt" not in done.out
    assert run("render", "a.yaml", "--merge", "--set", "workers=3").status == 0
    assert run("render", "a.yaml", "--check", "--merge", "--set", "workers=3").status == 0


def test_quiet_says_only_what_went_wrong() -> None:
    assert run("render", "-q", ".").err == ""
    assert run("new", "-q", "topology").err == ""
    assert "file not found" in run("render", "-q", "nowhere.yaml").err


def test_verbose_says_more() -> None:
    assert "a.yaml: 0." in run("render", "-v", "a.yaml").err


BOLD = "\x1b[1ma.yaml:1:9\x1b[0m: recipe: unknown recipe"


@pytest.mark.parametrize(
    ("options", "env", "colored"),
    [
        ([], {}, False),  # no terminal
        (["--color", "always"], {}, True),
        (["--color", "never"], {"TIKZGEN_COLOR": "always"}, False),
        ([], {"TIKZGEN_COLOR": "always"}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),  # what is said is meant
    ],
)
def test_colours(options: list[str], env: dict[str, str], colored: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    Path("a.yaml").write_text("recipe: pipelin\n", encoding="utf-8")
    said = run("render", "a.yaml", *options).err
    assert (BOLD in said, "\x1b" in said) == (colored, colored)


def test_no_color_counts_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda stream, color: color is False)
    Path("a.yaml").write_text("recipe: pipelin\n", encoding="utf-8")
    assert "\x1b" in run("render", "a.yaml").err
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("render", "a.yaml").err


def test_standard_input_may_have_a_name() -> None:
    Path("figs").mkdir()
    Path("figs/tikzgen.toml").write_text('palette = "dark"\n', encoding="utf-8")
    Path("figs/base.yaml").write_text(SPEC, encoding="utf-8")
    named = ["--stdin-filename", "figs/new.yaml"]
    for verb in ("render", "check", "metrics", "preamble"):
        done = run(verb, "-", *named, stdin="recipe: pipelin\n")
        assert done.err.startswith('figs/new.yaml:1:9: recipe: unknown recipe "pipelin"'), verb
    assert '"dark"' in run("render", "-", *named, stdin=SPEC).out
    assert '"dark"' in run("render", "-", *named, stdin="extends: base.yaml\n").out
    assert '"dark"' not in run("render", "-", stdin=SPEC).out
    assert '"dark"' in run("render", "-", "--stdin-filename", "figs/new.toml", stdin='recipe = "data-parallel"\n').out
    assert run("build", "-", "-f", "svg", "-o", "out", *named, stdin=SPEC).status == 0
    figure = run("render", "-", stdin=SPEC).out
    assert run("show", "-", "--stdin-filename", "f.tex", stdin=figure).out.startswith("f.tex: recipe data-parallel")
    assert "contains no tikzgen spec" in run("pull", "-", "--stdin-filename", "f.tex", stdin="x").err
    assert sorted(path.name for path in Path("figs").iterdir()) == ["base.yaml", "tikzgen.toml"]


@pytest.mark.parametrize(
    ("variable", "value", "words", "says"),
    [
        ("TIKZGEN_QUIET", "1", ["render", "a.yaml"], ""),
        ("TIKZGEN_VERBOSE", "1", ["render", "a.yaml"], "a.yaml: 0."),
        ("TIKZGEN_RENDER_CHECK", "1", ["render", "a.yaml"], "a.tex: is not as a.yaml says"),
        ("TIKZGEN_RENDER_WIDTH", "2", ["render", "a.yaml"], "--width: does not fit 2 cm"),
        ("TIKZGEN_CHECK_FORMAT", "jsn", ["check", "a.yaml"], "(TIKZGEN_CHECK_FORMAT): "),
        ("TIKZGEN_TIME_LIMIT", "x", ["metrics", "a.yaml"], "(TIKZGEN_TIME_LIMIT): "),
        ("TIKZGEN_PROGRESS", "often", ["show", "a.tex"], "(TIKZGEN_PROGRESS): "),
        ("TIKZGEN_VERSION", "3", ["render", "a.yaml"], "written"),
    ],
)
def test_every_option_has_a_twin_in_the_environment(
    variable: str, value: str, words: list[str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    done = run(*words)
    assert (says in done.err) if says else (done.err == ""), done.err


def test_every_verb_has_the_voice() -> None:
    with click.Context(cli, info_name="tikzgen") as context:
        for verb in cli.list_commands(context):
            command = cli.get_command(context, verb)
            assert command is not None
            for each in [command, *(command.commands.values() if isinstance(command, click.Group) else ())]:
                told = {name for option in each.params for name in option.opts}
                assert {"-q", "-v", "--color", "--progress"} <= told, verb


MISSING = {
    "build": [],
    "bundle": ["-o", "x"],
    "check": [],
    "edit": ["add-worker"],
    "metrics": [],
    "open": [],
    "preamble": [],
    "pull": [],
    "render": [],
    "show": [],
    "watch": [],
}


@pytest.mark.parametrize("suffix", ["tex", "yaml"])
@pytest.mark.parametrize("verb", MISSING)
def test_a_missing_file_is_a_mistake_in_the_call_in_every_verb(verb: str, suffix: str) -> None:
    done = run(verb, f"nowhere.{suffix}", *MISSING[verb])
    assert (done.status, done.out) == (2, "")
    assert f"nowhere.{suffix}" in done.err
    assert "Traceback" not in done.err


def test_open_shows_a_picture_from_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("click.launch", lambda path: shown.append(path) or 0)
    assert run("open", "a.yaml").status == 0
    assert run("open", "a.yaml", "--print").out.strip() == shown[0]
    assert Path(shown[0]).read_bytes().startswith(b"<svg")
    assert not made()
    monkeypatch.setattr("click.launch", lambda path: 1)
    done = run("open", shown[0])
    assert (done.status, done.err) == (2, f"{shown[0]}: no viewer is installed for it (--print prints its path)\n")


@pytest.mark.parametrize("name", STARTS)
def test_a_start_without_a_recipe_is_a_figure_with_nothing_to_say_of_it(name: str) -> None:
    assert run("new", name).status == 0
    done = run("render", f"{name}.yaml", "--strict")
    assert (done.status, done.err) == (0, f"{name}.tex and {name}.meta.json written\n")
    assert run("check", f"{name}.yaml").status == 0
    assert run("new", name).status == 1
    assert 'did you mean "topology"?' in run("new", "tplogy").err


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("recipe: data-parallel\nicons: {worker: gpux}\n", 's.yaml:2:17: icons.worker: unknown icon "gpux"'),
        ("recipe: federated\nicon: phonne\n", 's.yaml:2:7: icon: unknown icon "phonne"'),
        ("recipe: data-parallel\nwidth: 2\n", "s.yaml:2:8: width: does not fit 2 cm"),
    ],
)
def test_what_a_recipe_makes_of_a_fact_is_told_at_the_fact(spec: str, says: str) -> None:
    Path("s.yaml").write_text(spec, encoding="utf-8")
    done = run("render", "s.yaml")
    assert (done.status, done.err.startswith(says)) == (2, True), done.err
