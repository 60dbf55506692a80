"""What a description allows its raw TeX counts only for who says --trust, in every verb, and is carried in the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run

from tikzgen import SpecError, Tex, load, loads

SPEC = "recipe: data-parallel\ntex: {allow: [\\qty]}\nlabels: {server: !tex '\\qty{3}{GB}'}\n"
REFUSED = "labels.server: \\qty at character 1 is not a command that raw TeX may use (`tex` of the spec allows it: add"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def test_what_a_spec_allows_counts_only_with_trust() -> None:
    Path("a.yaml").write_text(SPEC)
    for verb in ("render", "check", "preamble"):
        assert run(verb, "a.yaml", "--trust").status == 0, verb
        done = run(verb, "a.yaml")  # also where the cache knows the figure
        assert (done.status, REFUSED in done.err) == (2, True), (verb, done)
    Path("a.yaml").unlink()
    refused = run("render", "a.tex", "-o", "-")
    assert (refused.status, REFUSED in refused.err) == (2, True)
    assert run("render", "a.tex", "-o", "-", "--trust").out == Path("a.tex").read_text("utf-8")
    assert run("edit", "a.tex", "rename-node", "w1=W", "--trust").status == 0


def test_what_is_allowed_is_allowed_for_that_figure_alone() -> None:
    figure = loads(SPEC, trust=True)
    assert loads(SPEC, trust=True).tex() == figure.tex()
    with pytest.raises(SpecError, match="add --trust"):
        loads(SPEC)
    with pytest.raises(SpecError, match=r"`tex: \{allow: \[.qty\]\}` allows it"):
        loads(SPEC.replace("tex: {allow: [\\qty]}\n", ""), trust=True)
    with pytest.raises(SpecError, match="a backslash and letters"):
        loads(SPEC.replace("[\\qty]", "['\\qty x']"), trust=True)
    assert load(figure.save("b.tex"), trust=True) == figure


def test_a_program_allows_a_text_of_its_own() -> None:
    text = Tex(r"\qty{3}{GB}", [r"\qty"])
    assert text == r"\qty{3}{GB}"
    assert repr(text) == r"Tex('\\qty{3}{GB}', ['\\qty'])"
    assert r"\qty{3}{GB}" in loads("recipe: data-parallel\n").model_copy(update={"title": text}).tex()
