"""`tikzgen render`: a spec in, `fig.tex` and `fig.meta.json` out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tikzgen.cli import shared_options as shared
from tikzgen.cli.shared_options import Bounded

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure


@click.command(cls=Bounded)
@click.argument("spec")
@click.option("-o", "--output", metavar="FIG.tex", help="Where to write; - is stdout. Default: beside the spec.")
@shared.override_options
@shared.allow_invalid
@shared.measure
@shared.strict
@click.option("--force", is_flag=True, help="Overwrite a file that was edited by hand.")
@click.option("--merge", is_flag=True, help="Keep what was edited by hand in the file that stands there.")
@shared.merge_options("With --merge: ")
@shared.templates
@click.option("--format", "format_", type=click.Choice(["tex", "json"]), default="tex", help="tex, or the metadata.")
@shared.trust_option("with --measure set it without a sandbox")
def command(
    spec: str,
    output: str | None,
    settings: list[str],
    allow_invalid: bool,
    measure: bool,
    trust: bool,
    strict: bool,
    force: bool,
    merge: bool,
    sides: list[str],
    templates: Path | None,
    format_: str,
) -> None:
    """Turn SPEC (YAML, JSON, a rendered .tex, or a PyTorch schedule CSV; - is stdin) into TikZ, metadata beside it.

    A schedule that breaks rules is refused, with the findings of `tikzgen check`, unless --allow-invalid.
    """
    from tikzgen.base.cache import Cache
    from tikzgen.base.shipped import cache_folder
    from tikzgen.compile.rendered import rendered as rendered_before
    from tikzgen.tikz.figure_files import meta_path, write_figure

    folders = (templates,) if templates else ()

    def read() -> Figure:
        from tikzgen.lint.valid import read_valid
        from tikzgen.loading import expanded

        found = expanded(*read_valid(spec, settings, allow_invalid=allow_invalid))
        if measure:
            from tikzgen.compile.truth import measured

            found = measured(found, folders=folders, trust=trust)
        return found

    if measure or merge or folders or spec == "-":
        from tikzgen.tikz.render_figure import render

        figure = read()
        rendered = render(figure, folders)
    else:
        rendered = rendered_before(Path(spec), read, Cache(cache_folder()), allow_invalid, False, *settings)
    for note in rendered.notes:
        click.echo(f"{spec}: {note}", err=True)
    _judge(spec, rendered.tex, strict)
    if output is None and spec == "-":
        output = "-"
    if format_ == "json":
        click.echo(json.dumps(rendered.metadata, ensure_ascii=False, indent=2))
        return
    if output == "-":
        click.echo(rendered.tex, nl=False)
        return
    path = Path(output) if output else Path(spec).with_suffix(".tex")
    if merge and path.exists():
        from tikzgen.edit.merge import chosen
        from tikzgen.edit.open_figure import merge_into

        written = merge_into(path, figure, chosen(sides))
        click.echo(f"{path} {'written, hand edits kept' if written else 'is up to date'}", err=True)
        return
    written = write_figure(path, rendered.tex, rendered.metadata, force=force)
    click.echo(f"{path} and {meta_path(path).name} {'written' if written else 'are up to date'}", err=True)


def _judge(spec: str, tex: str, strict: bool) -> None:
    """Say what the drawing shows to be wrong, or refuse it."""
    from tikzgen.base.cache import Cache
    from tikzgen.base.shipped import cache_folder
    from tikzgen.probe.judging import judge

    for finding in judge(spec, tex, Cache(cache_folder()), strict=strict):
        click.echo(str(finding), err=True)
