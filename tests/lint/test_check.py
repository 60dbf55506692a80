"""`tikzgen check`: which rule is broken, of which class, where; and `render` refuses what it finds.

Each section of `tests/cases/check.txt` is a command, what it says, and how it ends; it runs in `tests/cases`.
"""

from __future__ import annotations

import errno
import json
import os
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command import Done, run
from conftest import ROOT
from pictures.goldens import sections_of

import tikzgen
from tikzgen.base.errors import InvalidSchedule
from tikzgen.lint.registry import Severity
from tikzgen.lint.rule_table import all_rules

CASES = ROOT / "tests" / "cases"
LISTS = CASES / "schedule/lists"
COMMANDS = sections_of(CASES / "check.txt")


def transcript(command: str, done: Done) -> str:
    said = done.out + "".join(f"stderr: {line}\n" for line in done.err.splitlines())
    return f"$ {command}\n{said}exit status {done.status}\n"


@pytest.mark.parametrize("case", COMMANDS)
def test_findings(case: str, golden: Callable[[Path, str, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASES)
    command = COMMANDS[case].splitlines()[0].removeprefix("$ ")
    golden(CASES / "check.txt", transcript(command, run(*shlex.split(command)[1:])), case)


@pytest.mark.parametrize("path", sorted(LISTS.glob("*.csv")), ids=lambda path: path.stem)
def test_every_finding_of_the_validator_is_told_once_at_its_cell(path: Path) -> None:
    schedule, *expected = path.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    name = schedule.removeprefix("schedule:").strip()
    done = run("check", str(path), "--format", "json", *(["--schedule", name] if name else []))
    found = json.loads(done.out)["findings"]
    assert sorted(each["message"].removeprefix("data ") for each in found) == sorted(expected)
    assert done.status == (1 if expected else 0)
    lines = path.read_text(encoding="utf-8").splitlines()
    for each in found:
        if "operation " in each["message"]:
            place = int(each["message"].partition("operation ")[2].partition(":")[0])
            cells = lines[each["line"] - 1].split(",")
            cell = cells[min(place, len(cells) - 1)]  # one is missing behind the last
            assert lines[each["line"] - 1][each["column"] - 1 :].startswith(cell)


def test_every_rule_is_broken_by_some_case() -> None:
    told = "".join(COMMANDS.values())
    listed = run("check", "--rules").out.splitlines()
    assert [line.split()[0] for line in listed] == [rule.code for rule in all_rules()]
    assert all(f": {rule.code} " in told for rule in all_rules() if rule.code < "TG2")
    facts = json.loads(run("check", "--rules", "--format", "json").out)
    assert [fact["code"] for fact in facts] == [rule.code for rule in all_rules()]
    assert len({rule.name for rule in all_rules()}) == len(all_rules())


def test_annotations_are_escaped(tmp_path: Path) -> None:
    spec = tmp_path / "a,b.yaml"
    span = {"lane": "a", "start": 0, "duration": 1, "fault": "50% of\nit"}
    timeline = {"type": "timeline", "lanes": [{"id": "a"}], "spans": [span]}
    spec.write_text(json.dumps({"panels": [{"content": timeline}]}), encoding="utf-8")
    (line,) = run("check", str(spec), "--format", "github").out.splitlines()
    assert line.startswith(f"::error file={tmp_path}/a%2Cb.yaml,line=1,col=")
    assert 'title=TG112 fault::"a-compute1" is marked as impossible: 50%25 of%0Ait' in line


def test_a_folder_stands_for_its_specs_and_lists(tmp_path: Path) -> None:
    (tmp_path / "wrong.csv").write_text("0B0,0F0\n", encoding="utf-8")
    (tmp_path / "results.csv").write_text("step,loss\n1,2\n", encoding="utf-8")
    (tmp_path / "fine.yaml").write_text("recipe: pipeline\n", encoding="utf-8")
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    done = run("check", str(tmp_path), "--schedule", "gpipe")
    assert done.status == 1
    assert done.out.startswith(f"{tmp_path}/wrong.csv:1:1: TG101 data dependency: device 0, operation 0: 0B0")
    assert done.err == "2 files checked: 1 finding\n"


def test_folders_without_figures_or_access_do_not_hide_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("empty", "closed"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "empty" / "pipe.csv")
    held = Path.iterdir

    def guarded(folder: Path) -> Iterator[Path]:
        if folder.name == "closed":
            raise PermissionError(errno.EACCES, "Permission denied")
        return held(folder)

    monkeypatch.setattr(Path, "iterdir", guarded)
    done = run("check", str(tmp_path / "empty"), str(tmp_path / "closed"), str(LISTS / "twice.csv"))
    assert done.status == 2
    assert "twice.csv:1:5: TG101" in done.out
    assert f"{tmp_path}/empty: no specs, lists or figures here\n{tmp_path}/closed: permission denied\n" in done.err


def test_what_cannot_be_read_does_not_hide_the_rest(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("recipe: nothing\n", encoding="utf-8")
    (tmp_path / "empty.csv").write_text(" , \n", encoding="utf-8")
    names = [str(tmp_path / name) for name in ("broken.yaml", "empty.csv", "nowhere.csv")]
    done = run("check", *names, str(LISTS / "twice.csv"))
    assert done.status == 2
    assert "twice.csv:1:5: TG101" in done.out
    assert 'broken.yaml:1:9: recipe: unknown recipe "nothing"' in done.err
    assert "empty.csv:1:1: no actions in the list" in done.err
    assert done.err.endswith("1 file checked: 1 finding, 3 files unreadable\n")
    facts = json.loads(run("check", *names, "--format", "json").out)
    assert [error["line"] for error in facts["errors"]] == [1, 1, None]
    assert facts["checked"] == 0


def test_a_cell_that_is_no_action_is_named_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('\ufeff\n0F0, ,"zero"\n', encoding="utf-8")
    done = run("check", str(path))
    assert done.status == 2
    assert f'{path}:2:8: operations[0][1]: "zero" is not an action' in done.err


def test_without_paths_it_says_how_it_is_used() -> None:
    done = run("check")
    assert done.status == 2
    assert "Missing argument 'PATH...'" in done.err


def test_from_python() -> None:
    findings = tikzgen.check(LISTS / "drawn-1f1b.csv", schedule="1f1b")
    assert [finding.code for finding in findings] == ["TG102", "TG102"]
    assert {finding.severity for finding in findings} == {Severity.ERROR}
    assert (findings[1].place.line, findings[1].place.column) == (3, 9)
    assert tikzgen.check(LISTS / "drawn-1f1b.csv") == ()


# ---- render and build refuse ----


@pytest.fixture
def wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("wrong.csv").write_bytes((LISTS / "pytorch-1f1b.csv").read_bytes())
    return Path("wrong.csv")


@pytest.mark.tex
@pytest.mark.parametrize("verb", ["render", "build"])
def test_a_schedule_that_breaks_rules_is_refused(wrong: Path, verb: str) -> None:
    done = run(verb, str(wrong))
    assert (done.status, done.out) == (1, "")
    for line in run("check", str(wrong)).out.splitlines():
        assert line in done.err
    assert "--allow-invalid" in done.err
    assert [path.name for path in Path().iterdir()] == ["wrong.csv"], "nothing may be written"


@pytest.mark.tex
def test_it_is_drawn_with_its_faults_where_that_is_allowed(wrong: Path) -> None:
    assert run("render", str(wrong), "--allow-invalid").status == 0
    tex = Path("wrong.tex").read_text(encoding="utf-8")
    assert '"allow_invalid": true' in tex
    figure = tikzgen.load("wrong.csv", settings=["allow_invalid=true"])
    (content,) = figure.panels[0].content
    assert isinstance(content, tikzgen.Timeline)
    assert [span.number for span in content.spans if span.fault] == [0, 8]
    # what was allowed once stays so: the file renders again
    assert run("render", "wrong.tex", "-o", "-").out == tex
    assert run("build", str(wrong), "--allow-invalid").status == 0


def test_a_right_list_becomes_a_figure_named_after_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("My_run.csv").write_bytes((LISTS / "pytorch-1f1b-mended.csv").read_bytes())
    assert run("render", "My_run.csv", "--set", "schedule=1f1b").status == 0
    assert json.loads(Path("My_run.meta.json").read_text(encoding="utf-8"))["id"] == "my-run"
    assert run("check", "My_run.tex").status == 0


def test_python_refuses_with_places(wrong: Path) -> None:
    with pytest.raises(InvalidSchedule, match=r"^wrong\.csv:4:57: "):
        tikzgen.load(wrong)


def test_other_specs_take_the_flag_in_vain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text("recipe: data-parallel\n", encoding="utf-8")
    assert run("render", "a.yaml", "--allow-invalid").status == 0


@pytest.mark.parametrize("verb", ["render", pytest.param("build", marks=pytest.mark.tex)])
def test_a_timeline_by_hand_with_an_arrow_backwards_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """As operations that are listed are; a span that says itself that it cannot be is drawn."""
    monkeypatch.chdir(tmp_path)
    text = (CASES / "check/backward-arrow.yaml").read_text("utf-8")
    Path("a.yaml").write_text(text)
    done = run(verb, "a.yaml")
    assert done.status == 1
    assert '"early" starts at 2, but needs "first", which ends at 3' in done.err + done.out
    assert "(accept the schedule with --allow-invalid)" in done.err + done.out
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]
    assert run("render", "a.yaml", "--allow-invalid").status == 0
    Path("b.yaml").write_text(text.replace("    - {source: first, target: early, kind: message}\n", ""))
    assert run("render", "b.yaml").status == 0
