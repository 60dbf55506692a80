"""What was changed in a figure, by operations or by hand, is not undone by a spec that does not say it."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run
from conftest import some


def rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("fig.yaml").write_text(spec, encoding="utf-8")
    assert run("render", "fig.yaml").status == 0
    return Path("fig.tex")


TWO_WORKERS = "panels: [{content: {type: topology, nodes: [{kind: worker, id: a, label: A}, {kind: worker, id: b}]}}]\n"
CHANGED = [
    ("recipe: data-parallel\n", ["set", "pslabel=PS"], "labels.server"),
    ("recipe: data-parallel\n", ["add-worker"], "workers.count"),
    ("recipe: data-parallel\n", ["rename-node", "w1=A"], "labels.workers"),
    ("recipe: pipeline\n", ["set-schedule", "microbatches=4"], "microbatches"),
    (TWO_WORKERS, ["rename-node", "a=B"], "panels.0.content.0.nodes.a.label"),
]


@pytest.mark.parametrize(("spec", "edit", "what"), some(CHANGED))
def test_what_operations_changed_is_not_undone_by_a_spec_that_does_not_say_it(
    spec: str, edit: list[str], what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = rendered(tmp_path, monkeypatch, spec)
    assert run("edit", "fig.tex", *edit).status == 0
    there = figure.read_bytes()
    for more in ([], ["--set", "palette=dark"], ["--merge"], ["--merge", "--theirs"]):
        done = run("render", "fig.yaml", *more)
        assert done.status == 1
        says = (
            f"fig.tex: not overwritten: the spec lacks a change of `tikzgen edit`: {what} (`tikzgen pull` writes it to"
        )
        assert done.err.startswith(says)
        assert figure.read_bytes() == there
    # undone, it is as it was; pulled, the spec says it, whatever else that changes then
    assert run("edit", "fig.tex", "--undo").status == 0
    assert run("render", "fig.yaml").err == "fig.tex and fig.meta.json are up to date\n"
    figure.write_bytes(there)
    assert run("pull", "fig.tex", "-o", "fig.yaml").status == 0
    assert run("render", "fig.yaml", "--set", "palette=dark").status == 0
    assert run("render", "fig.yaml", "--force").status == 0
    figure.write_bytes(there)
    Path("fig.yaml").write_text(spec, encoding="utf-8")
    assert run("render", "fig.yaml", "--merge", "--ours").status == 0
    assert run("render", "fig.yaml").status == 0


def test_what_is_said_over_the_spec_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = rendered(tmp_path, monkeypatch, "recipe: data-parallel\n")
    for more in ([], ["--merge"]):
        assert run("edit", "fig.tex", "palette", "dark").status == 0
        assert run("render", "fig.yaml", *more).status == 1
        assert run("render", "fig.yaml", "--set", "palette=light", *more).status == 0
        assert "palette: light" in figure.read_text("utf-8")


def test_a_hand_edit_that_an_operation_took_over_is_kept_like_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = rendered(tmp_path, monkeypatch, "recipe: data-parallel\n")
    figure.write_text(figure.read_text("utf-8").replace("{Parameter server}", "{PS}"), "utf-8")
    for edit in (["palette", "dark"], ["palette", "light"]):
        assert run("edit", "fig.tex", *edit).status == 0
    done = run("render", "fig.yaml")
    assert (done.status, "the spec lacks a change of `tikzgen edit`: labels.server (" in done.err) == (1, True)
    assert "{PS}" in figure.read_text("utf-8")


OWN_NOTE = "  \\node at (0,2) {\\workerfourlabel};\n"


def with_own_macro(text: str, definition: str, before: str) -> str:
    """A figure with a macro of the author and a note that uses it."""
    assert before in text
    text = text.replace("\n\\end{tikzpicture}%\n\\endgroup", f"{OWN_NOTE}\n\\end{{tikzpicture}}%\n\\endgroup", 1)
    return text.replace(before, definition + before, 1)


@pytest.mark.parametrize("before", ["\\def\\pslabel", "  % nodes"], ids=["parameter", "in the picture"])
def test_a_macro_of_the_author_in_the_figure_makes_room_for_a_label(
    before: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = rendered(tmp_path, monkeypatch, "recipe: data-parallel\n")
    text = with_own_macro(figure.read_text("utf-8"), "\\def\\workerfourlabel{Mine}% my own\n", before)
    figure.write_text(text.replace(f"{OWN_NOTE}", f"{OWN_NOTE}  \\node at (0,1) {{\\ownworkerfourlabel}};\n"), "utf-8")
    assert run("edit", "fig.tex", "add-worker").status == 0
    text = figure.read_text("utf-8")
    assert "\\def\\workerfourlabel{Worker 4}" in text
    assert "\\def\\ownownworkerfourlabel{Mine}% my own" in text
    assert "(0,2) {\\ownownworkerfourlabel};" in text
    assert "(0,1) {\\ownworkerfourlabel};" in text
    assert run("edit", "fig.tex", "remove-worker").status == 0


@pytest.mark.parametrize(
    "definition", ["\\newcommand{\\workerfourlabel}{Machine}\n", ""], ids=["in the file", "elsewhere"]
)
def test_a_label_does_not_hide_a_macro_of_the_paper(
    definition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = rendered(tmp_path, monkeypatch, "recipe: data-parallel\ntitle: Training\n")
    figure.write_text(with_own_macro(figure.read_text("utf-8"), definition, "\\begin{document}"), "utf-8")
    there = figure.read_bytes()
    line = 1 + there[: there.index(b"\\workerfourlabel")].count(b"\n")
    for command in (["edit", "fig.tex", "add-worker"], ["render", "fig.yaml", "--set", "workers=4", "--merge"]):
        done = run(*command)
        assert done.status == 1
        assert f"a new label would hide the macro \\workerfourlabel of line {line} (" in done.err
        assert figure.read_bytes() == there
    assert run("edit", "fig.tex", "set-title", "Other").status == 0


def test_an_operation_does_not_take_a_label_that_a_note_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = rendered(tmp_path, monkeypatch, "recipe: data-parallel\n")
    note = "  \\node at (0,2) {unlike \\workertwolabel};\n\n\\end{tikzpicture}%\n\\endgroup"
    text = figure.read_text("utf-8").replace("\n\\end{tikzpicture}%\n\\endgroup", note, 1)
    figure.write_text(text, "utf-8")
    done = run("edit", "fig.tex", "remove-worker", "w2")
    assert done.status == 1
    assert "nothing defines \\workertwolabel" in done.err
    assert figure.read_text("utf-8") == text
    assert run("check", "fig.tex").status == 0
    figure.write_text(text.replace("unlike \\workertwo", "unlike \\workertw", 1), "utf-8")
    line = 1 + text[: text.index("  \\node at (0,2)")].count("\n")
    assert f"fig.tex:{line}:26: TG227 nothing defines \\workertwlabel" in run("check", "fig.tex").out
