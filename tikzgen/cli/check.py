"""`tikzgen check`: which rules specs and operation lists break."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tikzgen.errors import ExitStatus, FileRefused, TikzgenError

if TYPE_CHECKING:
    from tikzgen.checks import Finding
    from tikzgen.checks.baseline import Baseline

__all__ = ["command"]


@dataclass(slots=True)
class _Outcome:
    """What came out: files that were looked at, their findings, and what could not be read.

    `known` counts what the baseline holds, `mended` what was mended, or would be where a `diff` is shown.
    """

    looked_at: int = 0
    findings: list[Finding] = field(default_factory=list)
    known: int = 0
    mended: int = 0
    diff: bool = False
    errors: list[TikzgenError] = field(default_factory=list)

    @property
    def exit_status(self) -> ExitStatus:
        """3 where LaTeX failed, 2 where a file could not be read or written, 1 where a rule is broken, else 0."""
        if self.errors:
            return max(ExitStatus.USAGE, *(error.exit_status for error in self.errors))
        return ExitStatus.FINDINGS if self.findings else ExitStatus.OK

    def __str__(self) -> str:
        unread = f", {_many(len(self.errors), 'file')} unreadable" if self.errors else ""
        found = _many(len(self.findings), "finding") if self.findings else "no findings"
        known = f" ({self.known} known)" if self.known else ""
        mended = f", {self.mended} {'of them would be ' * self.diff}mended" if self.mended else ""
        return f"{_many(self.looked_at, 'file')} checked: {found}{known}{mended}{unread}"


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
@click.option("--trust", is_flag=True, help="With --geometry: compile .tex files of others without a sandbox.")
@click.option("--format", "format_", type=click.Choice(["text", "json", "github"]), default="text", show_default=True)
@click.option("--fix", is_flag=True, help="Mend what is safe to mend, in the .tex and in its metadata.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and write nothing.")
@click.option(
    "--baseline",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Report only what this file does not list.",
)
@click.option("--write-baseline", is_flag=True, help="Write the findings to the file of --baseline.")
@click.option("--rules", "list_rules", is_flag=True, help="List the rules.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of --format json.")
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    schedule: str | None,
    settings: tuple[str, ...],
    geometry: bool,
    width: float | None,
    trust: bool,
    format_: str,
    fix: bool,
    diff: bool,
    baseline: Path | None,
    write_baseline: bool,
    list_rules: bool,
    schema: bool,
) -> None:
    """Say which rules the schedules, timelines and figures of PATH... break, and where.

    PATH is a spec, any .tex, a PyTorch schedule CSV, a folder of these, or - for stdin. A finding about a
    schedule says whether it is a data dependency or a schedule rule. Exit status: 0 clean, 1 findings, 2 a file that
    cannot be read. What --fix has mended is no finding.
    """
    if schema:
        import tikzgen.checks

        place = Path(tikzgen.checks.__file__).with_name("report.schema.json")
        click.echo(place.read_text(encoding="utf-8"), nl=False)
        return
    if list_rules:
        _print_rules(format_)
        return
    if not paths:
        raise click.UsageError("Missing argument 'PATH...'.", ctx)
    if write_baseline and baseline is None:
        raise click.UsageError("--write-baseline needs --baseline FILE", ctx)
    if diff and format_ != "text":
        raise click.UsageError(f"--diff prints a diff, --format {format_} something else: choose", ctx)
    from tikzgen.checks import check

    outcome = _Outcome(diff=diff)
    known = _baseline(baseline, outcome) if baseline and not write_baseline else None
    choose = known.new if known else list
    for path in _files(paths, outcome) if not outcome.errors else ():
        try:
            if (fix or diff) and path.endswith(".tex"):
                _mend(path, choose, outcome)
            found = check(path, schedule=schedule, settings=settings)
            new = choose(found)
            outcome.findings += new
            outcome.known += len(found) - len(new)
            outcome.looked_at += 1
        except TikzgenError as error:
            outcome.errors.append(error)
    if geometry:
        _look(paths, outcome, settings, width, choose, trust)
    if write_baseline and baseline and not outcome.errors:
        _write_baseline(baseline, outcome)
    _print(outcome, format_)
    ctx.exit(outcome.exit_status)


def _mend(path: str, choose: Callable[[Iterable[Finding]], list[Finding]], outcome: _Outcome) -> None:
    """Mend a figure, or show how it would be mended."""
    from tikzgen.checks.fixing import fix

    done = fix(path, choose)
    outcome.mended += len(done.mended)
    if not outcome.diff:
        done.save()
        return
    from difflib import unified_diff

    from tikzgen.source.text import encode

    for name, before, after in done.texts:
        for line in unified_diff(_lines(before), _lines(after), name, name):
            ended = line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            click.echo(encode(ended).decode("utf-8", "replace"), nl=False)


def _lines(text: str) -> list[str]:
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [line for line in text.split("\n")[-1:] if line]


def _baseline(path: Path, outcome: _Outcome) -> Baseline | None:
    from tikzgen.checks.baseline import Baseline

    try:
        return Baseline.read(path)
    except TikzgenError as error:
        outcome.errors.append(error)
        return None


def _write_baseline(path: Path, outcome: _Outcome) -> None:
    """Make the findings the known ones: nothing is new then."""
    from tikzgen.checks.baseline import Baseline

    try:
        Baseline(path, {}).write(outcome.findings)
        outcome.known, outcome.findings = len(outcome.findings), []
    except TikzgenError as error:
        outcome.errors.append(error)


def _look(
    paths: Iterable[str],
    outcome: _Outcome,
    settings: Sequence[str],
    width: float | None,
    choose: Callable[[Iterable[Finding]], list[Finding]],
    trust: bool,
) -> None:
    """Measure the figures among `paths`, in as few TeX runs as will do; what was said before is not said again."""
    from tikzgen.geometry.looking import look_at, read_drawing

    drawings, said = [], {str(error) for error in outcome.errors}
    for path in _files(paths, _Outcome()):
        try:
            drawing = read_drawing(path, width=width, settings=settings)
            drawings += [drawing] if drawing else []
        except TikzgenError as error:  # a figure that does not fit its width, for one
            outcome.errors += [error] if str(error) not in said else []
    try:
        looked = look_at(drawings, trust=trust)
    except TikzgenError as error:
        outcome.errors.append(error)
        return
    new = choose(looked.findings)
    outcome.findings += new
    outcome.known += len(looked.findings) - len(new)
    outcome.errors += looked.errors


def _files(paths: Iterable[str], outcome: _Outcome) -> list[str]:
    """The files to look at, folders standing for the specs, lists and figures in them; each once, in order."""
    found: list[str] = []
    for path in paths:
        if path != "-" and Path(path).is_dir():
            inside = _inside(Path(path))
            if not inside:
                outcome.errors.append(FileRefused(f"{path}: no specs, lists or figures here"))
            found += inside
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def _inside(folder: Path) -> list[str]:
    """The specs in a folder, the CSV files that hold actions, and the figures that stand alone, by name."""
    from tikzgen.spec.actionlist import looks_like_actions
    from tikzgen.tex.sources import specs_in

    def holds_actions(file: Path) -> bool:
        with file.open("rb") as opened:
            return looks_like_actions(opened.read(4096).decode("utf-8", "replace"))

    def stands_alone(file: Path) -> bool:
        with file.open("rb") as opened:
            return b"{standalone}" in opened.read(4096)

    lists = [file for file in folder.glob("*.csv") if file.is_file() and holds_actions(file)]
    figures = [file for file in folder.glob("*.tex") if file.is_file() and stands_alone(file)]
    return [str(file) for file in sorted([*specs_in(folder)[0], *lists, *figures])]


def _print(outcome: _Outcome, format_: str) -> None:
    """Findings on stdout, what went wrong and the summary on stderr."""
    if format_ == "json":
        facts = {
            "findings": [finding.as_json() for finding in outcome.findings],
            "errors": [fact for error in outcome.errors for fact in _error(error)],
            "checked": outcome.looked_at,
            "known": outcome.known,
            "mended": outcome.mended,
        }
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2))
        return
    for finding in outcome.findings if not outcome.diff else ():
        click.echo(str(finding) if format_ == "text" else _annotation(finding))
    for error in outcome.errors:
        click.echo(str(error), err=True)
    click.echo(str(outcome), err=True)


def _error(error: TikzgenError) -> list[dict[str, object]]:
    facts = [problem.as_json() for problem in error.told()]
    for fact in facts:
        if path := fact.pop("path"):
            fact["message"] = f"{path}: {fact['message']}"
    return facts


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
    rows = [
        (rule.code, rule.name, rule.severity.value, rule.summary + f"; --fix {rule.fixes}" * bool(rule.fixes))
        for rule in rules()
    ]
    for row in rows:
        click.echo("  ".join(cell.ljust(_width(rows, place)) for place, cell in enumerate(row)).rstrip())


def _width(rows: Sequence[Sequence[str]], place: int) -> int:
    return max(len(row[place]) for row in rows)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
