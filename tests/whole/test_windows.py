r"""What Windows does otherwise, as far as it can be tried elsewhere: line ends, byte order marks, `\` in paths."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath
from typing import Any, cast

import click
import pytest
from command import run
from conftest import some

from tikzgen import load
from tikzgen.cli import voice
from tikzgen.compile.build_figures import Job
from tikzgen.compile.figure_jobs import make_rules
from tikzgen.compile.paper import latexmkrc_lines

FILES = {
    "a.yaml": "extends: base.toml\nrecipe: pipeline\n# a comment\ntitle: |\n  two\n  lines\n",
    "base.toml": 'schedule = "1f1b"\ndevices = 2\nforward = "times.csv"\n[labels]\ndevice = """\nD{n}"""\n',
    "times.csv": "1\n2\n",
    "b.json": '{\n  "recipe": "data-parallel",\n  "workers": 2\n}\n',
    "tikzgen.toml": "width = 9\n\n[font]\nsize = 7\n",
    "tikzgen-style.yaml": "corners: 2\n",
}


@pytest.mark.parametrize("mark", some(["\ufeff", ""]), ids=["bom", "plain"])
def test_line_ends_and_byte_order_marks_mean_nothing(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made: list[dict[str, bytes]] = []
    for end in ("\n", "\r\n"):
        folder = tmp_path / f"with{len(end)}"
        folder.mkdir()
        monkeypatch.chdir(folder)
        for name, text in FILES.items():
            Path(name).write_bytes((mark * (name != "times.csv") + text.replace("\n", end)).encode())
        assert run("render", ".").status == 0
        made.append({path.name: path.read_bytes() for path in [*Path().glob("*.tex"), *Path().glob("*.meta.json")]})
    assert made[0] == made[1]
    assert sorted(made[0]) == ["a.meta.json", "a.tex", "b.meta.json", "b.tex"]
    assert not any(b"\r" in data for data in made[1].values())
    assert load("a.yaml").width == 9


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.yaml", "recipe: pipeline\r\nlabels:\r\n  nope: x\r\n", "a.yaml:3:3: labels.nope: unknown field"),
        ("a.toml", 'recipe = "pipeline"\r\n[labels]\r\nnope = "x"\r\n', "a.toml:3:1: labels.nope: unknown field"),
        (
            "a.json",
            '{"recipe": "pipeline",\r\n "labels":\r\n  {"nope": 1}}',
            "a.json:3:4: labels.nope: unknown field",
        ),
    ],
)
def test_places_are_those_that_an_editor_shows(
    name: str, text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(text.encode())
    assert run("render", name).err.startswith(says)


def test_a_drive_is_part_of_the_place(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(voice, "_color", True)
        voice.print_error("C:\\paper\\fig.yaml:3:4: labels.nope: unknown field")
    place = click.style("C:\\paper\\fig.yaml:3:4", bold=True)
    assert capsys.readouterr().err.startswith(place)


def test_make_and_latexmk_name_files_with_slashes(monkeypatch: pytest.MonkeyPatch) -> None:
    file, target = PureWindowsPath("figs\\my a.yaml"), PureWindowsPath("out\\a")
    job = Job("a", str, cast(Any, target), cast(Any, file))
    assert make_rules([job], ["pdf"], lambda _: []) == "out/a.pdf: figs/my\\ a.yaml\n\nfigs/my\\ a.yaml:\n"
    monkeypatch.setattr(latexmkrc_lines, "PurePath", PureWindowsPath)
    rules = latexmkrc_lines.make_latexmkrc_lines(["figs\\a.yaml"])
    assert "'figs/a.yaml'" in rules
    assert "\\a" not in rules
