"""`tikzgen mcp`: the tools for agents, over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path

import click

from tikzgen.cli.shared_options import Grouped, trust_option


@click.command(cls=Grouped)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False),
    default=".",
    help="Read and write files of this folder only.",
)
@trust_option("use no sandbox")
@click.option("--skill", "guide", is_flag=True, help="Print the guide for agents (SKILL.md) and stop.")
def command(root: str, trust: bool, guide: bool) -> None:
    """Serve tools for agents on standard input and output.

    \b
      tikzgen mcp --root figures

    The tools are list, new, show, plan, apply, undo, pull, check and others.
    """
    if guide:
        from tikzgen.serve.agents.mcp_server import make_skill_text

        click.echo(make_skill_text(), nl=False)
        return
    from tikzgen.serve.agents.mcp_server import serve

    serve(Path(root), trust=trust)
