"""Choose the tests of `tests/run --fast`: `python tools/fast_tests.py` writes tests/covered-elsewhere.txt.

It runs every test that needs no TeX and no browser under coverage.py. Three groups stay in the fast part: quick tests;
tests that compare with a golden (`reviewed` in their names) and are almost quick; and, within a budget of time, other
tests that add lines. The file lists the rest. Larger runs by day have a sample of the listed cases. A + marks the cases
that they always have, as some lines would lack a test without them.
"""

from __future__ import annotations

import heapq
import os
import sys
from collections.abc import Mapping, Set
from math import inf
from pathlib import Path

import click
from mutation.run import Limits, Workspace

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests"))

from tiers import SOLE, sample_cases  # noqa: E402

LEFT_OUT = ROOT / "tests" / "covered-elsewhere.txt"
QUICK_S = 0.02
"""Maximum time under coverage, in s, of a test that is always in the fast part."""
REVIEWED_S = 0.2
"""Maximum time under coverage, in s, of a test with a golden that is always in the fast part."""
BUDGET_S = 40.0
"""Time under coverage, in s, of the other tests of the fast part."""
HEAD = """\
# Tests that `tests/run --fast` leaves out: other tests run their lines, or would take less time for as many lines.
# Written by `python tools/fast_tests.py`; `tests/run --plain` and all larger runs have these tests.
# Runs with TeX have a sample of the cases of each sweep, and all cases with a +.
"""


def choose_tests(
    seconds: Mapping[str, float], lines: Mapping[str, Set[int]], always: Set[str], budget: float
) -> set[str]:
    """Return the tests in `always`, and a cheap set of other tests that adds lines within a budget of seconds.

    A line is an integer that identifies it. Greedy, by new lines per second (Khuller, Moss, Naor, The budgeted maximum
    coverage problem, 1999).
    """
    chosen = set(always)
    run = {line for test in chosen for line in lines.get(test, ())}

    def gain(test: str) -> float:
        return len(lines.get(test, frozenset()) - run) / seconds[test]

    queue = [(-gain(test), test) for test in sorted(seconds.keys() - chosen)]
    heapq.heapify(queue)
    while queue:
        test = heapq.heappop(queue)[1]
        now = gain(test)
        if queue and -now > queue[0][0]:  # others have run some of its lines by now
            heapq.heappush(queue, (-now, test))
        elif now and seconds[test] <= budget:
            budget -= seconds[test]
            chosen.add(test)
            run |= lines[test]
    return chosen


def find_sole_tests(chosen: Set[str], seconds: Mapping[str, float], lines: Mapping[str, Set[int]]) -> set[str]:
    """Return the tests not in `chosen` that alone cover a line in a run by day."""
    found: set[str] = set()
    while True:
        by_day = seconds.keys() - sample_cases(sorted(seconds.keys() - chosen - found))
        sole = choose_tests(seconds, lines, by_day, inf) - by_day
        if not sole:
            return found
        found |= sole  # the sample of the others becomes smaller


@click.command(help=__doc__)
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Run this number of tests in parallel.")
@click.option("--quick", default=QUICK_S, show_default=True, help="Keep every test of at most this many seconds.")
@click.option(
    "--budget", default=BUDGET_S, show_default=True, help="Add tests that cover new lines, up to this many seconds."
)
def main(jobs: int, quick: float, budget: float) -> None:
    workspace = Workspace(ROOT, ROOT / "build" / "fast-tests", jobs, ("--plain", "-n", "0"), Limits(15, 0), LEFT_OUT)
    workspace.copy_tree()
    coverage = workspace.read_coverage()
    seconds, lines = coverage.seconds, coverage.lines_by_test()
    # tests with a golden notice most wrong constants
    always = {test for test, took in seconds.items() if took < (REVIEWED_S if "reviewed" in test else quick)}
    chosen = choose_tests(seconds, lines, always, budget)
    sole = find_sole_tests(chosen, seconds, lines)
    listed = (f"{SOLE if test in sole else ''}{test}\n" for test in sorted(seconds.keys() - chosen))
    LEFT_OUT.write_text(HEAD + "".join(listed), encoding="utf-8")
    spent = sum(seconds[test] for test in chosen) / sum(seconds.values())
    run, runnable = (len(set().union(*(lines.get(test, ()) for test in tests))) for tests in (chosen, seconds))
    click.echo(f"{len(chosen)} of {len(seconds)} tests: {spent:.0%} of the time, {run / runnable:.1%} of the lines")


if __name__ == "__main__":
    main()
