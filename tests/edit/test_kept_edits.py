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
            f"fig.tex: has what `tikzgen edit` changed, and this does not say it: {what} (`tikzgen pull` writes it into"
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
    assert (done.status, "this does not say it: labels.server (" in done.err) == (1, True)
    assert "{PS}" in figure.read_text("utf-8")
