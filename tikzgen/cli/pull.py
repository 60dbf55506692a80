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
    from tikzgen.files import replace_unchanged, write_if_changed
    from tikzgen.source.text import decode, digest, read_source
    from tikzgen.spec.rewriting import encoded
    from tikzgen.spec.source import decode as decode_spec

    data = sys.stdin.buffer.read() if figure == "-" else read_source(Path(figure))
    path = Path(output)
    existing = read_source(path) if output != "-" and path.exists() else b""
    text = pulled(decode(data), figure, decode_spec(existing, output), output)
    if output == "-":
        click.echo(text, nl=False)
        return
    result = encoded(text, existing)
    written = replace_unchanged(path, result, digest(existing)) if existing else write_if_changed(path, result)
    click.echo(f"{path} {'written' if written else 'is up to date'}", err=True)
