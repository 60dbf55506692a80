"""The command line as a person meets it: files, pipes, refusals, listings."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from command import run
from conftest import EXAMPLES, ROOT
from jsonschema import Draft202012Validator

import tikzgen
from tikzgen.cli import COMMANDS, cli
from tikzgen.cli.shared_options import option_group
from tikzgen.recipe.recipe_names import NAMES, NEEDS

SPEC = "recipe: data-parallel\nworkers: 2\n"


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("fig.yaml").write_text(SPEC, encoding="utf-8")
    return Path("fig.yaml")


def test_render_writes_the_figure_and_its_metadata_beside_the_spec(spec: Path) -> None:
    done = run("render", str(spec))
    assert (done.status, done.out, done.err) == (0, "", "fig.tex and fig.meta.json written\n")
    assert json.loads(Path("fig.meta.json").read_text(encoding="utf-8"))["id"] == "distributed-training"
    assert run("render", str(spec)).err == "fig.tex and fig.meta.json are up to date\n"


def test_dash_reads_stdin_and_writes_stdout(spec: Path) -> None:
    piped = run("render", "-", stdin=SPEC)
    assert piped.status == 0
    assert piped.out == run("render", str(spec), "-o", "-").out
    assert [path.name for path in Path().iterdir()] == ["fig.yaml"]


def test_what_the_system_refuses_is_one_line(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cli, "main", full)
    done = run("render", str(spec))
    assert (done.status, done.err) == (1, "tikzgen: no space left on device (free some, or set TMPDIR)\n")


def test_a_hand_edit_is_never_overwritten_unasked(spec: Path) -> None:
    run("render", str(spec))
    tex = Path("fig.tex")
    edited = tex.read_text(encoding="utf-8").replace("Worker 1", "Node 1")
    tex.write_text(edited, encoding="utf-8")
    done = run("render", str(spec))
    assert done.status == 1
    assert "fig.tex: not overwritten: it has manual edits" in done.err
    assert "--force" in done.err
    assert tex.read_text(encoding="utf-8") == edited
    assert run("render", str(spec), "--force").status == 0
    assert tex.read_text(encoding="utf-8") != edited


def test_a_file_of_other_origin_is_left_alone(spec: Path) -> None:
    Path("fig.tex").write_text("my own figure", encoding="utf-8")
    done = run("render", str(spec))
    assert (done.status, Path("fig.tex").read_text(encoding="utf-8")) == (1, "my own figure")
    assert "not overwritten: tikzgen did not write this file" in done.err


def test_a_rerender_with_other_facts_replaces_an_untouched_file(spec: Path) -> None:
    run("render", str(spec))
    assert run("render", str(spec), "--set", "workers=3", "--palette", "dark", "--width", "12cm").status == 0
    text = Path("fig.tex").read_text(encoding="utf-8")
    assert "(w3)" in text
    assert "\\def\\backdrop{paper}" in text


def test_a_rendered_figure_renders_again_from_the_spec_inside(spec: Path) -> None:
    run("render", str(spec), "--set", "labels.server=Store")
    assert run("render", "fig.tex", "-o", "-").out == Path("fig.tex").read_text(encoding="utf-8")
    assert run("render", "fig.tex", "--set", "workers=5", "-o", "other.tex").status == 0
    assert "(w5)" in Path("other.tex").read_text(encoding="utf-8")


def test_a_link_stays_a_link_and_a_mode_stays(spec: Path) -> None:
    Path("real.tex").write_text("", encoding="utf-8")
    Path("real.tex").chmod(0o640)
    Path("fig.tex").symlink_to("real.tex")
    assert run("render", str(spec), "--force").status == 0
    assert Path("fig.tex").is_symlink()
    assert Path("real.tex").stat().st_mode & 0o777 == 0o640
    assert "\\begin{tikzpicture}" in Path("real.tex").read_text(encoding="utf-8")


def test_missing_files_and_folders_are_one_line(spec: Path) -> None:
    Path("empty").mkdir()
    for arguments in (["render", "nowhere.yaml"], ["render", "empty"], ["render", str(spec), "-o", "fig.yaml/x.tex"]):
        done = run(*arguments)
        assert done.status in (1, 2)
        assert done.err.count("\n") == 1
        assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name not in ("paxos", "serving")))
        for name in NAMES
        if name not in NEEDS
    ],
)
def test_new_writes_a_spec_that_renders_as_the_recipe_itself(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("new", name).status == 0
    text = Path(f"{name}.yaml").read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=tikzgen.schema.json\n")
    assert Path("tikzgen.schema.json").exists()
    assert run("render", f"{name}.yaml", "-o", "-").out == run("render", "-", stdin=f"recipe: {name}\n").out
    assert run("new", name).status == 1, "an existing spec is not overwritten"


def test_new_suggests_the_nearest_recipe() -> None:
    done = run("new", "data-paralel")
    assert done.status == 2
    assert 'did you mean "data-parallel"?' in done.err


def test_schema_is_valid_and_accepts_every_example() -> None:
    from ruamel.yaml import YAML

    text = run("schema").out
    schema = json.loads(text)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    validator = Draft202012Validator(schema)
    for example in EXAMPLES:
        validator.validate(YAML(typ="safe").load(example.read_text(encoding="utf-8")))
        assert example.read_text(encoding="utf-8").startswith("# yaml-language-server: $schema=tikzgen.schema.json\n")
    assert (ROOT / "examples" / "tikzgen.schema.json").read_text(encoding="utf-8") == text


def test_listings_speak_to_people_and_programs() -> None:
    assert set(json.loads(run("recipes", "--json").out)) == set(NAMES)
    fields = json.loads(run("recipes", "pipeline", "--json").out)["pipeline"]["fields"]
    assert fields["devices"]["type"] == "int"
    assert "1f1b" in fields["schedule"]["type"]
    icons = json.loads(run("icons", "--json").out)
    assert {"dataset", "gpu", "server", "cpu", "cloud", "database", "network", "user"} <= set(icons)
    assert icons["gpu"]["width"] == 1.9


@pytest.mark.parametrize("name", NAMES)
def test_the_most_used_fields_of_a_recipe_fit_one_screen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("recipes", name).out.splitlines()
    assert len(lines) <= 25
    assert "Common fields" in lines
    assert any(line.startswith("  width ") for line in lines)


@pytest.mark.parametrize(
    "words", [["recipes"], *(["recipes", name, *more] for name in NAMES for more in ([], ["--all"]))]
)
def test_lines_on_recipes_have_at_most_80_characters(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert max(map(len, run(*words).out.splitlines())) <= 80


@cache
def listing(*words: str) -> str:
    """Return what `tikzgen recipes` prints."""
    return run("recipes", *words).out


@pytest.mark.parametrize("name", NAMES)
def test_the_most_used_fields_of_a_recipe_are_first(name: str) -> None:
    first = re.findall(r"^  ([\w.]+)  ", listing(name).partition("More fields")[0], re.M)
    groups = listing(name, "--all").split("\n\n")[1:]
    for group in groups:
        fields = re.findall(r"^([\w.]+): ", group, re.M)
        common = [field for field in fields if field in first]
        assert fields[: len(common)] == common


@pytest.mark.parametrize("name", NAMES)
def test_all_fields_of_a_recipe_are_listed_once_and_by_group(name: str) -> None:
    facts = json.loads(listing(name, "--json"))[name]["fields"]
    assert "parameters" not in {fact["group"] for fact in facts.values()}  # the group of fields without one
    for words, wanted in [
        (["--all"], set(facts)),
        *(([group], {each for each in facts if facts[each]["group"] == group}) for group in ("labels", "figure")),
    ]:
        listed = re.findall(r"^([\w.]+): ", listing(name, *words).partition("\n")[2], re.M)
        assert sorted(listed) == sorted(wanted)


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(NEEDS)))
def test_the_example_of_a_recipe_renders(name: str) -> None:
    example = listing(name).partition("Example for `tikzgen render`\n")[2]
    assert tikzgen.loads(example).panels


def test_an_unknown_group_of_a_recipe_is_an_error() -> None:
    done = run("recipes", "pipeline", "lables")
    assert (done.status, done.out) == (2, "")
    assert 'has no group "lables" (did you mean "labels"?)' in done.err


def test_a_recipe_is_told_with_types_choices_and_defaults() -> None:
    lines = [line.strip() for line in run("recipes", "data-parallel", "--all").out.splitlines()]
    assert 'workers: int or Crowd = {"count": 3}' in lines
    assert 'palette: light, dark = "light"' in lines
    assert lines[lines.index('labels.server: text = "Parameter server"') + 1] == "Label of the server."
    assert "source: text or a list of these or mapping  (required)" in run("recipes", "trace", "--all").out


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("tikzgen re", {"recipes", "render"}),
        ("tikzgen new t", {"topology", "timeline", "trace", "two-phase-commit"}),
        ("tikzgen recipes pi", {"pipeline"}),
        ("tikzgen schema mo", {"moe"}),
        ("tikzgen render --width aa", {"aaai-column", "aaai-text"}),
        ("tikzgen render --palette d", {"dark"}),
        ("tikzgen check --only", {"--only-figures"}),
    ],
)
def test_a_shell_completes(words: str, offered: set[str]) -> None:
    *before, incomplete = words.split()[1:]
    complete = ShellComplete(cli, {}, "tikzgen", "_TIKZGEN_COMPLETE")
    assert {each.value for each in complete.get_completions(before, incomplete)} == offered


def test_the_manual_page_tells_every_verb_and_option() -> None:
    page = run("completion", "man").out
    assert page.startswith(".TH TIKZGEN 1 ")
    assert page.endswith("\n")
    assert not page.endswith("\n\n")
    with click.Context(cli, info_name="tikzgen") as context:
        for verb in cli.list_commands(context):
            command = cli.get_command(context, verb)
            assert command is not None
            assert f".SS tikzgen {verb}" in page
            shown = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
            assert [each.opts for each in shown if each.opts[-1].replace("-", "\\-") not in page] == []
    assert "[TIKZGEN_CHECK_FORMAT]".replace("-", "\\-") in page
    assert all(line[:1] != "." or line[1:3] in ("TH", "SH", "SS", "PP", "TP", "B ") for line in page.splitlines())
    assert max(map(ord, page)) < 0x10000


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    assert "_TIKZGEN_COMPLETE" in run("completion", shell).out


def test_every_verb_has_help_and_the_reference_knows_it() -> None:
    folder = ROOT / "docs" / "reference"
    page = (folder / "command-line.md").read_text(encoding="utf-8")
    listed = run("--help").out
    for verb in cli.list_commands(None):  # type: ignore[arg-type]
        assert f"  {verb}" in listed
        assert f"(commands/{verb}.md)" in page
        assert f"# `tikzgen {verb}`" in (folder / "commands" / f"{verb}.md").read_text(encoding="utf-8")
        assert len(run(verb, "--help").out.splitlines()) > 4


def test_version_and_unknown_verb() -> None:
    from tikzgen import __version__

    assert run("--version").out == f"tikzgen {__version__}\n"
    done = run("rendr")
    assert done.status == 2
    assert 'did you mean "render"?' in done.err


def test_a_folder_of_ones_own_icons_and_templates(spec: Path) -> None:
    Path("mine/icons").mkdir(parents=True)
    Path("mine/icons/tpu.tex.j2").write_text(
        "<#-\ndescription: A tensor processor.\nsize: 1 x 1\ncolor: otblue\n-#>\n"
        "\\filldraw[draw=<< color >>!70!ink, fill=<< color >>!12!paper] (0,0) rectangle (1,1);\n",
        encoding="utf-8",
    )
    done = run("render", str(spec), "--set", "icons.worker=tpu", "--templates", "mine", "-o", "-")
    assert done.status == 0, done.err
    assert "{\\tpupic}" in done.out
    assert "otblue!70!ink" in done.out


def test_templates_of_strangers_run_in_a_sandbox(spec: Path) -> None:
    Path("mine").mkdir()
    Path("mine/figure.tex.j2").write_text("<< scene.__class__.__mro__ >>", encoding="utf-8")
    done = run("render", str(spec), "--templates", "mine", "-o", "-")
    assert done.status == 2
    assert done.out == ""
    assert done.err.count("\n") == 1


def test_start_up_imports_no_models() -> None:
    code = "import sys; from tikzgen.cli import cli; cli(['--help'], standalone_mode=False); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pydantic" not in done.stdout
    assert "jinja2" not in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("example", "without"), [("distributed-training", "timeline"), ("memory", "topology")])
def test_a_figure_loads_the_modules_of_its_own_parts_only(example: str, without: str) -> None:
    code = (
        f"import sys, tikzgen; tikzgen.load({str(ROOT / 'examples' / example)!r} + '.yaml').tex(); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    layout = [name for name in done.stdout.split() if name.startswith("tikzgen.layout.")]
    assert layout
    assert [name for name in layout if name.startswith(f"tikzgen.layout.{without}.")] == []


LOCALES = {
    "UTF-8": {"LC_ALL": "C.UTF-8"},
    "C": {"LC_ALL": "C"},
    "ASCII": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    "Latin-1": {"LC_ALL": "C", "PYTHONIOENCODING": "latin-1"},
}


@pytest.mark.slow
@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    ("name", "told", "in_json"),
    [
        ("图".encode(), "图", "图"),
        (b"a\xff", "a\\udcff", "a\udcff"),
        ("é图\xff".encode("latin-1", "ignore"), "\\udce9\\udcff", "\udce9\udcff"),
    ],
    ids=["Chinese", "no text", "Latin-1"],
)
def test_names_are_printed_as_they_are(locale: str, name: bytes, told: str, in_json: str, tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(name + b".yaml")).write_text("recipe: data-parallel\nworkrs: 2\ntitle: 图\n", "utf-8")
    out = {}
    for verb in (("render",), ("check", "--format", "json")):
        command = [sys.executable, "-m", "tikzgen", *verb, name + b".yaml"]
        done = subprocess.run(command, cwd=tmp_path, env={**os.environ, **LOCALES[locale]}, capture_output=True)
        out[verb[0]] = (done.stdout + done.stderr).decode("utf-8")
    assert out["render"].startswith(f"{told}.yaml:2:1: workrs: unknown field")
    facts = json.JSONDecoder().raw_decode(out["check"])[0]
    assert facts["errors"][0]["file"] == f"{in_json}.yaml"


def every_command() -> list[click.Command]:
    """All commands, and the commands of groups."""
    found = [cli.get_command(click.Context(cli), name) for name in COMMANDS]
    commands = [command for command in found if command is not None]
    return commands + [part for group in commands for part in getattr(group, "commands", {}).values()]


def test_each_option_has_a_topic_and_help_of_one_line() -> None:
    for command in every_command():
        context = click.Context(command)
        for option in command.get_params(context):
            if isinstance(option, click.Option):
                assert option_group(option), f"{command.name}: {option.opts}"
                assert 0 < len(option.help or "") <= 72, f"{command.name}: {option.opts}"


def test_help_lists_options_by_topic_and_global_ones_last() -> None:
    text = run("build", "--help").out
    topics = ["Input:", "Output:", "Appearance:", "Checks:", "Compilation and limits:", "Global options:"]
    assert re.findall(r"^[A-Z][\w ]*:$", text, re.MULTILINE) == topics


def test_the_help_of_each_command_begins_with_one_short_line() -> None:
    for command in every_command():
        summary = re.split(r"\n\s*\n|(?<=[^.][.])\s", (command.help or "").strip())[0]
        assert summary[0].isupper(), command.name
        assert len(" ".join(summary.split())) <= 72, f"{command.name}: {summary}"


def test_each_command_has_an_example() -> None:
    for name in COMMANDS:
        if name != "trace":  # its subcommands have examples
            command = cli.get_command(click.Context(cli), name)
            assert command is not None
            assert re.search(r"^\s+tikzgen ", command.help or "", re.MULTILINE), name


def test_no_help_shows_the_mark_of_a_paragraph_that_is_not_wrapped() -> None:
    for command in every_command():
        assert "\\b" not in (command.help or ""), command.name
