"""`tikzgen open`: a figure in the system's viewer."""

from __future__ import annotations

from pathlib import Path

import click

from tikzgen.base.errors import TikzgenError
from tikzgen.cli import shared_options as shared
from tikzgen.cli.shared_options import Bounded
from tikzgen.cli.voice import print_line, print_output
from tikzgen.compile.formats.format_table import FORMATS, find_format


def _format(ctx: click.Context, param: click.Parameter, value: str) -> str:
    find_format(value)
    return value


@click.command(cls=Bounded)
@click.argument("figure", metavar="FIG")
@click.option(
    *("-f", "--format", "format_"),
    callback=_format,
    metavar="[svg|png|pdf]",
    default="svg",
    show_default=True,
    help="Select the format of the picture.",
)
@click.option("--print", "printed", is_flag=True, help="Print the path of the picture; open no viewer.")
@shared.engine_or_none
@shared.override_options
@shared.allow_invalid
@shared.trust_compiling
@click.pass_context
def command(
    ctx: click.Context,
    /,
    figure: str,
    format_: str,
    printed: bool,
    engine: str,
    settings: list[str],
    allow_invalid: bool,
    trust: bool,
) -> None:
    """Show FIG, a spec, a .tex or a picture, in the viewer of this system.

    \b
      tikzgen open fig.yaml

    The picture is a file in the cache. SVG needs no TeX.
    """
    from tikzgen.base.version_and_cache_folder import cache_folder
    from tikzgen.compile.build_figures import build_file
    from tikzgen.compile.figure_jobs import figure_source
    from tikzgen.spec.source import SUFFIXES, no_such_file

    file = Path(figure)
    if not file.is_file():
        raise no_such_file(file)
    picture = file
    if file.suffix.lower() in (".tex", *SUFFIXES) or file.suffix[1:].lower() not in FORMATS:
        folder = cache_folder()
        if folder is None:
            raise TikzgenError("no folder for the picture", hint="set HOME, or use tikzgen build")
        picture = folder / "open" / f"{file.stem}.{format_}"
        source = figure_source(file, shared.read_figure, allow_invalid, settings=settings)()
        is_tex = file.suffix.lower() == ".tex"
        engine = shared.engine_for(ctx, engine, file)
        build_file(source, picture, shared.find_words, engine=engine, file=file, found=is_tex, trust=trust)
    if printed:
        print_output(str(picture))
        return
    if click.launch(str(picture)):
        raise TikzgenError(f"{picture}: no viewer is installed for it", hint="--print prints its path")
    print_line(f"{picture} shown")
