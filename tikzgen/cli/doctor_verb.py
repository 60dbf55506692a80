"""`tikzgen doctor`: what is installed, and what installs the rest."""

from __future__ import annotations

import click

from tikzgen.base.errors import ExitStatus


@click.command()
@click.option("--json", "as_json", is_flag=True, help="The same facts for programs.")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Say which tools are here, what each is for, and how to install the missing ones.

    Exit status 1 where figures cannot be compiled with the default engine.
    """
    from tikzgen.compile.tools_here import examine

    report = examine()
    if as_json:
        import json

        click.echo(json.dumps(report.facts(), ensure_ascii=False, indent=2))
    else:
        click.echo(str(report))
    ctx.exit(ExitStatus.OK if report.usable else ExitStatus.FINDINGS)
