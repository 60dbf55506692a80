"""`tikzgen upgrade`: figures of earlier versions drawn again, with their manual edits, on consent only."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from command import run
from conftest import ROOT
from past_figures import FOLDER, MINE, PAST, edit_by_hand

from tikzgen import load, loads, show
from tikzgen.base.errors import FileRefused
from tikzgen.edit.upgrade import plan_upgrade
from tikzgen.model.content import KINDS
from tikzgen.spec.earlier_formats import DEPRECATIONS
from tikzgen.spec.embedded_spec import digest_of_metadata

TRAINING = (FOLDER / "d7853c3-distributed-training.tex").read_text(encoding="utf-8")
RAFT = FOLDER / "26352b8-raft-election.tex"
RELEASES = FOLDER / "releases"
RELEASED = sorted(RELEASES.glob("*/*.tex"))


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.slow
@pytest.mark.parametrize("edited", [False, True], ids=["as-written", "edited"])
@pytest.mark.parametrize("past", PAST, ids=lambda path: path.stem)
def test_a_figure_of_each_generation_is_upgraded_once(past: Path, edited: bool) -> None:
    text = past.read_text(encoding="utf-8")
    path = Path("fig.tex")
    path.write_text(edit_by_hand(text) if edited else text, encoding="utf-8")
    assert run("upgrade", "fig.tex").status == 1
    assert path.read_text(encoding="utf-8") == (edit_by_hand(text) if edited else text)
    done = run("upgrade", "fig.tex", "--yes")
    assert done.status == 0
    assert done.err.endswith("fig.tex written\n")
    assert ("; keeps 2 manually edited lines" in done.err) == edited
    new = path.read_text(encoding="utf-8")
    assert all((mine in new) == edited for mine in MINE)
    if not edited:
        assert new == run("render", "fig.tex", "-o", "-").out
    assert run("upgrade", "fig.tex").err == "fig.tex: is current\n"


@pytest.mark.slow
@pytest.mark.parametrize("edited", [False, True], ids=["as-written", "edited"])
@pytest.mark.parametrize("figure", RELEASED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_figure_of_each_release_is_current_or_upgraded(figure: Path, edited: bool) -> None:
    text = figure.read_text(encoding="utf-8")
    path = Path("fig.tex")
    path.write_text(edit_by_hand(text) if edited else text, encoding="utf-8")
    done = run("upgrade", "fig.tex", "--yes")
    assert (done.status, done.err.splitlines()[-1]) in [(0, "fig.tex: is current"), (0, "fig.tex written")]
    new = path.read_text(encoding="utf-8")
    assert all((mine in new) == edited for mine in MINE)
    if not edited:
        assert new == run("render", "fig.tex", "-o", "-").out


def test_each_release_has_figures_of_each_kind() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for version in re.findall(r"^## \[(\d[\d.]*)\]", changelog, re.MULTILINE):
        figures = [load(path) for path in RELEASED if path.parent.name == version]
        found = {each.type for figure in figures for panel in figure.panels for each in panel.content}
        assert set(KINDS.built_in) <= found, f"copy goldens of {version} into {RELEASES}"


def test_a_current_figure_is_current_whatever_was_edited() -> None:
    figure = loads("recipe: data-parallel\nworkers: 2\n")
    figure.save("fig.tex")
    Path("edited.tex").write_text(edit_by_hand(figure.tex()), encoding="utf-8")
    figure.save("changed.tex")
    assert run("edit", "changed.tex", "add-worker").status == 0
    done = run("upgrade", ".")
    assert (done.status, done.out) == (0, "")
    assert done.err.splitlines() == [f"{name}.tex: is current" for name in ("changed", "edited", "fig")]
    assert not Path("upgrade.html").exists()


def folder_of_a_newcomer() -> None:
    """Write three old figures, one of them edited, one broken by an edit; a foreign one, and other files."""
    Path("old.tex").write_bytes(RAFT.read_bytes())
    Path("edited.tex").write_text(TRAINING.replace(r"\rowsep{2.5}", r"\rowsep{3}"), encoding="utf-8")
    Path("broken.tex").write_text(TRAINING.replace(r"\node[icon] (w1) at", r"\node[icon (w1) at"), encoding="utf-8")
    Path("foreign.tex").write_text("\\documentclass{standalone}\n\\begin{document}x\\end{document}\n")
    Path("paper.tex").write_text("\\documentclass{article}\n")
    Path("fig.meta.json").write_text("{}")


def test_a_folder_is_upgraded_except_what_cannot_be_kept() -> None:
    folder_of_a_newcomer()
    before = {path: path.read_bytes() for path in Path().iterdir()}
    done = run("upgrade", ".")
    assert done.status == 1
    broken, edited, old, foreign, page, pending = done.err.splitlines()
    assert broken == "broken.tex:79:8: not upgraded: this [ is never closed (close it)"
    assert edited.startswith("edited.tex: outdated: the picture differs in 15 elements")
    assert edited.endswith("; keeps 1 manually edited line")
    assert re.fullmatch(
        r"old\.tex: outdated: the picture differs in \d+ elements \(8\.40 × 8\.70 cm → 8\.40 × .* cm\); "
        r"\d+ lines added or removed",
        old,
    )
    assert foreign == "foreign.tex: skipped: contains no tikzgen spec"
    assert page == "upgrade.html: old and new pictures of 3 figures"
    assert pending == "2 figures of an earlier version not written (--yes writes)"
    assert {path: path.read_bytes() for path in before} == before
    shown = Path("upgrade.html").read_text(encoding="utf-8")
    assert re.findall(r'data-name="([^"]+)"', shown) == ["broken.tex", "edited.tex", "old.tex"]
    assert "manual edit, now in the spec: set parameter=rowsep value=3" in shown
    assert str(Path.cwd()) not in shown

    assert run("upgrade", ".", "--yes").status == 1  # one is left alone
    changed = {str(path) for path in before if path.read_bytes() != before[path]}
    assert changed == {"edited.tex", "old.tex"}
    assert show("edited.tex").own
    assert r"\rowsep{3}" in Path("edited.tex").read_text(encoding="utf-8")
    assert run("edit", "edited.tex", "--undo").status == 0
    assert Path("edited.tex").read_bytes() == before[Path("edited.tex")]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("paper.tex", "x\n", "paper.tex: not upgraded: contains no tikzgen spec"),
        ("none.tex", None, "none.tex: no such file or directory"),
        ("fig.yaml", "recipe: data-parallel\n", "fig.yaml: is a spec, not a figure (`tikzgen render fig.yaml` writes"),
        (
            "later.tex",
            TRAINING.replace('"version": "0.1.0"', '"version": "1.3.0"'),
            "later.tex: not upgraded: its templates are of tikzgen 1.3.0 (update tikzgen, whose templates are of",
        ),
        (
            "six.tex",
            TRAINING.replace('"format": 4', '"format": 6'),
            "six.tex:127:16: tikzgen: embedded in format 6, which this version of tikzgen does not read (update",
        ),
        (
            "own.tex",
            TRAINING.replace('"version": "0.1.0"', '"version": "0.1.0",\n%     "templates": "own"'),
            "own.tex: not upgraded: was rendered with custom templates",
        ),
        (
            "wrong.tex",
            TRAINING.replace('"recipe": "data-parallel"', '"recipe": "data-paralel"'),
            'wrong.tex: not upgraded: contains an unreadable spec: wrong.tex:107:15: recipe: unknown recipe "data-par',
        ),
    ],
)
def test_a_figure_that_stays_is_named_with_the_reason(name: str, text: str | None, message: str) -> None:
    if text is not None:
        Path(name).write_text(text, encoding="utf-8")
    done = run("upgrade", name, "--yes")
    assert done.status in (1, 2)
    assert done.err.startswith(message)
    assert done.err.count("\n") == 1
    assert text is None or Path(name).read_text(encoding="utf-8") == text


def test_a_figure_of_a_removed_format_names_the_deprecation() -> None:
    done = run("upgrade", str(FOLDER / "refused"), "--yes")
    assert done.status == 2
    assert re.search(r"login\.tex:238:16: .* embedded in format 2, .* \(D001: render the figure again", done.err)
    assert not Path("upgrade.html").exists()


def test_an_unlabeled_node_of_an_earlier_version_is_named() -> None:
    tex = loads("panels: [{content: {type: topology, nodes: [{id: a, kind: node, label: ''}]}}]\n").tex()
    before = re.sub(r',\n% +"label": ""', "", tex)
    Path("fig.tex").write_text(before, encoding="utf-8")
    done = run("upgrade", "fig.tex", "--yes")
    assert "fig.tex: outdated: same picture; " in done.err
    assert f"; D002: {DEPRECATIONS['D002'].form}\n" in done.err
    assert Path("fig.tex").read_text(encoding="utf-8") == tex


def test_conflicts_stop_a_figure_until_a_side_is_chosen() -> None:
    line = next(line for line in TRAINING.splitlines() if r"{\batchlabel} (w1.west)" in line)
    edited = line.replace("(w1.west)", "(w4.west)")
    Path("fig.tex").write_text(TRAINING.replace(line, edited), encoding="utf-8")
    done = run("upgrade", "fig.tex", "--yes")
    assert done.status == 1
    assert re.match(r"fig\.tex:\d+: conflict 1: ", done.err)
    assert f"  manual: {edited.strip()}\n" in done.err
    assert run("upgrade", "fig.tex", "--yes", "--theirs").status == 0
    assert edited in Path("fig.tex").read_text(encoding="utf-8")
    assert run("upgrade", "fig.tex").status == 0


def test_an_edit_that_a_merge_would_break_is_named() -> None:
    text = RAFT.read_text(encoding="utf-8").replace("(6,2) -- (7,1)", "(6,2) -- (8,1)")
    Path("fig.tex").write_text(text, encoding="utf-8")
    done = run("upgrade", "fig.tex", "--yes")
    assert done.status == 1
    assert re.match(r"fig\.tex: not upgraded: cannot merge the manual edits \(line 76: .*change these lines", done.err)
    assert Path("fig.tex").read_text(encoding="utf-8") == text


def test_other_files_are_not_overwritten_by_the_page() -> None:
    Path("fig.tex").write_bytes(RAFT.read_bytes())
    Path("mine.html").write_text("<p>mine")
    done = run("upgrade", "fig.tex", "--yes", "-o", "mine.html")
    assert (done.status, Path("mine.html").read_text()) == (1, "<p>mine")
    assert done.err == "mine.html: not overwritten: tikzgen did not write this page (-o writes elsewhere)\n"
    assert Path("fig.tex").read_bytes() == RAFT.read_bytes()
    assert [run("upgrade", "fig.tex", "-o", "page.html").status for _ in range(2)] == [1, 1]


@pytest.mark.parametrize("edited", [False, True])
def test_metadata_beside_the_figure_follow_unless_edited(edited: bool) -> None:
    mine = '{"title": "mine"}\n'
    digest = "0" * 16 if edited else digest_of_metadata(mine)
    Path("fig.tex").write_text(
        re.sub('("metadata": ")[0-9a-f]{16}', rf"\g<1>{digest}", RAFT.read_text("utf-8")), "utf-8"
    )
    Path("fig.meta.json").write_text(mine)
    assert run("upgrade", "fig.tex", "--yes").status == 0
    assert (Path("fig.meta.json").read_text("utf-8") == mine) == edited
    assert run("edit", "fig.tex", "--undo").status == 0
    assert Path("fig.meta.json").read_text() == mine


def test_a_figure_that_changed_meanwhile_is_not_written() -> None:
    path = Path("fig.tex")
    path.write_bytes(RAFT.read_bytes())
    upgrade = plan_upgrade(path)
    assert upgrade is not None
    path.write_bytes(RAFT.read_bytes() + b"% mine\n")
    with pytest.raises(FileRefused, match=r"fig\.tex: not overwritten"):
        upgrade.save()
    assert path.read_bytes() == RAFT.read_bytes() + b"% mine\n"


def test_line_ends_of_a_figure_stay() -> None:
    path = Path("fig.tex")
    path.write_bytes(RAFT.read_bytes().replace(b"\n", b"\r\n"))
    assert run("upgrade", "fig.tex", "--yes").status == 0
    data = path.read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") > 100


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a pseudoterminal")
@pytest.mark.parametrize(("answer", "writes"), [("y", True), ("n", False), ("", False)])
def test_a_terminal_is_asked(answer: str, writes: bool) -> None:
    import pty

    Path("fig.tex").write_bytes(RAFT.read_bytes())
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(ROOT / ".venv/bin/tikzgen", ["tikzgen", "upgrade", "fig.tex"])
    os.write(fd, f"{answer}\n".encode())
    said = b""
    with pytest.raises(OSError):
        while True:
            said += os.read(fd, 4096)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert b"Write 1 figure? [y/N]: " in said
    assert status == (0 if writes else 1)
    assert (Path("fig.tex").read_bytes() != RAFT.read_bytes()) == writes


def test_each_deprecation_is_ordered_and_has_an_end() -> None:
    assert list(DEPRECATIONS) == [f"D{number:03d}" for number in range(1, len(DEPRECATIONS) + 1)]
