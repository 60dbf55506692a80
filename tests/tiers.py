"""Which tests a run has: `--fast` leaves out those that others cover, and a run by day samples sweeps."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Set
from pathlib import Path

import pytest

__all__ = ["SOLE", "read_left_out", "sample_cases", "sample_sweeps"]

SWEEP = 3
"""A test with more such cases than this is a sweep: each case tries the same code on another example."""
SHARE = 8
"""A run by day tries one of so many cases of a sweep, at least three."""
SOLE = "+"
"""The beginning of a line with a covered case without which the sample of its sweep would lack lines."""
_NUMBERS = re.compile(r"\[[\d.-]+\]$")
"""The end of the name of a case that is one of many numbers."""
WHOLE = (
    "test_prose_stories",
    "test_random_edits",
    "test_docs",
    "test_write_files",
    "test_hostile_commands",
    "test_tex_confine",
    "test_watch_files",
    "test_watch_server",
    "test_layout_goldens",
)
"""Files whose cases are different things: attacks, pages, kinds of files, stories."""


def read_left_out(*, fast: bool) -> set[str]:
    """Return the tests that a fast run leaves out; without those that every larger run has, if not `fast`."""
    lines = Path(__file__).with_name("covered-elsewhere.txt").read_text(encoding="utf-8").splitlines()
    return {line.removeprefix(SOLE) for line in lines if line[0] != "#" and (fast or not line.startswith(SOLE))}


def sample_sweeps(items: Iterable[pytest.Item], covered: Set[str] = frozenset()) -> set[str]:
    """Return the cases of sweeps that a run by day leaves out; `tests/nightly` has them.

    They are slow cases, and cases of numbers in `covered`: other tests run their lines. A quick case of a recipe, an
    example or a fault stays, because it may fail alone.
    """
    slow: list[str] = []
    quick: list[str] = []
    for item in items:
        if any(item.get_closest_marker(name) for name in ("tex", "browser", "slow")):
            slow.append(item.nodeid)
        elif item.nodeid in covered and _NUMBERS.search(item.nodeid):
            quick.append(item.nodeid)
    return sample_cases(slow) | sample_cases(quick)


def sample_cases(tests: Iterable[str]) -> set[str]:
    """Return the cases that a sample of each sweep among these tests leaves out."""
    sweeps: dict[str, list[str]] = defaultdict(list)
    for test in tests:
        if Path(test.partition("::")[0]).stem not in WHOLE:
            sweeps[test.partition("[")[0]].append(test)
    left_out: set[str] = set()
    for cases in sweeps.values():
        if len(cases) > SWEEP:
            cases.sort(key=_rank)  # neighbors are alike: a sample by name is spread over them
            left_out.update(cases[max(3, -(-len(cases) // SHARE)) :])
    return left_out


def _rank(test: str) -> str:
    return hashlib.sha256(test.partition("::")[2].encode()).hexdigest()  # whatever its file is called
