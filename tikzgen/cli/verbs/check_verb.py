"""`tikzgen check`: rules that specs, operation lists and figures violate."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tikzgen.base.errors import Problem, SpecError, TikzgenError, quote
from tikzgen.cli import shared_options as shared
from tikzgen.cli.shared_options import Bounded, seconds_of
from tikzgen.cli.voice import print_error, print_line, print_output

if TYPE_CHECKING:
    from tikzgen.emit.spec_in_three_stages import SpecReading
    from tikzgen.lint.check_report import CheckReport


def _schedule(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return the name of a schedule; raise `BadParameter` for an unknown one."""
    if value is not None:
        from tikzgen.base.suggest import suggest_known_names
        from tikzgen.schedule import FAMILIES, schedule_name

        if schedule_name(value) not in FAMILIES:
            hint = suggest_known_names(value, FAMILIES, "the schedules are")
            raise click.BadParameter(f"unknown schedule {quote(value)} ({hint})")
    return value


def _width_of(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Return a width in cm; raise `BadParameter` for an invalid one."""
    if value is None:
        return None
    from tikzgen.model.looks import read_width

    try:
        return read_width(value)
    except TikzgenError as error:
        raise click.BadParameter(str(error)) from None


def _parse_rules(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Return codes, prefixes of codes and names of rules; raise `BadParameter` for unknown ones."""
    wanted = tuple(part.strip() for part in (value or "").split(",") if part.strip())
    if not wanted:
        return ()
    from tikzgen.base.suggest import suggest_known_names
    from tikzgen.lint.chosen_rules import rule_names

    names = rule_names()
    for each in wanted:
        if not any(name == each or (each.isupper() and name.startswith(each)) for name in names):
            raise click.BadParameter(f"unknown rule {quote(each)} ({suggest_known_names(each, names, 'some are')})")
    return wanted


@click.command(cls=Bounded)
@click.argument("paths", metavar="PATH...", nargs=-1)
@click.option(
    "--schedule",
    metavar="NAME",
    callback=_schedule,
    help="Check the order of operations against a schedule: 1f1b, zb-h1 …",
)
@shared.set_option
@click.option("--geometry", is_flag=True, help="Measure the drawing: overlaps, gaps, contrast (rules TG3xx).")
@click.option(
    "--engine",
    type=click.Choice(shared.ENGINES_OR_NONE),
    help="Select the engine of --geometry; none draws without TeX.",
)
@click.option("--width", metavar="WIDTH", callback=_width_of, help="Set the column of --geometry: 8.4, ieee-column …")
@shared.trust_option("--geometry uses no sandbox")
@click.option(
    *("--format", "format_"),
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    show_default=True,
    help=shared.FORMAT_HELP,
)
@shared.stdin_filename
@click.option(
    "--select", metavar="RULE,...", callback=_parse_rules, help="Check only these rules: TG3, TG201, far-legend …"
)
@click.option("--ignore", metavar="RULE,...", callback=_parse_rules, help="Skip these rules.")
@click.option(
    "--severity",
    type=click.Choice(["warning", "error"]),
    default="warning",
    help="Report errors only, or warnings also.",
)
@click.option("--only-figures", is_flag=True, help="Skip files without a figure.")
@click.option("--fix", is_flag=True, help="Fix safe findings in the .tex and its metadata.")
@click.option("--diff", is_flag=True, help="Show the changes of --fix; write no file.")
@click.option("--rules", "list_rules", is_flag=True, help="List the rules.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of --format json.")
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    schedule: str | None,
    settings: tuple[str, ...],
    geometry: bool,
    engine: str | None,
    width: float | None,
    trust: bool,
    format_: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    severity: str,
    only_figures: bool,
    fix: bool,
    diff: bool,
    list_rules: bool,
    schema: bool,
) -> None:
    """Check schedules, timelines and figures; print findings by location.

    \b
      tikzgen check fig.yaml fig.tex
      tikzgen check --geometry --width ieee-column fig.tex

    PATH is a spec, any .tex, a PyTorch schedule CSV, a folder of these, or - for stdin. A finding about a schedule
    names a data dependency or a schedule rule. Exit status: 0 clean, 1 findings, 2 a file is unreadable. Findings that
    --fix fixed do not count.
    """
    if schema:
        from tikzgen.base.version_and_cache_folder import PACKAGE

        place = PACKAGE / "lint" / "report.schema.json"
        print_output(place.read_text(encoding="utf-8"), nl=False)
        return
    from tikzgen.lint.check_report import CheckReport, rules_table

    if list_rules:
        for line in rules_table(format_):
            print_output(line)
        return
    if not paths:
        raise click.UsageError("Missing argument 'PATH...'.", ctx)
    if not geometry and (width is not None or engine):
        raise click.UsageError(f"--{'engine' if engine else 'width'} needs --geometry", ctx)
    if diff and format_ != "text":
        raise click.UsageError(f"--diff prints a diff, --format {format_} something else: choose", ctx)
    from tikzgen.base.child import send_file_count, working_on
    from tikzgen.emit.spec_in_three_stages import SpecReading
    from tikzgen.lint.check_figure import can_be_of_schedule, check_read, nothing_of_schedule
    from tikzgen.lint.check_report import files_of
    from tikzgen.lint.chosen_rules import ChosenRules
    from tikzgen.lint.registry import Severity

    files, refused = files_of(paths, only_figures=only_figures)
    report = CheckReport(diff=diff, errors=[*refused])
    send_file_count(len(files) * (3 if geometry else 1))  # read, laid out, measured
    once = (SpecReading(path, settings, drawn=geometry) for path in files)
    of_schedule = False  # whether any file can follow the schedule
    readings = [*once] if geometry else once  # kept for the measurement
    for reading in readings:
        working_on(str(reading.path))
        try:
            if (fix or diff) and (path := str(reading.path)).endswith(".tex"):
                _fix_figure(path, report)
            report.findings += check_read(reading, schedule=schedule)
            report.notes += _note_manual_edits(reading)
            report.looked_at += 1
            of_schedule = of_schedule or schedule is None or can_be_of_schedule(reading)
        except TikzgenError as error:
            report.errors.append(error)
    if schedule is not None and report.looked_at and not of_schedule:
        report.errors.append(nothing_of_schedule(schedule, ", ".join(paths)))
    if geometry:
        _look(readings, report, width, {"engine": engine, "trust": trust, "time_limit": seconds_of(ctx)})
    report.keep(ChosenRules(select, ignore, Severity(severity)))
    _print(report, format_)
    ctx.exit(report.exit_status)


def _fix_figure(path: str, report: CheckReport) -> None:
    """Fix a figure, or show how it would be fixed."""
    from tikzgen.base.folders import lock_folder
    from tikzgen.lint.fixing import fix

    with lock_folder(Path(path)):
        done = fix(path)
        report.mended += len(done.mended)
        if not report.diff:
            done.save()
            return
    from tikzgen.texfile import encode

    for line in done.diff():
        print_output(encode(line).decode("utf-8", "replace"), nl=False)


def _note_manual_edits(reading: SpecReading) -> list[Problem]:
    """Return a note on the manual edits of a rendered figure that no operation expresses."""
    if not str(reading.path).endswith(".tex"):
        return []
    from tikzgen.edit.lift.lifted_file import report_left_lines

    try:
        note = report_left_lines(reading.text, reading.document.name)
    except TikzgenError:  # no embedded spec, or an invalid one, which is a finding or an error already
        return []
    return [note] if note else []


def _look(readings: Iterable[SpecReading], report: CheckReport, width: float | None, how: dict[str, Any]) -> None:
    """Measure the figures among the files in few TeX runs; do not repeat earlier errors."""
    from tikzgen.base.child import working_on
    from tikzgen.lint.probe.look_at_figures import drawing_of, look_at

    drawings, said = [], {str(error) for error in report.errors}
    for reading in readings:
        working_on(str(reading.path))
        try:
            drawing = drawing_of(reading, width=width)
            drawings += [drawing] if drawing else []
        except TikzgenError as error:  # for example, a figure that does not fit its width
            found = isinstance(error, SpecError) and error.is_impossible  # already reported as a finding
            report.errors += [] if found or str(error) in said else [error]
    try:
        looked = look_at(drawings, **how)
    except TikzgenError as error:
        report.errors.append(error)
        return
    report.findings += looked.findings
    report.errors += looked.errors


def _print(report: CheckReport, format_: str) -> None:
    """Print findings on stdout, errors and the summary on stderr."""
    for line in report.format_lines(format_):
        print_output(line)
    if format_ == "json":
        return  # JSON contains them
    for note in report.notes if format_ == "text" else ():
        print_line(str(note))
    for error in report.errors:
        print_error(str(error))
    print_line(str(report))
