"""What `tikzgen build` says of figures while they are made, and of what became of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from tikzgen.apart.notes import tell as note
from tikzgen.base.errors import LatexError, TikzgenError

if TYPE_CHECKING:
    from tikzgen.compile.build_figures import Outcome, Report


def print_json(report: Report, formats: tuple[str, ...], keep: Path | None) -> None:
    """The outcomes as data, each error with its place in the description and its line in the .tex."""

    def listed(outcome: Outcome) -> dict[str, object]:
        name, error = outcome.job.name, outcome.error
        return {
            "name": name,
            "file": outcome.job.file and str(outcome.job.file),
            "status": outcome.status,
            "files": [str(outcome.job.target(suffix)) for suffix in formats] if error is None else [],
            "notes": list(outcome.notes),
            "errors": error.as_json() if error else [],
            "log": str(keep / f"{name}.log") if keep and isinstance(error, LatexError) and error.log else None,
        }

    facts = {"figures": [listed(outcome) for outcome in report.outcomes], "exit_status": int(report.exit_status)}
    click.echo(json.dumps(facts, ensure_ascii=False, indent=2))


def messages(report: Report, skipped: list[Path], keep: Path | None, quiet: bool) -> list[str]:
    """Failures and notes in the order of the figures, then the summary."""
    lines = []
    for outcome in report.outcomes:
        lines += [f"{outcome.job.name}: warning: {note}" for note in outcome.notes]
        if outcome.error:
            lines += _failure(outcome.job.name, outcome.error)
    failed = [outcome for outcome in report.outcomes if isinstance(outcome.error, LatexError) and outcome.error.log]
    if failed and keep is None:
        lines.append("--keep DIR keeps the .tex and the whole log")
    if not quiet:
        if skipped:
            names = ", ".join(path.name for path in skipped)
            lines.append(f"passed over, for neither recipe: nor panels: stands in them: {names}")
        lines.append(str(report))
    return lines


def _failure(name: str, error: TikzgenError) -> list[str]:
    if not isinstance(error, LatexError):
        return str(error).splitlines()  # these name their file
    told = str(error) if error.place else f"{name}: {error}"
    here = error.place is not None and (error.place.file.endswith(".tex"), error.place.line) == (True, error.line)
    line = "" if here else f"{name}.tex:{error.line}: "
    return [told, *([f"    {line}{error.excerpt}"] if error.excerpt else [])]


class Share:
    """How far a long work is, on a terminal and after a second: `37 % of 4 traces read`."""

    def __init__(self, done: str, what: str, *, quiet: bool) -> None:
        self._words = done, what
        self._quiet = quiet or not sys.stderr.isatty()
        self._next = monotonic() + 1

    def __enter__(self) -> Share:
        note("speaks")  # who watches tells nothing of its own
        return self

    def __call__(self, done: float, of: int) -> None:
        if not self._quiet and monotonic() >= self._next:
            self._next = monotonic() + 0.1
            sys.stderr.write(f"\r\x1b[K{100 * done / of:.0f} % of {of} {self._words[1]} {self._words[0]}")
            sys.stderr.flush()

    def __exit__(self, *error: object) -> None:
        if not self._quiet:
            sys.stderr.write("\r\x1b[K")
