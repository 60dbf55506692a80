"""`tikzgen trace`: the contents of profiler traces, before they become a figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tikzgen.base.errors import quote
from tikzgen.base.suggest import suggest_known_names
from tikzgen.cli.shared_options import Bounded, text_or_json
from tikzgen.cli.voice import print_error, print_line, print_output, say_json, tell_of

if TYPE_CHECKING:
    from tikzgen.base.errors import ExitStatus
    from tikzgen.trace import TraceRun

_F = TypeVar("_F", bound=Callable[..., Any])


def _reading_options(function: _F) -> _F:
    """Add the options for reading traces."""
    scheduler = "Read on workers of a Dask cluster: tcp://host:8786."
    formats = "Read the files as written by NAME: kineto, horovod, ray, csv, …"
    many = click.IntRange(1, 256)
    for each in (
        click.option("--scheduler", metavar="ADDRESS", envvar="TIKZGEN_SCHEDULER", help=scheduler),
        click.option(
            "-j",
            "--jobs",
            type=many,
            envvar="TIKZGEN_JOBS",
            help="Read this many files simultaneously. Default: one per CPU.",
        ),
        click.option("--trace-format", "stated", default="", metavar="NAME", help=formats),
        click.option("--strict", is_flag=True, help="Reject a truncated file."),
        click.argument("files", nargs=-1, required=True, metavar="DIR|FILE|URL..."),
    ):
        function = each(function)
    return function


class _Looks(click.Group):
    """Group of commands that suggests `show` if a file is named in place of a command."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            shows = f"`tikzgen trace show {args[0]}` looks into it"
            hint = (
                shows
                if Path(args[0]).exists()
                else suggest_known_names(args[0], sorted(self.commands), "the commands are")
            )
            ctx.fail(f"unknown command {quote(args[0])} of trace ({hint})")
        return super().resolve_command(ctx, args)


@click.group(cls=_Looks)
def command() -> None:
    """Inspect traces of profilers, and draw them.

    Profilers are torch.profiler, JAX, rocprofv3, Nsight Systems (SQLite), Ray and others.
    """


@command.command(cls=Bounded)
@_reading_options
@text_or_json
@click.pass_context
def show(ctx: click.Context, /, format_: str, files: tuple[str, ...], **how: Any) -> None:
    """Show the contents of traces.

    \b
      tikzgen trace show rank*.json.gz

    The contents are ranks, clocks, steps, streams, classes, annotations and exact measures. Times are in ms, or in ns
    with --format json. If a file is not a trace, the others are read, and the exit status is
    1.
    """
    from tikzgen.trace import ClassRules, survey, survey_text

    run, status = _read_traces(files, **how)
    facts = survey(run, ClassRules())
    if format_ == "json":
        say_json(facts)
    else:
        print_output(survey_text(facts), nl=False)
    ctx.exit(status)


@command.command(cls=Bounded)
@_reading_options
@text_or_json
@click.pass_context
def align(ctx: click.Context, /, format_: str, files: tuple[str, ...], **how: Any) -> None:
    """Show the clock offset and residual of each rank.

    \b
      tikzgen trace align rank*.json.gz

    Both follow from the ends of collectives. The exit status is 1 if collectives are too few or disagree, if a message
    arrives before it is sent, or if an operation begins before its input has ended.
    """
    from tikzgen.base.errors import ExitStatus
    from tikzgen.trace import clock_facts, clock_text

    run, status = _read_traces(files, **how)
    facts = clock_facts(run)
    if format_ == "json":
        say_json(facts)
    else:
        print_output(clock_text(facts), nl=False)
    found = facts["refused"] or facts["early"] or facts["early_moved"]
    ctx.exit(ExitStatus.FINDINGS if found else status)


@command.command(cls=Bounded)
@_reading_options
@click.option(
    "-o", "--output", default="trace.yaml", show_default=True, help="Write the spec to this file; - is stdout."
)
@click.pass_context
def new(ctx: click.Context, /, output: str, files: tuple[str, ...], **how: Any) -> None:
    """Write a commented spec that draws the traces.

    \b
      tikzgen trace new rank*.json.gz -o measured.yaml

    A comment of the spec lists the contents of the traces. The traces must be in the folder of the spec or below. An
    existing spec is not modified.
    """
    import os

    from tikzgen.base.errors import FileRefused
    from tikzgen.base.write_files import write_files
    from tikzgen.spec.spec_text import make_starter_spec
    from tikzgen.trace import ClassRules, find_drawable, survey, survey_text
    from tikzgen.trace.readers import is_url, places_in, spell_location

    run, status = _read_traces(files, **how)
    folder = Path(output).parent if output != "-" else Path()
    every = places_in(files)
    places = [every[place] for place in sorted({rank.place for rank in run.ranks.values()})]
    far = next((place for place in places if is_url(place)), None)
    if far:
        message = f"{spell_location(far)}: a spec reads files in its folder, not URLs"
        raise FileRefused(message, hint="tikzgen trace cut writes one step of it here")
    names = [Path(os.path.relpath(place, folder)).as_posix() for place in places]
    outside = next((name for name in names if name.startswith("../")), None)
    if outside:
        raise FileRefused(
            f"{outside} stands outside of the spec's folder", hint="-o writes the spec to the folder of the traces"
        )
    found = survey_text(survey(run, ClassRules())).splitlines()
    facts = {"source": names, **({"format": how["stated"]} if how["stated"] else {}), **find_drawable(run)}
    text = make_starter_spec("trace", facts, ["", "What the traces hold:", *found])
    if output == "-":
        print_output(text, nl=False)
    else:
        path = Path(output)
        if path.exists():
            raise FileRefused(f"{path}: exists already", hint="-o writes elsewhere")
        write_files({path: text.encode()}, expect={path: None})
        print_line(f"{path} written; next: tikzgen render {path}")
    ctx.exit(status)


@command.command(cls=Bounded)
@_reading_options
@click.option(
    "--step",
    default="last-complete",
    show_default=True,
    help="Select a step: a number, first, median, last-complete or all.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Write the files to this folder.")
@click.pass_context
def cut(ctx: click.Context, /, step: str, output: Path, files: tuple[str, ...], **how: Any) -> None:
    """Write an anonymous trace of one step, one file per rank.

    \b
      tikzgen trace cut rank*.json.gz --step 5 -o traces

    The files contain no host, user, path or date. Figures of them equal the figures of the traces.
    """
    from tikzgen.base.folders import lock_folder
    from tikzgen.base.write_files import write_file
    from tikzgen.trace.cut_run import cut_run

    run, status = _read_traces(files, **how)
    for number, text in cut_run(run, int(step) if step.isdecimal() else step).items():
        path = output / f"rank{number}.json"
        with lock_folder(path):
            tell_of(path, write_file(path, text.encode("utf-8", "surrogateescape")))
    ctx.exit(status)


def _read_traces(
    files: tuple[str, ...], *, strict: bool, stated: str, jobs: int | None, scheduler: str | None
) -> tuple[TraceRun, ExitStatus]:
    """Read a run and print the errors of unreadable files; return the run and the exit status."""
    from tikzgen.base.child import so_far
    from tikzgen.base.errors import ExitStatus, FileRefused
    from tikzgen.trace import find_parallelism
    from tikzgen.trace.readers import cluster, places_in, processes
    from tikzgen.trace.readers.read_run import read_run, shared_base

    errors: list[FileRefused] = []
    places = places_in(files)
    with cluster(scheduler) if scheduler else processes(places, jobs) as executor:
        run = read_run(places, strict=strict, stated=stated, executor=executor, refused=errors.append, told=so_far)
    run = find_parallelism(shared_base(run), {}, ())
    for line in (*errors, *run.warnings):
        print_error(str(line))
    return run, ExitStatus.FINDINGS if errors else ExitStatus.OK
