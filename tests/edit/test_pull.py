"""`tikzgen pull`: what it writes is read again, shows the same picture, and keeps what a person wrote."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command import run
from conftest import NIGHTLY

import tikzgen.edit
from tikzgen import load
from tikzgen.base.errors import EditRefused
from tikzgen.recipe.recipe_names import NAMES, NEEDS

EDITS = {
    "data-parallel": ["recolor gradient=otblue", "add-flow w1 w2 message", "rename-node w1=A"],
    "gradient-accumulation": ["recolor update=otpurple", "rename-node gpu1=A", "add-lane", "remove-lane gpu2"],
    "parameter-server": ["recolor push=otgray", "rename-node g1=A", "set synccaptionlabel=X", "palette dark"],
    "pipeline": ["recolor forward=otteal", "rename-node gpu0=A", "add-lane label=Host", "set forwardlabel=F"],
    "ddp": ["recolor all-reduce=otblue", "rename-node gpu0-comm=Net", "add-lane label=Host", "set laneheight=1"],
    "fsdp": ["recolor all-gather=otgray", "rename-node gpu1=B", "remove-lane gpu0-comm", "rename-id gpu0=first"],
    "ring-all-reduce": ["recolor all-gather=otblue", "rename-node rank2=C", "add-lane", "set allgatherlabel=AG"],
    "local-sgd": ["recolor step=otgray", "rename-node w3=D", "remove-lane", "set averagelabel=Mean"],
    "serving": ["recolor decode=otgray", "rename-node r1=B", "set prefilllabel=P", "add-lane"],
    "rollouts": ["recolor rollout=otgray", "rename-node trainer=T", "remove-lane gen2", "set timeunit=0.7"],
    "recovery": ["recolor step=otgray", "rename-node gpu1=B", "set lostlabel=Lost", "add-lane"],
    "two-phase-commit": ["recolor decision=otorange", "rename-node w1=A", "set-message c-m1 label=ready?", "add-lane"],
    "paxos": ["recolor message=otorange", "rename-node a1=A", "set messageonelabel=P", "remove-lane a3"],
    "raft-election": ["recolor control=otblue", "rename-node s1=A", "set-lifeline s3 foot=here", "remove-lane"],
    "raft-replication": ["recolor decision=otorange", "rename-node s1=A", "add-lane", "remove-message client-m1"],
    "all-reduce": ["recolor decision=otorange", "rename-node r1=A", "set lifelinesep=2", "remove-lane r3"],
    "cluster": ["recolor nvlink=otgray", "rename-node switch0=Switch", "set railslabel=Rail", "palette dark"],
    "3d-parallel": ["rename-node d0s0=First", "set rowsep=1.6", "palette dark"],
    "rlhf": ["rename-node reward=Judge", "set rowsep=2.5", "add-flow buffer reward message", "palette dark"],
    "serving-system": ["recolor weight=otgray", "rename-node router=Gateway", "set kvlabel=KV", "palette dark"],
    "federated": ["rename-node c1=Phone", "palette dark", "set rowsep=2.5"],
    "mapreduce": ["recolor data=otorange", "rename-node map1=M", "set colsep=3.5", "palette dark"],
    "moe": ["recolor weight=otorange", "rename-node router=Gate", "set outputlabel=y", "palette dark"],
    "sharding": ["palette dark", "set-array w label=Weights", "set-cell w[0,0] value=here", "set-title Shards"],
    "ring-steps": ["palette dark", "set-array s0 label=Start", "set arraysep=2", "set-title Ring"],
    "attention-mask": ["palette dark", "set-array mask label=Mask", "set-title Causal"],
    "block-table": ["palette dark", "set-array pool label=Memory", "set arraysep=2", "set-title Blocks"],
    "replicated-log": ["palette dark", "set-array logs label=Logs", "set-title Logs"],
    "memory-bars": ["palette dark", "set barheight=0.6", "set-title Memory"],
    "partitions": ["palette dark", "set-array C label=Clicks", "set-title Stages"],
    "dispatch": ["palette dark", "set-array experts label=Experts", "set-title Routing"],
    "stale-synchronous": ["recolor compute=otgray", "rename-node server=PS", "remove-lane w1", "set timeunit=0.7"],
}
TRIED = [
    (name, words)
    for row, name in enumerate(name for name in NAMES if name not in NEEDS)
    for place, words in enumerate(EDITS[name])
    if NIGHTLY or (row + place) % 2 == 0
]
"""Of each recipe two of its edits, nightly all of them."""
COMMENT = "# two words of mine\n"


def picture(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\\end{document}")[0]


def edited(recipe: str, words: list[str]) -> tuple[Path, Path]:
    """A recipe's figure with one edit, and the spec that it was rendered from."""
    spec, figure = Path("fig.yaml"), Path("fig.tex")
    assert run("new", recipe, "-o", "fig.yaml").status == 0
    spec.write_text(spec.read_text(encoding="utf-8") + COMMENT, encoding="utf-8")
    assert run("render", "fig.yaml").status == 0
    assert run("edit", "fig.tex", *words).status == 0
    return spec, figure


@pytest.mark.slow
@pytest.mark.parametrize(
    ("recipe", "words"),
    [pytest.param(name, words, id=f"{name}-{words}") for name, words in TRIED],
)
def test_a_pulled_spec_is_the_same_picture(
    recipe: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spec, figure = edited(recipe, words.split())
    drawn, there = picture(figure), set(re.findall(r"^#.*", spec.read_text(encoding="utf-8"), re.MULTILINE))
    done = run("pull", "fig.tex", "-o", "fig.yaml")
    assert (done.status, done.err) == (0, "fig.yaml written\n")
    assert run("render", "fig.yaml").status == 0  # over the figure, whose layout it keeps
    assert picture(figure) == drawn
    assert COMMENT in spec.read_text(encoding="utf-8")
    if load(spec).origin is not None:
        assert there <= set(re.findall(r"^#.*", spec.read_text(encoding="utf-8"), re.MULTILINE))
    # and once more: nothing is left to write
    assert run("pull", "fig.tex", "-o", "fig.yaml").err == "fig.yaml is up to date\n"


@pytest.mark.parametrize("name", ["fig.yaml", "fig.json"])
def test_a_new_file_is_written_in_its_own_language(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, figure = edited("data-parallel", ["recolor", "gradient=otblue"])
    Path("fig.yaml").unlink()
    assert run("pull", "fig.tex", "-o", name).status == 0
    assert run("render", name, "-o", "again.tex").status == 0
    assert picture(Path("again.tex")) == picture(figure)


@pytest.mark.parametrize(
    ("existing", "reason"),
    [
        ("recipe: [\n", "fig.yaml:2:1"),
        ("workers: 3\n", "names no recipe"),
        ("recipe: data-parallel\nworkers: &n 3\nnodes: *n\n", "fig.yaml:3:1: nodes: unknown field"),
    ],
)
def test_what_is_no_spec_is_left_alone(
    existing: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spec, _ = edited("data-parallel", ["recolor", "gradient=otblue"])
    spec.write_text(existing, encoding="utf-8")
    done = run("pull", "fig.tex", "-o", "fig.yaml")
    assert done.status == 2
    assert reason in done.err
    assert spec.read_text(encoding="utf-8") == existing


def test_what_would_be_another_picture_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tikzgen.edit.pulled_spec import pull_spec_text

    monkeypatch.chdir(tmp_path)
    spec, figure = edited("data-parallel", ["set", "rowsep=3"])
    monkeypatch.setattr("tikzgen.edit.pulled_spec.rewritten", lambda text, *_: text)
    with pytest.raises(EditRefused, match="another picture"):
        pull_spec_text(figure.read_text(encoding="utf-8"), "fig.tex", spec.read_text(encoding="utf-8"), "fig.yaml")


def test_line_ends_of_a_spec_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec, _ = edited("data-parallel", ["set", "rowsep=3"])
    spec.write_bytes(spec.read_bytes().replace(b"\n", b"\r\n"))
    assert run("pull", "fig.tex", "-o", "fig.yaml").status == 0
    data = spec.read_bytes()
    assert b"rowsep: 3" in data
    assert data.count(b"\n") == data.count(b"\r\n")


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        (r"\def\pslabel{Parameter server}", r"\def\pslabel{PS}", ()),
        (r"(2*\colsep,0)", r"(3*\colsep,0)", (r"(ps) at (3*\colsep,0)", "node ps")),
        (r"(2*\colsep,0)", r"(2*\colsep-0.2,0)", ()),
        (r"(2*\colsep,0)", "(9,0)", ()),
        ("% --- figure ---", "% mine\n% --- figure ---", ()),
        (r"{\serverpic};", r"{\serverpic}; % TODO ask Bob", ()),
        (r"\end{document}", "\\draw (0,0);\n\\end{document}", (r"\draw (0,0);", "")),
        (r"\definecolor{otblue}{HTML}{0072B2}%" + "\n", "", (r"\definecolor{otorange}", "removed color otblue")),
        ("% tikzgen digest: ", "", None),
    ],
    ids=["parameter", "body", "offset", "numbers", "comment", "remark", "added", "removed", "foreign"],
)
def test_hand_edits_that_no_spec_says_are_told(
    old: str, new: str, left: tuple[str, ...] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, figure = edited("data-parallel", ["recolor", "gradient=otblue"])
    text = figure.read_text(encoding="utf-8")
    assert old in text
    figure.write_text(text.replace(old, new, 1), encoding="utf-8")
    done = run("pull", "fig.tex")
    if left is None:
        assert (done.status, done.out) == (1, "")
        return
    assert done.status == 0
    rows = figure.read_text(encoding="utf-8").splitlines()
    expected = []
    if left:
        line = 1 + next(number for number, row in enumerate(rows) if left[0] in row)
        expected = [
            f"fig.tex:{line}: the spec cannot express 1 manual edit: {left[1] or f'line {line}'} (the .tex keeps "
            "them; `tikzgen render --merge` keeps them in a new figure)"
        ]
    assert done.err.splitlines() == expected


def test_what_a_spec_states_stays_stated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = Path("fig.yaml")
    spec.write_text("recipe: pipeline\nmicrobatches: 16 # ours\ntitle: One\ndevices: 2\n", encoding="utf-8")
    assert run("render", "fig.yaml").status == 0
    assert run("edit", "fig.tex", "set-schedule", "microbatches=8", "+", "set-title", "title=").status == 0
    assert run("pull", "fig.tex", "-o", "fig.yaml").status == 0
    assert spec.read_text(encoding="utf-8") == "recipe: pipeline\nmicrobatches: 8  # ours\ndevices: 2\n"


def test_a_number_of_workers_stays_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = Path("fig.yaml")
    spec.write_text("recipe: data-parallel\nworkers: 4  # ours\n", encoding="utf-8")
    assert run("render", "fig.yaml").status == 0
    assert run("edit", "fig.tex", "add-worker").status == 0
    assert run("pull", "fig.tex", "-o", "fig.yaml").status == 0
    assert spec.read_text(encoding="utf-8") == "recipe: data-parallel\nworkers: 5  # ours\n"


LISTED = """\
panels:
- content:
    type: topology
    layout: {type: levels, levels: [[data], [w1, w2], [ps]]}
    nodes:
    - {id: data, label: Corpus, icon: dataset}  # where it begins
    - {id: w1, label: W1, icon: gpu}
    - {id: w2, label: W2, icon: gpu}  # the second
    - {id: ps, label: PS, icon: server}  # where it ends
    flows:
    - {source: data, target: w1, kind: data}
    - {source: data, target: w2, kind: data}  # to the second
    - {source: w1, target: ps, kind: gradient}
    - {source: ps, target: data, kind: control}  # back
"""
ENTRIES = [
    ["remove-worker", "w1"],
    ["remove-node", "ps"],
    ["add-worker", "+", "set-flow", "ps", "data", "label=done", "+", "rename-id", "data=corpus"],
]


@pytest.mark.parametrize("words", ENTRIES, ids=lambda words: words[0])
def test_an_entry_keeps_what_stands_beside_it(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its comment, and what it states though that is as by default: entries before it may go and come."""
    monkeypatch.chdir(tmp_path)
    Path("fig.yaml").write_text(LISTED, encoding="utf-8")
    assert run("render", "fig.yaml").status == 0
    assert run("edit", "fig.tex", *words).status == 0
    assert run("pull", "fig.tex", "-o", "fig.yaml").status == 0
    assert load("fig.yaml") == load("fig.tex")
    pulled = Path("fig.yaml").read_text(encoding="utf-8").splitlines()
    told, before = (
        dict(reversed(re.split(" +# ", line)) for line in lines if " # " in line)
        for lines in (pulled, LISTED.splitlines())
    )
    gone = {"where it ends", "back"} if "remove-node" in words else set()
    assert set(told) == set(before) - gone
    for comment, entry in told.items():
        assert entry.replace("corpus", "data")[:20] == before[comment][:20]


def test_a_figure_that_was_edited_is_as_its_pulled_spec_says(tmp_path: Path) -> None:
    spec, figure = tmp_path / "fig.yaml", tmp_path / "fig.tex"
    spec.write_text("recipe: data-parallel\nworkers: 3\n", encoding="utf-8")
    run("render", str(spec), "--width", "acm-column")
    run("edit", str(figure), "recolor", "gradient=otblue")
    assert run("render", str(spec), "--check").status == 1
    run("pull", str(figure), "-o", str(spec))
    assert run("render", str(spec), "--check").status == 0
    figure.write_text(figure.read_text("utf-8") + "% mine\n", encoding="utf-8")
    assert run("render", str(spec), "--check").status == 1


def test_several_lines_that_stay_are_listed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, figure = edited("data-parallel", ["palette", "dark"])
    text = figure.read_text(encoding="utf-8")
    added = "\\draw (0,0) circle (1pt);\n\\draw (1,0) circle (1pt);\n"
    figure.write_text(text.replace("\\end{document}", added + "\\end{document}", 1), encoding="utf-8")
    first = text.splitlines().index("\\end{document}") + 1
    assert f": line {first} and line {first + 1} (the .tex keeps them;" in run("pull", "fig.tex").err


def test_a_pulled_spec_on_stdout_ends_in_one_line_feed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    edited("data-parallel", ["palette", "dark"])
    out = run("pull", "fig.tex", "-o", "-").out
    assert out.endswith("\n") and not out.endswith("\n\n")


def test_a_diff_names_both_sides_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    edited("data-parallel", ["palette", "dark"])
    lines = tikzgen.edit.open("fig.tex").set("colsep", 5).diff().splitlines()
    assert lines[:2] == ["--- a/fig.tex", "+++ b/fig.tex"]
