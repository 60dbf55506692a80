"""`tikzgen render`: specs in, `fig.tex` and `fig.meta.json` out."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from tikzgen.base.errors import ExitStatus, TikzgenError
from tikzgen.base.record import Record
from tikzgen.cli import shared_options as shared
from tikzgen.cli.shared_options import Bounded
from tikzgen.cli.voice import print_detail, print_error, print_line, print_output, say_json

if TYPE_CHECKING:
    from tikzgen.emit.figure_files import Rendered
    from tikzgen.model.figure import FigureModel


class _Choices(Record):
    """Options for rendering and writing each spec."""

    allow_invalid: bool
    measure: bool
    trust: bool
    strict: bool
    force: bool
    merge: bool
    anew: bool
    sides: list[str]
    templates: Path | None
    format_: str


@click.command(cls=Bounded)
@click.argument("specs", nargs=-1, required=True, metavar="SPEC|DIR...")
@click.option(
    "-o",
    "--output",
    metavar="FIG.tex|DIR",
    help="Write to this .tex, .pdf, .png, .svg or folder; - is stdout.",
)
@shared.override_options
@shared.as_before
@shared.allow_invalid
@shared.measure
@shared.strict
@click.option("--force", is_flag=True, help="Overwrite a file with manual edits.")
@click.option("--merge", is_flag=True, help="Keep the manual edits of the existing file.")
@shared.merge_options(" of --merge")
@click.option("--anew", is_flag=True, help="Discard recorded layers; by default, nodes keep their layers.")
@click.option("--check", is_flag=True, help="Write no file; exit with 1 if a .tex would change.")
@click.option("--diff", is_flag=True, help="Show the changes as a unified diff; otherwise as --check.")
@shared.templates
@click.option(
    "--format",
    "format_",
    type=click.Choice(["tex", "json"]),
    default="tex",
    help="Select the output: the .tex, or the metadata.",
)
@shared.stdin_filename
@shared.trust_option("--measure uses no sandbox")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    specs: tuple[str, ...],
    output: str | None,
    check: bool,
    diff: bool,
    as_before: bool,
    settings: list[str],
    **given: Any,
) -> None:
    """Render SPEC as TikZ with metadata.

    \b
      tikzgen render fig.yaml -o fig.tex

    SPEC is YAML, JSON, a rendered .tex, or a PyTorch schedule CSV; - is stdin. The files are in the folder of SPEC by
    default. DIR means all specs in it. A schedule that breaks rules is rejected with the findings of `tikzgen check`,
    except with --allow-invalid. If one spec fails, the command renders the others.
    """
    from tikzgen.base.child import send_file_count, working_on
    from tikzgen.emit.figure_files import given_before

    sheets = list(_choose_targets(specs, output))
    choices, compared = _Choices(**given), check or diff
    if compared and choices.format_ == "json":
        raise click.UsageError("--check and --diff compare the .tex: omit --format json", ctx)
    if choices.force and choices.merge:
        raise click.UsageError("--force overwrites manual edits, and --merge keeps them: give one", ctx)
    if choices.sides and not choices.merge:
        raise click.UsageError("--ours, --theirs and --resolve need --merge", ctx)
    send_file_count(len(sheets))
    status = 0
    for spec, target in sheets:
        working_on(spec)
        begun = perf_counter()
        try:
            said = given_before(target.with_suffix(".tex")) if as_before and target else []
            rendered, figure = _render_spec(spec, target, [*said, *settings], choices)
            if compared and target is not None:
                status = max(status, _compare_files(spec, target, rendered, figure, choices, diff))
            else:
                _write(spec, target, rendered, figure, choices)
            if not choices.strict:
                drawn = _read_merged(target) if target and choices.merge and not compared else rendered.tex
                _report(spec if drawn == rendered.tex else str(target), drawn)
        except TikzgenError as error:
            if len(sheets) == 1:
                raise
            print_error(str(error))
            status = max(status, error.exit_status)
        print_detail(f"{spec}: {perf_counter() - begun:.2f} s")
    if status:
        ctx.exit(status)


def _choose_targets(specs: tuple[str, ...], output: str | None) -> Any:
    """Return each spec with the file to write, or None for standard output."""
    from tikzgen.spec.source import find_specs, refuse_twins

    found = find_specs(list(map(Path, specs)))[0]
    folder = output is not None and (len(found) > 1 or Path(output).is_dir() or output.endswith("/"))
    if folder and (output == "-" or Path(output or "").suffix in (".tex", ".pdf", ".png", ".svg")):
        raise TikzgenError(f"{output} is one file for {len(found)} figures", hint="give a folder to -o")
    piped = [str(spec) == "-" for spec in found]
    targets = [
        None
        if output == "-" or (is_piped and output is None)
        else Path(output or "") / ("stdin.tex" if is_piped else spec.with_suffix(".tex").name)
        if folder
        else Path(output)
        if output
        else spec.with_suffix(".tex")
        for spec, is_piped in zip(found, piped, strict=True)
    ]
    refuse_twins((spec, target) for spec, target in zip(found, targets, strict=True) if target)
    return zip(map(str, found), targets, strict=True)


def _render_spec(
    spec: str, target: Path | None, settings: list[str], choices: _Choices
) -> tuple[Rendered, FigureModel | None]:
    """Render a spec or read its result from the cache; print the notes. Nodes keep the target's layers."""
    from tikzgen.base.cache import Cache
    from tikzgen.base.version_and_cache_folder import cache_folder
    from tikzgen.compile.render_cache import render_or_reuse
    from tikzgen.emit.figure_files import find_layout

    kept = find_layout(target.with_suffix(".tex")) if target and not choices.anew else {}
    folders = (choices.templates,) if choices.templates else ()
    figure = None

    def load_figure() -> FigureModel:
        found = shared.read_figure(spec, settings, choices.allow_invalid)
        if choices.measure:
            from tikzgen.compile.true_text_sizes import with_true_sizes

            found = with_true_sizes(found, folders=folders, trust=choices.trust)
        if choices.anew or kept:
            from tikzgen.spec.load_figure import keep_layout

            keep_layout(found, kept)
        return found

    if choices.measure or choices.merge or folders or spec == "-":
        from tikzgen.emit.render_figure import render

        figure = load_figure()
        rendered = render(figure, folders)
    else:
        rendered = render_or_reuse(
            Path(spec),
            load_figure,
            Cache(cache_folder()),
            choices.allow_invalid,
            choices.anew,
            dict(kept),
            *settings,
        )
    for note in rendered.notes:
        print_error(f"{spec}: {note}")
    if choices.strict:
        _refuse(spec, rendered.tex)
    return rendered, figure


def _write(spec: str, path: Path | None, rendered: Rendered, figure: FigureModel | None, choices: _Choices) -> None:
    from tikzgen.compile.formats.format_table import is_built
    from tikzgen.emit.figure_files import meta_path, write_figure

    if choices.format_ == "json":
        say_json(rendered.metadata)
        return
    if path is None:
        print_output(rendered.tex, nl=False)
        return
    if is_built(path):
        from tikzgen.compile.build_figures import build_file

        file = None if spec == "-" else Path(spec)
        build_file(
            rendered.tex,
            path,
            shared.find_words,
            engine=_choose_engine(spec),
            file=file,
            found=False,
            trust=choices.trust,
        )
        print_line(f"{path} written")
    elif choices.merge and path.exists():
        from tikzgen.edit.merge import parse_sides
        from tikzgen.edit.open_figure import merge_into

        assert figure is not None
        sides = parse_sides(choices.sides)
        kept = "manual edits kept" + (", except in conflicts (--ours)" if sides.gives_up else "")
        print_line(f"{path} {f'written, {kept}' if merge_into(path, figure, sides) else 'is up to date'}")
    else:
        written = write_figure(path, rendered.tex, rendered.metadata, force=choices.force)
        print_line(f"{path} and {meta_path(path).name} {'written' if written else 'are up to date'}")


def _read_merged(path: Path) -> str:
    """Return the .tex with its manual edits."""
    from tikzgen.texfile import read_tex

    return read_tex(path)


def _choose_engine(spec: str) -> str:
    """Return the engine for a picture that the suffix of the output requests."""
    return shared.engine_for(click.get_current_context(), "pdflatex", spec)


def _compare_files(
    spec: str, path: Path, rendered: Rendered, figure: FigureModel | None, choices: _Choices, diff: bool
) -> ExitStatus:
    """Report whether the files are as they would be written, and show the changes."""
    from tikzgen.emit.figure_files import list_changes
    from tikzgen.emit.refuse_overwriting import has_manual_edits

    way = "tikzgen render writes it"
    if choices.merge and path.exists():
        from tikzgen.edit.merge import parse_sides
        from tikzgen.edit.open_figure import find_merge_changes

        assert figure is not None
        found = find_merge_changes(path, figure, parse_sides(choices.sides))
        way = "tikzgen render --merge writes it"
    else:
        found = list_changes(path, rendered)
        if found and has_manual_edits(path):
            way = "it has manual edits: add --merge to keep them"
    if not found:
        print_line(f"{path} is up to date")
        return ExitStatus.OK
    if diff:
        for line in found:
            print_output(line, nl=False)
    print_error(f"{path}: is not as {spec} says ({way})")
    return ExitStatus.FINDINGS


def _refuse(spec: str, tex: str) -> None:
    """Raise an error if the drawing has findings."""
    from tikzgen.base.cache import Cache
    from tikzgen.base.version_and_cache_folder import cache_folder
    from tikzgen.lint.probe.judge_without_tex import refuse_findings

    refuse_findings(spec, tex, Cache(cache_folder()))


def _report(spec: str, tex: str) -> None:
    """Print the findings in the drawing."""
    from tikzgen.base.cache import Cache
    from tikzgen.base.version_and_cache_folder import cache_folder
    from tikzgen.lint.probe.judge_without_tex import report_findings

    for line in report_findings(spec, tex, Cache(cache_folder())):
        print_error(line)
