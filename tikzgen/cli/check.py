"""`tikzgen check`: which rules specs and operation lists break."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tikzgen.errors import ExitStatus, FileRefused, SpecError, TikzgenError

if TYPE_CHECKING:
    from tikzgen.checks import Finding

__all__ = ["command"]


@dataclass(slots=True)
class _Outcome:
    """What came out: files that were looked at, their findings, and what could not be read."""

    looked_at: int = 0
    findings: list[Finding] = field(default_factory=list)
    errors: list[TikzgenError] = field(default_factory=list)

    @property
    def exit_status(self) -> ExitStatus:
        """3 where LaTeX failed, 2 where a file could not be read, 1 where a rule is broken, else 0."""
        if self.errors:
            return max(ExitStatus.USAGE, *(error.exit_status for error in self.errors))
        return ExitStatus.FINDINGS if self.findings else ExitStatus.OK

    def __str__(self) -> str:
        unread = f", {_many(len(self.errors), 'file')} unreadable" if self.errors else ""
        found = _many(len(self.findings), "finding") if self.findings else "no findings"
        return f"{_many(self.looked_at, 'file')} checked: {found}{unread}"


def _schedule(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """A name that there is."""
    if value is not None:
        from tikzgen.schedule import FAMILIES

        if value not in FAMILIES:
            raise click.BadParameter(f'there is no schedule "{value}" (the schedules are {", ".join(FAMILIES)})')
    return value


def _width_of(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """A width as a figure may have it, in cm."""
    if value is None:
        return None
    from pydantic import TypeAdapter, ValidationError

    from tikzgen.model.widths import Width, width_in_cm

    try:
        found: float | str = TypeAdapter(Width).validate_python(value)
    except ValidationError as error:
        raise click.BadParameter(error.errors()[0]["msg"]) from None
    return width_in_cm(found)


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1)
@click.option(
    "--schedule",
    metavar="NAME",
    callback=_schedule,
    help="The schedule that listed operations are to be: 1f1b, gpipe, zb-h1 …",
)
@click.option("--set", "settings", multiple=True, metavar="PATH=VALUE", help="Override a field of every spec.")
@click.option("--geometry", is_flag=True, help="Compile the figures, and look at what TeX really set (rules TG3xx).")
@click.option("--width", metavar="WIDTH", callback=_width_of, help="The column, for --geometry: 8.4, ieee-column …")
@click.option("--format", "format_", type=click.Choice(["text", "json", "github"]), default="text", show_default=True)
@click.option("--rules", "list_rules", is_flag=True, help="List the rules.")
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    schedule: str | None,
    settings: tuple[str, ...],
    geometry: bool,
    width: float | None,
    format_: str,
    list_rules: bool,
) -> None:
    """Say which rules the schedules, timelines and figures of PATH... break, and where.

    PATH is a spec, any .tex, a PyTorch schedule CSV, a folder of specs and lists, or - for stdin. A finding about a
    schedule says whether it is a data dependency or a schedule rule. Exit status: 0 clean, 1 findings, 2 a file that
    cannot be read.
    """
    if list_rules:
        _print_rules(format_)
        return
    if not paths:
        raise click.UsageError("Missing argument 'PATH...'.", ctx)
    from tikzgen.checks import check

    outcome = _Outcome()
    for path in _files(paths, outcome):
        try:
            outcome.findings += check(path, schedule=schedule, settings=settings)
            outcome.looked_at += 1
        except TikzgenError as error:
            outcome.errors.append(error)
    if geometry:
        _look(paths, outcome, settings, width)
    _print(outcome, format_)
    ctx.exit(outcome.exit_status)


def _look(paths: Iterable[str], outcome: _Outcome, settings: Sequence[str], width: float | None) -> None:
    """Measure the figures among `paths`, in as few TeX runs as will do; what could not be read was said before."""
    from contextlib import suppress

    from tikzgen.geometry.looking import look_at, read_drawing

    drawings = []
    for path in _files(paths, _Outcome()):
        with suppress(TikzgenError):
            drawing = read_drawing(path, width=width, settings=settings)
            drawings += [drawing] if drawing else []
    try:
        looked = look_at(drawings)
    except TikzgenError as error:
        outcome.errors.append(error)
        return
    outcome.findings += looked.findings
    outcome.errors += looked.errors


def _files(paths: Iterable[str], outcome: _Outcome) -> list[str]:
    """The files to look at, folders standing for the specs and lists in them; each once, in order."""
    found: list[str] = []
    for path in paths:
        if path != "-" and Path(path).is_dir():
            inside = _inside(Path(path))
            if not inside:
                outcome.errors.append(FileRefused(f"{path}: no specs or lists here"))
            found += inside
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def _inside(folder: Path) -> list[str]:
    """The specs in a folder, and the CSV files that hold actions, by name."""
    from tikzgen.spec.actionlist import looks_like_actions
    from tikzgen.tex.sources import specs_in

    def holds_actions(file: Path) -> bool:
        with file.open("rb") as opened:
            return looks_like_actions(opened.read(4096).decode("utf-8", "replace"))

    lists = [file for file in folder.glob("*.csv") if file.is_file() and holds_actions(file)]
    return [str(file) for file in sorted([*specs_in(folder)[0], *lists])]


def _print(outcome: _Outcome, format_: str) -> None:
    """Findings on stdout, what went wrong and the summary on stderr."""
    if format_ == "json":
        facts = {
            "findings": [finding.as_json() for finding in outcome.findings],
            "errors": [fact for error in outcome.errors for fact in _error(error)],
            "checked": outcome.looked_at,
        }
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2))
        return
    for finding in outcome.findings:
        click.echo(str(finding) if format_ == "text" else _annotation(finding))
    for error in outcome.errors:
        click.echo(str(error), err=True)
    click.echo(str(outcome), err=True)


def _error(error: TikzgenError) -> list[dict[str, object]]:
    if not isinstance(error, SpecError):
        return [{"message": error.message, "file": None, "line": None, "column": None, "hint": error.hint}]
    return [
        {
            "message": f"{problem.path}: {problem.message}" if problem.path else problem.message,
            "file": problem.place and problem.place.file,
            "line": problem.place and problem.place.line,
            "column": problem.place and problem.place.column,
            "hint": problem.hint,
        }
        for problem in error.problems
    ]


def _annotation(finding: Finding) -> str:
    """A workflow command that GitHub shows beside the line of the file."""
    place = finding.place
    where = {"file": place.file, "line": place.line, "col": place.column, "title": f"{finding.code} {finding.name}"}
    properties = ",".join(f"{key}={_escaped(str(value), ',:')}" for key, value in where.items() if value is not None)
    hint = f" ({finding.hint})" if finding.hint else ""
    return f"::{finding.severity} {properties}::{_escaped(finding.message + hint)}"


def _escaped(text: str, more: str = "") -> str:
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def _print_rules(format_: str) -> None:
    from tikzgen.checks.registry import rules

    if format_ == "json":
        click.echo(json.dumps([rule.as_json() for rule in rules()], ensure_ascii=False, indent=2))
        return
    rows = [(rule.code, rule.name, rule.severity.value, rule.summary) for rule in rules()]
    for row in rows:
        click.echo("  ".join(cell.ljust(_width(rows, place)) for place, cell in enumerate(row)).rstrip())


def _width(rows: Sequence[Sequence[str]], place: int) -> int:
    return max(len(row[place]) for row in rows)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
