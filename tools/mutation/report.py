"""Tables of results, the list of survivors, and minimum scores below which a run fails."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from mutation.run import Result

LEAST_MUTANTS = 5
"""A package with fewer mutants does not have a separate minimum score."""
GOALS = {"covered": 90.0, "all": 92.0, "constants": 85.0}


def group_results(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Return the results as a whole, of constants, per package and per operator.

    Equivalent mutants do not count. Mutants that no test runs are in a separate group: the tests leave out code that
    needs TeX or a browser.
    """
    groups: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        if result.outcome != "equivalent":
            groups["covered"].append(result)
        if result.outcome in ("equivalent", "uncovered"):
            continue
        groups["all"].append(result)
        if result.operator == "number":
            groups["constants"].append(result)
        groups[f"package {result.package}"].append(result)
        groups[f"operator {result.operator}"].append(result)
    return groups


def _count(name: str, results: Sequence[Result]) -> int:
    """Return the number of killed mutants, or of covered ones."""
    return sum(result.outcome == "killed" or (name == "covered" and result.outcome == "survived") for result in results)


def _percent(name: str, results: Sequence[Result]) -> float:
    return 100 * _count(name, results) / len(results)


def write_table(results: Sequence[Result]) -> str:
    """Return a table of killed mutants, then the survivors with their changes."""
    lines = []
    for name, group in sorted(group_results(results).items(), key=_order):
        lines.append(f"{name:32} {_count(name, group):4} of {len(group):4}  {_percent(name, group):5.1f} %")
    for result in sorted(results, key=lambda result: (result.package, result.path, result.line)):
        if result.outcome not in ("killed", "equivalent"):
            lines += ["", f"{result.path}:{result.line}: {result.operator}, {result.outcome}, {result.tests} tests"]
            lines += [f"  {line}" for line in result.diff.splitlines()]
    return "\n".join(lines)


def _order(group: tuple[str, list[Result]]) -> tuple[int, str]:
    name = group[0]
    return (["covered", "all", "constants", "package", "operator"].index(name.split()[0]), name)


def find_too_low(results: Sequence[Result], floors: dict[str, float]) -> list[str]:
    """Return one line per group that is below its minimum score."""
    groups = group_results(results)
    return [
        f"{name}: {_percent(name, groups[name]):.1f} % of mutants, at least {floor:g} % required"
        for name, floor in floors.items()
        if name in groups and _percent(name, groups[name]) < floor
    ]


def raise_floors(results: Sequence[Result], floors: dict[str, float]) -> dict[str, float]:
    """Return the minimum scores, raised to the results, at most to a goal; no score becomes lower."""
    raised = dict(floors)
    for name, group in sorted(group_results(results).items(), key=_order):
        reached = float(int(_percent(name, group)))
        if name in GOALS:
            raised[name] = max(raised.get(name, 0.0), min(reached, GOALS[name]))
        elif name.startswith("package ") and len(group) >= LEAST_MUTANTS:
            raised[name] = max(raised.get(name, 0.0), reached)
    return raised


def read_equivalents(path: Path) -> set[tuple[str, str]]:
    """Return file and change of the mutants that change no result, each committed with its reason."""
    if not path.exists():
        return set()
    entries = json.loads(path.read_text(encoding="utf-8"))
    return {(entry["path"], "\n".join(entry["diff"])) for entry in entries if entry["reason"]}
