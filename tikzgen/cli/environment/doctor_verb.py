"""`tikzgen doctor`: installed tools, and the command that installs the missing ones."""

from __future__ import annotations

import click

from tikzgen.base.errors import ExitStatus
from tikzgen.cli.shared_options import Grouped, json_instead
from tikzgen.cli.voice import say_json


@click.command(cls=Grouped)
@json_instead
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List installed and missing tools, and how to install them.

    \b
      tikzgen doctor

    Exit status 1: the default engine cannot compile figures.
    """
    from tikzgen.compile.tex import examine_machine

    report = examine_machine()
    if as_json:
        say_json(report.convert_to_data())
    else:
        click.echo(str(report))
    ctx.exit(ExitStatus.OK if report.usable else ExitStatus.FINDINGS)
