"""`tikzgen pull`: the spec inside a figure, back as a file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tikzgen.cli.shared_options import Bounded, stdin_filename, trust_option
from tikzgen.cli.voice import print_error, print_output, tell_of


@click.command(cls=Bounded)
@click.argument("figure", metavar="FIG.tex")
@click.option("-o", "--output", metavar="SPEC.yaml", default="-", help="Write to this file; - is stdout, the default.")
@stdin_filename
@trust_option()
def command(figure: str, output: str) -> None:
    """Write the spec in FIG.tex, with the manual edits of the figure.

    \b
      tikzgen pull fig.tex -o fig.yaml

    Manual edits that the spec cannot express stay in FIG.tex; a message lists them. An existing SPEC.yaml keeps its
    comments and its order; only changed values differ.
    """
    from tikzgen.base.child import pause_clock
    from tikzgen.edit.lift.lifted_file import report_left_lines
    from tikzgen.edit.pulled_spec import pull_into, pull_spec_text
    from tikzgen.spec.source import refuse_spec, stdin_name
    from tikzgen.texfile import decode, read_source

    refuse_spec(Path(figure))
    with pause_clock():
        data = sys.stdin.buffer.read() if figure == "-" else read_source(Path(figure))
    name = stdin_name() if figure == "-" else figure
    if output == "-":
        print_output(pull_spec_text(decode(data), name), nl=False)
    else:
        tell_of(Path(output), pull_into(Path(output), data, name, output)[0])
    if note := report_left_lines(decode(data), name):
        print_error(str(note))
