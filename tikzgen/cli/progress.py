"""Progress of work that lasts more than a second, on stderr, and the messages of `tikzgen build`.

On a terminal, it is a bar with the remaining time; elsewhere, a line per finished figure.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING

from tikzgen.base.errors import LatexError, TikzgenError
from tikzgen.cli.voice import escape_control_characters, say_json

if TYPE_CHECKING:
    from tikzgen.base.child import Watched
    from tikzgen.compile.build_figures import BuildOutcome, BuildReport

_DELAY_SECONDS = 1.0  # seconds
_UPDATE_SECONDS = 0.1
_BAR_CHARS = 20


class Progress:
    """Display of running and remaining work."""

    def __init__(self, *, quiet: bool, bar: bool = True, clock: Callable[[], float] = monotonic) -> None:
        self._quiet, self._bar, self._clock = quiet, bar, clock
        self._stream = sys.stderr
        self._terminal = self._stream is not None and self._stream.isatty()
        self._begun = clock()
        self._name = ""
        self._last = ""
        self._drawn = False
        self._shown = -1.0

    def __call__(self, done: int, total: int, outcome: BuildOutcome | None = None) -> None:
        """Show that `done` of `total` figures are built, with the outcome of the last one."""
        if self._quiet:
            return
        if outcome:
            self._last = f", last {outcome.job.name} {outcome.status}"
            if not self._terminal:
                self._write(escape_control_characters(f"[{done}/{total}] {outcome.status} {outcome.job.name}\n"))
        if self._terminal and self._bar:
            self._draw(done, total, self._last)

    def show_child(self, child: Watched) -> None:
        """Show the work of a child process."""
        self._drawn = self._drawn and not child.speaks  # it has cleared the line for its own output
        if self._quiet or child.speaks:
            return
        self._name = child.subject
        done = max(child.begun - 1, 0)
        share = f", {child.share}" if child.share else ""
        if self._terminal:
            self._draw(done, child.files, f", {self._name}{share}")

    def clear(self) -> None:
        """Clear the line of the display on a terminal."""
        if self._drawn:
            self._write("\r\x1b[K")
            self._drawn = False

    def _draw(self, done: int, total: int, more: str) -> None:
        taken = self._clock() - self._begun
        if taken < _DELAY_SECONDS or taken - self._shown < _UPDATE_SECONDS:
            return
        self._shown = taken
        if total > 1:
            done = min(done, total)
            full = _BAR_CHARS * done // total
            left = f", {_spell_seconds(taken / done * (total - done))} left" if done else ""
            text = f"[{'#' * full}{'.' * (_BAR_CHARS - full)}] {done} of {total}{left}{more}"
        else:
            text = f"{_spell_seconds(taken)}{more}"
        self._write(f"\r\x1b[K{escape_control_characters(text)[: get_terminal_size().columns - 1]}")
        self._drawn = True

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _spell_seconds(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def print_json(report: BuildReport, formats: tuple[str, ...], keep: Path | None) -> None:
    """Print the outcomes as JSON, each error with its location and its line in the .tex."""

    def as_entry(outcome: BuildOutcome) -> dict[str, object]:
        name, error = outcome.job.name, outcome.error
        return {
            "name": name,
            "file": outcome.job.file and str(outcome.job.file),
            "status": outcome.status,
            "files": [str(outcome.job.choose_target(suffix)) for suffix in formats] if error is None else [],
            "notes": list(outcome.notes),
            "errors": error.as_json() if error else [],
            "log": str(keep / f"{name}.log") if keep and isinstance(error, LatexError) and error.log else None,
        }

    say_json({"figures": [as_entry(outcome) for outcome in report.outcomes], "exit_status": int(report.exit_status)})


def list_messages(report: BuildReport, skipped: list[Path], keep: Path | None, quiet: bool) -> list[str]:
    """Return failures and notes in the order of the figures, then the summary."""
    lines = []
    for outcome in report.outcomes:
        lines += [f"{outcome.job.name}: warning: {note}" for note in outcome.notes]
        if outcome.error:
            lines += _describe_failure(outcome.job.name, outcome.error)
    failed = [outcome for outcome in report.outcomes if isinstance(outcome.error, LatexError) and outcome.error.log]
    if failed and keep is None:
        lines.append("--keep DIR keeps the .tex and the whole log")
    if not quiet:
        if skipped:
            names = ", ".join(path.name for path in skipped)
            lines.append(f"skipped files without recipe: and panels: {names}")
        lines.append(str(report))
    return lines


def _describe_failure(name: str, error: TikzgenError) -> list[str]:
    if not isinstance(error, LatexError):
        return str(error).splitlines()  # these name their file
    told = str(error) if error.place else f"{name}: {error}"
    here = error.place is not None and (error.place.file.endswith(".tex"), error.place.line) == (True, error.line)
    line = "" if here else f"{name}.tex:{error.line}: "
    return [told, *([f"    {line}{error.excerpt}"] if error.excerpt else [])]
