"""The mutation tool: the changes it finds, its sample, its floors, and one run on a toy project."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

if sys.platform == "win32":
    pytest.skip("test runs are forked", allow_module_level=True)

from mutation.forked_tests import _cpu_ticks
from mutation.mutants import Mutant, compiles, find_mutants
from mutation.report import find_too_low, raise_floors, write_table
from mutation.run import Result
from mutation.sample import choose_mutants

PYTHON = [
    ("if a < b: c()", {"if (not (a < b)): c()", "if a <= b: c()", "if a < b: pass"}),
    ("x = 3", {"x = 4", "x = 2", "x = 0"}),
    ("x = 0.5", {"x = 1.5", "x = (-0.5)", "x = 0.0"}),
    ("x = a and b and c", {"x = a or b or c"}),
    ("x = (a or b) and c", {"x = (a or b) or c", "x = (a and b) and c"}),
    ("x = a not  in b", {"x = a in b"}),
    ("x = a // b", {"x = a * b"}),
    ("x -= a", {"x += a", "pass"}),
    ("x = 'é' + b", {"x = 'XXé' + b"}),
    ("x = f'{a} of'", {"x = f'XX{a} of'"}),
    ("def f(): return a", {"def f(): return None"}),
    ("def f():\n    '''Text.'''\n    return None", set()),
    ("x: Literal['a'] = True", {"x: Literal['a'] = False"}),
    ("x: Annotated[int, Field(ge=1)]", {"x: Annotated[int, Field(ge=2)]", "x: Annotated[int, Field(ge=0)]"}),
    ("x = zip(a, strict=True)", set()),
    ("__all__ = ['a']\nT = TypeVar('T')\nif TYPE_CHECKING:\n    a = 1", set()),
]
TEMPLATE = "<# size 1 #>\n<% if a[0] %>\n\\draw (0,1.5); % 2\n<% endif %>\n"


@pytest.mark.parametrize(("source", "changed"), PYTHON)
def test_the_changes_of_a_statement(source: str, changed: set[str]) -> None:
    data = source.encode()
    assert {mutant.apply(data).decode() for mutant in find_mutants("tikzgen/a.py", data)} == changed


def test_the_changes_of_a_template_spare_comments_and_tags() -> None:
    data = TEMPLATE.encode()
    changes = {mutant.diff(data) for mutant in find_mutants("templates/a.tex.j2", data)}
    line = "-\\draw (0,1.5); % 2"
    assert changes == {
        "-<% if a[0] %>\n+<% if a[1] %>",
        line,
        f"{line}\n+\\draw (1,1.5); % 2",
        f"{line}\n+\\draw (0,2.5); % 2",
    }


def test_the_declared_size_of_an_icon_may_change() -> None:
    found = find_mutants("templates/icons/a.tex.j2", b"<#-\nsize: 1 x 2\n-#>\n")
    assert [(mutant.operator, mutant.package) for mutant in found if mutant.line == 2] == [
        ("template line", "icons"),
        ("template number", "icons"),
        ("template number", "icons"),
    ]


def test_code_that_runs_at_import_knows_its_names() -> None:
    source = b"A = 1\nclass B:\n    c = 2\n    def d(self, e=3):\n        return 4\n"
    scopes = {mutant.line: mutant.scope for mutant in find_mutants("tikzgen/a.py", source)}
    assert scopes == {1: ("A",), 3: ("B", "c"), 4: ("B", "d"), 5: None}


def test_a_change_that_does_not_compile_is_found() -> None:
    source = b"for a in b:\n    continue\n"
    assert compiles(Mutant("a.py", "removed statement", 2, 16, 24, "pass"), source)
    assert not compiles(Mutant("a.py", "removed statement", 2, 16, 24, "return ("), source)


def test_a_sample_depends_on_its_seed_alone_and_takes_of_each_package() -> None:
    source = "".join(f"def f{i}(a): return a < {i}\n" for i in range(2, 40)).encode()
    mutants = [each for path in ("tikzgen/a/x.py", "tikzgen/b/y.py") for each in find_mutants(path, source)]
    few = find_mutants("tikzgen/c/z.py", b"x = 7")
    first = choose_mutants([*mutants, *few], 40, 1)
    assert first == choose_mutants([*few, *reversed(mutants)], 40, 1) != choose_mutants([*mutants, *few], 40, 2)
    assert [sum(each.package == name for each in first) for name in "abc"] == [18, 18, 3]


def _results(operator: str, killed: int, of: int) -> list[Result]:
    return [
        Result(f"{operator}{i}", "text", operator, "tikzgen/text/a.py", i, "-a\n+b", outcome, "", 3)
        for i, outcome in enumerate(["killed"] * killed + ["survived"] * (of - killed))
    ]


def test_floors_are_compared_and_rise_only() -> None:
    results = [*_results("number", 8, 10), *_results("string", 9, 9)]
    assert find_too_low(results, {"all": 92, "constants": 80, "package text": 90, "package other": 99}) == [
        "all: 89.5 % of mutants, at least 92 % required",
        "package text: 89.5 % of mutants, at least 90 % required",
    ]
    assert raise_floors(results, {"all": 92, "package other": 70}) == {
        "covered": 90,
        "all": 92,
        "constants": 80,
        "package text": 89,
        "package other": 70,
    }


def test_the_report_lists_survivors_and_leaves_out_equivalent_mutants() -> None:
    unseen = Result("u", "text", "string", "tikzgen/text/a.py", 0, "-c\n+d", "uncovered", "", 0)
    same = Result("e", "text", "string", "tikzgen/text/a.py", 7, "-a\n+a", "equivalent", "", 0)
    text = write_table([*_results("number", 1, 2), same, unseen])
    assert "covered                             2 of    3   66.7 %" in text
    assert "all                                 1 of    2   50.0 %" in text
    assert text.endswith("tikzgen/text/a.py:1: number, survived, 3 tests\n  -a\n  +b")


TOY = """
LIMIT = 10
COLORS = 19
def clip(value):
    return min(value, LIMIT)
def count_down(value):
    while value > 0:
        value -= 1
    return value
def double(value):
    return value * 2
def unseen(value):
    return value < 1
"""
TOY_TESTS = """
import subprocess, sys
from toy.numbers import COLORS, clip, count_down
def test_colors(): assert COLORS == 19
def test_clip(): assert clip(20) == 10
def test_count_down(): assert count_down(3) in (0, None)
def test_double():
    code = "from toy.numbers import double; print(double(3))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).stdout == b"6\\n"
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the times of others are read from Linux's proc(5)")
def test_the_time_of_processes_is_read_by_group() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True) as busy:
        try:
            while not (first := _cpu_ticks(busy.pid)):
                continue
            while _cpu_ticks(busy.pid) == first:
                continue
        finally:
            busy.kill()
    assert _cpu_ticks(busy.pid) == 0


@pytest.mark.slow
def test_a_run_on_a_toy_project(tmp_path: Path) -> None:
    """Constants at import, started processes and endless loops count; a stopped run goes on."""
    for name, text in {"toy/numbers.py": TOY, "tests/test_toy.py": TOY_TESTS, "pyproject.toml": ""}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    floors = tmp_path / "floors.json"
    floors.write_text('{"all": 99}', encoding="utf-8")
    (tmp_path / "equivalent.json").write_text(
        json.dumps([{"path": "toy/numbers.py", "diff": ["-    return value * 2", "+    return None"], "reason": "toy"}])
    )
    command = [sys.executable, ROOT / "tools" / "mutation", "--root", tmp_path, "--sources", "toy/*.py"]
    command += ["--pytest", "", "--count", "60", "--cpu", "1", "--jobs", "2", "--floors", floors]
    half = subprocess.run([*command, "--shard", "1/2"], capture_output=True, text=True)
    assert half.returncode == 3, half.stderr
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "all: " in done.stderr and "at least 99 % required" in done.stderr
    places = len(find_mutants("toy/numbers.py", TOY.encode())) - 1
    assert half.stdout.count(" s  ") + done.stdout.count(" s  ") == places
    report = json.loads((tmp_path / "build" / "mutation" / "report.json").read_text(encoding="utf-8"))
    found = {each["diff"].split("\n+", 1)[1].strip(): (each["outcome"], each["by"]) for each in report}
    name = "tests/test_toy.py::test_"
    assert found["LIMIT = 11"] == ("killed", f"{name}clip")
    assert found["COLORS = 20"] == ("killed", f"{name}colors")
    assert found["return value * 3"] == ("killed", f"{name}double")
    assert found["while value > 1:"] == ("killed", f"{name}count_down")
    assert found["value += 1"] == found["value -= 0"] == ("killed", "timeout")
    assert [each["outcome"] for each in report if "value < 1" in each["diff"]] == ["uncovered"] * 4
    assert [each["diff"] for each in report if each["outcome"] == "survived"] == ["-    return value\n+    return None"]
    assert [each["diff"] for each in report if each["outcome"] == "equivalent"] == [
        "-    return value * 2\n+    return None"
    ]
    assert (tmp_path / "toy" / "numbers.py").read_text(encoding="utf-8") == TOY
