"""Choose the tests of `tests/run --fast`: `python tools/fast_tests.py` writes tests/covered-elsewhere.txt.

It runs every test that needs no TeX and no browser under coverage.py. Three groups stay in the fast part: quick tests;
tests that compare with a golden (`reviewed` in their names) in less than a second; and other tests that add lines. The
file lists the rest.
"""

from __future__ import annotations

import heapq
import os
from collections import Counter
from collections.abc import Mapping, Set
from pathlib import Path

import click
from mutation.run import Limits, Workspace

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = ROOT / "tests" / "covered-elsewhere.txt"
QUICK_S = 0.03
"""Maximum time under coverage, in s, of a test that is always in the fast part."""
REVIEWED_S = 1.0
"""Maximum time under coverage, in s, of a test with a golden that is always in the fast part."""
TIMES = 1
"""Number of fast tests that run each line, or all of its tests if there are fewer."""
HEAD = """\
# Tests that `tests/run --fast` leaves out: other tests run each of their lines.
# Written by `python tools/fast_tests.py`; `tests/run --plain` and all larger runs have these tests.
"""


def choose_tests(seconds: Mapping[str, float], lines: Mapping[str, Set[int]], quick: float, times: int) -> set[str]:
    """Return the quick tests, and a cheap set of other tests that covers every line `times` times if possible.

    A line is an integer that identifies it. Greedy, by new lines per second (Chvatal, A greedy heuristic for the
    set-covering problem, 1979).
    """
    chosen = {test for test, took in seconds.items() if took < quick}
    runs = Counter(line for test in chosen for line in lines.get(test, ()))

    def gain(test: str) -> float:
        return sum(runs[line] < times for line in lines.get(test, ())) / seconds[test]

    queue = [(-gain(test), test) for test in sorted(seconds.keys() - chosen)]
    heapq.heapify(queue)
    while queue:
        test = heapq.heappop(queue)[1]
        now = gain(test)
        if queue and -now > queue[0][0]:  # others have run some of its lines by now
            heapq.heappush(queue, (-now, test))
        elif now:
            chosen.add(test)
            runs.update(lines[test])
    return chosen


@click.command(help=__doc__)
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Test runs at once.")
@click.option("--quick", default=QUICK_S, show_default=True, help="Seconds of a test that stays.")
@click.option("--times", default=TIMES, show_default=True, help="Tests per line.")
def main(jobs: int, quick: float, times: int) -> None:
    workspace = Workspace(ROOT, ROOT / "build" / "fast-tests", jobs, ("--plain", "-n", "0"), Limits(15, 0), LEFT_OUT)
    workspace.copy_tree()
    coverage = workspace.read_coverage()
    chosen = choose_tests(coverage.seconds, coverage.lines_by_test(), quick, times)
    # tests with a golden notice most wrong constants
    chosen |= {test for test, took in coverage.seconds.items() if "reviewed" in test and took < REVIEWED_S}
    left_out = sorted(coverage.seconds.keys() - chosen)
    LEFT_OUT.write_text(HEAD + "".join(f"{test}\n" for test in left_out), encoding="utf-8")
    spent = sum(coverage.seconds[test] for test in chosen) / sum(coverage.seconds.values())
    click.echo(f"{len(chosen)} of {len(coverage.seconds)} tests, with {spent:.0%} of the time")


if __name__ == "__main__":
    main()
