"""`tikzgen build`: specs in, PDF, PNG and SVG out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tikzgen.base.defaults import PNG_DPI
from tikzgen.base.errors import TikzgenError, quote
from tikzgen.cli import shared_options as shared
from tikzgen.cli.shared_options import Grouped, allow, time_limit
from tikzgen.cli.voice import is_quiet, print_error, shows_progress
from tikzgen.compile.formats.format_table import FORMATS, list_formats

if TYPE_CHECKING:
    from tikzgen.base.cache import Cache
    from tikzgen.compile.build_figures import Job


_OTHER_SUFFIXES = (
    "tex",
    "jpg",
    "jpeg",
    "gif",
    "eps",
    "ps",
    "webp",
    "tif",
    "tiff",
    "bmp",
    "emf",
    "dvi",
)  # suffixes of files, not of folders


def _parse_formats(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Return the formats of `pdf,svg`, each once, in order; empty without the option."""
    if value is None:
        return ()
    names = tuple(dict.fromkeys(part.strip().lower() for part in value.split(",")))
    for name in names:
        if name not in FORMATS:
            raise click.BadParameter(f"unknown format {quote(name)} (the formats are {list_formats()})")
    return names


@click.command(cls=Grouped)
@click.argument(
    "paths",
    metavar="SPEC|DIR...",
    nargs=-1,
    required=True,
    type=click.Path(allow_dash=True, path_type=Path),
)
@click.option(
    "-o",
    "--output",
    metavar="DIR|FILE",
    type=click.Path(allow_dash=True, path_type=Path),
    help="Write to this file or folder, not next to the spec; - is stdout.",
)
@click.option(
    "-f",
    "--format",
    "formats",
    callback=_parse_formats,
    metavar="pdf,png,svg",
    help="Select the formats. Default: pdf.",
)
@click.option(
    "-j", "--jobs", type=click.IntRange(1, 256), help="Build this many figures in parallel. Default: all processors."
)
@shared.engine_or_none
@click.option(
    "--dpi", type=click.FloatRange(10, 2400), default=PNG_DPI, show_default=True, help="Set the resolution of PNG."
)
@click.option("--transparent", is_flag=True, help="Omit the background of PNG and SVG.")
@allow
@time_limit
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Compile, and keep .tex and .log in this folder.",
)
@click.option(
    "--deps", type=click.Path(dir_okay=False), metavar="FILE", help="Write dependencies for make; - is stdout."
)
@shared.override_options
@shared.as_before
@shared.allow_invalid
@shared.measure
@shared.strict
@shared.trust_compiling
@shared.stdin_filename
@click.option("--no-cache", is_flag=True, help="Compile everything again.")
@click.option("--json", "as_json", is_flag=True, help="Print the result of each figure as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[Path, ...],
    output: Path | None,
    formats: tuple[str, ...],
    jobs: int | None,
    seconds: float,
    keep: Path | None,
    deps: str | None,
    strict: bool,
    no_cache: bool,
    as_json: bool,
    **choices: Any,
) -> None:
    """Build PDF, PNG or SVG from specs or .tex files.

    \b
      tikzgen build fig.yaml -f pdf,svg

    DIR means all specs in it, - a spec on stdin. SVG needs no TeX. PNG needs none if no engine is installed. Unchanged
    figures are not compiled again. Raw TeX and edited or third-party .tex files compile in a sandbox only, or with
    --trust. If one figure fails, the command builds the others.
    """
    from tikzgen.base.cache import Cache
    from tikzgen.base.child import can_fork
    from tikzgen.base.record import replace
    from tikzgen.base.write_files import write_file
    from tikzgen.cli.progress import Progress, list_messages, print_json
    from tikzgen.compile.build_figures import build
    from tikzgen.compile.figure_jobs import find_jobs
    from tikzgen.compile.make_formats import Settings
    from tikzgen.spec.source import missing_file

    for path in paths:
        if str(path) != "-" and not path.exists():
            raise missing_file(path, alone=len(paths) == 1)
    engine = shared.engine_for(ctx, choices.pop("engine"), paths[0])
    looks = {name: choices.pop(name) for name in ("dpi", "transparent")}
    way = Settings(shared.find_words, engine=engine, time_limit=seconds, keep=keep, **looks)
    if no_cache:
        way = replace(way, cache=Cache(None))
    if output is None and [str(path) for path in paths] == ["-"]:
        output = Path("-")
    to_stdout = str(output) == "-"
    single = None if to_stdout else _find_single_output(output, formats)
    formats = formats or ((single.suffix[1:].lower(),) if single else ("pdf",))
    place = None if single or to_stdout else output
    found, skipped = find_jobs(paths, shared.read_figure, output=place, formats=formats, cache=way.cache, **choices)
    if (single or to_stdout) and len(found) != 1:
        raise TikzgenError(f"{single or 'stdout'} is one file for {len(found)} figures", hint="give a folder to -o")
    if single:
        found = [replace(found[0], exact=single)]
    if to_stdout:
        found = [replace(job, slides=False) for job in found]
    if to_stdout and (len(formats) != 1 or as_json or deps == "-"):
        raise click.UsageError("stdout accepts one output: one format, and neither --json nor --deps -", ctx)
    if keep and len({job.name for job in found}) < len(found):
        raise TikzgenError(f"two figures would be kept under one name in {keep}", hint="build them in separate runs")
    if deps:
        if deps == "-" and as_json:
            raise click.UsageError("--deps - and --json both print to stdout: give --deps a file", ctx)
        _write_rules(deps, found, formats, choices["settings"])
    progress = Progress(quiet=is_quiet() or as_json, bar=shows_progress())
    try:
        report = build(
            found,
            formats=formats,
            settings=way,
            workers=jobs,
            progress=progress,
            write=_to_stdout if to_stdout else write_file,
            apart=ctx.obj is not None and can_fork(),
            **({"guard": partial(_refuse, way.cache)} if strict else {"report": partial(_report, way.cache)}),
        )
    finally:
        progress.clear()
    if as_json:
        print_json(report, formats, keep)
    else:
        for text in list_messages(report, skipped, keep, is_quiet()):
            print_error(text)
    ctx.exit(report.exit_status)


def _refuse(cache: Cache, job: Job, source: str) -> list[str]:
    """Raise an error if the drawing of a figure has findings."""
    from tikzgen.lint.probe.judge_without_tex import refuse_findings

    refuse_findings(str(job.file or job.name), source, cache)
    return []


def _report(cache: Cache, job: Job, source: str) -> list[str]:
    """Return the findings in the drawing of a figure."""
    from tikzgen.lint.probe.judge_without_tex import report_findings

    name = str(job.file or job.name)
    return [line.removeprefix(f"{name}: ") for line in report_findings(name, source, cache)]


def _find_single_output(output: Path | None, formats: tuple[str, ...]) -> Path | None:
    """Return the file of `-o fig.svg`, whose suffix is its format; None if `-o` is a folder."""
    suffix = output.suffix[1:].lower() if output and not output.is_dir() else ""
    if not suffix:
        return None
    if suffix not in FORMATS:
        if suffix not in _OTHER_SUFFIXES:
            return None
        way = "`tikzgen render` writes it" if suffix == "tex" else f"the formats are {list_formats()}"
        raise TikzgenError(f"{output}: figures are not built as {quote(suffix)}", hint=way)
    if formats and formats != (suffix,):
        if suffix in formats:
            message = f"{output} is one file, and {' and '.join(formats)} are {len(formats)}"
            raise TikzgenError(message, hint="give a folder to -o")
        raise TikzgenError(f"{output} is no {','.join(formats)}", hint="leave out --format, or give a folder to -o")
    return output


def _to_stdout(target: Path, data: bytes) -> bool:
    """Write the data to stdout instead of a file."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    return True


def _write_rules(deps: str, jobs: list[Job], formats: tuple[str, ...], settings: Sequence[str]) -> None:
    """Write the rules for make before the first build: make also needs the rules of failed figures."""
    from tikzgen.base.write_files import write_file
    from tikzgen.compile.figure_jobs import files_read, make_rules

    rules = make_rules(jobs, formats, partial(files_read, settings=settings))
    if deps == "-":
        click.echo(rules, nl=False)
    else:
        write_file(Path(deps), rules.encode())
