"""`tikzgen pull`: the spec inside a figure, back as a file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tikzgen.cli.shared_options import Bounded, stdin_filename, trust_option
from tikzgen.cli.voice import say, tell


@click.command(cls=Bounded)
@click.argument("figure", metavar="FIG.tex")
@click.option("-o", "--output", metavar="SPEC.yaml", default="-", help="Where to write; - is stdout, the default.")
@stdin_filename
@trust_option()
def command(figure: str, output: str) -> None:
    """Write the spec that travels inside FIG.tex, with the parameters that were changed by hand.

    An existing SPEC.yaml keeps its comments and its order: only what differs changes.
    """
    from tikzgen.apart.notes import held
    from tikzgen.base.files import write_files
    from tikzgen.base.folders import locked
    from tikzgen.edit.pulled_spec import encoded, pulled
    from tikzgen.specfile.source import decode as decode_spec
    from tikzgen.specfile.source import stdin_name
    from tikzgen.texfile.text import decode, digest, read_source

    with held():
        data = sys.stdin.buffer.read() if figure == "-" else read_source(Path(figure))
    name, path = stdin_name() if figure == "-" else figure, Path(output)
    if output == "-":
        say(pulled(decode(data), name), nl=False)
        return
    with locked(path):
        existing = read_source(path) if path.exists() else None
        before = existing or b""
        text = pulled(decode(data), name, decode_spec(before, output), output)
        expect = {path: None if existing is None else digest(existing)}
        written = write_files({path: encoded(text, before)}, expect=expect)
    tell(f"{path} {'written' if written else 'is up to date'}")
