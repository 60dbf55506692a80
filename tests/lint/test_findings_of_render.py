"""`render` and `build` look at what they draw, and say what is wrong; `check` says it as one asks for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from time import process_time

import pytest
from command import run

from tikzgen.base.child.second_clock import limit_cpu_time
from tikzgen.lint.probe import judge_without_tex as judging
from tikzgen.lint.registry import FINDINGS_PER_RULE

TALL = "recipe: ddp\nworkers: 120\nshow: 120\n"


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("fig.yaml").write_text(TALL, encoding="utf-8")
    return Path("fig.yaml")


def test_what_is_wrong_is_printed_again_and_again(spec: Path) -> None:
    first, second = (run("render", str(spec)) for _ in range(2))
    assert "fig.yaml: TG323 the figure is " in first.err
    assert (first.status, second.status) == (0, 0)
    assert [line for line in first.err.splitlines() if "TG" in line] == [
        line for line in second.err.splitlines() if "TG" in line
    ]
    assert Path("fig.tex").exists()


def test_a_strict_render_writes_nothing(spec: Path) -> None:
    done = run("render", str(spec), "--strict")
    assert (done.status, Path("fig.tex").exists()) == (1, False)
    assert done.err.endswith("(accept them without --strict)\n")
    spec.write_text(TALL.replace("120", "2"), encoding="utf-8")
    assert run("render", str(spec), "--strict").status == 0


def test_build_says_so_too(spec: Path) -> None:
    done = run("build", str(spec), "-f", "svg")
    assert (done.status, Path("fig.svg").exists()) == (0, True)
    assert "fig: warning: TG323 the figure is " in done.err
    Path("fig.svg").unlink()
    refused = run("build", str(spec), "-f", "svg", "--strict")
    assert (refused.status, Path("fig.svg").exists()) == (1, False)


def test_a_build_after_a_render_repeats_no_messages(spec: Path) -> None:
    assert "TG323" in run("render", str(spec)).err
    assert "TG323" not in run("build", str(spec), "-f", "svg").err
    spec.write_text(TALL.replace("120", "121"), encoding="utf-8")
    assert "TG323" in run("build", str(spec), "-f", "svg").err


@pytest.mark.parametrize("side", ["--ours", "--theirs"])
def test_a_merge_reports_the_findings_in_the_merged_file(spec: Path, side: str) -> None:
    spec.write_text("recipe: ddp\nworkers: 3\n", encoding="utf-8")
    assert "TG" not in run("render", str(spec)).err
    text = Path("fig.tex").read_text(encoding="utf-8")
    stray = "  \\draw[otblue] (0,0) -- (5,40);\n\\end{tikzpicture}"
    Path("fig.tex").write_text(text.replace("\\end{tikzpicture}", stray), encoding="utf-8")
    assert "fig.tex:" in run("render", str(spec), "--merge", side).err


def test_a_message_that_crosses_a_lifeline_at_its_middle_has_its_contrast(spec: Path) -> None:
    lines = "lifelines: [{id: q}, {id: r}, {id: s}]"
    message = "{source: q, target: [r, s], sent: 2, received: [3, 4], kind: data}"
    content = f"type: spacetime, {lines}, messages: [{message}]"
    spec.write_text(f"width: 8.4\npanels:\n- content: {{{content}}}\n", encoding="utf-8")
    assert "TG" not in run("render", str(spec)).err


def full_graph(count: int) -> str:
    """A row of nodes in which each has a flow to each later one: many flows share a part of their way."""
    nodes = "".join(f"    - {{kind: worker, id: n{number}}}\n" for number in range(count))
    pairs = combinations(range(count), 2)
    kinds = "data", "control", "gradient"  # of one kind, they would share a trunk
    flows = "".join(
        f"    - {{source: n{one}, target: n{other}, kind: {kinds[(one + other) % 3]}}}\n" for one, other in pairs
    )
    layout = "    layout: {type: row}\n"
    return f"panels:\n- content:\n    type: topology\n{layout}    nodes:\n{nodes}    flows:\n{flows}"


def test_a_figure_with_thousands_of_findings_is_written_with_the_first_of_each_rule(spec: Path) -> None:
    spec.write_text(full_graph(24), encoding="utf-8")
    done = run("render", str(spec))
    lines = [line for line in done.err.splitlines() if "TG319" in line]
    assert (done.status, Path("fig.tex").exists(), len(lines)) == (0, True, FINDINGS_PER_RULE)
    assert [number for number, line in enumerate(lines, 1) if "and more TG319" in line] == [FINDINGS_PER_RULE]
    assert run("render", str(spec), "--strict").status == 1


def test_a_check_comes_after_the_product_and_may_be_incomplete(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def search_long(*given: object) -> Iterator[object]:
        assert Path("fig.tex").exists()
        yield from ()
        while process_time() < begun + 20:
            pass

    monkeypatch.setattr(judging, "look", search_long)
    monkeypatch.setattr(judging, "JUDGE_SECONDS", 0.05)
    for _ in range(2):  # an incomplete judgement is not cached
        begun = process_time()
        done = run("render", str(spec))
        assert done.status == 0
        assert "not fully checked in 0.05 s (tikzgen check --geometry fig.yaml)" in done.err
        assert process_time() < begun + 15


def test_build_writes_before_it_checks(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(*given: object) -> Iterator[object]:
        assert Path("fig.svg").exists()
        yield from ()

    monkeypatch.setattr(judging, "look", find_nothing)
    assert run("build", "-f", "svg", str(spec)).status == 0


def test_a_clock_ends_the_work_inside_and_nothing_behind_it() -> None:
    with limit_cpu_time(0.02) as clock:
        while True:
            pass
    assert clock.ended
    with limit_cpu_time(0.02) as clock:
        pass
    for _ in range(1_000_000):
        pass
    assert not clock.ended
    with limit_cpu_time(None) as clock:
        pass
    assert not clock.ended


STRAY = r"""\definecolor{otblue}{HTML}{0072B2}
\begin{tikzpicture}
  \draw[draw=red] (0,0) -- (1,0);
  \draw[draw=Ot] (0,0) -- (w1);
\end{tikzpicture}
"""


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ([], ["TG208", "TG219"]),
        (["--select", "TG208"], ["TG208"]),
        (["--select", "TG2", "--ignore", "TG219"], ["TG208"]),
        (["--ignore", "stray-color"], ["TG219"]),
        (["--select", "TG3"], []),
    ],
    ids=str,
)
def test_rules_are_chosen(options: list[str], codes: list[str], tmp_path: Path) -> None:
    file = tmp_path / "fig.tex"
    file.write_text(STRAY, encoding="utf-8")
    done = run("check", str(file), "--format", "json", *options)
    assert {each["code"] for each in json.loads(done.out)["findings"]} == set(codes)
    assert done.status == (1 if codes else 0)


def test_a_rule_that_there_is_not_is_told(tmp_path: Path) -> None:
    done = run("check", "--select", "TG999", str(tmp_path / "fig.tex"))
    assert done.status == 2
    assert 'unknown rule "TG999"' in done.err


@pytest.mark.slow
def test_warnings_are_passed_over(spec: Path) -> None:
    arguments = ("check", "--geometry", "--engine", "none", str(spec))
    assert run(*arguments).status == 1
    assert run(*arguments, "--severity", "error").status == 0


def test_sarif_has_rule_level_and_place(tmp_path: Path) -> None:
    file = tmp_path / "fig.tex"
    file.write_text(STRAY, encoding="utf-8")
    log = json.loads(run("check", str(file), "--format", "sarif").out)
    assert log["version"] == "2.1.0"
    (only,) = log["runs"]
    assert {rule["id"] for rule in only["tool"]["driver"]["rules"]} == {"TG208", "TG219"}
    first = only["results"][0]
    place = first["locations"][0]["physicalLocation"]
    assert (first["ruleId"], first["level"]) == ("TG208", "error")
    assert place == {"artifactLocation": {"uri": str(file)}, "region": {"startLine": 3, "startColumn": 14}}


def test_a_file_with_another_palette_may_use_its_colours(tmp_path: Path) -> None:
    file = tmp_path / "fig.tex"
    file.write_text(STRAY.partition("\n")[2], encoding="utf-8")
    done = run("check", str(file), "--format", "json")
    assert {each["code"] for each in json.loads(done.out)["findings"]} == {"TG219"}


# as others write figures: their own colours by name, by numbers and by options, (a) and (b) in scopes of one picture
PUBLISHED = r"""\documentclass[tikz]{standalone}
\definecolor{mygreen}{RGB}{10,120,60}
\definecolor{paper}{gray}{0.9}
\colorlet{accent}{red!50}
\begin{document}
\begin{tikzpicture}[gpu/.style={draw=blue, fill=red!30}, flow/.style={->, red, thick}, back/.style={->, red, dashed}]
  \begin{scope}
    \node[gpu] (gpu0) at (0,0) {GPU 0};
    \node[draw, fill={rgb,255:red,200; green,100; blue,50}] (ps) at (1.5,2) {PS};
    \draw[flow] (gpu0) -- (ps);
    \draw[back] (ps) to[bend left] (gpu0);
  \end{scope}
  \begin{scope}[xshift=6cm]
    \node[gpu, fill=mygreen] (gpu0) at (0,0) {GPU 0};
    \node[draw, fill=cyan!20] (ps) at (1.5,2) {\textcolor{blue}{PS} and \textcolor[HTML]{00FF00}{more}};
    \draw[accent, very thick] (gpu0) -- (ps);
  \end{scope}
\end{tikzpicture}
\end{document}
"""


def test_nothing_is_found_in_the_colours_of_what_others_wrote(tmp_path: Path) -> None:
    file = tmp_path / "published.tex"
    file.write_text(PUBLISHED, encoding="utf-8")
    done = run("check", str(file), "--format", "json")
    assert (json.loads(done.out)["findings"], done.status) == ([], 0)
    # our palette in it, and all of that counts
    ours = PUBLISHED.replace("\\colorlet", "\\definecolor{otblue}{HTML}{0072B2}\n\\colorlet", 1)
    file.write_text(ours, encoding="utf-8")
    codes = {each["code"] for each in json.loads(run("check", str(file), "--format", "json").out)["findings"]}
    assert {"TG207", "TG208", "TG220"} <= codes


def test_rules_on_colours_are_left_out_by_a_choice_of_severities(tmp_path: Path) -> None:
    """As a user says it: warnings are passed over, and what is selected is looked at alone, in every format."""
    file = tmp_path / "fig.tex"
    file.write_text(STRAY, encoding="utf-8")
    log = json.loads(run("check", str(file), "--format", "sarif", "--ignore", "TG219", "--severity", "error").out)
    assert {each["ruleId"] for each in log["runs"][0]["results"]} == {"TG208"}
    told = run("check", str(file), "--format", "github", "--select", "unknown-node")
    assert "TG219" in told.out
    assert "TG208" not in told.out
