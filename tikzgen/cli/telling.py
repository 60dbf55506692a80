"""What `tikzgen build` says of figures of what became of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.base.errors import LatexError, TikzgenError
from tikzgen.cli.voice import say_json

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

    say_json({"figures": [listed(outcome) for outcome in report.outcomes], "exit_status": int(report.exit_status)})


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
