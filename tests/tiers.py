"""Which tests a run has: `--fast` leaves out those that others cover, and a run by day samples sweeps."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Set
from pathlib import Path

import pytest

__all__ = ["read_left_out", "sample_sweeps"]

SWEEP = 3
"""A test with more such cases than this is a sweep: each case tries the same code on another example."""
SHARE = 6
"""A run by day tries one of so many cases of a sweep, at least three."""
WHOLE = (
    "test_prose_stories",
    "test_random_edits",
    "test_docs",
    "test_write_files",
    "test_hostile_commands",
    "test_tex_confine",
    "test_watch_files",
    "test_watch_server",
)
"""Files whose cases are different things: attacks, pages, kinds of files, stories."""


def read_left_out() -> set[str]:
    """Return the tests that a fast run leaves out."""
    lines = Path(__file__).with_name("covered-elsewhere.txt").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if not line.startswith("#")}


def sample_sweeps(items: Iterable[pytest.Item], covered: Set[str] = frozenset()) -> set[str]:
    """Return the cases of sweeps that a run by day leaves out; `tests/nightly` has them.

    They are slow cases, and cases in `covered`: other tests run their lines. A case with a golden stays.
    """
    sweeps: dict[str, list[str]] = defaultdict(list)
    for item in items:
        is_slow = any(item.get_closest_marker(name) for name in ("tex", "browser", "slow"))
        is_covered = item.nodeid in covered and "golden" not in getattr(item, "fixturenames", ())
        if (is_slow or is_covered) and item.path.stem not in WHOLE:
            sweeps[item.nodeid.partition("[")[0]].append(item.nodeid)
    left_out: set[str] = set()
    for cases in sweeps.values():
        if len(cases) > SWEEP:
            cases.sort(key=_rank)  # neighbors are alike: a sample by name is spread over them
            left_out.update(cases[max(3, -(-len(cases) // SHARE)) :])
    return left_out


def _rank(test: str) -> str:
    return hashlib.sha256(test.partition("::")[2].encode()).hexdigest()  # whatever its file is called
