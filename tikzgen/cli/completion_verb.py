"""`tikzgen completion`: what a shell needs to complete verbs, options and names."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL; put it where your shell looks, nothing is installed for you."""
    from click.shell_completion import get_completion_class

    from tikzgen.cli import cli

    found = get_completion_class(shell)
    assert found is not None  # click knows these three
    click.echo(found(cli, {}, "tikzgen", "_TIKZGEN_COMPLETE").source())
