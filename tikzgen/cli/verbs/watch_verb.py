"""`tikzgen watch`: figures on a page in the browser, rebuilt on save."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tikzgen.cli import shared_options as shared
from tikzgen.cli.shared_options import Grouped, allow, time_limit
from tikzgen.cli.voice import print_line

_DEFAULT_PORT = 8457


@click.command(cls=Grouped)
@click.argument("target", metavar="SPEC|DIR", type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=_DEFAULT_PORT,
    show_default=True,
    help="Select the port; 0 selects any free port.",
)
@click.option("--open/--no-browser", "browser", default=False, help="Open the page in a browser. Default: no.")
@shared.engine
@allow
@time_limit
@click.option("--geometry", is_flag=True, help="Check the output of TeX also: one more TeX run per save.")
@shared.allow_invalid
@shared.measure
@shared.trust_compiling
@click.pass_context
def command(
    ctx: click.Context,
    /,
    target: Path,
    port: int,
    browser: bool,
    engine: str,
    seconds: float,
    **choices: Any,
) -> None:
    """Show figures in a local browser page, and update it on each save.

    \b
      tikzgen watch fig.yaml --open

    DIR means all figures in it. The page has the figure at its true size, a form that writes parameters to the file,
    and the findings of `tikzgen check`. For an invalid file, the page shows its errors. SPEC may also be a .tex file.
    Ctrl-C stops the command with status 130.
    """
    from tikzgen.base.child import wait_for_request
    from tikzgen.compile.make_formats import Settings
    from tikzgen.serve.watch.run_watch import run_watch
    from tikzgen.spec.source import no_such_file

    if str(target) == "-":
        raise click.UsageError("standard input cannot be watched; give a file or a folder")
    if not target.exists():
        raise no_such_file(target)
    engine = shared.engine_for(ctx, engine, target, none=False)
    settings = Settings(shared.find_words, engine=engine, time_limit=seconds)

    with run_watch(
        target, port=port, settings=settings, tell=print_line, apart=ctx.obj is not None, **choices
    ) as server:
        click.echo(f"watching {target}: {server.url} (Ctrl-C ends it)", err=True)
        if browser:
            import webbrowser

            webbrowser.open(server.visit())
        wait_for_request()
