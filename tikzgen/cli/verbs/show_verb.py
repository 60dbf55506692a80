"""`tikzgen show`: the contents of a figure, and the operations that it allows."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tikzgen.cli.shared_options import Bounded, stdin_filename, text_or_json, trust_option
from tikzgen.cli.voice import print_output, say_json


@click.command(cls=Bounded)
@click.argument("figure", metavar="FIG.tex")
@text_or_json
@click.option("--alt", is_flag=True, help="Print only the alternative text, for alt={...} in a paper.")
@click.option("--all", "whole", is_flag=True, help="Print long parts completely, not only their first lines.")
@stdin_filename
@trust_option()
def command(figure: str, format_: str, alt: bool, whole: bool) -> None:
    """Show the contents and the possible operations of FIG.tex.

    \b
      tikzgen show fig.tex

    The contents are parameters, nodes, flows, styles and manual edits. FIG.tex is a figure of tikzgen or any other
    .tex; - is stdin.
    """
    from tikzgen.edit.lift.lifted_file import describe_hand_edits
    from tikzgen.edit.show_figure import as_alt, as_data, as_text, show
    from tikzgen.texfile import read_source

    if figure == "-":
        from tikzgen.base.child import pause_clock
        from tikzgen.lint.inventory import take
        from tikzgen.spec.source import stdin_name

        with pause_clock():
            data = sys.stdin.buffer.read()
        found = take(data, stdin_name())
    else:
        found = show(figure)
        data = read_source(Path(figure)) if found.hand_edits else b""
    if alt:
        print_output(as_alt(found))
        return
    edits = describe_hand_edits(data, found.file) if found.hand_edits else ([], [])
    if format_ == "json":
        say_json({**as_data(found), "lifted": edits[0], "left": edits[1]})
    else:
        print_output(as_text(found, None, edits=edits) if whole else as_text(found, edits=edits), nl=False)
