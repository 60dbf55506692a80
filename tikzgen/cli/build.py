"""`tikzgen build`: specs in, PDF, PNG and SVG out."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from tikzgen.errors import LatexError, TikzgenError

if TYPE_CHECKING:
    from tikzgen.tex.build import Job, Outcome, Report

__all__ = ["command"]

_FORMATS = ("pdf", "png", "svg")
_OTHERS = ("tex", "jpg", "jpeg", "gif", "eps", "ps", "webp", "tif", "tiff", "bmp", "emf", "dvi")  # no folder's ending


def _formats(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """`pdf,svg`: each format once, in the order given; none where the option is not."""
    if value is None:
        return ()
    names = tuple(dict.fromkeys(part.strip().lower() for part in value.split(",")))
    for name in names:
        if name not in _FORMATS:
            raise click.BadParameter(f'there is no format "{name}" (the formats are {", ".join(_FORMATS)})')
    return names


@click.command()
@click.argument(
    "paths",
    metavar="SPEC|DIR...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, allow_dash=True, path_type=Path),
)
@click.option(
    "-o",
    "--output",
    metavar="DIR|FILE",
    type=click.Path(allow_dash=True, path_type=Path),
    help="Default: beside each spec; - is stdout.",
)
@click.option("-f", "--format", "formats", callback=_formats, metavar="pdf,png,svg", help="Default: pdf.")
@click.option("-j", "--jobs", type=click.IntRange(1, 256), help="Figures at a time. Default: one a processor.")
@click.option("--engine", type=click.Choice(["pdflatex", "xelatex", "lualatex"]), default="pdflatex", show_default=True)
@click.option("--dpi", type=click.FloatRange(10, 2400), default=200, show_default=True, help="Resolution of PNG.")
@click.option("--transparent", is_flag=True, help="PNG and SVG without the white paper.")
@click.option(
    "--svg-text", type=click.Choice(["paths", "text"]), default="paths", show_default=True, help="The letters of SVG."
)
@click.option("--time-limit", type=click.FloatRange(0.1, 86400), default=60, show_default=True, metavar="SECONDS")
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Compile, and keep .tex and .log here.",
)
@click.option(
    "--deps", type=click.Path(dir_okay=False), metavar="FILE", help="Write what depends on what, for make; - is stdout."
)
@click.option("--allow-invalid", is_flag=True, help="Draw operations that break rules all the same, and mark them.")
@click.option("--measure", is_flag=True, help="Have TeX measure the specs' formulas and raw TeX before it sets them.")
@click.option("--trust", is_flag=True, help="Compile .tex files of others, or edited ones, without a sandbox.")
@click.option("--no-cache", is_flag=True, help="Compile everything again.")
@click.option("-q", "--quiet", is_flag=True, help="Say only what went wrong.")
@click.option("--json", "as_json", is_flag=True, help="Print what became of each figure, for programs.")
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    output: Path | None,
    formats: tuple[str, ...],
    jobs: int | None,
    engine: str,
    dpi: float,
    transparent: bool,
    svg_text: str,
    time_limit: float,
    keep: Path | None,
    deps: str | None,
    allow_invalid: bool,
    measure: bool,
    trust: bool,
    no_cache: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Compile specs, or figures that are .tex already, to PDF, PNG or SVG; DIR stands for the specs in it.

    - is a spec on stdin; what is made of it goes to stdout, unless -o says otherwise.

    Figures that did not change are not compiled again. A .tex file that is not as tikzgen writes it is compiled in a
    sandbox (bwrap), or refused where there is none, unless --trust. A figure that fails does not keep the others from
    being built.
    """
    from dataclasses import replace

    from tikzgen.files import write_if_changed
    from tikzgen.tex.build import build
    from tikzgen.tex.cache import Cache
    from tikzgen.tex.produce import Settings
    from tikzgen.tex.sources import find_jobs

    looks: dict[str, Any] = {"dpi": dpi, "transparent": transparent, "svg_text": svg_text}
    settings = Settings(engine=engine, time_limit=time_limit, keep=keep, **looks)
    if no_cache:
        settings = replace(settings, cache=Cache(None))
    if output is None and [str(path) for path in paths] == ["-"]:
        output = Path("-")
    to_stdout = str(output) == "-"
    single = None if to_stdout else _single(output, formats)
    formats = formats or ((single.suffix[1:].lower(),) if single else ("pdf",))
    place = None if single or to_stdout else output
    found, skipped = find_jobs(
        paths,
        output=place,
        formats=formats,
        allow_invalid=allow_invalid,
        trust=trust,
        cache=settings.cache,
        measure=measure,
    )
    if (single or to_stdout) and len(found) != 1:
        raise TikzgenError(f"{single or 'stdout'} is one file for {len(found)} figures", hint="give a folder to -o")
    if single:
        found = [replace(found[0], exact=single)]
    if to_stdout and (len(formats) != 1 or as_json or deps == "-"):
        raise click.UsageError("stdout takes one thing: one format, and neither --json nor --deps -", ctx)
    if keep and len({job.name for job in found}) < len(found):
        raise TikzgenError(f"two figures would be kept under one name in {keep}", hint="build them one by one")
    if deps:
        if deps == "-" and as_json:
            raise click.UsageError("--deps - and --json both print to stdout: give --deps a file", ctx)
        _write_rules(deps, found, formats)
    progress = _Progress(quiet=quiet or as_json)
    try:
        report = build(
            found,
            formats=formats,
            settings=settings,
            workers=jobs,
            progress=progress,
            write=_to_stdout if to_stdout else write_if_changed,
        )
    finally:
        progress.clear()
    if as_json:
        _print_json(report, formats, keep)
    else:
        for text in _messages(report, skipped, keep, quiet):
            click.echo(text, err=True)
    ctx.exit(report.exit_status)


def _single(output: Path | None, formats: tuple[str, ...]) -> Path | None:
    """`-o fig.svg` names a file and its format; any other `-o` is a folder."""
    suffix = output.suffix[1:].lower() if output and not output.is_dir() else ""
    if suffix in _OTHERS:
        way = "`tikzgen render` writes it" if suffix == "tex" else f"the formats are {', '.join(_FORMATS)}"
        raise TikzgenError(f'{output}: figures are not built as "{suffix}"', hint=way)
    if suffix not in _FORMATS:
        return None
    if formats and formats != (suffix,):
        raise TikzgenError(f"{output} is no {','.join(formats)}", hint="leave out --format, or give a folder to -o")
    return output


def _to_stdout(target: Path, data: bytes) -> bool:
    """Instead of into a file."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    return True


def _write_rules(deps: str, jobs: list[Job], formats: tuple[str, ...]) -> None:
    """Before the first figure is compiled: make needs the rules of those that fail, too."""
    from tikzgen.files import write_if_changed
    from tikzgen.tex.dependencies import make_rules

    rules = make_rules(jobs, formats)
    if deps == "-":
        click.echo(rules, nl=False)
    else:
        write_if_changed(Path(deps), rules.encode())


def _print_json(report: Report, formats: tuple[str, ...], keep: Path | None) -> None:
    """The outcomes as data, each error with its place in the description and its line in the .tex."""
    import json

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


def _messages(report: Report, skipped: list[Path], keep: Path | None, quiet: bool) -> list[str]:
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


class _Progress:
    """What is left, on stderr: one line that changes on a terminal, a line a figure elsewhere."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._stream = sys.stderr
        self._terminal = self._stream.isatty()

    def __call__(self, done: int, total: int, outcome: Outcome | None) -> None:
        if self._quiet:
            return
        if self._terminal:
            name = f", last {outcome.job.name} {outcome.status}" if outcome else ""
            text = f"{done} of {total} figures, {total - done} left{name}"
            self._show(f"\r\x1b[K{text[: get_terminal_size().columns - 1]}")
        elif outcome:
            self._show(f"[{done}/{total}] {outcome.status} {outcome.job.name}\n")

    def clear(self) -> None:
        """Leave an empty line on a terminal."""
        if self._terminal and not self._quiet:
            self._show("\r\x1b[K")

    def _show(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
