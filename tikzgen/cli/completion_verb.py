"""`tikzgen completion`: what a shell needs to complete verbs, options and names, and what `man` shows."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "man"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL, or the manual page; put it where your shell or man looks.

    Nothing is installed for you:

    \b
      tikzgen completion bash > ~/.local/share/bash-completion/completions/tikzgen
      tikzgen completion man > ~/.local/share/man/man1/tikzgen.1
    """
    from click.shell_completion import get_completion_class

    from tikzgen.cli import cli
    from tikzgen.cli.manual import manual

    if shell == "man":
        click.echo(manual(cli), nl=False)
        return
    found = get_completion_class(shell)
    assert found is not None  # click knows these three
    click.echo(found(cli, {}, "tikzgen", "_TIKZGEN_COMPLETE").source())
