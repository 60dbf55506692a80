"""`tikzgen completion`: completion scripts for shells, and the manual page."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from tikzgen.base.version_and_cache_folder import VERSION
from tikzgen.cli.shared_options import Grouped


@click.command(cls=Grouped)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "man"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL, or the manual page.

    Save the output in a folder that your shell or man reads:

    \b
      tikzgen completion bash > ~/.local/share/bash-completion/completions/tikzgen
      tikzgen completion man > ~/.local/share/man/man1/tikzgen.1
    """
    from click.shell_completion import get_completion_class

    from tikzgen.cli import cli

    if shell == "man":
        click.echo(write_manual(cli), nl=False)
        return
    found = get_completion_class(shell)
    assert found is not None  # click knows these three
    click.echo(found(cli, {}, "tikzgen", "_TIKZGEN_COMPLETE").source())


def write_manual(group: click.Group) -> str:
    """Return the manual page in troff, section 1, with every command, its options and their variables."""
    lines = [f'.TH TIKZGEN 1 "" "tikzgen {VERSION}" "User Commands"', ".SH NAME"]
    lines += ["tikzgen \\- figures of distributed systems and training, as TikZ that stays editable", ".SH SYNOPSIS"]
    lines += [".B tikzgen", "[\\fI\\,OPTIONS\\/\\fR] \\fI\\,VERB\\/\\fR [\\fI\\,ARGS\\/\\fR]...", ".SH DESCRIPTION"]
    lines += _split_paragraphs(group.help or "")
    lines += [".SH VERBS"]
    with click.Context(group, info_name="tikzgen") as context:
        for name in group.list_commands(context):
            verb = group.get_command(context, name)
            assert verb is not None
            lines += _describe_verb(verb, name, context)
    lines += [".SH ENVIRONMENT", *_split_paragraphs(_ENVIRONMENT), ".SH FILES", *_split_paragraphs(_FILES)]
    return "\n".join(lines) + "\n"


_ENVIRONMENT = """Each option names its variable. TIKZGEN_WIDTH, TIKZGEN_HEIGHT, TIKZGEN_PALETTE, TIKZGEN_STYLE and
TIKZGEN_LANGUAGE go over what specs say; NO_COLOR takes colours away; XDG_CACHE_HOME is where what was made lies."""
_FILES = """tikzgen.toml, or [tool.tikzgen] in pyproject.toml, the nearest one upwards from a spec: what figures of a
paper share (tikzgen config --schema)."""


def _describe_verb(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield from (".SS " + _escape_troff(usage), *_split_paragraphs(command.help or ""))
    for option in command.params:
        record = option.get_help_record(context) if isinstance(option, click.Option) else None
        if record:
            variable = f" [{option.envvar}]" if option.envvar else ""
            yield from (
                ".TP",
                f"\\fB{_escape_troff(record[0])}\\fR",
                _escape_troff(" ".join(record[1].split()) + variable),
            )
    if isinstance(command, click.Group):
        for inner, each in sorted(command.commands.items()):
            yield from _describe_verb(each, inner, context)


def _split_paragraphs(text: str) -> list[str]:
    parts = inspect.cleandoc(text).replace("\b\n", "").split("\n\n")
    return [line for part in parts for line in (".PP", _escape_troff(" ".join(part.split())))]


def _escape_troff(text: str) -> str:
    """Escape a string for troff, with hyphens that can be copied and without control lines."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text
