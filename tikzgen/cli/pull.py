"""`tikzgen pull`: the spec inside a figure, back as a file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("figure", metavar="FIG.tex")
@click.option("-o", "--output", metavar="SPEC.yaml", default="-", help="Where to write; - is stdout, the default.")
def command(figure: str, output: str) -> None:
    """Write the spec that travels inside FIG.tex, with the parameters that were changed by hand.

    An existing SPEC.yaml keeps its comments and its order: only what differs changes.
    """
    from tikzgen.edit.pull import pulled
    from tikzgen.files import write_if_changed
    from tikzgen.source.text import decode, read_source

    data = sys.stdin.buffer.read() if figure == "-" else read_source(Path(figure))
    path = Path(output)
    existing = path.read_text(encoding="utf-8") if output != "-" and path.exists() else ""
    text = pulled(decode(data), figure, existing, output)
    if output == "-":
        click.echo(text, nl=False)
        return
    written = write_if_changed(path, text.encode())
    click.echo(f"{path} {'written' if written else 'is up to date'}", err=True)
