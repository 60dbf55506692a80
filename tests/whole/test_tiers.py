"""Which tests a run has: fast ones by the lines that they run, and a sample of each sweep by day."""

from __future__ import annotations

import ast
from collections import Counter

import pytest
from conftest import ROOT
from fast_tests import choose_tests, find_sole_tests
from hypothesis import given
from hypothesis import strategies as st
from tiers import read_left_out, sample_cases, sample_sweeps

tests = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=3),
    st.tuples(st.sampled_from([0.01, 0.1, 0.5, 2.0]), st.sets(st.integers(0, 12))),
    max_size=12,
)


def test_a_slow_test_stays_if_only_it_runs_a_line() -> None:
    lines = {"quick": {1}, "slow": {1, 2}, "slower": {1, 2, 3}, "slowest": {2, 3}}
    seconds = {"quick": 0.01, "slow": 1.0, "slower": 1.5, "slowest": 9.0}
    assert choose_tests(seconds, lines, {"quick"}, 99) == {"quick", "slower"}
    assert choose_tests(seconds, lines, {"quick"}, 1.2) == {"quick", "slow"}
    assert choose_tests(seconds, lines, {"quick"}, 0.9) == {"quick"}


@given(tests, st.sets(st.text("abc", min_size=1, max_size=3)), st.floats(0, 30))
def test_every_line_is_run_unless_the_budget_is_spent(
    given: dict[str, tuple[float, set[int]]], always: set[str], budget: float
) -> None:
    seconds = {test: took for test, (took, _) in given.items()}
    lines = {test: run for test, (_, run) in given.items()}
    always &= seconds.keys()
    chosen = choose_tests(seconds, lines, always, budget)
    left = budget - sum(seconds[test] for test in chosen - always)
    assert always <= chosen
    assert left > -1e-9
    missing = set().union(*lines.values()) - set().union(*(lines[test] for test in chosen))
    assert all(seconds[test] > left for test in seconds if lines[test] & missing)


@given(st.lists(st.sets(st.integers(0, 12), max_size=3), max_size=40), st.sets(st.integers(0, 40)))
def test_a_run_by_day_has_every_line_though_it_samples_cases(cases: list[set[int]], fast: set[int]) -> None:
    lines = {f"tests/test_a.py::test_sweep[{number}]": run for number, run in enumerate(cases)}
    seconds = dict.fromkeys(lines, 1.0)
    chosen = {test for number, test in enumerate(lines) if number in fast}
    sole = find_sole_tests(chosen, seconds, lines)
    by_day = seconds.keys() - sample_cases(sorted(seconds.keys() - chosen - sole))
    assert not sole & chosen
    assert set().union(*(lines[test] for test in by_day)) == set().union(*cases)


def test_a_marked_case_is_left_out_only_of_a_fast_run() -> None:
    assert read_left_out(fast=False) < read_left_out(fast=True)


def test_the_tests_that_are_left_out_exist() -> None:
    known: dict[str, set[str]] = {}
    for name in {test.partition("::")[0] for test in read_left_out(fast=True)}:
        tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
        known[name] = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    gone = [
        test
        for test in read_left_out(fast=True)
        if test.partition("::")[2].partition("[")[0] not in known[test.partition("::")[0]]
    ]
    assert gone == [], "run tools/fast_tests.py"


SUITE = """
import pytest

@pytest.mark.slow
@pytest.mark.parametrize("case", range(40))
def test_sweep(case): pass

SLOW = [pytest.param(number, marks=pytest.mark.slow) for number in range(9, 17)]

@pytest.mark.parametrize("case", [*range(9), *SLOW])
def test_partly_slow(case): pass

@pytest.mark.tex
@pytest.mark.parametrize("case", range(6))
def test_few(case): pass

@pytest.mark.parametrize("case", range(40))
def test_quick(case): pass

@pytest.mark.parametrize("case", [f"recipe-{number}" for number in range(40)])
def test_named(case): pass
"""


def test_a_run_by_day_has_an_eighth_of_the_slow_cases_of_a_sweep(pytester: pytest.Pytester) -> None:
    items = pytester.getitems(SUITE)
    left_out = Counter(test.partition("::")[2].partition("[")[0] for test in sample_sweeps(items))
    assert left_out == {"test_sweep": 35, "test_partly_slow": 5, "test_few": 3}
    assert sample_sweeps(items) == sample_sweeps(items[::-1])


def test_of_quick_cases_a_run_by_day_leaves_out_numbers_that_others_cover(pytester: pytest.Pytester) -> None:
    items = pytester.getitems(SUITE)
    quick = [item for item in items if "test_quick" in item.nodeid]
    covered = {item.nodeid for item in [*quick[:24], *items] if "named" in item.nodeid or item in quick[:24]}
    left_out = sample_sweeps(items, covered) - sample_sweeps(items)
    assert {test.partition("::")[2].partition("[")[0] for test in left_out} == {"test_quick"}
    assert left_out < covered
    assert len(left_out) == 21
