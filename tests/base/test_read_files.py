"""Files name regular files of their project only; and a figure from the cache is as new as what was read for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import run

import tikzgen
from tikzgen.base.read_files import MAX_NAMED_FILES, allow_folders, project_of, record_files
from tikzgen.spec.source import read_text

SPEC = "recipe: data-parallel\nworkers: 2\n"
RECIPE = "recipe: pipeline\ndevices: 2\nmicrobatches: 2\n"
STYLE = "corners: 2\n"


@pytest.fixture(autouse=True)
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stranger's folder, beside files of the reader's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name, text in {
        "secret/style.yaml": STYLE,
        "secret/t.csv": "1\n1\n",
        "secret/shared.yaml": RECIPE,
        "secret/tikzgen.toml": "width = 9\n",
    }.items():
        write(tmp_path / name, text)
    (tmp_path / "paper").mkdir()
    monkeypatch.chdir(tmp_path / "paper")
    return tmp_path / "paper"


def write(path: Path | str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


NAMING = {
    "style of a configuration": (SPEC, 'style = "FILE"\n', "../secret/style.yaml", "tikzgen.toml:1:9: style: "),
    "style of pyproject.toml": (
        SPEC,
        '[tool.tikzgen]\nstyle = "FILE"\n',
        "../secret/style.yaml",
        "pyproject.toml:2:9: style: ",
    ),
    "extends": ("extends: FILE\n", "", "../secret/shared.yaml", "a.yaml:1:10: extends: "),
    "durations": (RECIPE + "forward: FILE\n", "", "../secret/t.csv", "a.yaml:4:10: forward: "),
    "trace": ("recipe: trace\nsource: FILE\n", "", "../secret/t.csv", "a.yaml:2:9: source: "),
    "traces": ("recipe: trace\nsource: FILE\n", "", "../secret/*.csv", "a.yaml:2:9: source: "),
}
"""A spec and a configuration with the name of a file that lies elsewhere, and what begins the refusal."""


@pytest.fixture(params=NAMING)
def naming(request: pytest.FixtureRequest) -> tuple[str, str]:
    """A spec that names a file outside of its project."""
    spec, config, file, place = NAMING[request.param]
    write("a.yaml", spec.replace("FILE", file))
    if config:
        write("pyproject.toml" if "tool" in config else "tikzgen.toml", config.replace("FILE", file))
    return file, place


def test_a_file_outside_the_project_is_refused_at_the_name(naming: tuple[str, str]) -> None:
    file, place = naming
    done = run("render", "a.yaml", "-o", "-")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert done.err.startswith(f'{place}"{file}" is outside the project (copy '), done.err
    assert "--allow DIR" in done.err


def test_an_allowed_folder_is_read(naming: tuple[str, str], tmp_path: Path) -> None:
    spec = Path("a.yaml")
    allowed = run("check", "--allow", "../secret", str(spec)).err
    assert "outside" not in allowed
    with allow_folders([tmp_path / "secret"]):
        outcome = run("check", str(spec)).err
    write(tmp_path / "config/tikzgen/config.toml", f'allow = ["{tmp_path / "secret"}"]\n')
    assert run("check", str(spec)).err == allowed == outcome


def test_a_link_out_of_the_project_is_refused(naming: tuple[str, str]) -> None:
    file, place = naming
    if "*" in file:
        file = "../secret/t.csv"
    Path("link" + Path(file).suffix).symlink_to(file)
    for each in ("a.yaml", "tikzgen.toml", "pyproject.toml"):
        if Path(each).is_file():
            text = Path(each).read_text("utf-8").replace("../secret/*.csv", file)
            write(each, text.replace(file, "link" + Path(file).suffix))
    done = run("render", "a.yaml", "-o", "-")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f'{place}"link{Path(file).suffix}" is outside the project'), done.err


def test_a_pipe_is_refused_and_not_waited_for(naming: tuple[str, str]) -> None:
    file, place = naming
    pipe = "pipe" + Path(file).suffix
    os.mkfifo(pipe)
    for each in ("a.yaml", "tikzgen.toml", "pyproject.toml"):
        if Path(each).is_file():
            write(each, Path(each).read_text("utf-8").replace(file, pipe))
    done = run("render", "a.yaml", "-o", "-")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f'{place}"{pipe}" is not a regular file'), done.err


@pytest.mark.parametrize("name", ["tikzgen.toml", "tikzgen-style.yaml", "pyproject.toml"])
def test_a_configuration_or_style_that_is_a_link_out_of_the_project_is_refused(name: str, tmp_path: Path) -> None:
    write("a.yaml", SPEC)
    write(tmp_path / "secret" / name, "[tool.tikzgen]\nwidth = 9\n" if name == "pyproject.toml" else "corners: 2\n")
    Path(name).symlink_to(tmp_path / "secret" / name)
    done = run("render", "a.yaml", "-o", "-")
    assert (done.out, done.err.count("\n")) == ("", 1)
    assert name in done.err
    assert "is outside the project" in done.err


def test_what_a_person_names_may_lie_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.yaml", SPEC)
    assert '"corners":2' in run("render", "a.yaml", "-o", "-", "--style", "../secret/style.yaml").out.replace(" ", "")
    monkeypatch.setenv("TIKZGEN_STYLE", str(tmp_path / "secret/style.yaml"))
    assert '"corners":2' in run("render", "a.yaml", "-o", "-").out.replace(" ", "")
    monkeypatch.chdir(tmp_path / "secret")
    monkeypatch.delenv("TIKZGEN_STYLE")
    assert run("render", "../paper/a.yaml", "-o", "-").status == 0


def test_a_link_in_a_folder_that_leads_out_of_the_project_is_passed_over(tmp_path: Path) -> None:
    write("a.yaml", SPEC)
    write(tmp_path / "secret/mine.yaml", SPEC + "title: SECRET\n")
    Path("b.yaml").symlink_to(tmp_path / "secret/mine.yaml")
    Path("c.yaml").symlink_to("a.yaml")
    assert run("render", ".").status == 0
    assert sorted(path.name for path in Path().glob("*.tex")) == ["a.tex", "c.tex"]
    assert run("render", "b.yaml", "-o", "-").out.count("SECRET") > 0  # whoever names it may read it


def test_a_pipe_in_a_folder_is_waited_for_within_the_limit() -> None:
    os.mkfifo("f.yaml")
    command = [sys.executable, "-m", "tikzgen", "metrics", "f.yaml", "--time-limit", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, "this takes more than 1 s" in done.stderr) == (2, True)


def test_names_of_files_do_not_reach_the_terminal_as_commands() -> None:
    write("\x1b]0;OWNED\x07a.yaml", "recipe: nope\n")
    for words in ("check", "render", "build --engine none -f svg"):
        done = run(*words.split(), ".")
        assert "\\x1b]0;OWNED" in done.err + done.out
        assert "\x1b" not in done.err + done.out


def test_build_tells_what_render_tells() -> None:
    nodes = "".join(f"    - {{kind: node, id: n{each}}}\n" for each in range(40))
    write("a.yaml", f"panels:\n- content:\n    type: topology\n    layout: {{type: column}}\n    nodes:\n{nodes}")
    assert "cm tall, the text area of a page 23 cm" in run("render", "a.yaml", "-o", "-").err
    assert "cm tall, the text area of a page 23 cm" in run("build", "a.yaml", "--engine", "none", "-f", "svg").err


def test_a_configuration_of_a_project_allows_nothing() -> None:
    write("a.yaml", SPEC)
    write("tikzgen.toml", 'allow = ["/"]\n')
    assert run("render", "a.yaml").err.startswith("tikzgen.toml:1:1: allow: unknown field")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("allow = 3\n", "allow is not a list of folders"),
        ('allow = ["here"]\n', 'allow names "here", a relative folder'),
        ("width = 9\n", '"width" is no field of it'),
        ("allow = [\n", "Invalid value"),
    ],
)
def test_what_is_wrong_in_the_users_configuration_is_told(text: str, message: str, tmp_path: Path) -> None:
    write("a.yaml", "extends: ../secret/shared.yaml\n")
    write(tmp_path / "config/tikzgen/config.toml", text)
    done = run("render", "a.yaml")
    assert (done.status, message in done.err, done.err.count("\n")) == (1, True, 1), done.err


def test_the_project_is_the_repository_but_not_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figs = tmp_path / "paper/figs"
    figs.mkdir()
    assert project_of(figs / "a.yaml") == figs
    (tmp_path / ".git").mkdir()
    assert project_of(figs / "a.yaml") == tmp_path
    monkeypatch.setenv("HOME", str(tmp_path))
    assert project_of(figs / "a.yaml") == figs
    (tmp_path / "paper/.git").write_text("gitdir: elsewhere\n")  # a worktree
    assert project_of(figs / "a.yaml") == tmp_path / "paper"


def test_a_file_that_many_files_name_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    levels, width = 8, 6
    for level in range(levels):
        below = [f"s{level + 1}-{each}.yaml" for each in range(width)] if level + 1 < levels else []
        for each in range(width):
            write(f"s{level}-{each}.yaml", f"extends: [{', '.join(below)}]\n" if below else RECIPE)
    write("a.yaml", f"extends: [{', '.join(f's0-{each}.yaml' for each in range(width))}]\n")
    with record_files() as read:
        assert tikzgen.load("a.yaml").panels
    assert len([each for each in read.changed if each.endswith(".yaml") and "paper/s" in each]) == levels * width


def test_a_figure_names_so_many_files_and_no_more() -> None:
    for each in range(MAX_NAMED_FILES + 1):
        write(f"s{each}.yaml", RECIPE)
    names = [f"s{each}.yaml" for each in range(MAX_NAMED_FILES + 1)]
    write("a.yaml", f"extends: [{', '.join(names[:-1])}]\n")
    assert tikzgen.load("a.yaml").panels
    write("a.yaml", f"extends: [{', '.join(names)}]\n")
    with pytest.raises(tikzgen.SpecError, match=rf"extends\[64\]: names more than {MAX_NAMED_FILES} files"):
        tikzgen.load("a.yaml")


def test_what_is_recorded_is_what_was_read() -> None:
    write("a.yaml", SPEC)
    with record_files() as read:
        read_text("a.yaml")
        states = read.list_file_states()
    write("a.yaml", SPEC + "title: T\n")
    with record_files() as again:
        read_text("a.yaml")
    assert [place for place, _ in states] == [place for place, _ in again.list_file_states()]
    assert states != again.list_file_states()


# --- Figures from the cache ------------------------------------------------------------------------------------------

CHANGES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "durations under an escaped name": (
        {"a.yaml": RECIPE + 'forward: "t\\x2ecsv"\n', "t.csv": "1\n1\n"},
        {"t.csv": "9\n1\n"},
    ),
    "an extended file": ({"a.yaml": "extends: b.yaml\n", "b.yaml": RECIPE}, {"b.yaml": RECIPE + "title: T\n"}),
    "a file extended twice over": (
        {"a.yaml": "extends: b.yaml\n", "b.yaml": "extends: c.yaml\n", "c.yaml": RECIPE},
        {"c.yaml": RECIPE + "title: T\n"},
    ),
    "a configuration": ({"a.yaml": SPEC, "tikzgen.toml": "width = 9\n"}, {"tikzgen.toml": "width = 10\n"}),
    "a configuration that appears": ({"a.yaml": SPEC}, {"tikzgen.toml": "width = 9\n"}),
    "a configuration that appears in pyproject.toml": (
        {"a.yaml": SPEC, "pyproject.toml": "[project]\n"},
        {"pyproject.toml": "[tool.tikzgen]\nwidth = 9\n"},
    ),
    "a style that appears": ({"a.yaml": SPEC}, {"tikzgen-style.yaml": STYLE}),
    "a style above that appears": ({"figs/a.yaml": SPEC}, {"tikzgen-style.yaml": STYLE}),
    "the style of a configuration": (
        {"a.yaml": SPEC, "tikzgen.toml": 'style = "looks.yaml"\n', "looks.yaml": STYLE},
        {"looks.yaml": "corners: 4\n"},
    ),
    "the spec itself": ({"a.yaml": SPEC}, {"a.yaml": SPEC + "title: A trace of the word extends\n"}),
}


def rendered() -> str:
    spec = "a.yaml" if Path("a.yaml").is_file() else "figs/a.yaml"
    done = run("render", spec, "-o", "-")
    assert done.status == 0, done.err
    return done.out


def rendered_with(files: dict[str, str]) -> str:
    for name, text in files.items():
        write(name, text)
    return rendered()


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_was_read_changes_the_figure(change: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before, after = CHANGES[change]
    first, second = rendered_with(before), rendered_with(after)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    assert second == rendered() != first


@pytest.mark.parametrize("change", CHANGES)
def test_whoever_undoes_a_change_has_the_figure_of_before(change: str) -> None:
    before, after = CHANGES[change]
    first = rendered_with(before)
    rendered_with(after)
    for name in after:
        Path(name).unlink()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it was to come from the cache")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tikzgen.lint.read_valid.read_valid", refuse)
        assert rendered_with(before) == first


def test_a_new_file_that_a_pattern_names_is_seen() -> None:
    events = '{"traceEvents":[{"ph":"X","name":"gemm","cat":"kernel","ts":0,"dur":9,"pid":0,"tid":1}]}'
    write("traces/rank0.json", events)
    write("a.yaml", "recipe: trace\nsource: traces/*.json\n")
    first = rendered()
    write("traces/rank1.json", events)
    assert rendered() != first


def test_a_repository_that_begins_nearer_ends_what_stands_above() -> None:
    write("tikzgen.toml", "width = 9\n")
    write("figs/a.yaml", SPEC)
    first = rendered()
    Path("figs/.git").mkdir()
    assert rendered() != first
